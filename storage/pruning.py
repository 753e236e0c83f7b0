"""The size of the reply cache, and less of it: old replies dropped, segments of ended processes joined."""

import fcntl
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from storage.files import whole
from storage.mirrors import Mirror
from storage.places import is_remote, matching
from storage.replies import AT, KEY, parsed, segment_path, valid

REMOTE_SECONDS = 3600.0


@dataclass(frozen=True)
class Usage:
    """What one model's replies take: distinct replies, bytes and segments on disk, times in seconds of the epoch."""

    folder: Path
    model: str
    replies: int
    bytes: int
    segments: int
    oldest: float
    newest: float


@dataclass(frozen=True)
class Pruned:
    """What pruning removes: replies too old, lines that no longer count, bytes; and segments left alone, in use."""

    expired: int
    stale: int
    bytes: int
    in_use: int


def usage(replies: Path) -> list[Usage]:
    """The usage of every model below the folder of replies, largest first."""
    folders = {path.parent for path in matching(replies, "*/*.jsonl")}
    return sorted((_usage(folder) for folder in folders), key=lambda each: -each.bytes)


def _usage(folder: Path) -> Usage:
    segments = sorted(_mirrored(folder)[0].glob("*.jsonl"))
    keys: set[bytes] = set()
    times: set[float] = set()
    model = ""
    for segment in segments:
        for entry in _entries(segment):
            with suppress(ValueError, KeyError, TypeError):
                model = model or parsed(entry).model
            keys.add(entry[KEY])
            times.add(float(entry[AT]))
    size = sum(segment.stat().st_size for segment in segments)
    return Usage(
        folder, model or folder.name, len(keys), size, len(segments), min(times, default=0.0), max(times, default=0.0)
    )


def _mirrored(folder: Path) -> tuple[Path, Mirror | None]:
    """The local folder to read replies from, and what keeps it the copy of a remote one."""
    if not is_remote(folder):
        return folder, None
    mirror = Mirror(folder)
    mirror.pull()
    return mirror.local, mirror


def prune(folder: Path, before: float = 0.0, *, dry_run: bool = False) -> Pruned:
    """Drop replies stored before a time (seconds of the epoch) and lines that no longer count; join what is left.

    Segments that a process may still write are left alone: those that are held, or, in an object store, those that
    were written within the hour.
    """
    with ExitStack() as locks:
        local, mirror = _mirrored(folder)
        segments = sorted(local.glob("*.jsonl"))
        old = mirror.older(REMOTE_SECONDS) if mirror else {segment.name for segment in segments}
        ours = [segment for segment in segments if segment.name in old and _held(segment, locks)]
        newest = _newest(segments)
        counts: Counter[str] = Counter()
        size = sum(segment.stat().st_size for segment in ours)
        after = sum(len(entry) for entry in _kept(ours, newest, before, counts))
        if not dry_run and (after < size or len(ours) > 1):
            _join(local, ours, _kept(ours, newest, before, Counter()), mirror)
    return Pruned(counts["expired"], counts["stale"], size - after, len(segments) - len(ours))


def _held(segment: Path, locks: ExitStack) -> bool:
    file = locks.enter_context(segment.open("rb"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _newest(segments: list[Path]) -> dict[bytes, bytes]:
    newest: dict[bytes, bytes] = {}
    for segment in segments:
        for entry in _entries(segment):
            newest[entry[KEY]] = max(entry[AT], newest.get(entry[KEY], b""))
    return newest


def _entries(segment: Path) -> Iterator[bytes]:
    with segment.open("rb") as file:
        yield from (entry for entry in file if valid(entry))


def _kept(segments: list[Path], newest: dict[bytes, bytes], before: float, counts: Counter[str]) -> Iterator[bytes]:
    left = dict(newest)
    for segment in segments:
        for entry in _entries(segment):
            if left.get(entry[KEY]) != entry[AT]:
                counts["stale"] += 1
            elif float(left.pop(entry[KEY])) < before:
                counts["expired"] += 1
            else:
                yield entry


def _join(folder: Path, segments: list[Path], entries: Iterator[bytes], mirror: Mirror | None) -> None:
    target = segment_path(folder)
    with whole(target) as temporary, temporary.open("wb") as file:
        written = sum(file.write(entry) for entry in entries)
    if mirror and written:
        mirror.send(target)
    for segment in segments:
        if mirror:
            mirror.remove(segment.name)
        segment.unlink(missing_ok=True)
    if not written:
        target.unlink()
