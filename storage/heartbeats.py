"""Which processes are alive, told by small files that they renew; no two machines' clocks are compared."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from schemas.errors import UserError
from storage.files import write_text
from storage.places import matching

RENEWAL_SECONDS = 5.0
STALE_SECONDS = 20.0
LOOK_SECONDS = 1.0


@cache
def machine() -> str:
    """The machine, and the container where there is one: what a process number is a number of."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


class Heartbeats:
    """The owners of one folder, a file each: written before anything is owned, renewed, and removed at the end.

    An owner is dead when its file is gone, when its process has ended on this machine, or when the file has not changed
    for ``STALE_SECONDS`` under the eyes of who asks.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[str, float]] = {}
        self._looked: dict[str, float] = {}

    def beat(self, owner: str, count: int) -> None:
        """Write or renew an owner's file: its name, and on a second line where it lives and the renewals."""
        sign = {"machine": machine(), "process": os.getpid(), "beat": count}
        write_text(self.file(owner), f"{owner}\n{json.dumps(sign)}\n")

    def file(self, owner: str) -> Path:
        """Where an owner's file lies."""
        return self.folder / owner

    def end(self, owner: str) -> None:
        """Remove an owner's file."""
        with suppress(Exception):
            self.file(owner).unlink()

    def owners(self) -> Iterator[str]:
        """Everybody who has a file, dead or alive."""
        with suppress(UserError, OSError):
            yield from (path.name for path in matching(self.folder, "*") if not path.name.startswith("."))

    def alive(self, owner: str) -> bool:
        """Whether an owner lives; looked at once a second at most."""
        now = time.monotonic()
        if now - self._looked.get(owner, -LOOK_SECONDS) < LOOK_SECONDS:
            return True
        try:
            sign = self.file(owner).read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        except Exception:
            sign = ""
        lives = self.changing(owner, sign) and not _ended(sign)
        if lives:
            self._looked[owner] = now
        return lives

    def changing(self, name: str, sign: str) -> bool:
        """Whether a sign has changed in the last ``STALE_SECONDS``, or is seen for the first time."""
        now = time.monotonic()
        last, since = self._seen.get(name, (None, now))
        if sign != last:
            self._seen[name] = (sign, now)
            return True
        return now - since < STALE_SECONDS


def _ended(sign: str) -> bool:
    """Whether a sign is of this machine and its process is no more."""
    try:
        read = json.loads(sign.partition("\n")[2])
        if read["machine"] != machine():
            return False
        os.kill(int(read["process"]), 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError):
        return False
    return False
