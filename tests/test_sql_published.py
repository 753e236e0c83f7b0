"""What published gold queries and predictions reference, read by us, by SQLite and by sqlglot."""

import json
import sqlite3
import time
from contextlib import closing
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from sqlglot.errors import SqlglotError

from schemas.catalog import Catalog, Element
from schemas.records import Question
from tasks.benchmarks import bird, spider
from tasks.languages.sql import referenced, render
from tests.data import need
from tests.sql_oracles import folded, nested_schema, ours, qualify_reads, sqlite_reads

PARTS = [(bird, "dev", 1534), (bird, "mini_dev", 500), (spider, "dev", 1034)]
BIRD_FILES = {
    "rsl_sql/bird_dev_gpt-4o/final_sql.txt": 1533,
    "rsl_sql/bird_dev_gpt-4o/preliminary_sql.txt": 1507,
}
SPIDER_FILES = {
    "dail_sql/DAIL-SQL+GPT-4.txt": 1020,
    "c3/predicted_sql.txt": 1032,
    "codes/pred_sqls-codes-15b-spider.txt": 1030,
    "dts_sql/deepseek_spider_validation_set/Predicted.txt": 1021,
}
parts = pytest.mark.parametrize(("plugin", "part", "count"), PARTS, ids=lambda value: getattr(value, "__name__", value))


@cache
def catalogs(plugin: ModuleType, part: str) -> dict[str, Catalog]:
    root = need(plugin.__name__.rpartition(".")[2])
    return {catalog.database: catalog for catalog in plugin.catalogs(root, part)}


@cache
def questions(plugin: ModuleType, part: str) -> list[Question]:
    return list(plugin.questions(need(plugin.__name__.rpartition(".")[2]), part))


@cache
def empty(plugin: ModuleType, database: str) -> sqlite3.Connection:
    """A SQLite database that our DDL makes of a catalog."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(render(catalogs(plugin, "dev")[database]))
    return connection


@parts
def test_every_gold_query_is_read_and_resolved_at_speed(plugin: ModuleType, part: str, count: int) -> None:
    found = catalogs(plugin, part)
    begun = time.process_time()
    read = [referenced(question.gold_query, found[question.database]) for question in questions(plugin, part)]
    assert len(read) == count
    assert [each.unknown for each in read if each.unknown] == []
    assert count / (time.process_time() - begun) > 300


@parts
def test_sqlite_reads_the_same_of_every_gold_query(plugin: ModuleType, part: str, count: int) -> None:
    """Compiled against empty databases made of our DDL, so that BIRD, whose files are not at hand, is judged too."""
    for question in questions(plugin, part):
        found = referenced(question.gold_query, catalogs(plugin, part)[question.database])
        assert ours(found) == sqlite_reads(empty(plugin, question.database), question.gold_query), question.id


def test_sqlite_reads_the_same_in_spiders_own_files() -> None:
    compared = 0
    files = spider.databases(need("spider"), "dev")
    for question in questions(spider, "dev"):
        if path := files.get(question.database):
            with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
                reads = sqlite_reads(connection, question.gold_query)
            assert ours(referenced(question.gold_query, catalogs(spider, "dev")[question.database])) == reads
            compared += 1
    assert compared == 972


@pytest.mark.slow
@pytest.mark.parametrize(("plugin", "qualified"), [(bird, 1534), (spider, 821)], ids=["bird", "spider"])
def test_the_qualification_pass_of_sqlglot_reads_the_same(plugin: ModuleType, qualified: int) -> None:
    """Slow: it optimises every gold query. What it refuses are Spider's strings in double quotes."""
    schemas = {name: nested_schema(catalog) for name, catalog in catalogs(plugin, "dev").items()}
    compared, refused = 0, list[Question]()
    for question in questions(plugin, "dev"):
        try:
            reads = qualify_reads(question.gold_query, "sqlite", schemas[question.database])
        except SqlglotError:
            refused.append(question)
            continue
        found = referenced(question.gold_query, catalogs(plugin, "dev")[question.database])
        assert ours(found) == reads, question.id
        compared += 1
    assert compared == qualified
    assert all('"' in question.gold_query for question in refused)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plugin", "file", "count"),
    [*((bird, file, count) for file, count in BIRD_FILES.items()), *((spider, *item) for item in SPIDER_FILES.items())],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_sqlite_reads_the_same_of_predicted_queries(plugin: ModuleType, file: str, count: int) -> None:
    """Slow: thousands of queries. Whatever SQLite compiles we read, without an unknown name."""
    lines = need("predictions", *Path(file).parts).read_text(encoding="utf-8", errors="replace").split("\n")
    compiled = 0
    for question, line in zip(questions(plugin, "dev"), lines, strict=False):
        query = line.split("\t")[0]
        try:
            reads = sqlite_reads(empty(plugin, question.database), query)
        except (sqlite3.Error, sqlite3.Warning):
            continue
        found = referenced(query, catalogs(plugin, "dev")[question.database])
        assert (ours(found), found.unknown) == (reads, ()), question.id
        compiled += 1
    assert compiled == count


@pytest.mark.slow
def test_published_links_of_rsl_sql_have_their_published_figures() -> None:
    """Slow: it reads BIRD's 1,534 gold queries, and its catalogs."""
    links = json.loads(need("predictions", "rsl_sql", "bird_dev_gpt-4o", "LLM.json").read_text())
    measured: dict[str, list[tuple[float, float, float]]] = {"table": [], "column": []}
    for question, link in zip(questions(bird, "dev"), links, strict=True):
        gold = ours(referenced(question.gold_query, catalogs(bird, "dev")[question.database]))
        columns = (column.partition(".") for column in link["columns"])
        kept = folded(Element(table.strip("`"), column.strip("`")) for table, _, column in columns)
        tables = folded(Element(table.strip("`")) for table in link["tables"])
        named = {item.split(".")[0] for item in gold}
        for level, true, said in (("table", named, tables), ("column", gold - named, kept)):
            shares = len(true & said) / len(true), len(true & said) / len(said) if said else 0.0
            measured[level] += [(*shares, float(true <= said))] if true else []
    means = {level: [sum(each) / len(rows) for each in zip(*rows, strict=True)] for level, rows in measured.items()}
    assert means["table"] == pytest.approx([0.973, 0.912, 0.936], abs=0.005)
    assert means["column"] == pytest.approx([0.896, 0.751, 0.698], abs=0.005)


@parts
def test_a_rendered_catalog_is_made_by_sqlite_as_it_was(plugin: ModuleType, part: str, count: int) -> None:
    for catalog in catalogs(plugin, part).values():
        connection = empty(plugin, catalog.database)
        for entity in (each for each in catalog.entities if not each.name.startswith("sqlite_")):
            made = connection.execute("SELECT name FROM pragma_table_info(?)", (entity.name,)).fetchall()
            assert [name for (name,) in made] == [field.name for field in entity.fields]
