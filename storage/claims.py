"""Claims of requests: processes and machines that want the same reply at the same time pay for it once.

A claim is a small file that only one can create, named by the request's key, holding its owner: a hard link to its
owner's file where the disk has those. They lie in many folders, as a folder takes one new file at a time. Where an
owner is dead the next one creates the file's successor (its name and the dead owner), so that of several only one takes
over.

A claim stays for some seconds after its reply was stored (replies reach an object store within those): who then finds
no claim, and has looked for the reply shortly before, knows that there is none. A claim saves money and guards
nothing: where it fails, a request is sent twice. On an object store a call costs one PUT and one DELETE (many in one
request where the store can), a process one PUT every five seconds, and whoever waits one GET a second.
"""

import atexit
import errno
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

from schemas.errors import UserError
from storage.heartbeats import RENEWAL_SECONDS, STALE_SECONDS, Heartbeats
from storage.places import exclusive_create, exclusive_link, filesystem, is_remote, matching, mended
from storage.replies import REFRESH_SECONDS

SURE_SECONDS, LINGER_SECONDS = 1.5, 4.0
REMOTE_SURE_SECONDS, REMOTE_LINGER_SECONDS = 3.0, 12.0
TICK_SECONDS = 0.5
PAUSES = (0.05, 1.0)
FULL = {errno.ENOSPC, errno.EDQUOT}
LOG = logging.getLogger(__name__)
Found = TypeVar("Found")
_joined: "WeakSet[Claims]" = WeakSet()


class Claims:
    """This process's claims in one folder; safe under many threads, where no two of them ask for one key at one time.

    One thread renews all claims and removes those that have lingered; it ends when there are none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = is_remote(folder)
        self.sure = REMOTE_SURE_SECONDS if self.remote else SURE_SECONDS
        self.linger = REMOTE_LINGER_SECONDS if self.remote else LINGER_SECONDS
        self.beats = Heartbeats(folder / "owners")
        self._lock = threading.Lock()
        self._owner = ""
        self._process = 0
        self._since = 0.0
        self._held: dict[str, list[Path]] = {}
        self._lingering: dict[str, float] = {}

    @contextmanager
    def turn(self, key: str, look: Callable[[float], Found | None]) -> Iterator[Found | None]:
        """Give what ``look`` finds while others hold a key's claim, or None when the claim is ours until the end.

        ``look`` is told how old, in seconds, what it knows of other processes' work may be.
        """
        found = self._awaited(key, look)
        if found is not None:
            yield found
            return
        try:
            yield None
        except BaseException:
            self._drop([key])
            raise
        with self._lock:
            self._lingering[key] = time.monotonic() + self.linger

    def _awaited(self, key: str, look: Callable[[float], Found | None]) -> Found | None:
        pause, longest = PAUSES
        taken = self.take(key)
        while not taken:
            found = look(REFRESH_SECONDS if self.remote else pause / 2)
            if found is not None:
                return found
            time.sleep(pause)
            pause = min(2 * pause, longest)
            taken = self.take(key, again=True)
        try:
            first = len(self._held[key]) == 1
            found = look(min(self.sure, time.monotonic() - self._since) if first else 0.0)
        except BaseException:
            self._drop([key])
            raise
        if found is not None:
            self._drop([key])
        return found

    def take(self, key: str, *, again: bool = False) -> bool:
        """Claim a key, if nobody alive holds it; ``again`` reads before it writes, because somebody did."""
        return self._taken(key, again, join=True)

    def _taken(self, key: str, again: bool, *, join: bool) -> bool:
        with self._lock:
            if join:
                self._join()
            if key in self._held:
                return self._lingering.pop(key, None) is not None
            self._held[key] = []
        files: list[Path] = []
        try:
            files = self._files(self.folder / key[:2] / key, again)
        finally:
            with self._lock:
                self._held[key] = files
                if not files:
                    del self._held[key]
        return bool(files)

    def _files(self, path: Path, again: bool) -> list[Path]:
        """The files of a claim that is now ours, dead owners' before our own; none where somebody alive holds it."""
        dead: list[Path] = []
        while True:
            owner = self._read(path) if again else None
            if owner is None:
                if self._created(path):
                    return [*dead, path]
                owner = self._read(path)
            if owner and owner == self._owner:
                return [*dead, path]
            if owner is None or (self.beats.alive(owner) if owner else self.beats.changing(path.name, owner)):
                return []
            dead.append(path)
            path = path.with_name(f"{path.name}.{owner or 'unwritten'}")

    def _created(self, path: Path) -> bool:
        """Whether a claim's file is now there and ours: one more name of our owner's file where the disk has those."""
        if not self.remote:
            with suppress(OSError):
                return exclusive_link(path, self.beats.file(self._owner))
        try:
            with mended(path, "write"):
                return exclusive_create(path, self._owner.encode())
        except UserError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in FULL:
                _remove([path])
            raise

    @staticmethod
    def _read(path: Path) -> str | None:
        try:
            with mended(path, "read"):
                return path.read_bytes().decode().partition("\n")[0]
        except UserError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise

    def _drop(self, keys: Sequence[str]) -> None:
        """Give claims up that no other thread is taking or giving up; what cannot be removed now lingers on."""
        with self._lock:
            chains = {key: files for key in keys if (files := self._held.get(key))}
            for key in chains:
                self._held[key] = []
                self._lingering.pop(key, None)
        together = self.remote and len(chains) > 1 and _remove_together(list(chain(*chains.values())))
        gone = {key: together or _remove(files) for key, files in chains.items()}
        with self._lock:
            for key, removed in gone.items():
                if removed:
                    del self._held[key]
                else:
                    self._held[key] = chains[key]
                    self._lingering[key] = time.monotonic() + self.linger

    def _join(self) -> None:
        """Become an owner, with a thread that keeps what it owns, if that has not happened in this process."""
        if self._owner and self._process == os.getpid():
            return
        if self._process != os.getpid():
            self._held, self._lingering = {}, {}
        owner = secrets.token_hex(8)
        self.beats.beat(owner, 0)
        self._owner, self._process, self._since = owner, os.getpid(), time.monotonic()
        _joined.add(self)
        threading.Thread(target=self._keep, args=(owner,), name="claims", daemon=True).start()
        threading.Thread(target=self._sweep, args=(owner,), name="claims sweep", daemon=True).start()

    def _keep(self, owner: str) -> None:
        """Renew this owner, and remove what has lingered, until nothing has been held for a while."""
        beaten = busy = time.monotonic()
        count = 0
        while self._owner == owner:
            time.sleep(TICK_SECONDS)
            now = time.monotonic()
            if now - beaten >= RENEWAL_SECONDS:
                count, beaten = count + 1, now
                with suppress(Exception):
                    self.beats.beat(owner, count)
            self._drop(self._due(now))
            busy = now if self._held else busy
            if now - busy >= RENEWAL_SECONDS:
                self._leave(owner)

    def _due(self, now: float) -> list[str]:
        """The keys that have lingered, which nobody here can take from now on."""
        with self._lock:
            due = [key for key, end in self._lingering.items() if end <= now]
            for key in due:
                del self._lingering[key]
        return due

    def _leave(self, owner: str) -> None:
        with self._lock:
            if self._held or self._owner != owner:
                return
            self._owner = ""
        self.beats.end(owner)

    def _sweep(self, owner: str) -> None:
        """Remove what dead owners have left, now and once those that no longer renew are known."""
        for pause in (0.0, STALE_SECONDS + 2 * RENEWAL_SECONDS):
            time.sleep(pause)
            if self._owner != owner:
                return
            with suppress(UserError):
                self._swept()

    def _swept(self) -> None:
        dead = [owner for owner in self.beats.owners() if not self.beats.alive(owner)]
        if self.remote and not dead:
            return
        found = {path.name: path for path in matching(self.folder, "??/*")}
        for name, path in found.items():
            key, *successor = name.split(".")
            if not successor and key not in self._held and self._taken(key, again=True, join=False):
                self._drop([key])
            elif key not in found and not self.beats.alive(self._read(path) or ""):
                _remove([path])
        for owner in dead:
            self.beats.end(owner)

    def close(self) -> None:
        """Remove all claims of this process; where others are at work, not before they have lingered."""
        owner = self._owner
        if not owner or self._process != os.getpid():
            return
        others = [other for other in self.beats.owners() if other != owner]
        if others:
            with suppress(UserError):
                self._swept()
        if any(map(self.beats.alive, others)):
            time.sleep(
                min(self.sure + TICK_SECONDS, max(0.0, max(self._lingering.values(), default=0.0) - time.monotonic()))
            )
        self._drop(list(self._held))
        end = time.monotonic() + self.sure
        while self._held and not all(self._held.values()) and time.monotonic() < end:
            time.sleep(PAUSES[0])
        self._leave(owner)


def _remove(files: Sequence[Path]) -> bool:
    """Remove a claim's files, the first one first, so that nobody finds a dead owner's without its successor."""
    for path in files:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except Exception as error:
            LOG.debug("cannot remove %s: %s", path, error)
            return False
    return True


def _remove_together(paths: Sequence[Path]) -> bool:
    """Remove objects by as few requests as their store allows; False where some may be left."""
    names = [filesystem(path) for path in paths]
    try:
        names[0][0].rm([name for _, name in names])
    except Exception as error:
        LOG.debug("cannot remove %d objects at once: %s", len(paths), error)
        return False
    return True


def _close_all() -> None:
    for claims in list(_joined):
        claims.close()


def _close_remote() -> None:
    """Close while pools of threads still run: clients of object stores need them."""
    for claims in list(_joined):
        if claims.remote:
            claims.close()


atexit.register(_close_all)
getattr(threading, "_register_atexit", atexit.register)(_close_remote)
