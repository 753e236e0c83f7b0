"""The engines behind the Database protocol, each on a real database."""

import datetime
import sqlite3
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from schemas.errors import Failure, UserError
from storage.databases import fingerprint, open_database, open_limited
from storage.engines.limits import Limits
from storage.isolation import IsolatedDatabase, kept_open
from storage.rows import digest, from_lines, plain_row, to_lines
from storage.workers import Pool
from tests.postgres import server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "the shop?#%.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER, name TEXT, price REAL, picture BLOB)")
        connection.execute("INSERT INTO item VALUES (1, 'pen', 1.5, x'00ff'), (2, CAST(x'616eff' AS TEXT), NULL, NULL)")
    connection.close()
    return path


@pytest.fixture
def duck(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE item AS SELECT 1 AS id, 1.50::DECIMAL(4, 2) AS price, DATE '2020-01-02' AS day")
    connection.close()
    return path


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[postgres]'")
    with server() as address:
        yield address


LIMITS = Limits(seconds=5)


def status(address: str, query: str, limits: Limits = LIMITS) -> str:
    database = open_limited(address, limits)
    try:
        database.run(query)
    except Failure as failure:
        return failure.status
    finally:
        database.close()
    return "ok"


def test_sqlite_gives_names_and_values_as_stored(shop: Path) -> None:
    database = open_database(str(shop))
    rows = database.run("SELECT id, name, price AS cost, picture FROM item ORDER BY id")
    assert rows.columns == ("id", "name", "cost", "picture")
    assert rows.rows == ((1, "pen", 1.5, b"\x00\xff"), (2, "an\ufffd", None, None))
    assert not rows.truncated
    assert database.engine == f"sqlite {sqlite3.sqlite_version}"


def test_duckdb_values_can_be_compared_and_hashed(duck: Path) -> None:
    database = open_database(str(duck))
    rows = database.run("SELECT id, price, day, [1, 2], {'b': [1], 'a': 2}, 'NaN'::DOUBLE, MAP {1: 'x'} FROM item")
    assert rows.rows[0][:5] == (1, Decimal("1.50"), datetime.date(2020, 1, 2), (1, 2), (("a", 2), ("b", (1,))))
    assert set(rows.rows) == set(database.run("SELECT id, price, day, [1, 2], {'a': 2, 'b': [1]}, 'NaN'::DOUBLE, "
                                              "MAP {1: 'x'} FROM item").rows)  # fmt: skip
    assert database.engine == f"duckdb {duckdb.__version__}"


def test_postgres_values_and_limits(postgres: str) -> None:
    database = open_limited(postgres, Limits(seconds=5, rows=10, cut=True))
    rows = database.run('SELECT i, i / 2.0, ARRAY[i], \'{"b": 1, "a": [2]}\'::jsonb FROM generate_series(1, 50) i')
    assert len(rows.rows) == 10
    assert rows.truncated
    assert rows.rows[0] == (1, Decimal("0.5"), (1,), (("a", (2,)), ("b", 1)))
    assert rows.rows == tuple(from_lines(to_lines(rows.rows)))
    assert database.engine.startswith("postgresql 1")
    assert status(postgres, "SELECT * FROM generate_series(1, 50)", Limits(rows=10)) == "too_large"
    assert status(postgres, "SELECT pg_sleep(9)", Limits(seconds=0.2)) == "timeout"
    assert status(postgres, "CREATE TABLE x (a int)") == "forbidden"


def test_postgres_connects_again_after_its_session_was_ended(postgres: str) -> None:
    import psycopg

    database = open_database(postgres)
    database.run("SELECT 1")
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'schemalink'")
    with pytest.raises(Failure, match="query_error"):
        database.run("SELECT 1")
    assert database.run("SELECT 7").rows == ((7,),)


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[postgres]'")
    with pytest.raises(UserError, match="cannot be reached") as caught:
        open_database(f"postgresql://owner:hidden@/shop?host={tmp_path}")
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot read database"),
        (b"", "is empty"),
        (b"id,name\n1,pen\n", "neither an SQLite nor a DuckDB file"),
        (b"SQLite format 3\0" + b"rubbish" * 100, "cannot be opened as SQLite"),
        (b"12345678DUCK" + b"rubbish" * 100, "cannot be opened as DuckDB"),
    ],
)
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "shop.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=told) as caught:
        open_database(str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read database|no graph"):
        open_database(str(tmp_path))


def test_a_torn_sqlite_file_is_a_failing_query(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (name TEXT)")
        connection.executemany("INSERT INTO item VALUES (?)", [("x" * 1000,)] * 200)
    connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) // 2))
    assert status(str(path), "SELECT count(*), max(name) FROM item") == "query_error"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="malformed"):
        open_database(str(path))


def test_changes_outside_the_file_are_not_passed_over(shop: Path) -> None:
    connection = sqlite3.connect(shop)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("DELETE FROM item")
    connection.commit()
    with pytest.raises(UserError, match="wal_checkpoint"):
        open_database(str(shop))
    connection.close()
    assert open_database(str(shop)).run("SELECT count(*) FROM item").rows == ((0,),)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 1", "ok"),
        ("", "empty_query"),
        (" ;\n-- nothing", "empty_query"),
        ("DELETE FROM item", "forbidden"),
        ("SELECT 1; SELECT 2", "forbidden"),
        ("SELECT colour FROM item", "query_error"),
        ("SELECT '\0'", "query_error"),
        ("SELECT '\ud800'", "query_error"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "timeout"),
    ],
)
@pytest.mark.parametrize("engine", ["shop", "duck", "postgres"])
def test_engines_agree_on_what_went_wrong(
    engine: str, query: str, expected: str, request: pytest.FixtureRequest
) -> None:
    if engine == "postgres":
        query = query.replace("SELECT 1 UNION", "SELECT 1::numeric UNION")
    assert status(str(request.getfixturevalue(engine)), query, Limits(seconds=0.3)) == expected


def test_the_database_says_why(shop: Path) -> None:
    with pytest.raises(Failure, match="no such column: colour"):
        open_database(str(shop)).run("SELECT colour FROM item")


def test_rows_and_bytes_are_limited(shop: Path) -> None:
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i FROM n"
    assert len(open_database(str(shop), rows=100).run(many).rows) == 100
    with pytest.raises(Failure, match="too_large: more than 99 rows"):
        open_database(str(shop), rows=99).run(many)
    cut = open_database(str(shop), rows=5, cut=True).run(many)
    assert cut.rows == ((1,), (2,), (3,), (4,), (5,))
    assert cut.truncated
    with pytest.raises(Failure, match="too_large: more than 5000 bytes"):
        open_database(str(shop), size=5000).run(many)
    with pytest.raises(Failure, match="too_large: string or blob too big"):
        open_database(str(shop), size=5000).run("SELECT count(zeroblob(5001))")


def test_a_connection_serves_on_after_a_failure(shop: Path) -> None:
    database = open_database(str(shop), seconds=0.1)
    for query in (
        "DROP TABLE item",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT sum(i) FROM n",
    ):
        with pytest.raises(Failure):
            database.run(query)
    assert database.run("SELECT count(*) FROM item").rows == ((2,),)


def test_reverse_asks_for_another_order_where_it_is_open(shop: Path) -> None:
    forth = open_limited(str(shop), Limits()).run("SELECT id FROM item").rows
    back = open_limited(str(shop), Limits(reverse=True)).run("SELECT id FROM item").rows
    assert back == forth[::-1]
    ordered = "SELECT id FROM item ORDER BY id"
    assert open_limited(str(shop), Limits(reverse=True)).run(ordered).rows == forth


def test_an_open_database_is_kept_until_its_file_changes(shop: Path) -> None:
    first, before = kept_open(str(shop), Limits()), fingerprint(str(shop))
    assert kept_open(str(shop), Limits()) is first
    with sqlite3.connect(shop) as connection:
        connection.execute("INSERT INTO item VALUES (3, 'ink', 2.0, NULL)")
    connection.close()
    assert fingerprint(str(shop)) != before
    assert kept_open(str(shop), Limits()).run("SELECT count(*) FROM item").rows == ((3,),)


def test_other_limits_open_a_duckdb_file_again(duck: Path) -> None:
    assert kept_open(str(duck), Limits()).run("SELECT 1").rows == ((1,),)
    assert kept_open(str(duck), Limits(reverse=True, memory=100 << 20)).run("SELECT 2").rows == ((2,),)


def test_rows_survive_the_disk_exactly() -> None:
    rows = [
        (None, True, 1, -(2**63), 0.1, 1e300, "é\n\u2028'", b"\x00\xff", float("inf"), float("nan")),
        (
            Decimal("1.10"),
            datetime.date(2020, 2, 29),
            datetime.time(1, 2, 3),
            datetime.datetime(2020, 1, 1, 5, 6, 7, 8),
        ),
        (datetime.timedelta(days=-1, microseconds=5), (1, (2, "x"), b"y")),
        (),
    ]
    plain = [plain_row(row) for row in rows]
    assert [repr(row) for row in from_lines(to_lines(plain))] == [repr(row) for row in plain]
    assert digest(plain) == digest(plain[::-1])


def test_isolated_queries_end_where_the_engine_does_not_look_at_the_clock(shop: Path) -> None:
    endless = "SELECT count(*) FROM item a, item b WHERE instr(hex(zeroblob(9000000)), hex(zeroblob(4000000)) || '1')"
    with Pool(1) as pool:
        database = IsolatedDatabase(pool, str(shop), Limits(seconds=0.3))
        start = time.perf_counter()
        with pytest.raises(Failure, match="timeout"):
            database.run(endless)
        assert time.perf_counter() - start < 0.8
        assert database.run("SELECT name FROM item WHERE id = 1").rows == (("pen",),)


def test_isolated_queries_of_many_threads_get_their_own_answers(shop: Path) -> None:
    answers: dict[int, object] = {}
    with Pool(2) as pool:
        database = IsolatedDatabase(pool, str(shop), Limits())

        def ask(number: int) -> None:
            answers[number] = database.run(f"SELECT {number}").rows

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {number: ((number,),) for number in range(50)}
