"""What the plug-ins of published benchmarks with SQLite files share."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from tasks.benchmarks._findings import Findings
from tasks.benchmarks._merge import differences, merge
from tasks.benchmarks._sqlite_catalog import sqlite_catalog


class Published(NamedTuple):
    """Everything that one part of a benchmark holds."""

    questions: list[Question]
    catalogs: list[Catalog]
    remarks: list[str]


def sqlite_files(folders: Iterable[Path]) -> dict[str, Path]:
    """The database files ``FOLDER/NAME/NAME.sqlite`` by name; the first folder that has one wins."""
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*/*.sqlite")):
            if path.stem == path.parent.name:
                found.setdefault(path.stem, path)
    return found


def with_databases(
    catalogs: Mapping[str, Catalog], files: Mapping[str, Path], findings: Findings
) -> tuple[dict[str, Catalog], list[str]]:
    """The catalogs with what their database files add, and remarks; a broken file goes to the findings."""
    merged = dict(catalogs)
    remarks: list[str] = []
    for database, path in files.items():
        if database in catalogs:
            try:
                found = sqlite_catalog(path, database)
            except UserError as error:
                findings.add(path, str(error))
                continue
            merged[database] = merge(catalogs[database], found)
            remarks += differences(catalogs[database], found)
    return merged, remarks


def absences(questions: Iterable[Question], files: Mapping[str, Path]) -> list[str]:
    """A remark on the databases without a file, whose questions cannot be executed."""
    asked = [question.database for question in questions]
    missing = sorted(set(asked) - set(files))
    if not missing:
        return []
    count = sum(database in missing for database in asked)
    names = "all databases" if len(missing) == len(set(asked)) else ", ".join(missing)
    return [f"no database file for {names}: {count:,} questions cannot be executed"]
