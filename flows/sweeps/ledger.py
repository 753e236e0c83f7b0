"""The invocations of a sweep: each writes a file of its own while it runs, so that others can tell who is at work."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flows.sweeps.record import FOLDER
from flows.sweeps.spending import Spent
from schemas.errors import UserError
from storage.files import read_json, write_json

BEAT = 10.0
SILENT = 60.0


@dataclass
class Turn:
    """One run's turn in an invocation: seconds of the epoch, the questions that were done before, and how it ended."""

    run: str
    started: float
    done_before: int = 0
    ended: float = 0.0
    status: str = "running"
    reason: str = ""


@dataclass
class Invocation:
    """One call of ``sweep run``: where and when, its turns, and what runs that it retried had spent before."""

    host: str
    process: int
    started: float
    at: float
    portion: str = ""
    ended: bool = False
    reason: str = ""
    flow_run: str = ""
    turns: list[Turn] = field(default_factory=list)
    erased: list[Spent] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        """Whether it is running, as far as its file tells."""
        return not self.ended and time.time() - self.at < SILENT

    @property
    def seconds(self) -> float:
        """How long it ran, or has been running."""
        return self.at - self.started


def folder_of(storage: Path, sweep: str) -> Path:
    """Where a sweep's invocations are written down."""
    return storage / FOLDER / sweep


def invocations(storage: Path, sweep: str) -> list[Invocation]:
    """All invocations of a sweep, the oldest first; a file that cannot be read at this moment is left out."""
    found = []
    for path in folder_of(storage, sweep).glob("*.json"):
        with suppress(UserError):
            told: dict[str, Any] = read_json(path)
            turns = [Turn(**turn) for turn in told.pop("turns")]
            erased = [Spent(**spent) for spent in told.pop("erased")]
            found.append(Invocation(**told, turns=turns, erased=erased))
    return sorted(found, key=lambda each: each.started)


class Ledger:
    """This invocation's file, written at every change and every few seconds."""

    def __init__(self, storage: Path, sweep: str, portion: str = "") -> None:
        now = time.time()
        flow_run = os.environ.get("PREFECT__FLOW_RUN_ID", "")
        self.told = Invocation(socket.gethostname(), os.getpid(), now, now, portion, flow_run=flow_run)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
        self.path = folder_of(storage, sweep) / f"{stamp}-{os.getpid()}-{secrets.token_hex(4)}.json"
        self._lock = threading.Lock()
        self._over = threading.Event()

    @contextmanager
    def kept(self) -> Iterator["Ledger"]:
        """Keep the file up to date until the end, whichever way that comes."""
        self.write()
        beating = threading.Thread(target=self._beat, name="sweep ledger", daemon=True)
        beating.start()
        try:
            yield self
        finally:
            self._over.set()
            beating.join()
            self.told.ended = True
            self.write()

    @contextmanager
    def turn(self, run: str, done: int) -> Iterator[Turn]:
        """One run's turn; what ends it by an exception is its reason."""
        turn = Turn(run, time.time(), done)
        self.told.turns.append(turn)
        self.write()
        try:
            yield turn
        except BaseException as error:
            turn.status, turn.reason = "stopped" if isinstance(error, KeyboardInterrupt) else "failed", str(error)
            raise
        finally:
            turn.ended = time.time()
            self.write()

    def write(self) -> None:
        """Write the file as of now."""
        with self._lock:
            self.told.at = time.time()
            write_json(self.path, asdict(self.told))

    def _beat(self) -> None:
        while not self._over.wait(BEAT):
            with suppress(UserError):
                self.write()
