"""Which elements a SQL query references: the fixture, judged by hand and by SQLite, DuckDB and sqlglot's qualify."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import duckdb
import pytest
from sqlglot.errors import SqlglotError

from schemas.errors import Failure
from tasks.languages.sql import referenced
from tests.sql_cases import CASES, SCHEMAS, Case, catalog, ddl
from tests.sql_oracles import duckdb_binds, nested_schema, ours, qualify_reads, sqlite_reads
from tests.sql_random import Around, Writer

INNER = re.compile(r"\) AS (\w+)|(\w+) AS \(")


def name(case: Case) -> str:
    return f"{case.schema}: {case.title}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_query_references_what_is_written_beside_it(case: Case) -> None:
    if case.failure:
        with pytest.raises(Failure) as failure:
            referenced(case.query, catalog(case.schema))
        assert failure.value.status == "parse_error"
        assert case.failure in failure.value.reason
        assert "\n" not in failure.value.reason
        return
    found = referenced(case.query, catalog(case.schema))
    entities = [str(reference.element) for reference in found.references if not reference.field]
    fields = {str(reference.element): set(reference.roles) for reference in found.references if reference.field}
    assert (entities, fields, list(found.unknown)) == (case.entities, case.fields, case.unknown)


@pytest.fixture(scope="module")
def databases() -> Iterator[dict[str, sqlite3.Connection]]:
    """A real SQLite database of every schema in its dialect."""
    with ExitStack() as stack:
        opened = {}
        for schema in SCHEMAS:
            dialect, text = ddl(schema)
            if dialect == "sqlite":
                opened[schema] = stack.enter_context(closing(sqlite3.connect(":memory:")))
                opened[schema].executescript(text)
        yield opened


@pytest.mark.parametrize("case", [case for case in CASES if ddl(case.schema)[0] == "sqlite"], ids=name)
def test_sqlite_compiles_a_query_and_reads_the_same(case: Case, databases: dict[str, sqlite3.Connection]) -> None:
    connection = databases[case.schema]
    _, refusal = case.differs.get("sqlite refuses", (set(), ""))
    if refusal or (case.failure and "sqlite accepts" not in case.differs):
        with pytest.raises((sqlite3.Error, sqlite3.Warning)) as error:
            sqlite_reads(connection, case.query)
        assert refusal in str(error.value)
        return
    reads = sqlite_reads(connection, case.query)
    if not case.failure:
        more, _ = case.differs.get("sqlite also reads", (set(), ""))
        less, _ = case.differs.get("sqlite does not read", (set(), ""))
        assert reads == {item.casefold() for item in ({*case.entities, *case.fields} | more) - less}


@pytest.mark.parametrize("case", [case for case in CASES if ddl(case.schema)[0] != "sqlite"], ids=name)
def test_duckdb_binds_a_query_of_another_dialect(case: Case) -> None:
    dialect, text = ddl(case.schema)
    if case.failure:
        assert not case.differs
    elif "duckdb refuses" in case.differs:
        with pytest.raises((duckdb.Error, SqlglotError)):
            duckdb_binds(text, case.query, dialect)
    else:
        duckdb_binds(text, case.query, dialect)


@pytest.mark.parametrize(
    "case", [case for case in CASES if ddl(case.schema)[0] != "sqlite" and not case.failure], ids=name
)
def test_the_qualification_pass_of_sqlglot_reads_the_same(case: Case) -> None:
    dialect, _ = ddl(case.schema)
    expected = {item.casefold() for item in (*case.entities, *case.fields)}
    differs = "sqlglot differs" in case.differs
    try:
        reads = qualify_reads(case.query, dialect, nested_schema(catalog(case.schema)))
    except SqlglotError:
        assert differs or "sqlglot refuses" in case.differs
        return
    assert "sqlglot refuses" not in case.differs
    assert (reads == expected) is not differs


def test_sqlite_reads_the_same_of_random_queries(databases: dict[str, sqlite3.Connection]) -> None:
    """SQLite also reports columns of an inner query that bears a real table's name as if they were that table's."""
    writer, compared, nested = Writer(seed=7), 0, 0
    for _ in range(1200):
        query, _names = writer.query(Around())
        try:
            reads = {item for item in sqlite_reads(databases["bakery"], query) if "." in item}
        except sqlite3.Error:
            continue
        found = referenced(query, catalog("bakery"))
        fields = {item for item in ours(found) if "." in item}
        inner = {match.casefold() for pair in INNER.findall(query) for match in pair if match}
        assert found.unknown == (), query
        assert fields <= reads, query
        assert {item.partition(".")[0] for item in reads - fields} <= inner, query
        compared, nested = compared + 1, nested + (query.count("SELECT") > 1)
    assert compared > 300
    assert nested > 100


def test_a_thread_of_ten_thousand_conditions_is_read_and_one_of_parentheses_is_refused() -> None:
    wide = "SELECT name FROM shop WHERE " + " OR ".join(f"id = {number}" for number in range(10_000))
    assert len(referenced(wide, catalog("bakery")).references) == 3
    deep = "SELECT name FROM shop WHERE " + "(" * 5_000 + "id = 1" + ")" * 5_000
    with pytest.raises(Failure, match="parse_error: nested too deeply"):
        referenced(deep, catalog("bakery"))


@pytest.mark.parametrize(
    "query", ["SELECT a FROM t WHERE", "CREATE FUNCTION f() AS 1", "WITH a AS (", "SELECT * FROM a b c d"]
)
def test_nothing_is_printed_or_logged(query: str, capfd: pytest.CaptureFixture[str]) -> None:
    with suppress(Failure):
        referenced(query, catalog("bakery"))
    assert capfd.readouterr() == ("", "")
