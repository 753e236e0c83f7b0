"""A small Text2Cypher of our own in the layouts that are published."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA = {
    "node_props": {
        "Town": [{"property": "name", "type": "STRING", "values": ["Ulm"], "distinct_count": 1}],
        "Fair": [{"property": "title", "type": "STRING"}],
    },
    "rel_props": {"HELD_IN": [{"property": "days", "type": "INTEGER", "min": "0", "max": "9"}]},
    "relationships": [{"start": "Fair", "type": "HELD_IN", "end": "Town"}],
    "metadata": {},
}
TEXT = """Node properties:
- **Town**
  - `name`: STRING Available options: ['Ulm']
- **Fair**
  - `title`: STRING 
Relationship properties:
- **HELD_IN**
  - `days: INTEGER` Min: 0, Max:  9
The relationships:
(:Fair)-[:HELD_IN]->(:Town)"""
BASE = """Node properties are the following:
Town {name: STRING},Fair {title: STRING}
Relationship properties are the following:
HELD_IN {days: INTEGER}
The relationships are the following:
(:Fair)-[:HELD_IN]->(:Town)"""
GOLD = "MATCH (t:Town) RETURN t.name"
FALSE = {"syntax_error": "False", "timeout": "False", "returns_results": "True", "false_schema": ""}


def row(question: str, cypher: str = GOLD, database: str = "fairs", **flags: str) -> dict[str, str]:
    known = {"question": question, "cypher": cypher, "type": "Simple Retrieval Queries", "database": database}
    return known | FALSE | flags


def write_csv(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def text2cypher(root: Path) -> Path:
    """A folder in the published layout: two files of questions, schemas, a test part, one graph."""
    flagged = [
        row("Which towns?"),
        row("Which\ntowns now?", syntax_error="True"),
        row("Which slow towns?", timeout="True"),
        row("Which empty towns?", returns_results="False"),
        row("Which mayors?", false_schema="Mayor, Town.mayor"),
        row("Which messages?", database="slack"),
    ]
    write_csv(root / "text2cypher_gpt4turbo.csv", flagged)
    write_csv(
        root / "text2cypher_claudeopus.csv", [row("Which towns?"), row("Which fairs?", "MATCH (f:Fair) RETURN f")]
    )
    schemas = [{"database": "fairs", "schema": TEXT, "structured_schema": repr(SCHEMA)}]
    write_csv(root / "text2cypher_schemas.csv", schemas)
    tests = [
        {"question": "Which fairs?", "graph": "fairs", "gold_cypher": "MATCH (f:Fair) RETURN f", "pred_cypher": "x"},
        {
            "question": "How long?",
            "graph": "fairs",
            "gold_cypher": "MATCH ()-[h:HELD_IN]->() RETURN h.days",
            "pred_cypher": "",
        },
    ]
    write_json(root / "test_2024v1" / "some-model.json", tests)
    graph = {"nodes": [{"id": 1, "labels": ["Town"], "props": {"name": "Ulm"}}], "rels": []}
    write_json(root / "graphs" / "fairs.json", graph)
    return root


def hub_rows() -> list[dict[str, str | None]]:
    """Rows of the data set on a hub: three over one database, one over a text, one over no readable one."""
    rows = [
        ("Which towns?", TEXT, GOLD, "demo", "a1", "demo_db_fairs"),
        ("Which fairs?", BASE, "MATCH (f:Fair) RETURN f", "demo", "a2", "demo_db_fairs"),
        ("Which other fairs?", TEXT, "MATCH (f:Fair) RETURN f.title", "demo", "a3", "demo_db_fairs"),
        ("Which towns near?", BASE, GOLD, "other", "a4", None),
        ("Which ones?", "a graph of towns", GOLD, "other", "a5", None),
    ]
    names = ("question", "schema", "cypher", "data_source", "instance_id", "database_reference_alias")
    return [dict(zip(names, values, strict=True)) for values in rows]
