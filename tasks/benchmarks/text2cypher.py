"""Text2Cypher: Neo4j's public questions over graph databases, and the layout of its published data set.

Parts: ``test_2024v1``, the 2,470 questions of text2cypher-2024v1's test part with an accessible database;
``synthetic``, the 14,816 questions of the two CSV files, and its seeded halves ``synthetic_train`` and
``synthetic_test`` (one question in ten; one text is on one side, whoever wrote its query); ``train`` and ``test``, the
data set as it lies on a hub (Parquet or JSON lines), where every question carries its schema as text.

A query whose flags say that it does not parse, takes too long, uses what the schema has not, or returns nothing is
excluded, with the flag as the reason. Questions of a database without a published schema (``slack``) are left out and
counted. ``graphs/DB.json`` are contents, where there are any. Difficulty is the type of question.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from tasks.benchmarks._findings import Findings
from tasks.benchmarks._published import Published
from tasks.benchmarks._schema_text import schema_text_catalog
from tasks.benchmarks._structured_schema import read_structured
from tasks.benchmarks._text2cypher_files import (
    SCHEMAS,
    SYNTHETIC,
    TEST,
    Item,
    csv_rows,
    hub,
    hub_path,
    synthetic,
    synthetic_path,
    test_path,
    tests,
)
from tasks.download import Download

HALVES = ("synthetic_train", "synthetic_test")
HUB = ("train", "test")
PARTS = (TEST, "synthetic", *HALVES, *HUB)
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {}
SEED = 20250508
TENTHS = 10


def files(root: Path, part: str) -> list[Path]:
    """The files that the part is read from, graphs with contents included."""
    if part in HUB:
        return [hub_path(root, part), *databases(root, part).values()]
    asked = [test_path(root)] if part == TEST else [synthetic_path(root, name) for name in SYNTHETIC]
    return [*asked, root / SCHEMAS, *databases(root, part).values()]


def databases(root: Path, part: str) -> dict[str, Path]:
    """The graphs with contents by database; a hub's alias ends with the name of its graph."""
    found = {path.stem: path for path in sorted((root / "graphs").glob("*.json"))}
    if part not in HUB or not found:
        return found
    names = {item.database for item in hub(root, part, Findings("text2cypher"))}
    return {name: path for name in sorted(names) for graph, path in found.items() if name.endswith(f"_{graph}")}


def questions(root: Path, part: str, *, any_length: bool = False) -> list[Question]:
    """The questions in published order, gold not yet resolved, excluded where their flags say so."""
    return _read(root, part, any_length).questions


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of the databases that are asked, in published order."""
    return _read(root, part, True).catalogs


def remarks(root: Path, part: str) -> list[str]:
    """What is odd without being a fault, and what was excluded by which flag."""
    return _read(root, part, True).remarks


def _read(root: Path, part: str, any_length: bool) -> Published:
    findings = Findings("text2cypher")
    if part in HUB:
        items = list(hub(root, part, findings))
        findings.check()
        return _with_texts(items)
    read = tests if part == TEST else synthetic
    items = list(read(root, findings, any_length=any_length))
    known = _schemas(root / SCHEMAS, findings)
    findings.check()
    if part in HALVES:
        items = [item for item in items if _is_test(item) == (part == HALVES[1])]
    kept = [item for item in items if item.database in known]
    used = {item.database for item in kept}
    left = Counter(item.database for item in items if item.database not in known)
    odd = [f"{count:,} questions of {name} left out: no schema is published" for name, count in sorted(left.items())]
    chosen = [catalog for name, catalog in known.items() if name in used]
    return Published(list(map(_question, kept)), chosen, [*odd, *_flags(kept), *_absences(root, part, kept)])


def _schemas(path: Path, findings: Findings) -> dict[str, Catalog]:
    found: dict[str, Catalog] = {}
    for row in csv_rows(path, ("database", "structured_schema"), findings):
        try:
            found[row["database"]] = read_structured(row["structured_schema"], row["database"])
        except UserError as error:
            findings.add(path, str(error))
    return found


def _question(item: Item) -> Question:
    asked = Question("text2cypher", item.id, item.database, item.question, "", item.kind, item.cypher)
    return replace(asked, gold_status="excluded", gold_reason=item.flag) if item.flag else asked


def _is_test(item: Item) -> bool:
    """Whether a question is one of the tenth to test with, by its text and database."""
    text = " ".join(item.question.lower().split())
    return hashlib.sha256(f"{SEED}\0{item.database}\0{text}".encode()).digest()[0] % TENTHS == 0


def _with_texts(items: Iterable[Item]) -> Published:
    """Questions whose schemas are texts: every text is a catalog, called by the database's alias if it is the only one.

    A question whose schema cannot be read is excluded, over a catalog without entities.
    """
    names: dict[tuple[str, str], str] = {}
    found: dict[str, Catalog] = {}
    asked = []
    for item in items:
        key = (item.database, item.schema)
        if key not in names:
            digest = hashlib.sha256(item.schema.encode()).hexdigest()[:8]
            alias = item.database or "schema"
            names[key] = alias if item.database and alias not in found else f"{alias}-{digest}"
            found[names[key]] = _text_catalog(item.schema, names[key])
        readable = bool(found[names[key]].entities)
        flagged = item if readable else item._replace(flag="schema: its layout is not known")
        asked.append(_question(flagged._replace(database=names[key])))
    unread = sorted(name for name, catalog in found.items() if not catalog.entities)
    odd = [f"{len(unread):,} schemas cannot be read, such as that of {unread[0]}"] if unread else []
    return Published(asked, list(found.values()), odd)


def _text_catalog(text: str, name: str) -> Catalog:
    try:
        return schema_text_catalog(text, name)
    except UserError:
        return Catalog(name, dialect="cypher")


def _flags(items: Iterable[Item]) -> list[str]:
    counts = Counter(item.flag.split(":")[0] for item in items if item.flag)
    return [f"{count:,} queries excluded by the flag {flag}" for flag, count in counts.most_common()]


def _absences(root: Path, part: str, items: list[Item]) -> list[str]:
    here = databases(root, part)
    missing = sorted({item.database for item in items} - set(here))
    count = sum(item.database in missing for item in items)
    return [f"no contents of {', '.join(missing)}: {count:,} questions cannot be executed"] if missing else []
