"""Profiles of real databases, what is published where there is none, and probing queries."""

import datetime
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from schemas.catalog import Catalog, Element, Entity, Field
from schemas.errors import Failure
from schemas.evidence import Bin, Counted, Profile
from storage import parquet
from storage.profiles import Bounds, profiles
from storage.samples import sample
from storage.summaries import LONGEST, summary
from tasks.benchmarks._sqlite_catalog import file_catalog, sqlite_catalog
from tasks.evidence import open_evidence
from tasks.languages.sql import limited
from tests.data import need
from tests.postgres import server

KINDS = ("anvil", "bell", "cog", "drum", "edge")
MANY = 30_000


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file: a small table with odd values, a large one whose values rise, a view, one without rowids."""
    path = tmp_path_factory.mktemp("works") / "works.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE part (id INTEGER PRIMARY KEY, kind TEXT, weight REAL, picture BLOB, mixed);
            CREATE TABLE reading (id INTEGER PRIMARY KEY, level INTEGER);
            CREATE TABLE pair (a TEXT, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
            CREATE VIEW heavy AS SELECT id FROM part WHERE weight > 2;
            CREATE TABLE empty (x TEXT);
            """
        )
        rows = [(at, KINDS[at % 3], at / 2 if at % 4 else None, b"\0\1", at if at % 2 else f"n{at}") for at in range(8)]
        connection.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO reading VALUES (?, ?)", ((at, at) for at in range(MANY)))
        connection.executemany("INSERT INTO pair VALUES (?, ?)", ((KINDS[at % 5], at) for at in range(3000)))
        connection.commit()
    return path


def test_a_profile_sums_up_what_the_rows_hold(works: Path) -> None:
    found = profiles(sqlite_catalog(works, "works"), str(works), None)
    kind, weight = found[Element("part", "kind")], found[Element("part", "weight")]
    assert (kind.source, kind.rows, kind.whole, kind.null_share, kind.distinct) == ("database", 8, True, 0.0, 3)
    assert (kind.minimum, kind.maximum, kind.mean, kind.histogram) == ("anvil", "cog", None, ())
    assert kind.top == (Counted("anvil", 3), Counted("bell", 3), Counted("cog", 2))
    assert kind.samples == ("anvil", "bell", "cog")
    assert (weight.null_share, weight.distinct, weight.minimum, weight.maximum) == (0.25, 6, "0.5", "3.5")
    assert (weight.mean, weight.median, weight.top) == (2.0, 2.0, ())
    assert weight.deviation == pytest.approx(1.0801, abs=1e-4)
    assert sum(bar.count for bar in weight.histogram) == 6
    assert (weight.histogram[0].low, weight.histogram[-1].high) == (0.5, 3.5)


def test_bytes_and_values_of_several_kinds_have_counts_but_no_range(works: Path) -> None:
    found = profiles(sqlite_catalog(works, "works"), str(works), None)
    picture, mixed = found[Element("part", "picture")], found[Element("part", "mixed")]
    assert (picture.distinct, picture.samples, picture.top, picture.minimum) == (1, (), (), None)
    assert (mixed.distinct, mixed.minimum, mixed.mean, mixed.histogram) == (8, None, None, ())
    assert mixed.samples[:2] == ("n0", "1")


def test_an_empty_table_and_a_view_have_profiles_and_entities_none(works: Path) -> None:
    found = profiles(sqlite_catalog(works, "works"), str(works), None)
    empty = found[Element("empty", "x")]
    assert (empty.rows, empty.whole, empty.null_share, empty.distinct, empty.samples) == (0, True, None, 0, ())
    assert found[Element("heavy", "id")].rows == 3
    assert Element("part") not in found


def test_a_large_table_is_sampled_from_all_over_it_alike_every_time(works: Path) -> None:
    catalog = sqlite_catalog(works, "works")
    bounds = Bounds(rows=1000)
    level = profiles(catalog, str(works), None, bounds)[Element("reading", "level")]
    assert (level.rows, level.whole, level.minimum, level.maximum) == (1000, False, "0", str(MANY - 1))
    assert level.mean == pytest.approx(MANY / 2, rel=0.01)
    assert profiles(catalog, str(works), None, bounds)[Element("reading", "level")] == level
    pair = profiles(catalog, str(works), None, bounds)[Element("pair", "b")]
    assert (pair.rows, pair.whole) == (1000, False)


def test_wide_tables_are_looked_at_for_fewer_rows(works: Path) -> None:
    level = profiles(sqlite_catalog(works, "works"), str(works), None, Bounds(values=200))[Element("reading", "level")]
    assert (level.rows, level.whole) == (100, False)


def test_what_cannot_be_read_has_no_profile(works: Path) -> None:
    declared = Catalog("works", (Entity("part", (Field("KIND"), Field("gone"))), Entity("lost", (Field("x"),))))
    found = profiles(declared, str(works), None)
    assert list(found) == [Element("part", "KIND")]
    assert profiles(declared, str(works), None, Bounds(total=0)) == {}


def test_profiles_are_kept_until_the_database_changes(works: Path, tmp_path: Path) -> None:
    path = tmp_path / "works.sqlite"
    path.write_bytes(works.read_bytes())
    catalog = sqlite_catalog(path, "works")
    first = profiles(catalog, str(path), tmp_path / "profiles")
    (kept,) = (tmp_path / "profiles").iterdir()
    rows = parquet.read(kept, Profile)
    assert {Element(each.entity, each.field): each for each in rows} == first
    kept_as = kept.stat().st_mtime_ns
    assert profiles(catalog, str(path), tmp_path / "profiles") == first
    assert kept.stat().st_mtime_ns == kept_as
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM part WHERE kind = 'cog'")
        connection.commit()
    time.sleep(0.01)
    changed = profiles(catalog, str(path), tmp_path / "profiles")
    assert changed[Element("part", "kind")].distinct == 2
    assert len(list((tmp_path / "profiles").iterdir())) == 2


def test_duckdb_is_sampled_too(tmp_path: Path) -> None:
    path = tmp_path / "works.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE reading AS SELECT i AS level, DATE '2024-01-01' + (i % 31)::INT AS day, [i] AS list,"
            f" (i / 100)::DECIMAL(8, 2) AS price FROM range({MANY}) t(i)"
        )
    catalog = file_catalog(path, "works")
    found = profiles(catalog, str(path), None, Bounds(rows=1000))
    level, day, price = (found[Element("reading", name)] for name in ("level", "day", "price"))
    assert (level.rows, level.whole, level.distinct) == (1000, False, 1000)
    assert level.mean == pytest.approx(MANY / 2, rel=0.1)
    assert (day.minimum, day.maximum, day.distinct, day.mean) == ("2024-01-01", "2024-01-31", 31, None)
    assert price.mean == pytest.approx(MANY / 200, rel=0.1)
    assert found[Element("reading", "list")].distinct == 1000
    assert profiles(catalog, str(path), None, Bounds(rows=1000)) == found


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[postgres]'")
    with server() as address:
        yield address


def test_postgresql_is_sampled_too(postgres: str, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE reading AS SELECT i AS level, NULL::text AS said FROM generate_series(1, {MANY}) i"
        )
        connection.execute('CREATE SCHEMA "Odd"')
        connection.execute('CREATE TABLE "Odd"."it\'s" AS SELECT 1 AS x')
        connection.execute("ANALYZE reading")
    fields = (Field("level"), Field("said"))
    catalog = Catalog("works", (Entity("reading", fields), Entity("Odd.it's", (Field("x"),))), dialect="postgres")
    found = profiles(catalog, postgres, tmp_path, Bounds(rows=1000))
    level = found[Element("reading", "level")]
    assert not level.whole
    assert 500 < level.rows <= 1000
    assert level.mean == pytest.approx(MANY / 2, rel=0.15)
    assert found[Element("reading", "said")].null_share == 1.0
    assert found[Element("Odd.it's", "x")].whole
    assert list(tmp_path.iterdir()) == []


def test_long_values_are_cut_and_dates_ordered() -> None:
    days = [datetime.date(2024, 1, day) for day in (3, 1, 2)]
    assert (summary("t", "d", days, whole=True).minimum, summary("t", "d", days, whole=True).maximum) == (
        "2024-01-01",
        "2024-01-03",
    )
    (long,) = summary("t", "x", ["x" * 500], whole=True).samples
    assert (len(long), long[-1]) == (LONGEST, "…")
    odd = summary("t", "n", [float("nan"), float("inf"), 1.0, 10**400], whole=True)
    assert (odd.mean, odd.histogram) == (1.0, ())
    assert summary("t", "n", [1, 2, 11], whole=True).histogram[0] == Bin(1.0, 2.0, 1)


@pytest.mark.parametrize(
    ("query", "dialect", "expected"),
    [
        ("SELECT a FROM t", "sqlite", "SELECT a FROM t LIMIT 5"),
        ("SELECT a FROM t LIMIT 3 OFFSET 2", "postgres", "SELECT a FROM t LIMIT 3 OFFSET 2"),
        ("SELECT a FROM t LIMIT 2, 50", "sqlite", "SELECT a FROM t LIMIT 5 OFFSET 2"),
        ("SELECT a FROM t LIMIT 2 + 9", "sqlite", "SELECT * FROM (SELECT a FROM t LIMIT 2 + 9) AS probed LIMIT 5"),
        ("SELECT a FROM t LIMIT -1", "sqlite", "SELECT * FROM (SELECT a FROM t LIMIT -1) AS probed LIMIT 5"),
        ("SELECT a FROM t UNION SELECT b FROM u", "duckdb", "SELECT a FROM t UNION SELECT b FROM u LIMIT 5"),
        ("SELECT a FROM t -- LIMIT 1", "sqlite", "SELECT a FROM t /* LIMIT 1 */ LIMIT 5"),
        ("SELECT ' LIMIT 2' FROM (SELECT a FROM t LIMIT 2)", "duckdb", None),
        ("WITH t AS (SELECT 1 AS a FROM u) SELECT a FROM t;", "snowflake", None),
        ("(SELECT a FROM t)", "sqlite", None),
        ("SELECT a FROM t FETCH FIRST 100 ROWS ONLY", "postgres", None),
    ],
)
def test_a_probe_is_limited_in_its_syntax_tree(query: str, dialect: str, expected: str | None) -> None:
    text = limited(query, dialect, 5)
    assert text.endswith("LIMIT 5") if expected is None else text == expected


def test_a_probe_gives_rows_or_the_error_of_the_database(works: Path) -> None:
    evidence = open_evidence(sqlite_catalog(works, "works"), str(works), None)
    assert [len(evidence.probe(f"SELECT * FROM reading{more}").rows) for more in ("", " LIMIT 2", " LIMIT -1")] == [
        5,
        2,
        5,
    ]
    assert len(evidence.probe("SELECT level FROM reading UNION ALL SELECT id FROM part").rows) == 5
    assert evidence.probe("SELECT kind AS k FROM part WHERE id = 1").columns == ("k",)
    for query, status, reason in (
        ("SELECT weights FROM part", "query_error", "no such column: weights"),
        ("DELETE FROM part", "parse_error", "begins with 'DELETE'"),
        ("SELECT id FROM part; SELECT 1", "parse_error", "2 statements"),
        ("SELECT load_extension('x') FROM part", "forbidden", "not authorized"),
    ):
        with pytest.raises(Failure) as failed:
            evidence.probe(query)
        assert failed.value.status == status
        assert reason in failed.value.reason


def test_evidence_opens_the_database_when_it_is_first_asked(works: Path, tmp_path: Path) -> None:
    catalog = sqlite_catalog(works, "works")
    evidence = open_evidence(catalog, str(tmp_path / "absent.sqlite"), tmp_path)
    assert "queries can be run" in evidence.source
    assert list(tmp_path.iterdir()) == []
    there = open_evidence(catalog, str(works), tmp_path)
    profile = there.profile(Element("part", "kind"))
    assert profile is not None
    assert profile.distinct == 3
    assert there.profile(Element("part")) is None
    assert [path.name for path in tmp_path.iterdir()] == ["profiles"]


def test_without_a_database_there_are_sample_values_and_a_word_on_what_is_missing() -> None:
    catalog = Catalog(
        "d", (Entity("D.S.T", (Field("a", "TEXT", examples=("x", "y")), Field("b"))),), dialect="snowflake"
    )
    evidence = open_evidence(catalog, "", None)
    profile = evidence.profile(Element("D.S.T", "a"))
    assert profile == Profile("D.S.T", "a", "published", 0, whole=False, samples=("x", "y"))
    assert evidence.profile(Element("D.S.T", "b")) is None
    assert "no null ratios" in evidence.source
    with pytest.raises(Failure) as failed:
        evidence.probe("SELECT a FROM D.S.T")
    assert (failed.value.status, failed.value.reason) == ("no_database", "d is not at hand, so no query can be run")


@pytest.mark.parametrize("name", ["world_1", "flight_2", "car_1"])
def test_every_field_of_published_databases_has_a_profile(name: str) -> None:
    path = need("spider", "database", name, f"{name}.sqlite")
    catalog = sqlite_catalog(path, name)
    evidence = open_evidence(catalog, str(path), None)
    found = [evidence.profile(element) for element in catalog.elements if element.field]
    assert all(profile and profile.whole and profile.rows for profile in found)


def test_a_sample_never_has_more_rows_than_asked(works: Path) -> None:
    from storage.databases import open_database

    with closing(open_database(str(works), rows=200, cut=True)) as database:
        for table, rows in (("reading", 10), ("part", 10), ("pair", 10), ("heavy", 2), ("part", 1)):
            found, whole = sample(table, database, rows)
            assert len(found.rows) <= rows
            assert whole is (table == "part" and rows == 10)
