"""Catalogs of graphs: from structured schemas, from contents, and from a live Neo4j whose answers are recorded."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from neo4j.exceptions import ClientError

from schemas.catalog import Catalog, Entity, Field, Relation, Statistic
from schemas.errors import UserError
from tasks.benchmarks._graph_catalog import graph_catalog, graph_file_catalog
from tasks.benchmarks._neo4j_catalog import bolt_catalog, driver_catalog
from tasks.benchmarks._structured_schema import read_structured, structured_catalog
from tests.data import need

SCHEMA = {
    "node_props": {
        "Town": [
            {"property": "name", "type": "STRING", "values": ["Ulm", "Lyon"], "distinct_count": 2},
            {"property": "height", "type": "INTEGER", "min": 0, "max": "478", "distinct_count": 2},
        ]
    },
    "rel_props": {"HELD_IN": [{"property": "days", "type": "LIST", "min_size": 1, "max_size": 6}]},
    "relationships": [
        {"start": "Town", "type": "NEAR", "end": "Town"},
        {"start": "Fair", "type": "HELD_IN", "end": "Town"},
    ],
    "metadata": {
        "constraint": [
            {"type": "UNIQUENESS", "entityType": "NODE", "labelsOrTypes": ["Town"], "properties": ["name"]},
            {"type": "NODE_KEY", "entityType": "NODE", "labelsOrTypes": ["Town"], "properties": ["name", "height"]},
        ]
    },
}
CATALOG = Catalog(
    "fairs",
    (
        Entity(
            "Town",
            (
                Field("name", "STRING", "", True, ("Ulm", "Lyon"), (Statistic("distinct_count", "2"),)),
                Field(
                    "height",
                    "INTEGER",
                    statistics=(Statistic("min", "0"), Statistic("max", "478"), Statistic("distinct_count", "2")),
                ),
            ),
            "node",
        ),
        Entity("Fair", (), "node"),
        Entity(
            "HELD_IN",
            (Field("days", "LIST", statistics=(Statistic("min_size", "1"), Statistic("max_size", "6"))),),
            "relationship",
        ),
        Entity("NEAR", (), "relationship"),
    ),
    (Relation("Town", "Town", via="NEAR"), Relation("Fair", "Town", via="HELD_IN")),
    "cypher",
)
NODES = [
    {"id": 1, "labels": ["Town"], "props": {"name": "Ulm", "height": 478, "founded": {"$date": "0854-07-22"}}},
    {"id": 2, "labels": ["Town", "Port"], "props": {"name": "Lyon", "height": 0, "river": "Rhône", "open": True}},
    {
        "id": 3,
        "labels": ["Fair"],
        "props": {"stalls": ["a", "b"], "height": None, "rating": 4.5, "place": {"$point": 1}},
    },
    {"id": 4, "labels": ["Fair"], "props": {"stalls": [], "rating": 3.5, "note": "x" * 80}},
    {"id": 5, "labels": ["Town"], "props": {"name": "Bern", "height": "unknown"}},
]
EDGES = [
    {"s": 3, "e": 1, "type": "HELD_IN", "props": {"days": 3}},
    {"s": 4, "e": 2, "type": "HELD_IN", "props": {"days": 9}},
    {"s": 1, "e": 2, "type": "NEAR"},
]


def statistics(field: Field | None) -> dict[str, str]:
    assert field is not None
    return {one.name: one.value for one in field.statistics}


def test_a_structured_schema_becomes_a_catalog() -> None:
    assert structured_catalog(SCHEMA, "fairs") == CATALOG
    assert read_structured(repr(SCHEMA), "fairs") == CATALOG
    assert read_structured(json.dumps(SCHEMA), "fairs") == CATALOG


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "neither JSON nor a Python literal"),
        ("[1]", "is a list, not an object"),
        ("{'node_props': {}}", "not a structured schema of Neo4j's \\(KeyError: 'rel_props'\\)"),
        ("{'node_props': {'A': [{}]}, 'rel_props': {}, 'relationships': []}", "KeyError: 'property'"),
        ("{'node_props': 3, 'rel_props': {}, 'relationships': []}", "AttributeError"),
    ],
)
def test_something_else_is_one_line(text: str, fault: str) -> None:
    with pytest.raises(UserError, match=f"^fairs: .*{fault}"):
        read_structured(text, "fairs")


def test_contents_are_described_in_neo4js_terms() -> None:
    found = graph_catalog(NODES, EDGES, "fairs")
    assert [(entity.name, entity.kind) for entity in found.entities] == [
        ("Town", "node"),
        ("Port", "node"),
        ("Fair", "node"),
        ("HELD_IN", "relationship"),
        ("NEAR", "relationship"),
    ]
    assert [str(relation) for relation in found.relations] == [
        "(:Fair)-[:HELD_IN]->(:Town)",
        "(:Fair)-[:HELD_IN]->(:Port)",
        "(:Town)-[:NEAR]->(:Town)",
        "(:Town)-[:NEAR]->(:Port)",
    ]
    types = {str(field.name): field.type for entity in found.entities for field in entity.fields}
    assert types == {
        "name": "STRING",
        "height": "INTEGER",
        "founded": "DATE",
        "river": "STRING",
        "open": "BOOLEAN",
        "stalls": "LIST",
        "rating": "FLOAT",
        "place": "POINT",
        "note": "STRING",
        "days": "INTEGER",
    }


def test_values_have_ranges_sizes_and_examples() -> None:
    found = graph_catalog(NODES, EDGES, "fairs")
    assert statistics(found.field("Town", "height")) == {"min": "0", "max": "478", "distinct_count": "2"}
    assert statistics(found.field("Town", "founded"))["min"] == "0854-07-22"
    assert statistics(found.field("Fair", "stalls")) == {"min_size": "0", "max_size": "2"}
    assert statistics(found.field("Fair", "rating")) == {"min": "3.5", "max": "4.5", "distinct_count": "2"}
    assert statistics(found.field("HELD_IN", "days")) == {"min": "3", "max": "9", "distinct_count": "2"}
    name, note = found.field("Town", "name"), found.field("Fair", "note")
    assert name
    assert name.examples == ("Ulm", "Lyon", "Bern")
    assert note
    assert note.examples == ("x" * 50,)
    assert not statistics(found.field("Town", "open"))


def test_only_ten_of_many_values_are_kept() -> None:
    nodes = [{"id": at, "labels": ["Town"], "props": {"name": f"town {at}"}} for at in range(30)]
    field = graph_catalog(nodes, [], "fairs").field("Town", "name")
    assert field
    assert len(field.examples) == 10
    assert statistics(field) == {"distinct_count": "30"}


def test_a_graph_file_is_read_as_the_engines_read_it(tmp_path: Path) -> None:
    path = tmp_path / "fairs.graph.json"
    nodes = [{**node, "props": {k: v for k, v in node["props"].items() if k != "place"}} for node in NODES]
    path.write_text(json.dumps({"nodes": nodes, "rels": EDGES}))
    assert graph_file_catalog(path, "fairs") == graph_catalog(nodes, EDGES, "fairs")


def test_a_script_is_run_to_see_what_it_creates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("graphdblite")
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "fairs.cypher"
    path.write_text(
        "CREATE (u:Town {name: 'Ulm', height: 478}), (f:Fair {stalls: 4}), (f)-[:HELD_IN {days: 3}]->(u);\n"
        "MATCH (u:Town) CREATE (:Town {name: 'Lyon'})-[:NEAR]->(u);"
    )
    found = graph_file_catalog(path, "fairs")
    assert [str(element) for element in sorted(found.elements)] == [
        *("Fair", "Fair.stalls", "HELD_IN", "HELD_IN.days", "NEAR", "Town", "Town.height", "Town.name"),
    ]
    assert set(map(str, found.relations)) == {"(:Fair)-[:HELD_IN]->(:Town)", "(:Town)-[:NEAR]->(:Town)"}


def test_a_broken_graph_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fairs.graph.json"
    path.write_text(json.dumps({"nodes": [{"id": 1}], "rels": []}))
    with pytest.raises(UserError, match=f"^{path}: no graph"):
        graph_file_catalog(path, "fairs")


def test_published_contents_and_published_schemas_tell_the_same() -> None:
    csv.field_size_limit(1 << 24)
    with need("text2cypher", "text2cypher_schemas.csv").open(newline="", encoding="utf-8") as file:
        texts = {row["database"]: row["structured_schema"] for row in csv.DictReader(file)}
    missing = {"movies": {"Movie.votes"}, "gameofthrones": set()}
    for database, absent in missing.items():
        told = read_structured(texts[database], database)
        found = graph_file_catalog(need("text2cypher", "graphs", f"{database}.json"), database)
        assert {str(element) for element in told.elements ^ found.elements} == absent
        assert set(found.relations) == set(told.relations), database
        kinds = {
            (e.name, f.name): f.type for e in told.entities for f in e.fields if f"{e.name}.{f.name}" not in absent
        }
        assert {(e.name, f.name): f.type for e in found.entities for f in e.fields} == kinds, database


class Missing(ClientError):
    code = "Neo.ClientError.Procedure.ProcedureNotFound"  # type: ignore[assignment]


class Recorded:
    """A driver that answers the library's introspection as a server with APOC was seen to."""

    def __init__(self, answers: Mapping[str, list[dict[str, Any]]], missing: bool = False) -> None:
        self.answers = answers
        self.missing = missing
        self.asked: list[tuple[str, float | None, Mapping[str, Any]]] = []

    def execute_query(self, query: Any, *, database_: str, parameters_: Mapping[str, Any]) -> Any:
        return SimpleNamespace(records=self._records(query, parameters_))

    def session(self, **_: Any) -> "Recorded":
        return self

    def __enter__(self) -> "Recorded":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, query: Any, parameters: Mapping[str, Any]) -> Any:
        return self._records(query, parameters)

    def _records(self, query: Any, parameters: Mapping[str, Any]) -> list[Any]:
        self.asked.append((query.text, query.timeout, parameters))
        if self.missing:
            raise Missing("no procedure apoc.meta.data")
        rows = next((rows for key, rows in self.answers.items() if key in query.text), [])
        return [SimpleNamespace(data=lambda row=row: row) for row in rows]


ANSWERS: dict[str, list[dict[str, Any]]] = {
    "AS nodeLabel": [
        {
            "output": {
                "label": "Town",
                "properties": [{"property": "name", "type": "STRING"}, {"property": "height", "type": "INTEGER"}],
            }
        }
    ],
    "AS relType": [{"output": {"type": "HELD_IN", "properties": [{"property": "days", "type": "LIST"}]}}],
    "UNWIND other": [{"output": edge} for edge in SCHEMA["relationships"]],  # type: ignore[attr-defined]
    "SHOW CONSTRAINTS": SCHEMA["metadata"]["constraint"],  # type: ignore[index, dict-item]
    "apoc.meta.graph": [{"nodes": [{"name": "Town", "count": 2}], "relationships": [{"name": "HELD_IN", "count": 3}]}],
    "MATCH (n:`Town`)": [
        {
            "output": {
                "name": {"values": ["Ulm", "Lyon"], "distinct_count": 2},
                "height": {"min": "0", "max": "478", "distinct_count": 2},
            }
        }
    ],
    "MATCH ()-[n:`HELD_IN`]->()": [{"output": {"days": {"min_size": 1, "max_size": 6}}}],
}


def test_a_live_graph_is_asked_as_neo4js_library_asks_it() -> None:
    driver = Recorded(ANSWERS)
    assert driver_catalog(driver, "fairs", sample=50, seconds=7) == CATALOG  # type: ignore[arg-type]
    assert {timeout for _, timeout, _ in driver.asked} == {7}
    samples = [parameters["SAMPLE"] for text, _, parameters in driver.asked if "$SAMPLE" in text]
    assert samples == [50, 50, 50]


def test_a_server_without_apoc_says_what_to_install() -> None:
    with pytest.raises(UserError, match="its server lacks"):
        driver_catalog(Recorded({}, missing=True), "fairs")  # type: ignore[arg-type]


def test_no_server_is_one_line() -> None:
    with pytest.raises(UserError, match=r"^cannot read the graph at bolt://127\.0\.0\.1:9: ") as caught:
        bolt_catalog("bolt://127.0.0.1:9", user="neo4j", password="x")
    assert "\n" not in str(caught.value)
