"""The demo: questions about eight small made-up databases and a graph, shipped as texts and filled from a seed.

Every database is awkward in a way of its own, which the first line of its DDL in ``demo_data`` tells. What is made is
a folder in the layout of the ``own`` benchmark.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from storage.files import read_json, read_text, whole, write_json, write_text
from tasks.benchmarks import _demo_graph, _demo_rows
from tasks.benchmarks._folder import GRAPH, QUESTIONS, database_files, read_catalogs, read_questions
from tasks.download import Download

PARTS = ("all",)
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {}
SHIPPED = Path(__file__).parent / "demo_data"
CONTENTS = "contents.json"


def make(root: Path) -> Path:
    """Write the questions and the databases into a folder, unless they are there already as they would be written.

    ``contents.json``, written last, has the sha256 of the texts that they are made from, and of each database's dump.
    """
    sources = {path.name: read_text(path) for path in sorted(SHIPPED.iterdir()) if path.suffix in (".sql", ".jsonl")}
    makers = [read_text(Path(str(module.__file__))) for module in (_demo_rows, _demo_graph)]
    texts = "\0".join((*sources, *sources.values(), *makers))
    made_from = hashlib.sha256(texts.encode()).hexdigest()
    names = [name.removesuffix(".sql") for name in sources if name.endswith(".sql")]
    if _recorded(root).get("made_from") == made_from and all(path.is_file() for path in _written(root, names)):
        return root
    dumps = {name: _write_database(root / f"{name}.sqlite", sources[f"{name}.sql"]) for name in names}
    dumps[_demo_graph.NAME] = _write_graph(root / f"{_demo_graph.NAME}{GRAPH}")
    for path in {*root.glob("*.sqlite"), *root.glob(f"*{GRAPH}")} - {*_written(root, names)}:
        path.unlink()
    write_text(root / QUESTIONS, sources[QUESTIONS])
    write_json(root / CONTENTS, {"made_from": made_from, "dumps": dumps})
    return root


def _recorded(root: Path) -> dict[str, Any]:
    with suppress(UserError):
        recorded = read_json(root / CONTENTS)
        return recorded if isinstance(recorded, dict) else {}
    return {}


def _written(root: Path, names: list[str]) -> list[Path]:
    return [root / QUESTIONS, root / f"{_demo_graph.NAME}{GRAPH}", *(root / f"{name}.sqlite" for name in names)]


def _write_database(path: Path, ddl: str) -> str:
    """Fill a database in memory, write it whole, and give the sha256 of its dump."""
    with closing(sqlite3.connect(":memory:")) as connection:
        _demo_rows.build(ddl, connection)
        with whole(path) as temporary:
            temporary.write_bytes(connection.serialize())
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def _write_graph(path: Path) -> str:
    """Write the graph, one node or relationship a line, and give the sha256 of the file."""
    parts = (f'"{key}": [\n{",".join(map(_line, items))}]' for key, items in _demo_graph.build().items())
    text = "{" + ",\n".join(parts) + "}\n"
    write_text(path, text)
    return hashlib.sha256(text.encode()).hexdigest()


def _line(item: dict[str, Any]) -> str:
    return json.dumps(item, ensure_ascii=False) + "\n"


def files(root: Path, part: str) -> list[Path]:
    """The questions, and the digests of the databases (the bytes of a SQLite file depend on SQLite's version)."""
    return [root / QUESTIONS, root / CONTENTS]


def databases(root: Path, part: str) -> dict[str, Path]:
    """The SQLite files and the graph by database."""
    return {name: paths[0] for name, paths in database_files(root).items()}


def questions(root: Path, part: str) -> list[Question]:
    """The questions in the order of their lines, gold not yet resolved."""
    return read_questions(root, "demo")


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of the databases, sorted by name."""
    return read_catalogs(root, "demo")
