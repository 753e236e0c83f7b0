"""Replies of models on disk, found by the hash of everything that was sent: the checkpoint of every run.

A model's folder holds segments of JSON lines. Each process writes a segment of its own and only at its end, one line
in one write, so that threads need one lock, processes none, and a process that is killed loses at most the line it was
writing, which readers pass over. Nothing is renamed: the same lines can go to an object store, a segment in one write.
A key's newest line counts. SQLite would need locks that network file systems and object stores do not have.
"""

import fcntl
import hashlib
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from schemas.tools import Choice, Reply, ToolCall
from storage.mirrors import FULL_BYTES, OLD_SECONDS, Mirror
from storage.places import is_remote

KEY = slice(8, 72)
AT = slice(79, 96)
OFFSET_BITS = 40
REFRESH_SECONDS = 1.0


def request_key(sent: Mapping[str, Any]) -> str:
    """The SHA-256 of what was sent, written as JSON with sorted keys.

    >>> request_key({"a": 1, "b": 2}) == request_key({"b": 2, "a": 1})
    True
    """
    text = json.dumps(sent, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def line(key: str, at: float, reply: Reply) -> bytes:
    """One line of a segment: the key and the time stand at fixed places, so that an index needs no parsing."""
    stored = json.dumps({**asdict(reply), "cached": False}, separators=(",", ":"))
    return f'{{"key":"{key}","at":{at:017.6f},"reply":{stored}}}\n'.encode()


def valid(entry: bytes) -> bool:
    """Whether a line is whole and begins as ours do."""
    return entry.startswith(b'{"key":"') and entry[72:79] == b'","at":' and entry.endswith(b"}\n")


def parsed(entry: bytes) -> Reply:
    """The reply of a line."""
    reply = json.loads(entry)["reply"]
    choices = tuple(
        Choice(
            text=choice["text"],
            reasoning=choice["reasoning"],
            finish_reason=choice["finish_reason"],
            tool_calls=tuple(ToolCall(**call) for call in choice["tool_calls"]),
            logprobs=tuple((token, value) for token, value in choice["logprobs"]),
        )
        for choice in reply["choices"]
    )
    return Reply(**{**reply, "choices": choices})


def segment_path(folder: Path) -> Path:
    """A new segment's name, which sorts by time and belongs to one writer."""
    return folder / f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"


class Replies:
    """One model's replies; safe under many threads, and beside other processes that read and write the same folder."""

    def __init__(self, folder: Path) -> None:
        self._mirror = Mirror(folder) if is_remote(folder) else None
        self.folder = self._mirror.local if self._mirror else folder
        self._lock = threading.Lock()
        self._index: dict[bytes, int] = {}
        self._segments: list[Path] = []
        self._seen: dict[str, tuple[int, int]] = {}
        self._own: tuple[int, int, int] = (0, -1, -1)
        self._size = 0
        self._begun = 0.0
        self._refreshed = 0.0

    def __len__(self) -> int:
        begun = self._mirror.pull() if self._mirror else time.monotonic()
        with self._lock:
            self._refresh(begun)
            return len(self._index)

    def get(self, key: str, since: float = 0.0, age: float = REFRESH_SECONDS) -> Reply | None:
        """The newest reply to a request, if one was stored at or after ``since`` (seconds of the epoch).

        What others stored in the last ``age`` seconds may not be seen.
        """
        entry = self._entry(bytes.fromhex(key), f"{since:017.6f}".encode(), age)
        if entry[KEY] != key.encode() or float(entry[AT]) < since:
            return None
        with suppress(ValueError, KeyError, TypeError):
            return parsed(entry)
        return None

    def _entry(self, key: bytes, since: bytes, age: float) -> bytes:
        with self._lock:
            entry = self._read(self._index.get(key))
            gone = key in self._index and not entry
            if gone:
                del self._index[key]
            if not gone and (entry[AT] >= since or time.monotonic() - self._refreshed <= age):
                return entry
            if not self._mirror:
                self._refresh(time.monotonic())
                return self._read(self._index.get(key))
        begun = self._mirror.pull(age)
        with self._lock:
            if self._refreshed < begun:
                self._refresh(begun)
            return self._read(self._index.get(key))

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply; it counts for this process at once and for others within a second."""
        entry = line(key, time.time(), reply)
        with self._lock:
            process, file, segment = self._own
            if process != os.getpid() or (self._mirror and time.monotonic() - self._begun > OLD_SECONDS):
                self._end()
                process, file, segment = self._own = (os.getpid(), *self._open())
            path = self._segments[segment]
            start = self._size
            try:
                written = os.write(file, entry)
                if written != len(entry):
                    raise OSError(28, "No space left on device")
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(file, start)
                self._size = os.fstat(file).st_size
                raise UserError(f"cannot write {path}: {error.strerror}") from error
            self._index[bytes.fromhex(key)] = segment << OFFSET_BITS | start
            self._size += written
            self._seen[path.name] = (self._size, self._size)
            if self._mirror:
                self._mirror.appended(path, self._size)
                if self._size > FULL_BYTES:
                    self._end()

    def flush(self) -> None:
        """Have what was stored where other machines see it, which otherwise takes a second."""
        if self._mirror:
            self._mirror.flush()

    def close(self) -> None:
        """End this process's segment, so that it can be compacted."""
        with self._lock:
            self._end()
        self.flush()

    def _end(self) -> None:
        process, file, segment = self._own
        self._own = (0, -1, -1)
        if process == os.getpid():
            os.close(file)
            if self._mirror:
                self._mirror.appended(self._segments[segment], self._size, last=True)

    def _open(self) -> tuple[int, int]:
        path = segment_path(self.folder)
        self._begun = time.monotonic()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o666)
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError(f"cannot write {path}: {error.strerror}") from error
        self._segments.append(path)
        self._size = 0
        return file, len(self._segments) - 1

    def _read(self, place: int | None) -> bytes:
        if place is None:
            return b""
        path, offset = self._segments[place >> OFFSET_BITS], place & (1 << OFFSET_BITS) - 1
        try:
            with path.open("rb") as file:
                file.seek(offset)
                return file.readline()
        except OSError:
            return b""

    def _refresh(self, begun: float) -> None:
        for path in sorted(self.folder.glob("*.jsonl")):
            with suppress(OSError):
                size = path.stat().st_size
                done, seen = self._seen.get(path.name, (0, 0))
                if size > seen:
                    self._seen[path.name] = (self._scan(path, done), size)
        self._refreshed = begun

    def _scan(self, path: Path, offset: int) -> int:
        if path not in self._segments:
            self._segments.append(path)
        segment = self._segments.index(path)
        with path.open("rb") as file:
            file.seek(offset)
            for entry in file:
                if not entry.endswith(b"\n"):
                    break
                if valid(entry):
                    self._enter(entry, segment << OFFSET_BITS | offset)
                offset += len(entry)
        return offset

    def _enter(self, entry: bytes, place: int) -> None:
        with suppress(ValueError):
            key = bytes.fromhex(entry[KEY].decode())
            known = self._index.get(key)
            if known is None or self._read(known)[AT] <= entry[AT]:
                self._index[key] = place
