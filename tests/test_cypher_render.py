"""Graphs as text in Neo4j's layouts, the prompt, and the statement in an answer."""

import ast
import csv
import re
import sys
from pathlib import Path

import pytest

from schemas.catalog import Catalog, Element, Entity, Field, Relation, Statistic
from schemas.errors import UserError
from schemas.records import Question
from tasks.benchmarks._structured_schema import read_structured
from tasks.languages.cypher import clean, messages, quoted, render
from tests.data import need

TOWN = Entity(
    "Town",
    (
        Field("name", "STRING", examples=("Ulm", "Lyon"), statistics=(Statistic("distinct_count", "2"),)),
        Field(
            "motto", "STRING", examples=("Per aspera\nad astra", "b"), statistics=(Statistic("distinct_count", "40"),)
        ),
        Field("height", "INTEGER", statistics=(Statistic("min", "0"), Statistic("max", "478"))),
        Field("twins", "LIST", statistics=(Statistic("min_size", "1"), Statistic("max_size", "6"))),
        Field("vector", "LIST", statistics=(Statistic("min_size", "768"), Statistic("max_size", "768"))),
        Field("place", "POINT"),
    ),
    "node",
)
FAIR = Entity("Fair", (), "node")
HELD = Entity("HELD_IN", (Field("days", "INTEGER", examples=("3",)),), "relationship")
NEAR = Entity("NEAR", (), "relationship")
FAIRS = Catalog(
    "fairs",
    (TOWN, FAIR, HELD, NEAR),
    (Relation("Fair", "Town", via="HELD_IN"), Relation("Town", "Town", via="NEAR")),
    "cypher",
)
ENHANCED = """Node properties:
- **Town**
  - `name`: STRING Available options: ['Ulm', 'Lyon']
  - `motto`: STRING Example: "Per aspera ad astra"
  - `height`: INTEGER Min: 0, Max: 478
  - `twins`: LIST Min Size: 1, Max Size: 6
  - `place`: POINT 
Relationship properties:
- **HELD_IN**
  - `days`: INTEGER Example: "3"
The relationships:
(:Fair)-[:HELD_IN]->(:Town)
(:Town)-[:NEAR]->(:Town)"""
BASE = """Node properties:
Town {name: STRING, motto: STRING, height: INTEGER, twins: LIST, vector: LIST, place: POINT}
Relationship properties:
HELD_IN {days: INTEGER}
The relationships:
(:Fair)-[:HELD_IN]->(:Town)
(:Town)-[:NEAR]->(:Town)"""


def test_enhanced_shows_values_and_keeps_zero() -> None:
    assert render(FAIRS, style="enhanced") == ENHANCED
    assert render(FAIRS) == ENHANCED


def test_base_shows_types_only() -> None:
    assert render(FAIRS, style="base") == BASE


def test_without_values_the_layout_is_base() -> None:
    assert render(FAIRS.without_values()) == BASE
    assert render(FAIRS, examples=0) == BASE


def test_a_linked_catalog_shows_what_was_kept() -> None:
    kept = FAIRS.keep({Element("Town", "height"), Element("NEAR")})
    assert render(kept) == (
        "Node properties:\n- **Town**\n  - `height`: INTEGER Min: 0, Max: 478\nRelationship properties:\n\n"
        "The relationships:\n(:Town)-[:NEAR]->(:Town)"
    )


def test_what_no_pattern_shows_is_listed_with_properties() -> None:
    text = render(FAIRS.keep({Element("NEAR"), Element("Fair")}), style="base")
    assert text.splitlines() == [
        *("Node properties:", "Fair {}"),
        *("Relationship properties:", "NEAR {}"),
        "The relationships:",
    ]


def test_an_unknown_style_names_those_there_are() -> None:
    with pytest.raises(UserError, match="unknown style 'basic'; did you mean 'base'"):
        render(FAIRS, style="basic")


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.languages import _cypher_render

    _cypher_render._layout.cache_clear()
    monkeypatch.setitem(sys.modules, "neo4j_graphrag.schema", None)
    with pytest.raises(UserError, match=r"neo4j_graphrag.*pip install -e '\.\[graph\]'"):
        render(FAIRS)


def published() -> list[dict[str, str]]:
    csv.field_size_limit(1 << 24)
    path: Path = need("text2cypher", "text2cypher_schemas.csv")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def newer(line: str) -> str:
    """A published line as today's library lays it out: it once quoted a relationship property with its type."""
    line = re.sub(r"^  - `([^`]+): (\w+)`", r"  - `\1`: \2", line)
    return line.replace("Max:  ", "Max: ")


def test_the_published_texts_come_out_line_by_line() -> None:
    rows = published()
    assert len(rows) == 15
    older = 0
    for row in rows:
        schema = render(read_structured(row["structured_schema"], row["database"]), style="enhanced")
        ours, theirs = schema.split("\n"), row["schema"].split("\n")
        assert ours == [newer(line) for line in theirs], row["database"]
        odd = [line for line, other in zip(theirs, ours, strict=True) if line != other]
        assert all(
            line.startswith("  - `") and theirs.index("Relationship properties:") < theirs.index(line) for line in odd
        )
        older += len(odd)
    assert older == 63


def test_the_published_base_texts_are_the_librarys() -> None:
    from neo4j_graphrag.schema import format_schema

    for row in published():
        schema = ast.literal_eval(row["structured_schema"])
        catalog = read_structured(row["structured_schema"], row["database"])
        assert render(catalog, style="base") == format_schema(schema, False)
        assert render(catalog.without_values()) == format_schema(schema, False)


def test_the_prompt_has_the_papers_roles() -> None:
    question = Question("own", "1", "fairs", "Which towns are near Ulm?", evidence="near means a day's walk")
    system, user = messages(question, FAIRS, "SCHEMA", ["(:Town)-[:NEAR]->(:Town)"])
    assert (system.role, user.role) == ("system", "user")
    assert "Cypher" in system.content
    assert "nothing but the statement" in system.content
    parts = ("SCHEMA", "(:Town)-[:NEAR]->(:Town)", "a day's walk", "Which towns are near Ulm?")
    places = [user.content.index(part) for part in parts]
    assert places == sorted(places)
    assert "SCHEMA" not in system.content


@pytest.mark.parametrize(
    ("answer", "statement"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("  MATCH (n)\nRETURN n ;\n", "MATCH (n)\nRETURN n"),
        ("```cypher\nMATCH (n) RETURN n\n```", "MATCH (n) RETURN n"),
        ("```\nMATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("Here it is:\n```Cypher\nMATCH (n) RETURN n\n```\nIt finds all.", "MATCH (n) RETURN n"),
        ("cypher\nMATCH (n) RETURN n.cypher", "MATCH (n) RETURN n.cypher"),
        ("Cypher: MATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("CYPHER runtime=slotted MATCH (n) RETURN n", "CYPHER runtime=slotted MATCH (n) RETURN n"),
        ("MATCH (c:cypher) RETURN c", "MATCH (c:cypher) RETURN c"),
        ("MATCH (n) RETURN n.hyper", "MATCH (n) RETURN n.hyper"),
        ("MATCH (n) RETURN n\n\nExplanation: all nodes", "MATCH (n) RETURN n"),
        ("MATCH (n) RETURN n\n**Explanation:**\nMATCH finds", "MATCH (n) RETURN n"),
        ("MATCH (n) RETURN n\n### Explanation\n1. MATCH", "MATCH (n) RETURN n"),
        ("<think>MATCH (m)</think>MATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("The query is MATCH (n) RETURN n", "MATCH (n) RETURN n"),
        ("UNWIND [1] AS x RETURN x", "UNWIND [1] AS x RETURN x"),
        ("I cannot say.", ""),
        ("", ""),
    ],
)
def test_answers_are_cleaned_by_prefixes_not_characters(answer: str, statement: str) -> None:
    assert clean(answer) == statement
    assert clean(statement) == statement


def test_names_are_quoted_where_they_have_to_be() -> None:
    assert [quoted(name) for name in ("Town", "Big town", "a`b", "9th")] == ["Town", "`Big town`", "`a``b`", "`9th`"]
