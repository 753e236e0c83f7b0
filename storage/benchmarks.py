"""An ingested benchmark as it lies on disk."""

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from schemas.arrow import from_table
from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.families import family_of
from schemas.records import Question
from storage import parquet
from storage.files import read_json
from storage.places import is_remote, stamp

BELIEVED_SECONDS = 5.0


def description(folder: Path) -> dict[str, Any]:
    """What ``benchmark.json`` says: name, plug-in, part, root, files by sha256, database files, counts, remarks."""
    path = folder / "benchmark.json"
    found: dict[str, Any] = _remote(path, _moment()) if is_remote(path) else read_json(path)
    return found


def questions(folder: Path) -> list[Question]:
    """All questions of an ingested benchmark in their published order."""
    return parquet.read(folder / "questions.parquet", Question)


def databases(folder: Path) -> list[str]:
    """The names of all databases that have a catalog, in the catalogs' order."""
    with parquet.readable(folder / "catalogs.parquet") as source:
        table = pq.read_table(source, columns=["database"])
    names: list[str] = table.column("database").to_pylist()
    return names


def catalog(folder: Path, database: str) -> Catalog:
    """One database's catalog; the same object as long as the file is the same."""
    path = folder / "catalogs.parquet"
    return _catalog(path, _stamp(path, _moment()) if is_remote(path) else stamp(path), database)


def address(folder: Path, database: str) -> str:
    """Where one database of a benchmark lies; nothing where it is not at hand."""
    found: str = description(folder).get("databases", {}).get(database, "")
    return found


def representatives(folder: Path, database: str) -> dict[str, str]:
    """The first table of every table's family, where the benchmark counts the shards of a table as one; else none."""
    if not description(folder).get("families"):
        return {}
    families = family_of(catalog(folder, database), schemas=False)
    return {name: family.members[0] for name, family in families.items()}


@lru_cache(maxsize=256)
def _catalog(path: Path, _changed: str, database: str) -> Catalog:
    with parquet.readable(path) as source:
        table = pq.read_table(source, filters=[("database", "==", database)])
    found = from_table(Catalog, table)
    if not found:
        raise UserError(f"{path}: no catalog of database {database!r}; ingest the benchmark again")
    return found[0]


def _moment() -> int:
    """A number that is another one every few seconds: how long what a store said of a file is believed."""
    return int(time.monotonic() / BELIEVED_SECONDS)


@lru_cache(maxsize=32)
def _stamp(path: Path, _moment: int) -> str:
    return stamp(path)


@lru_cache(maxsize=32)
def _remote(path: Path, _moment: int) -> Any:
    return read_json(path)


def forget() -> None:
    """Look again at files in an object store: they have been changed by this process."""
    _stamp.cache_clear()
    _remote.cache_clear()
