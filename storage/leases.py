"""Who works on a folder of an object store: a small object a process, renewed as long as the process lives.

To hold a folder is to put an object there and then to find no other one in the way: who comes at the same time sees us,
or we see them, or both step back and try again. Times are those of the store; no two machines' clocks are compared.
"""

import json
import logging
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from storage.places import filesystem, listed, mended

LOG = logging.getLogger(__name__)
FOLDER = ".lease"
RENEWAL_SECONDS = 15.0
STALE_SECONDS = 60.0
TRIES = 4


class Busy(UserError):
    """Somebody else is at work there."""


@dataclass(frozen=True)
class Lease:
    """A process's object in a folder; ``shared`` ones stand beside each other, others alone."""

    path: Path
    shared: bool

    def write(self) -> None:
        """Write or renew the object."""
        about = {"host": socket.gethostname(), "process": os.getpid(), "renewed": time.time()}
        with mended(self.path, "write"):
            self.path.write_bytes(json.dumps(about).encode())

    def remove(self) -> None:
        """Remove the object."""
        with suppress(Exception):
            self.path.unlink()

    def rivals(self) -> dict[str, float]:
        """The objects in our way and the seconds since each was renewed; those of dead processes are removed."""
        there = {name: changed(about) for name, about in listed(self.path.parent).items()}
        now = there.pop(self.path.name, max(there.values(), default=0.0))
        found = {}
        for name, at in there.items():
            if now - at > STALE_SECONDS:
                Lease(self.path.with_name(name), True).remove()
            elif not (self.shared and name.startswith("shared")):
                found[name] = now - at
        return found


@contextmanager
def leased(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a remote folder, alone or beside others that share it; raise Busy where somebody is in the way.

    A process that is killed holds it for ``STALE_SECONDS`` more.
    """
    lease = _taken(folder, shared)
    ended = threading.Event()
    renewal = threading.Thread(target=_renew, args=(lease, ended), name="lease", daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()
        lease.remove()


def _taken(folder: Path, shared: bool) -> Lease:
    kind = "shared" if shared else "alone"
    lease = Lease(folder / FOLDER / f"{kind}-{secrets.token_hex(8)}.json", shared)
    for left in reversed(range(TRIES)):
        lease.write()
        try:
            rivals = lease.rivals()
        except BaseException:
            lease.remove()
            raise
        if not rivals:
            return lease
        lease.remove()
        if not left:
            told = _told(lease, rivals)
            raise Busy(f"{folder}: another process is writing this run ({told}); wait for it or name another --run")
        time.sleep(random.uniform(0.05, 0.5))
    raise AssertionError


def _told(lease: Lease, rivals: dict[str, float]) -> str:
    name, age = min(rivals.items(), key=lambda each: each[1])
    who = "it was"
    with suppress(Exception):
        about = json.loads(lease.path.with_name(name).read_bytes())
        who = f"process {about['process']} on {about['host']},"
    return f"{who} heard of {age:.0f} s ago; one that was killed holds it for {max(0, STALE_SECONDS - age):.0f} s more"


def _renew(lease: Lease, ended: threading.Event) -> None:
    while not ended.wait(RENEWAL_SECONDS):
        try:
            store, name = filesystem(lease.path)
            if not store.exists(name):
                LOG.warning("%s was taken over by another process", lease.path.parent.parent)
                return
            lease.write()
        except Exception as error:
            LOG.warning("cannot renew %s: %s", lease.path, error)


def changed(about: dict[str, Any]) -> float:
    """When the store says that an object was written, in seconds of the epoch."""
    for key in ("LastModified", "last_modified", "updated", "mtime", "created"):
        at = about.get(key)
        if isinstance(at, str):
            at = datetime.fromisoformat(at)
        if isinstance(at, datetime):
            return at.timestamp()
        if at is not None:
            return float(at)
    return 0.0
