"""Spider 2.0-Snow: a small folder of our own in its layout, sound and broken, and the published one."""

import io
import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.catalog import Element
from schemas.errors import Faults
from schemas.families import families, family_of
from storage import benchmarks
from storage.layout import Store
from tasks.benchmarks import spider2
from tasks.benchmarks._spider2_tables import ARCHIVE, FOLDER
from tasks.ingest import ingest
from tests.data import need

VISIT = [{"at": "2024-01-01", "page": '{"path": "/", "tags": [{"name": "x"}]}', "visitor": None}]
VISIT += [{"at": "2024-01-02", "page": None, "visitor": 7}]
VISITS = {"visitor": "NUMBER", "at": "DATE", "page": "VARIANT"}
QUERY = """
SELECT u."Name", COUNT(*) AS n
FROM (SELECT * FROM KIOSK.WEB.VISITS_20240101 UNION ALL SELECT * FROM KIOSK.WEB.VISITS_20240102) AS v,
     LATERAL FLATTEN(input => v."page":tags) AS tag
JOIN "KIOSK"."WEB"."READERS" AS u ON u."id" = v."visitor"
WHERE tag.value:name::STRING = 'x' AND v."at" >= '2024-01-01'
GROUP BY 1 ORDER BY n DESC
"""


def table(root: Path, name: str, columns: dict[str, str], rows: list[dict[str, Any]], **changes: Any) -> Path:
    database, schema, short = name.split(".")
    path = root / FOLDER / database / schema / f"{short}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [f"the {column}" if column == "at" else None for column in columns]
    content = {"table_name": f"{schema}.{short}", "table_fullname": name, "column_names": list(columns)}
    content |= {"column_types": list(columns.values()), "description": said, "sample_rows": rows}
    path.write_text(json.dumps(content | changes))
    return path


def lines(path: Path, items: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in items))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two questions over a kiosk's web log in daily shards; the first has a query, the second a document."""
    root = tmp_path / "published"
    for day in ("20240101", "20240102", "20240103"):
        table(root, f"KIOSK.WEB.VISITS_{day}", VISITS, VISIT)
    table(root, "KIOSK.WEB.READERS", {"Name": "TEXT", "id": "NUMBER"}, [])
    table(root, "KIOSK.WEB.MAGAZINES", {"issn": "TEXT"}, [{"issn": "a" * 61}])
    ddl = (
        'table_name,description,DDL\nREADERS,who reads,"create or replace TABLE READERS (\n\t""id"" NUMBER(38,0)\n);"\n'
    )
    (root / FOLDER / "KIOSK" / "WEB" / "DDL.csv").write_text(
        ddl + 'KIOSK.WEB.GONE,,"create TABLE GONE (\n\tX TEXT\n);"\n'
    )
    asked = [("a", "Who saw most pages tagged x?", None), ("b", "How many visits were there?", "visits.md")]
    items = [
        {"instance_id": name, "instruction": text, "db_id": "KIOSK", "external_knowledge": document}
        for name, text, document in asked
    ]
    lines(root / spider2.QUESTIONS, items)
    gold = {"a": ["KIOSK.WEB.VISITS_20240101", "kiosk.web.readers", "KIOSK.WEB.MAGAZINES"], "b": ["KIOSK.WEB.VISITS_*"]}
    lines(root / spider2.TABLES, [{"instance_id": name, "gold_tables": tables} for name, tables in gold.items()])
    (root / spider2.DOCUMENTS).mkdir(parents=True)
    (root / spider2.DOCUMENTS / "visits.md").write_text("A visit is one page.\n" * 1000)
    (root / spider2.QUERIES).mkdir(parents=True)
    (root / spider2.QUERIES / "a.sql").write_text(QUERY)
    return root


def pack(root: Path) -> None:
    """Replace the folder of the schema resources by the archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        packed.add(root / FOLDER, FOLDER)
    with pa.CompressedOutputStream(pa.OSFile(str(root / ARCHIVE), "wb"), "zstd") as out:
        out.write(buffer.getvalue())
    shutil.rmtree(root / FOLDER)


def test_tables_have_full_names_declared_order_and_sample_values(root: Path) -> None:
    (catalog,) = spider2.catalogs(root, "snow")
    assert catalog.dialect == "snowflake"
    shards = [f"KIOSK.WEB.VISITS_2024010{day}" for day in (1, 2, 3)]
    assert [entity.name for entity in catalog.entities] == ["KIOSK.WEB.MAGAZINES", "KIOSK.WEB.READERS", *shards]
    visits = catalog.entities[-1]
    assert [(field.name, field.type, field.examples) for field in visits.fields] == [
        ("at", "DATE", ("2024-01-01", "2024-01-02")),
        ("page", "VARIANT", ('{"path": "/", "tags": [{"name": "x"}]}',)),
        ("visitor", "NUMBER", ("7",)),
    ]
    assert [field.description for field in visits.fields] == ["the at", "Parts: path, tags.name.", ""]
    assert [entity.description for entity in catalog.entities[:2]] == ["", "who reads"]
    assert catalog.entities[0].fields[0].examples == ()
    assert [family.pattern for family in families(catalog)] == ["KIOSK.WEB.VISITS_*"]


def test_the_archive_gives_what_the_folder_gives(root: Path) -> None:
    questions, catalogs = spider2.questions(root, "snow", any_length=True), spider2.catalogs(root, "snow")
    remarks = spider2.remarks(root, "snow")
    pack(root)
    assert root / ARCHIVE in spider2.files(root, "snow")
    assert spider2.questions(root, "snow", any_length=True) == questions
    assert (spider2.catalogs(root, "snow"), spider2.remarks(root, "snow")) == (catalogs, remarks)


def test_gold_is_the_query_where_there_is_one_and_else_the_list(root: Path) -> None:
    first, second = spider2.questions(root, "snow", any_length=True)
    web = "KIOSK.WEB"
    days = {f"{web}.VISITS_20240101", f"{web}.VISITS_20240102"}
    assert first.gold_elements("entity") == {Element(name) for name in (*days, f"{web}.READERS")}
    columns = {Element(name, column) for name in days for column in ("at", "page", "visitor")}
    assert first.gold_elements("field") == columns | {Element(f"{web}.READERS", name) for name in ("Name", "id")}
    assert (first.gold_level, first.gold_status, second.gold_level, second.gold_status) == (
        "field",
        "ok",
        "entity",
        "ok",
    )
    assert [reference.entity for reference in second.gold] == [f"{web}.VISITS_2024010{day}" for day in (1, 2, 3)]
    listed = spider2.questions(root, "snow-tables", any_length=True)
    assert [question.gold_level for question in listed] == ["entity", "entity"]
    assert Element(f"{web}.MAGAZINES") in listed[0].gold_elements("entity")


def test_what_json_ddl_and_golds_say_differently_is_remarked(root: Path) -> None:
    assert spider2.remarks(root, "snow") == [
        "1 table in DDL.csv without a JSON: left out (such as KIOSK.WEB.GONE)",
        "4 tables with a JSON that DDL.csv lacks (such as KIOSK.WEB.MAGAZINES)",
        "1 table whose columns differ in DDL.csv: the JSON's are kept (such as KIOSK.WEB.READERS)",
        "gold queries and gold tables disagree on 1 of 1 questions, families counted as one table: 0 queries read a"
        " table that is not listed (), 1 leave out a listed one (a); the queries are the gold",
        "no database file for all databases: 2 questions cannot be executed",
    ]


def test_a_query_that_cannot_be_resolved_leaves_the_list_of_tables(root: Path) -> None:
    for text, reason in (("SELECT Weight FROM KIOSK.WEB.READERS", "names WEIGHT"), ("SELEC 1", "cannot be read")):
        (root / spider2.QUERIES / "a.sql").write_text(text)
        first, _ = spider2.questions(root, "snow", any_length=True)
        assert (first.gold_level, first.gold_status, len(first.gold)) == ("entity", "ok", 3)
        assert reason in first.gold_reason
        assert any(remark.startswith("a: its query") for remark in spider2.remarks(root, "snow"))


def test_a_long_document_is_cut_at_a_line_and_says_so(root: Path) -> None:
    first, second = spider2.questions(root, "snow", any_length=True)
    assert first.evidence == ""
    *kept, said = second.evidence.split("\n")
    assert set(kept) == {"A visit is one page."}
    assert len("\n".join(kept)) <= spider2.LONGEST
    assert said == f"[{20_999 - len(chr(10).join(kept)):,} more characters in visits.md]"


def _no_resources(root: Path) -> str:
    shutil.rmtree(root / FOLDER)
    return f"{root / ARCHIVE}: cannot be read (no such file): fetch it again, or unpack the databases into {FOLDER}"


def _broken_archive(root: Path) -> str:
    pack(root)
    (root / ARCHIVE).write_bytes((root / ARCHIVE).read_bytes()[:200])
    return f"{root / ARCHIVE}: cannot be read ("


def _uneven(root: Path) -> str:
    path = table(root, "KIOSK.WEB.READERS", {"id": "NUMBER"}, [], column_types=[])
    return f"{path}: lists of different lengths: "


def _no_names(root: Path) -> str:
    path = table(root, "KIOSK.WEB.READERS", {"id": "NUMBER"}, [], column_names=None)
    return f"{path}: 'column_names' is missing or of another type"


def _unknown_table(root: Path) -> str:
    lines(root / spider2.TABLES, [{"instance_id": name, "gold_tables": ["KIOSK.WEB.READER"]} for name in "ab"])
    return f"{root / spider2.TABLES}: unknown table of KIOSK 'KIOSK.WEB.READER'; did you mean 'KIOSK.WEB.READERS'?"


def _no_gold(root: Path) -> str:
    lines(root / spider2.TABLES, [{"instance_id": "a", "gold_tables": []}])
    return f"{root / spider2.TABLES}: no gold tables of 'b'"


def _no_document(root: Path) -> str:
    (root / spider2.DOCUMENTS / "visits.md").unlink()
    return f"{root / spider2.QUESTIONS}: cannot read {root / spider2.DOCUMENTS / 'visits.md'}: No such file"


def _broken_line(root: Path) -> str:
    (root / spider2.QUESTIONS).write_text('{"instance_id": "a"}\n{"\n')
    return f"{root / spider2.QUESTIONS}: item 0: 'instruction' is missing or of another type"


@pytest.mark.parametrize(
    "spoil",
    [_no_resources, _broken_archive, _uneven, _no_names, _unknown_table, _no_gold, _no_document, _broken_line],
)
def test_what_is_wrong_is_said_with_its_file(root: Path, spoil: Callable[[Path], str]) -> None:
    expected = spoil(root)
    with pytest.raises(Faults) as caught:
        spider2.questions(root, "snow", any_length=True)
    assert any(fault.startswith(expected) for fault in caught.value.faults), caught.value.faults


def test_another_length_is_refused_unless_allowed(root: Path) -> None:
    with pytest.raises(Faults, match=r"holds 2 items where Spider 2\.0-Snow has 547"):
        spider2.questions(root, "snow")
    assert len(spider2.questions(root, "snow", any_length=True)) == 2


def test_ingested_it_counts_the_shards_of_a_table_as_one(root: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    folder = ingest("spider2", root, "snow", store, "snow", any_length=True)
    described = benchmarks.description(folder)
    assert (described["families"], described["gold"], described["databases"]) == (True, {"ok": 2}, {})
    first = "KIOSK.WEB.VISITS_20240101"
    assert benchmarks.representatives(folder, "KIOSK") == dict.fromkeys(
        (first, first[:-1] + "2", first[:-1] + "3"), first
    )
    assert benchmarks.databases(folder) == ["KIOSK"]


@pytest.mark.slow
def test_the_published_benchmark_loads_whole() -> None:
    """Reads half a gigabyte of JSON from the packed archive."""
    root = need("spider2", "spider2-snow", "spider2-snow.jsonl").parents[1]
    need("spider2", ARCHIVE)
    questions, catalogs = spider2.questions(root, "snow"), spider2.catalogs(root, "snow")
    assert Counter((question.gold_level, question.gold_status) for question in questions) == {
        ("entity", "ok"): 427,
        ("field", "ok"): 120,
    }
    assert (len(catalogs), sum(len(catalog.entities) for catalog in catalogs)) == (152, 7860)
    assert sum(len(entity.fields) for catalog in catalogs for entity in catalog.entities) == 522_268
    by_name = {catalog.database: catalog for catalog in catalogs}
    counts: Counter[int] = Counter()
    for question in questions:
        known = by_name[question.database]
        assert {reference.element for reference in question.gold} <= known.elements
        shards = family_of(known, schemas=False)
        counts[len({shards.get(element.entity, element.entity) for element in question.gold_elements("entity")})] += 1
    assert max(counts) <= 8
    assert max(len(question.gold_elements("entity")) for question in questions) == 366
    assert sum(bool(question.evidence) for question in questions) == 107
    assert any("disagree on 33 of 120 questions" in remark for remark in spider2.remarks(root, "snow"))
