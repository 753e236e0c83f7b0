"""A folder of one's own: databases as SQLite or DuckDB files or as DDL, graphs, and ``questions.jsonl``.

A database is called after its file. A line of questions has a ``question``, its ``database`` (unless there is only
one), and if at hand the gold query (``sql`` or ``cypher``), ``evidence``, ``difficulty`` and an ``id`` (else its line
number). A DDL text is SQLite's unless its first line says otherwise: ``-- dialect: postgres``. A graph is
``NAME.graph.json`` (``nodes``: ``id``, ``labels``, ``props``; ``rels``: ``s``, ``e``, ``type``, ``props``) or
``NAME.cypher``, a script that creates it.
"""

from collections.abc import Mapping
from pathlib import Path

from schemas.catalog import Catalog
from schemas.records import Question
from tasks.benchmarks._folder import DDL, QUESTIONS, database_files, read_catalogs, read_questions
from tasks.download import Download

PARTS = ("all",)
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {}


def files(root: Path, part: str) -> list[Path]:
    """The questions and every database file and DDL text of the folder."""
    return [root / QUESTIONS, *(path for paths in database_files(root).values() for path in paths)]


def databases(root: Path, part: str) -> dict[str, Path]:
    """The SQLite and DuckDB files and graphs by database; a DDL text has no contents that could be queried."""
    found = {name: paths[0] for name, paths in database_files(root).items()}
    return {name: path for name, path in found.items() if path.suffix.lower() != DDL}


def questions(root: Path, part: str) -> list[Question]:
    """The questions in the order of their lines, gold not yet resolved."""
    return read_questions(root, "own")


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of all databases, sorted by name."""
    return read_catalogs(root, "own")
