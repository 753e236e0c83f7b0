"""An ingested benchmark as it lies on disk."""

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


def description(folder: Path) -> dict[str, Any]:
    """What ``benchmark.json`` says: name, plug-in, part, root, files by sha256, database files, counts, remarks."""
    found: dict[str, Any] = read_json(folder / "benchmark.json")
    return found


def questions(folder: Path) -> list[Question]:
    """All questions of an ingested benchmark in their published order."""
    return parquet.read(folder / "questions.parquet", Question)


def databases(folder: Path) -> list[str]:
    """The names of all databases that have a catalog, in the catalogs' order."""
    table = pq.read_table(folder / "catalogs.parquet", columns=["database"])
    names: list[str] = table.column("database").to_pylist()
    return names


def catalog(folder: Path, database: str) -> Catalog:
    """One database's catalog; the same object as long as the file is the same."""
    path = folder / "catalogs.parquet"
    try:
        return _catalog(path, path.stat().st_mtime_ns, database)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


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
def _catalog(path: Path, _changed: int, database: str) -> Catalog:
    table = pq.read_table(path, filters=[("database", "==", database)])
    found = from_table(Catalog, table)
    if not found:
        raise UserError(f"{path}: no catalog of database {database!r}; ingest the benchmark again")
    return found[0]
