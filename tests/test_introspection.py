"""Catalogs of real SQLite and DuckDB files and of DDL texts."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.catalog import Catalog, Entity
from schemas.errors import UserError
from storage.files import sha256
from tasks.benchmarks._declared import quoted
from tasks.benchmarks._sqlite_catalog import (
    connect,
    ddl_catalog,
    duckdb_catalog,
    file_catalog,
    introspect,
    sqlite_catalog,
)
from tests.data import need

CASES = sorted((Path(__file__).parent / "cases" / "ddl").glob("*.sql"))
NAMES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=12).filter(
    lambda name: not name.lower().startswith("sqlite_")
)


def written(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def catalog_of(script: str) -> Catalog:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return introspect(connection, "test")


def relations(catalog: Catalog) -> list[str]:
    return [str(relation) for relation in catalog.relations]


def told(catalog: Catalog) -> list[str]:
    """A catalog in the words of the cases."""
    return [*(f"{entity.name}: {fields(entity)}" for entity in catalog.entities), *relations(catalog)]


def fields(entity: Entity) -> str:
    parts = []
    for field in entity.fields:
        described = f" {field.description!r}" if field.description else ""
        examples = f" e.g. {'/'.join(field.examples)}" if field.examples else ""
        parts.append(f"{field.name}{'*' if field.primary else ''} {field.type}{described}{examples}")
    return ", ".join(parts) + (f" {entity.description!r}" if entity.description else "")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_ddl_of_a_dialect(path: Path) -> None:
    _, _, expected = path.read_text().partition("-- expected\n")
    assert told(file_catalog(path, "test")) == [line.removeprefix("-- ") for line in expected.splitlines()]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("CREATE TABLE b(x REFERENCES a); CREATE TABLE a(y, id INTEGER PRIMARY KEY)", ["b(x) -> a(id)"]),
        (
            "CREATE TABLE a(x, y, z, PRIMARY KEY (z, x)); CREATE TABLE b(p, q, FOREIGN KEY (p, q) REFERENCES a)",
            ["b(p, q) -> a(z, x)"],
        ),
        (
            "CREATE TABLE a(x, y, PRIMARY KEY (x, y)) WITHOUT ROWID;"
            "CREATE TABLE b(p, q, FOREIGN KEY (p, q) REFERENCES a(y, x))",
            ["b(p, q) -> a(y, x)"],
        ),
        (
            "CREATE TABLE a(id PRIMARY KEY, boss REFERENCES a, deputy REFERENCES a)",
            ["a(boss) -> a(id)", "a(deputy) -> a(id)"],
        ),
        ("CREATE TABLE A(Id PRIMARY KEY); CREATE TABLE b(X REFERENCES a(ID))", ["b(X) -> A(Id)"]),
        ("CREATE TABLE a(id UNIQUE); CREATE TABLE b(x REFERENCES a(id))", ["b(x) -> a(id)"]),
        ("CREATE TABLE b(x REFERENCES gone, y REFERENCES gone(id))", []),
        ("CREATE TABLE a(id); CREATE TABLE b(x REFERENCES a)", []),
        ("CREATE TABLE a(id PRIMARY KEY); CREATE TABLE b(x REFERENCES a(other))", []),
        ("CREATE TABLE a(x, y, PRIMARY KEY (x, y)); CREATE TABLE b(p REFERENCES a)", []),
    ],
)
def test_foreign_keys_of_sqlite(script: str, expected: list[str]) -> None:
    catalog = catalog_of(script)
    assert relations(catalog) == expected
    assert all(relation.origin == "database" for relation in catalog.relations)


def test_tables_and_views_stand_in_the_order_of_their_creation() -> None:
    catalog = catalog_of(
        "CREATE TABLE z(a INTEGER PRIMARY KEY AUTOINCREMENT, b AS (a + 1), c AS (a + 2) STORED, d VARCHAR(9));"
        "INSERT INTO z(d) VALUES ('one'); CREATE TABLE m(x); CREATE VIEW v AS SELECT d, a + 0.5 AS half FROM z;"
        "CREATE TABLE a(x); ANALYZE; CREATE INDEX i ON a(x)"
    )
    assert told(catalog) == [
        "z: a* INTEGER e.g. 1, b  e.g. 2, c  e.g. 3, d VARCHAR(9) e.g. one",
        "m: x ",
        "v: d VARCHAR(9) e.g. one, half  e.g. 1.5",
        "a: x ",
    ]


def test_what_no_query_can_use_is_left_out() -> None:
    catalog = catalog_of(
        "CREATE TABLE t(x); CREATE VIEW good AS SELECT x FROM t; CREATE TABLE gone(x);"
        "CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone; CREATE VIRTUAL TABLE note USING fts5(body)"
    )
    assert [entity.name for entity in catalog.entities] == ["t", "good", "note"]
    assert [field.name for field in catalog.entities[2].fields] == ["body"]


def test_examples_are_few_short_distinct_and_printable() -> None:
    catalog = catalog_of(
        "CREATE TABLE t(a, b, c, d);"
        "INSERT INTO t VALUES (1, NULL, x'00', 'x'), (1, '', x'00', 'two' || char(10) || 'lines'),"
        "(2, ' y ', NULL, 2.5), (3, 'z', NULL, NULL), (4, 'w', NULL, NULL);"
        f"INSERT INTO t VALUES (5, '{'long' * 20}', NULL, NULL)"
    )
    assert [field.examples for field in catalog.entities[0].fields] == [
        ("1", "2", "3"),
        ("y", "z", "w"),
        (),
        ("x", "2.5"),
    ]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        assert introspect(connection, "test", examples=0).entities[0].fields[0].examples == ()


def test_a_view_that_takes_long_has_no_examples() -> None:
    catalog = catalog_of(
        "CREATE TABLE t(x); CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT count(*) AS c FROM n; CREATE TABLE u(x); INSERT INTO u VALUES (7)"
    )
    assert told(catalog) == ["t: x ", "slow: c ", "u: x  e.g. 7"]


@given(st.lists(NAMES, min_size=3, max_size=6, unique_by=lambda name: name.casefold()))
def test_any_name_comes_back_as_it_was_declared(names: list[str]) -> None:
    target, source, key, *others = names
    other = "".join(f", {quoted(name)} TEXT" for name in others)
    catalog = catalog_of(
        f"CREATE TABLE {quoted(target)} ({quoted(key)} INTEGER PRIMARY KEY{other});"
        f"CREATE TABLE {quoted(source)} ({quoted(key)} INTEGER REFERENCES {quoted(target)}{other});"
        f"INSERT INTO {quoted(target)} DEFAULT VALUES"
    )
    assert [entity.name for entity in catalog.entities] == [target, source]
    assert [[field.name for field in entity.fields] for entity in catalog.entities] == [[key, *others]] * 2
    assert catalog.entities[0].fields[0].examples == ("1",)
    (relation,) = catalog.relations
    assert (relation.source, relation.target, relation.fields, relation.target_fields) == (
        source,
        target,
        (key,),
        (key,),
    )


def test_a_file_of_any_name_is_left_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path / "50% of #1? a b.sqlite", "CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    before = sha256(path)
    assert told(sqlite_catalog(path, "test")) == ["t: x  e.g. 1"]
    assert sha256(path) == before
    assert list(tmp_path.iterdir()) == [path]
    with closing(connect(path)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("CREATE TABLE u(x)")


def test_rows_that_are_only_in_the_write_ahead_log_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "live.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES ('fresh')")
        assert told(sqlite_catalog(path, "test")) == ["t: x  e.g. fresh"]


def broken(folder: Path) -> Iterator[tuple[str, Path]]:
    whole = written(
        folder / "whole.sqlite", "CREATE TABLE t(x); " + "INSERT INTO t VALUES (hex(randomblob(400)));" * 50
    )
    (folder / "text.sqlite").write_text("no database at all, but a text of some length" * 40)
    (folder / "cut.sqlite").write_bytes(whole.read_bytes()[:9000])
    (folder / "empty.sqlite").write_bytes(b"")
    (folder / "folder.sqlite").mkdir()
    yield "cannot read {} as a SQLite database: file is not a database", folder / "text.sqlite"
    yield "cannot read {} as a SQLite database: database disk image is malformed", folder / "cut.sqlite"
    yield "{}: there are no tables in it", folder / "empty.sqlite"
    yield "cannot read {} as a SQLite database: is not a file", folder / "folder.sqlite"
    yield "cannot read {} as a SQLite database: no such file", folder / "none.sqlite"
    (folder / "text.duckdb").write_text("no database at all")
    yield 'cannot read {} as a DuckDB database: IO Error: The file "{}" exists, but', folder / "text.duckdb"
    yield "cannot read {} as a DuckDB database: no such file", folder / "none.duckdb"


def test_a_broken_file_is_named_in_one_line(tmp_path: Path) -> None:
    for message, path in broken(tmp_path):
        with pytest.raises(UserError) as caught:
            file_catalog(path, "test")
        assert str(caught.value).startswith(message.replace("{}", str(path)))
        assert "\n" not in str(caught.value)


def test_a_duckdb_file_whatever_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            'CREATE SCHEMA sales; CREATE TABLE a(x INTEGER, "y z" VARCHAR, PRIMARY KEY ("y z", x));'
            'CREATE TABLE b(id BIGINT PRIMARY KEY, p VARCHAR, q INTEGER, FOREIGN KEY (p, q) REFERENCES a("y z", x));'
            "CREATE TABLE sales.a(things STRUCT(n INTEGER)[]); CREATE TABLE gone(x INTEGER);"
            "CREATE VIEW v AS SELECT id AS number FROM b; CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone;"
            "INSERT INTO a VALUES (7, 'seven'); INSERT INTO sales.a VALUES ([{n: 1}]);"
            "COMMENT ON TABLE a IS 'pairs'; COMMENT ON COLUMN a.x IS 'a number'"
        )
    catalog = file_catalog(path, "shop")
    assert catalog.dialect == "duckdb"
    assert sorted(told(catalog)) == [
        "a: x* INTEGER 'a number' e.g. 7, y z* VARCHAR e.g. seven 'pairs'",
        "b(p, q) -> a(y z, x)",
        "b: id* BIGINT, p VARCHAR, q INTEGER",
        "sales.a: things STRUCT(n INTEGER)[] e.g. [{'n': 1}]",
        "v: number BIGINT",
    ]
    assert duckdb_catalog(path, "shop", examples=0).entities[0].fields[0].examples == ()


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("CREATE TABLE a(x);\n\nCREATE TABLE b(x,,y);", "sqlite", "cannot run the statement at line 3: near"),
        (
            "CREATE TABLE a(x);\nATTACH '/tmp/other' AS o;",
            "sqlite",
            "cannot run the statement at line 2: not authorized",
        ),
        ("CREATE TABLE a(x", "sqlite", "cannot run the statement at line 1: incomplete input"),
        ("-- nothing", "sqlite", "there are no tables in it"),
        (
            "CREATE TABLE a(x int);\nCREATE TABLE b(x int;",
            "postgres",
            "cannot read as postgres: line 2, column 20: ",
        ),
        ("CREATE TABLE a(x 'int", "mysql", "cannot read as mysql: Error tokenizing"),
        ("CREATE TABLE a(x int) WHATEVER (1;2)", "postgres", "cannot read as postgres: "),
        ("SELECT 1", "postgres", "there are no tables in it"),
        ("CREATE TABLE a(x int)", "postgresql", "unknown dialect 'postgresql'; did you mean 'postgres'?"),
    ],
)
def test_ddl_that_cannot_be_read(text: str, dialect: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        ddl_catalog(text, "test", dialect)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_ddl_file_is_named_with_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "shop.sql"
    path.write_text("CREATE TABLE a(x int) PARTITION BY LIST (x);")
    with pytest.raises(UserError, match="name the dialect in the first line: -- dialect: postgres") as caught:
        file_catalog(path, "shop")
    assert str(caught.value).startswith(f"{path}: ")


def test_published_databases_declare_what_sqlite_says_of_them() -> None:
    checked = 0
    for path in sorted(need("spider", "database").glob("*/*.sqlite")):
        catalog = sqlite_catalog(path, path.stem)
        with closing(connect(path)) as connection:
            query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'"
            tables = [name for (name,) in connection.execute(query)]
            columns = {
                name: len(connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()) for name in tables
            }
            keys = [connection.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall() for name in tables]
        assert {entity.name: len(entity.fields) for entity in catalog.entities} == columns
        assert len(catalog.relations) == sum(len({row[0] for row in rows}) for rows in keys)
        assert all(relation.elements <= catalog.elements for relation in catalog.relations)
        checked += len(catalog.relations)
    assert checked > 50
