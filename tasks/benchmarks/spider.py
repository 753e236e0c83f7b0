"""Spider 1.0 (Yu et al. 2018, arXiv 1809.08887): the development part, 1,034 questions over 20 databases.

Read in place: ``dev.json``, ``tables.json`` and, where they are there, ``database/DB/DB.sqlite``, which add example
values and foreign keys. Only the databases that are asked have a catalog. Difficulty is the official hardness.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from storage.files import read_json
from tasks.benchmarks._findings import Findings, Release
from tasks.benchmarks._published import Published, absences, sqlite_files, with_databases
from tasks.benchmarks._spider_hardness import hardness
from tasks.benchmarks._tables_json import read_catalogs
from tasks.download import Download

PARTS = ("dev",)
RELEASE = Release("Spider 1.0's dev", 1034)
KEYS = {"db_id": (str,), "question": (str,), "query": (str,)}
DRIVE = "1403EGqzIDoHMdQF4c9Bkyl7dZLZ5Wt6J"
BY_HAND = (
    f"open https://drive.google.com/file/d/{DRIVE}/view in a browser (the link of https://yale-lily.github.io/spider),"
    " unpack spider_data.zip, and name its folder with --from DIR"
)
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {
    "dev": (
        Download(
            f"https://drive.usercontent.google.com/download?id={DRIVE}&export=download&confirm=t",
            "spider_data.zip",
            "00636695dabed6b5f4b8328a16b13e069a2f16591d5efcce57660669c85b121b",
            BY_HAND,
        ),
    ),
}


def files(root: Path, part: str) -> list[Path]:
    """The files that the part is read from; only the first two have to be there."""
    return [root / f"{part}.json", root / "tables.json", *databases(root, part).values()]


def databases(root: Path, part: str) -> dict[str, Path]:
    """The SQLite files that are there, by database, of the databases that are asked."""
    try:
        items = read_json(root / f"{part}.json")
    except UserError:
        return {}
    asked = {item.get("db_id") for item in items if isinstance(item, dict)} if isinstance(items, list) else set()
    return {name: path for name, path in sqlite_files([root / "database"]).items() if name in asked}


def questions(root: Path, part: str, *, any_length: bool = False) -> list[Question]:
    """The questions in file order, gold not yet resolved; a question's id is its position from 0."""
    return _read(root, part, any_length).questions


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of the databases that are asked, in the order of ``tables.json``."""
    return _read(root, part, True).catalogs


def remarks(root: Path, part: str) -> list[str]:
    """What is odd without being a fault."""
    return _read(root, part, True).remarks


def _read(root: Path, part: str, any_length: bool) -> Published:
    findings = Findings("spider")
    path, found = root / f"{part}.json", databases(root, part)
    declared = read_catalogs(root / "tables.json", findings)
    items = findings.items(path, KEYS, None if any_length else RELEASE)
    findings.databases(path, items, declared)
    asked = [_question(path, at, item, findings) for at, item in items]
    used = {question.database for question in asked}
    full, differing = with_databases({name: declared[name] for name in declared if name in used}, found, findings)
    findings.check()
    return Published(asked, list(full.values()), [*differing, *absences(asked, found)])


def _question(path: Path, at: int, item: Mapping[str, Any], findings: Findings) -> Question:
    difficulty = ""
    try:
        difficulty = hardness(item["sql"]) if "sql" in item else ""
    except (KeyError, IndexError, TypeError):
        findings.add(path, "'sql' is not a parsed query of Spider's", at)
    return Question("spider", str(at), item["db_id"], item["question"], "", difficulty, item["query"])
