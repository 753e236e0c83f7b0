"""Text2Cypher's published layouts, sound and broken; its flags, its halves, and how much of its gold is read."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows.__main__ import main
from schemas.catalog import Catalog
from schemas.errors import Faults
from schemas.records import Question
from storage.files import read_json
from tasks.benchmarks import text2cypher
from tasks.benchmarks._schema_text import schema_text_catalog
from tasks.benchmarks._structured_schema import structured_catalog
from tasks.ingest import resolved
from tasks.languages.cypher import render
from tests import text2cypher as published
from tests.data import need

CATALOG = structured_catalog(published.SCHEMA, "fairs")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return published.text2cypher(tmp_path / "t2c")


def read(root: Path, part: str) -> list[Question]:
    return text2cypher.questions(root, part, any_length=True)


def test_flags_exclude_and_are_counted(root: Path) -> None:
    told = [(one.id, one.gold_status, one.gold_reason, one.difficulty) for one in read(root, "synthetic")]
    assert told == [
        ("gpt4turbo-0", "none", "", "Simple Retrieval"),
        ("gpt4turbo-1", "excluded", "syntax_error", "Simple Retrieval"),
        ("gpt4turbo-2", "excluded", "timeout", "Simple Retrieval"),
        ("gpt4turbo-3", "excluded", "returns_results: none", "Simple Retrieval"),
        ("gpt4turbo-4", "excluded", "false_schema: Mayor, Town.mayor", "Simple Retrieval"),
        ("claudeopus-0", "none", "", "Simple Retrieval"),
        ("claudeopus-1", "none", "", "Simple Retrieval"),
    ]
    assert text2cypher.remarks(root, "synthetic") == [
        "1 questions of slack left out: no schema is published",
        "1 queries excluded by the flag syntax_error",
        "1 queries excluded by the flag timeout",
        "1 queries excluded by the flag returns_results",
        "1 queries excluded by the flag false_schema",
    ]


def test_catalogs_come_from_structured_schemas(root: Path) -> None:
    assert text2cypher.catalogs(root, "synthetic") == [CATALOG]
    assert text2cypher.databases(root, "synthetic") == {"fairs": root / "graphs" / "fairs.json"}


def test_the_test_part_takes_types_from_equal_questions(root: Path) -> None:
    asked = read(root, "test_2024v1")
    assert [(one.id, one.text, one.difficulty) for one in asked] == [
        ("0", "Which fairs?", "Simple Retrieval"),
        ("1", "How long?", ""),
    ]
    assert asked[1].gold_query == "MATCH ()-[h:HELD_IN]->() RETURN h.days"
    for path in (root / "text2cypher_gpt4turbo.csv", root / "text2cypher_claudeopus.csv"):
        path.unlink()
    assert [one.difficulty for one in read(root, "test_2024v1")] == ["", ""]


def test_halves_are_seeded_and_keep_a_text_on_one_side(root: Path) -> None:
    rows = [
        published.row(f"Which towns have {at // 2}  fairs?".upper() if at % 2 else f"Which towns have {at // 2} fairs?")
        for at in range(800)
    ]
    published.write_csv(root / "text2cypher_gpt4turbo.csv", rows)
    train, test = (read(root, part) for part in ("synthetic_train", "synthetic_test"))
    whole = {one.id for one in read(root, "synthetic")}
    assert {one.id for one in train} | {one.id for one in test} == whole
    texts = [{" ".join(one.text.lower().split()) for one in half} for half in (train, test)]
    assert not texts[0] & texts[1]
    assert 20 <= len(texts[1]) <= 65
    assert [one.id for one in read(root, "synthetic_test")] == [one.id for one in test]


def test_prepare_ingests_a_part(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prepare", "text2cypher", "--from", str(root), "--storage", str(tmp_path / "results"), "--any-length"]
    assert main([*words, "--part", "synthetic"]) == 0
    described = read_json(tmp_path / "results" / "benchmarks" / "text2cypher-synthetic" / "benchmark.json")
    assert described["gold"] == {"excluded": 4, "ok": 3}
    assert set(described["files"]) == {
        "text2cypher_gpt4turbo.csv",
        "text2cypher_claudeopus.csv",
        "text2cypher_schemas.csv",
        "graphs/fairs.json",
    }
    told = capsys.readouterr().out
    assert "2 nodes, 1 relationships with 3 fields" in told
    assert "excluded: question gpt4turbo-1 (fairs): syntax_error" in told


def test_every_fault_is_named_at_once(root: Path) -> None:
    published.write_csv(root / "text2cypher_gpt4turbo.csv", [{"question": "?", "cypher": "x"}])
    (root / "text2cypher_claudeopus.csv").unlink()
    published.write_csv(root / "text2cypher_schemas.csv", [{"database": "fairs", "structured_schema": "{"}])
    with pytest.raises(Faults) as caught:
        text2cypher.questions(root, "synthetic")
    faults = [fault.replace(f"{root}/", "") for fault in caught.value.faults]
    assert len(faults) == 3
    assert faults[0].startswith("text2cypher_gpt4turbo.csv: no column 'type', 'database', 'syntax_error'")
    assert faults[1].startswith("text2cypher_claudeopus.csv: cannot read")
    assert faults[2].startswith("text2cypher_schemas.csv: fairs: the structured schema is neither JSON")


def test_another_length_is_refused(root: Path) -> None:
    with pytest.raises(Faults, match=r"holds 2 items where text2cypher-2024v1's .* has 2,470"):
        text2cypher.questions(root, "test_2024v1")
    with pytest.raises(Faults, match="holds 6 questions where the published one has 9,846"):
        text2cypher.questions(root, "synthetic")


@pytest.mark.parametrize("form", ["test-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "test.jsonl"])
def test_the_hubs_layout_carries_schemas_as_texts(tmp_path: Path, form: str) -> None:
    path = tmp_path / form
    path.parent.mkdir(exist_ok=True)
    rows = published.hub_rows()
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    published.write_json(tmp_path / "graphs" / "fairs.json", {"nodes": [], "rels": []})
    asked = {one.id: one for one in text2cypher.questions(tmp_path, "test")}
    names = {identity: one.database for identity, one in asked.items()}
    assert names["a1"] == names["a3"] == "demo_db_fairs"
    assert names["a2"].startswith("demo_db_fairs-")
    assert names["a4"].startswith("schema-")
    assert [one.gold_status for one in asked.values()] == ["none"] * 4 + ["excluded"]
    assert asked["a5"].gold_reason == "schema: its layout is not known"
    found = {catalog.database: catalog for catalog in text2cypher.catalogs(tmp_path, "test")}
    assert set(found) == set(names.values())
    assert found["demo_db_fairs"].elements == CATALOG.elements == found[names["a4"]].elements
    assert found["demo_db_fairs"].relations == CATALOG.relations
    assert text2cypher.databases(tmp_path, "test") == {"demo_db_fairs": tmp_path / "graphs" / "fairs.json"}
    assert text2cypher.remarks(tmp_path, "test")[0].startswith("1 schemas cannot be read")
    assert {resolved(one, found[one.database]).gold_status for one in asked.values()} == {"ok", "excluded"}


def test_broken_hub_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"question": "?", "cypher": 3}\n')
    with pytest.raises(Faults) as caught:
        text2cypher.questions(tmp_path, "train")
    assert [fault.rsplit(": ", 1)[1] for fault in caught.value.faults] == [
        "'schema' is not a text",
        "'cypher' is not a text",
    ]
    (tmp_path / "train.jsonl").write_text("{")
    with pytest.raises(Faults, match=r"train\.jsonl: Expecting"):
        text2cypher.questions(tmp_path, "train")


@pytest.mark.parametrize("style", ["base", "enhanced"])
def test_schemas_as_texts_are_read_back(style: str) -> None:
    text = render(CATALOG, style=style)
    again = schema_text_catalog(text, "fairs")
    assert (again.elements, again.relations) == (CATALOG.elements, CATALOG.relations)
    assert [entity.kind for entity in again.entities] == [entity.kind for entity in CATALOG.entities]
    assert render(again, style=style) == text


def test_an_older_list_of_patterns_is_read() -> None:
    text = (
        "Graph schema: Relevant node labels and their properties (with datatypes) are:\nTown {name: STRING}\n\n"
        "Relevant relationships are:\n{'start': Fair, 'type': HELD_IN, 'end': Town }\n\n"
        "Relevant relationship properties (with datatypes) are:\nHELD_IN {days: INTEGER}"
    )
    found = schema_text_catalog(text, "fairs")
    assert [(one.name, one.kind) for one in found.entities] == [
        ("Town", "node"),
        ("Fair", "node"),
        ("HELD_IN", "relationship"),
    ]
    assert [str(relation) for relation in found.relations] == ["(:Fair)-[:HELD_IN]->(:Town)"]


def gold(part: str) -> tuple[list[Question], dict[str, Catalog]]:
    root = need("text2cypher", "text2cypher_schemas.csv").parent
    known = {catalog.database: catalog for catalog in text2cypher.catalogs(root, part)}
    asked = [one for one in text2cypher.questions(root, part) if one.gold_status == "none"]
    return [resolved(one, known[one.database]) for one in asked], known


def test_the_published_test_part_is_as_described() -> None:
    asked, known = gold("test_2024v1")
    assert len(asked) == 2470
    assert len(known) == 15
    root = need("text2cypher", "graphs", "movies.json").parents[1]
    here = text2cypher.databases(root, "test_2024v1")
    assert sum(one.database in here for one in asked) == 894
    assert sum(one.gold_status == "ok" for one in asked) >= 0.98 * len(asked)


@pytest.mark.slow
def test_nearly_all_unflagged_gold_is_parsed_and_resolved() -> None:
    """Eleven thousand queries are read, at more than a millisecond each."""
    asked, _ = gold("synthetic")
    assert len(asked) == 11275
    causes = Counter(cause(one) for one in asked if one.gold_status != "ok")
    assert sum(causes.values()) <= 0.02 * len(asked), causes.most_common()
    assert causes.most_common(1)[0][0] == "a property that its label has not"
    assert set(causes) <= {
        "a property that its label has not",
        "a variable that nothing binds",
        "not Neo4j's grammar",
        "an unknown name",
        "references nothing",
    }


def cause(question: Question) -> str:
    """Why a gold query is not resolved, in kinds."""
    if question.gold_status == "parse_error":
        return "references nothing" if "references no" in question.gold_reason else "not Neo4j's grammar"
    names = question.gold_reason.removeprefix("no ").split(", ")
    if any("." in name for name in names):
        return "a property that its label has not"
    return "a variable that nothing binds" if all(name[:1].islower() for name in names) else "an unknown name"


def test_a_flagged_query_is_not_read(root: Path) -> None:
    flagged = next(one for one in read(root, "synthetic") if one.gold_status == "excluded")
    assert resolved(flagged, CATALOG) == flagged
