"""The files of Text2Cypher in the layouts that they are published in, row by row."""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import UserError
from storage.files import read_text
from tasks.benchmarks._findings import Findings, Release

SCHEMAS = "text2cypher_schemas.csv"
SYNTHETIC = {"gpt4turbo": 9846, "claudeopus": 4970}
TEST = "test_2024v1"
TESTS = Release("text2cypher-2024v1's executable test part", 2470)
FLAGS = ("syntax_error", "timeout", "false_schema", "returns_results")
COLUMNS = ("question", "cypher", "type", "database", *FLAGS)
HUB = ("question", "schema", "cypher", "data_source", "instance_id", "database_reference_alias")
LIMIT = 1 << 24


class Item(NamedTuple):
    """One published question; ``schema`` is a text where the layout carries it, ``flag`` what speaks against it."""

    id: str
    database: str
    question: str
    cypher: str
    kind: str = ""
    flag: str = ""
    schema: str = ""


def csv_rows(path: Path, columns: tuple[str, ...], findings: Findings) -> list[dict[str, str]]:
    """The rows of a CSV file that has these columns; else none, and a fault."""
    csv.field_size_limit(LIMIT)
    try:
        text = read_text(path)
    except UserError as error:
        findings.add(path, str(error).removeprefix(f"{path}: "))
        return []
    reader = csv.DictReader(text.splitlines(keepends=True))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        findings.add(
            path, f"no column {', '.join(map(repr, missing))}; there are: {', '.join(reader.fieldnames or ())}"
        )
        return []
    return [{key: value or "" for key, value in row.items() if key} for row in reader]


def synthetic(root: Path, findings: Findings, *, any_length: bool) -> Iterator[Item]:
    """The questions that two models wrote, each with the flags that its query got when it was run."""
    for name, length in SYNTHETIC.items():
        path = synthetic_path(root, name)
        rows = csv_rows(path, COLUMNS, findings)
        if rows and len(rows) != length and not any_length:
            advice = "take the published file, or allow a subset of your own with --any-length"
            findings.add(path, f"holds {len(rows):,} questions where the published one has {length:,}: {advice}")
        for at, row in enumerate(rows):
            kind = row["type"].removesuffix(" Queries")
            yield Item(f"{name}-{at}", row["database"], row["question"], row["cypher"], kind, _flag(row))


def synthetic_path(root: Path, name: str) -> Path:
    """The file of one model's questions."""
    return root / f"text2cypher_{name}.csv"


def tests(root: Path, findings: Findings, *, any_length: bool) -> Iterator[Item]:
    """The test part with an executable database; an item's type is that of the same question in the synthetic part."""
    path = test_path(root)
    keys = {"question": (str,), "graph": (str,), "gold_cypher": (str,)}
    kinds: dict[tuple[str, str], str] = {}
    if all(synthetic_path(root, name).exists() for name in SYNTHETIC):
        for known in synthetic(root, Findings("text2cypher"), any_length=True):
            kinds.setdefault((known.database, known.question.strip()), known.kind)
    for at, item in findings.items(path, keys, None if any_length else TESTS):
        kind = kinds.get((item["graph"], item["question"].strip()), "")
        yield Item(str(at), item["graph"], item["question"], item["gold_cypher"], kind)


def test_path(root: Path) -> Path:
    """The one JSON file of the test part's folder."""
    found = sorted((root / TEST).glob("*.json"))
    return found[0] if found else root / TEST / "test.json"


def hub_path(root: Path, part: str) -> Path:
    """The file of a part of the published data set: Parquet or JSON lines, in its folder or in ``data`` below it."""
    for folder in (root, root / "data"):
        for pattern in (f"{part}*.parquet", f"*{part}*.parquet", f"*{part}*.jsonl", f"*{part}*.json"):
            if found := sorted(folder.glob(pattern)):
                return found[0]
    return root / f"{part}.parquet"


def hub(root: Path, part: str, findings: Findings) -> Iterator[Item]:
    """A part of the published data set; the database is the alias that it names, its schema a text in every row."""
    path = hub_path(root, part)
    for at, row in _hub_rows(path, findings):
        faults = [name for name in ("question", "schema", "cypher") if not isinstance(row.get(name), str)]
        for name in faults:
            findings.add(path, f"{name!r} is not a text", at)
        if not faults:
            name = str(row.get("database_reference_alias") or "")
            identity, source = str(row.get("instance_id") or at), str(row.get("data_source") or "")
            yield Item(identity, name, row["question"], row["cypher"], source, "", row["schema"])


def _hub_rows(path: Path, findings: Findings) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            missing = [name for name in HUB[:3] if name not in table.column_names]
            if missing:
                findings.add(path, f"no column {', '.join(map(repr, missing))}")
                return
            yield from enumerate(table.to_pylist())
            return
        for at, line in enumerate(filter(str.strip, read_text(path).split("\n"))):
            row = json.loads(line)
            yield at, row if isinstance(row, dict) else {}
    except (OSError, pa.ArrowInvalid, ValueError, UserError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        findings.add(path, first.removeprefix(f"{path}: "))


def _flag(row: Mapping[str, str]) -> str:
    """The first of a row's flags that speaks against its query, or nothing."""
    if row["syntax_error"] == "True":
        return "syntax_error"
    if row["timeout"] == "True":
        return "timeout"
    if row["false_schema"].strip():
        return f"false_schema: {row['false_schema'].strip()}"
    return "returns_results: none" if row["returns_results"] == "False" else ""
