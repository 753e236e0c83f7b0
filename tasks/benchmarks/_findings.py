"""What is wrong with published files, gathered so that one error names every fault."""

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from schemas.errors import Faults, UserError, unknown
from storage.files import read_json

WORDS = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}
Keys = Mapping[str, tuple[type, ...]]


class Release(NamedTuple):
    """A published file by name, and how many items it holds."""

    name: str
    length: int


class Findings:
    """The faults of a benchmark's files; the same fault of many items is one line that names the items."""

    def __init__(self, benchmark: str) -> None:
        self.benchmark = benchmark
        self._items: dict[tuple[Path, str], list[int]] = {}

    def add(self, path: Path, fault: str, item: int | None = None) -> None:
        """Remember a fault of a file, or of one item of it by position (from 0)."""
        items = self._items.setdefault((path, fault), [])
        if item is not None:
            items.append(item)

    def check(self) -> None:
        """Raise all faults as one error, if there are any."""
        if self._items:
            raise Faults(self.benchmark, (_line(path, fault, items) for (path, fault), items in self._items.items()))

    def read(self, path: Path, kind: type[list[Any]] | type[dict[str, Any]]) -> Any:
        """Read a JSON file whose outermost value is of that kind; else an empty one, and a fault."""
        try:
            value = read_json(path)
        except UserError as error:
            self.add(path, str(error).removeprefix(f"{path}: "))
            return kind()
        if isinstance(value, kind):
            return value
        self.add(path, f"holds {WORDS.get(type(value), type(value).__name__)} instead of {WORDS[kind]}")
        return kind()

    def items(self, path: Path, keys: Keys, release: Release | None = None) -> list[tuple[int, dict[str, Any]]]:
        """Read a JSON list of objects: those with all these keys of these types, each with its position.

        Another length than that of the release that is expected, if one is, is a fault of the whole file.
        """
        good = []
        found = self.read(path, list)
        if release and found and len(found) != release.length:
            advice = "take the published file, or allow a subset of your own with --any-length"
            self.add(path, f"holds {len(found):,} items where {release.name} has {release.length:,}: {advice}")
        for at, item in enumerate(found):
            faults = list(_item_faults(item, keys))
            for fault in faults:
                self.add(path, fault, at)
            if not faults:
                good.append((at, item))
        return good

    def databases(self, path: Path, items: Iterable[tuple[int, Mapping[str, Any]]], known: Collection[str]) -> None:
        """Remember the items that ask a database which does not exist; nothing is known where its file is broken."""
        for at, item in items:
            if known and item["db_id"] not in known:
                self.add(path, str(unknown("database", item["db_id"], known)), at)


def _item_faults(item: Any, keys: Keys) -> Iterable[str]:
    if not isinstance(item, dict):
        yield "not an object"
        return
    for key, kinds in keys.items():
        if key not in item:
            yield f"no key {key!r}"
        elif not isinstance(item[key], kinds) or isinstance(item[key], bool):
            yield f"{key!r} is not {' or '.join(WORDS[kind] for kind in kinds)}"
        elif kinds == (str,) and key in ("db_id", "question") and not item[key].strip():
            yield f"{key!r} is empty"


def _line(path: Path, fault: str, items: list[int]) -> str:
    if not items:
        return f"{path}: {fault}"
    return f"{path}: {'item' if len(items) == 1 else 'items'} {spans(items)}: {fault}"


def spans(numbers: Iterable[int]) -> str:
    """Whole numbers in order, runs of three and more as spans.

    >>> spans([0, 1, 2, 3, 7, 8])
    '0-3, 7, 8'
    """
    runs = (
        [number for _, number in run] for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])
    )
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
