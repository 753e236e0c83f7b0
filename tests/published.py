"""Small benchmarks of our own in the layouts that BIRD and Spider publish."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases" / "published"


def tables(database: str = "library") -> dict[str, Any]:
    """The entry of ``tables.json`` for a lending library; composite key, same-table key, target that is no key."""
    return json.loads((CASES / "library_tables.json").read_text()) | {"db_id": database}


def questions() -> list[dict[str, Any]]:
    """The items of BIRD's ``dev.json`` over that library."""
    return json.loads((CASES / "library_questions.json").read_text())


def sqlite(path: Path) -> Path:
    """The library as a SQLite file, with one foreign key that names no target column."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((CASES / "library.sql").read_text())
        connection.commit()
    return path


def bird(root: Path, *, database_file: bool = False) -> Path:
    """A folder in BIRD's layout."""
    write(root / "dev.json", questions())
    write(root / "dev_tables.json", [tables()])
    if database_file:
        sqlite(root / "dev_databases" / "library" / "library.sqlite")
    return root


def spider(root: Path, *, database_file: bool = True) -> Path:
    """A folder in Spider's layout; ``archive`` is a database that nobody asks."""
    items = [{"db_id": item["db_id"], "question": item["question"], "query": item["SQL"]} for item in questions()]
    write(root / "dev.json", items)
    write(root / "tables.json", [tables("archive"), tables()])
    if database_file:
        sqlite(root / "database" / "library" / "library.sqlite")
    return root


def write(path: Path, value: Any) -> Path:
    """Write a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path
