"""Spider 2.0-Snow (Lei et al. 2025, arXiv 2411.07763): 547 questions over 152 Snowflake databases, read in place.

The folder is laid out as https://github.com/xlang-ai/Spider2 is: ``spider2-snow/spider2-snow.jsonl``, its external
documents, schema resources (a folder, or ``spider2-snow-databases.tar.zst`` beside it) and gold queries, and
``methods/gold-tables``. Of the contents of the databases only up to five rows a table are published.

- An entity is called ``DATABASE.SCHEMA.TABLE``. What stands inside a semi-structured column is no field: gold queries
  reference the column, and its description lists its parts.
- Gold: part ``snow`` takes the fields and tables of the gold query where one is published (120 questions) and the
  published list of tables elsewhere; part ``snow-tables`` takes the list of tables everywhere.
- Shards of one table count once: both gold and kept are scored by family (see ``schemas.families``).
- ``evidence`` is the question's external document up to ``LONGEST`` characters: a prompt has to have room for it, and
  the few longer documents list functions or samples at their end. What is cut off is said in its place.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import UserError, unknown
from schemas.records import Question, Reference
from storage.files import read_text
from tasks.benchmarks import _spider2_gold, _spider2_tables
from tasks.benchmarks._findings import Findings, Release
from tasks.download import Download

PARTS = ("snow", "snow-tables")
FAMILIES = True
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {}
RELEASE = Release("Spider 2.0-Snow", 547)
QUESTIONS = "spider2-snow/spider2-snow.jsonl"
DOCUMENTS = "spider2-snow/resource/documents"
QUERIES = "spider2-snow/evaluation_suite/gold/sql"
TABLES = "methods/gold-tables/spider2-snow-gold-tables.jsonl"
KEYS = {"instance_id": str, "instruction": str, "db_id": str}
LONGEST = 10_000


@dataclass(frozen=True)
class Snow:
    """Everything that the folder holds, gold resolved."""

    questions: list[Question]
    catalogs: dict[str, Catalog]
    remarks: list[str]


def files(root: Path, part: str) -> list[Path]:
    """The files that the part is read from; documents and gold queries need not be there."""
    named = sorted([*(root / DOCUMENTS).glob("*"), *(root / QUERIES).glob("*.sql")])
    return [root / QUESTIONS, root / TABLES, *_spider2_tables.paths(root), *named]


def databases(root: Path, part: str) -> dict[str, Path]:
    """No database file: the databases live in Snowflake."""
    return {}


def questions(root: Path, part: str, *, any_length: bool = False) -> list[Question]:
    """The questions in file order with their gold; a question's id is its ``instance_id``."""
    return _read(root, part, any_length).questions


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of all databases, sorted by name."""
    return list(_read(root, part, True).catalogs.values())


def remarks(root: Path, part: str) -> list[str]:
    """What is odd without being a fault."""
    return _read(root, part, True).remarks


def _read(root: Path, part: str, any_length: bool) -> Snow:
    """Read the folder; the schema resources, which take a while, once for as long as its files do not change."""
    state = tuple(path.stat().st_mtime_ns for path in files(root, part) if path.exists())
    findings = Findings("spider2")
    catalogs, differences = _resources(root, state)
    items = list(_lines(root / QUESTIONS, KEYS, findings))
    if not any_length and len(items) != RELEASE.length:
        advice = "take the published file, or allow a subset of your own with --any-length"
        findings.add(root / QUESTIONS, f"holds {len(items)} items where {RELEASE.name} has {RELEASE.length}: {advice}")
    listed = {item["instance_id"]: item["gold_tables"] for item in _gold_items(root, findings)}
    queries = _spider2_gold.read_queries(root / QUERIES) if part == "snow" else {}
    found: list[Question] = []
    tables: dict[str, tuple[Reference, ...]] = {}
    for item in items:
        name, catalog = item["instance_id"], catalogs.get(item["db_id"])
        if catalog is None or name not in listed:
            what = f"no gold tables of {name!r}" if catalog else str(unknown("database", item["db_id"], catalogs))
            findings.add(root / (TABLES if catalog else QUESTIONS), what)
            continue
        tables[name] = _spider2_gold.tables_gold(listed[name], catalog, root / TABLES, findings)
        question = _question(root, item, tables[name], queries.get(name, ""), findings)
        found.append(_spider2_gold.with_query(question, catalog) if question.gold_query else question)
    findings.check()
    remarks = [*differences, *_spider2_gold.disagreements(found, tables, catalogs), *_unread(found)]
    absent = f"no database file for all databases: {len(found)} questions cannot be executed"
    return Snow(found, catalogs, [*remarks, absent])


@lru_cache(maxsize=1)
def _resources(root: Path, state: tuple[int, ...]) -> tuple[dict[str, Catalog], list[str]]:
    findings = Findings("spider2")
    found = _spider2_tables.read_resources(root, findings)
    findings.check()
    return found.catalogs(), list(found.differences())


def _gold_items(root: Path, findings: Findings) -> Iterator[dict[str, Any]]:
    return _lines(root / TABLES, {"instance_id": str, "gold_tables": list}, findings)


def _lines(path: Path, keys: Mapping[str, type], findings: Findings) -> Iterator[dict[str, Any]]:
    """The objects of a file with one a line that have all these keys of these types; the others are faults."""
    try:
        text = read_text(path)
    except UserError as error:
        findings.add(path, str(error).removeprefix(f"{path}: "))
        return
    for at, line in enumerate(filter(str.strip, text.split("\n"))):
        try:
            item = json.loads(line)
        except ValueError as error:
            findings.add(path, f"broken JSON: {error}", at)
            continue
        faults = [
            key for key, kind in keys.items() if not isinstance(item, dict) or not isinstance(item.get(key), kind)
        ]
        for key in faults:
            findings.add(path, f"{key!r} is missing or of another type", at)
        if not faults:
            yield item


def _question(
    root: Path, item: Mapping[str, Any], gold: tuple[Reference, ...], query: str, findings: Findings
) -> Question:
    question = Question("spider2", item["instance_id"], item["db_id"], item["instruction"], gold_query=query.strip())
    evidence = ""
    if document := item.get("external_knowledge"):
        try:
            evidence = _shortened(read_text(root / DOCUMENTS / document).strip(), document)
        except UserError as error:
            findings.add(root / QUESTIONS, str(error))
    return replace(question, evidence=evidence, gold=gold, gold_level="entity", gold_status="ok")


def _shortened(text: str, document: str) -> str:
    """A document up to the last line break before ``LONGEST`` characters, and how much is left out."""
    if len(text) <= LONGEST:
        return text
    end = text.rfind("\n", 0, LONGEST)
    kept = text[: end if end > 0 else LONGEST].rstrip()
    return f"{kept}\n[{len(text) - len(kept):,} more characters in {document}]"


def _unread(questions: list[Question]) -> Iterator[str]:
    """Remarks on gold queries that could not be used."""
    return (f"{question.id}: {question.gold_reason}" for question in questions if question.gold_reason)
