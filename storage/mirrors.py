"""A local copy of a folder of an object store whose files only grow: read and appended to here, sent there as wholes.

A file has one writer. What it has appended is sent every second, always the file as a whole under one name, until the
file is full and another one is begun; so a killed process loses nothing that its machine does not still have. Others
fetch what has been added. Files that need not be sent any more are read-only here: those that are not, and that no
living process holds, are sent by whoever comes next.
"""

import atexit
import fcntl
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from storage.layout import nearby
from storage.leases import changed
from storage.places import filesystem, listed, mended

LOG = logging.getLogger(__name__)
FLUSH_SECONDS = 1.0
IDLE_SECONDS = 30.0
FULL_BYTES = 1 << 21
OLD_SECONDS = 1800.0
SENT = 0o444
_mirrors: "WeakSet[Mirror]" = WeakSet()


class Mirror:
    """The local copy of one remote folder's ``.jsonl`` files; safe under threads and beside other processes."""

    def __init__(self, remote: Path) -> None:
        self.remote = remote
        self.local = nearby(remote)
        self._lock = threading.Lock()
        self._pulling = threading.Lock()
        self._pulled = float("-inf")
        self._flushing = threading.Lock()
        self._pending: dict[Path, tuple[int, bool]] = {}
        self._process = 0
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        _mirrors.add(self)

    def pull(self, age: float = 0.0) -> float:
        """Have what others sent more than ``age`` seconds ago; the (monotonic) time of which all is known."""
        oldest = time.monotonic() - age
        with self._pulling:
            if self._pulled < oldest:
                begun = time.monotonic()
                self.local.mkdir(parents=True, exist_ok=True)
                with self._alone():
                    self._fetch()
                    if self._pulled == float("-inf"):
                        self._recover()
                self._pulled = begun
            return self._pulled

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self.local / ".lock").open("w") as lock:
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _fetch(self) -> None:
        sent = {path for path in self.local.glob("*.jsonl") if not _is_open(path)}
        there = {name: int(about["size"]) for name, about in listed(self.remote).items() if name.endswith(".jsonl")}
        for path in sent:
            if path.name not in there:
                path.unlink(missing_ok=True)
        wanted = {name: size for name, size in there.items() if _size(self.local / name) < size}
        with ThreadPoolExecutor(min(16, len(wanted) or 1)) as pool:
            list(pool.map(self._fetch_rest, wanted))

    def _fetch_rest(self, name: str) -> None:
        """Add what is missing at the end of a file; who reads it meanwhile sees one of the two whole."""
        path, temporary = self.local / name, self.local / f".{name}.{secrets.token_hex(4)}.tmp"
        have = path.read_bytes() if path.exists() else b""
        with mended(self.remote / name, "read"), suppress(FileNotFoundError):
            store, remote = filesystem(self.remote / name)
            if have:
                temporary.write_bytes(have + store.cat_file(remote, start=len(have)))
            else:
                store.get_file(remote, str(temporary))
            temporary.chmod(SENT)
            temporary.replace(path)

    def _recover(self) -> None:
        """Send what a process that was killed on this machine had no time to send."""
        for path in self.local.glob("*.jsonl"):
            with suppress(OSError):
                if _is_open(path) and path not in self._pending:
                    with path.open("rb") as file:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        self._send(path, path.stat().st_size, last=True)

    def appended(self, path: Path, size: int, *, last: bool = False) -> None:
        """Note that a local file has grown, so that it is sent soon; ``last`` where it will not grow any more."""
        with self._lock:
            if self._process != os.getpid():
                self._process, self._thread, self._pending = os.getpid(), None, {}
            self._pending[path] = (size, last)
            self._wake.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep, name="replies", daemon=True)
                self._thread.start()

    def _keep(self) -> None:
        warned = 0.0
        while True:
            if not self._wake.wait(IDLE_SECONDS):
                with self._lock:
                    if not self._wake.is_set():
                        self._thread = None
                        return
            self._wake.clear()
            time.sleep(FLUSH_SECONDS)
            try:
                self.flush()
            except Exception as error:
                self._wake.set()
                if time.monotonic() - warned > 60.0:
                    warned = time.monotonic()
                    LOG.warning("%s; trying again", error)

    def flush(self) -> None:
        """Send what has been appended and not been sent."""
        with self._flushing:
            with self._lock:
                pending = dict(self._pending) if self._process == os.getpid() else {}
            for path, (size, last) in pending.items():
                try:
                    self._send(path, size, last=last)
                except FileNotFoundError:
                    LOG.warning("%s was removed before it was sent", path)
                with self._lock:
                    if self._pending.get(path) == (size, last):
                        del self._pending[path]

    def _send(self, path: Path, size: int, *, last: bool) -> None:
        with path.open("rb") as file:
            lines = file.read(size)
        with mended(self.remote / path.name, "write"):
            store, name = filesystem(self.remote / path.name)
            store.pipe_file(name, lines[: lines.rfind(b"\n") + 1])
        if last:
            path.chmod(SENT)

    def send(self, path: Path) -> None:
        """Send a file that will not grow any more."""
        with mended(self.remote / path.name, "write"):
            store, name = filesystem(self.remote / path.name)
            store.put_file(str(path), name)
        path.chmod(SENT)

    def remove(self, name: str) -> None:
        """Remove a file there and here."""
        with mended(self.remote / name, "remove"):
            (self.remote / name).unlink(missing_ok=True)
        (self.local / name).unlink(missing_ok=True)

    def older(self, seconds: float) -> set[str]:
        """The names of the files there that nobody has written for so long."""
        there = listed(self.remote)
        return {name for name, about in there.items() if time.time() - changed(about) > seconds}


def _is_open(path: Path) -> bool:
    """Whether a file may still have something that was not sent."""
    with suppress(OSError):
        return bool(path.stat().st_mode & 0o200)
    return True


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return -1


def _flush_all() -> None:
    for mirror in list(_mirrors):
        try:
            mirror.flush()
        except Exception as error:
            LOG.warning("%s; the next run on this machine sends it", error)


getattr(threading, "_register_atexit", atexit.register)(_flush_all)
