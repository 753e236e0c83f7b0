"""Queries that harm, hang or swell: each ends within its limit, and nothing changes."""

import re
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

import duckdb
import pytest

from schemas.errors import Failure
from storage.engines.limits import Limits
from storage.files import sha256
from storage.isolation import run_query
from storage.workers import MARGIN, Pool, Worker
from tests.postgres import server

CASES = Path(__file__).parent / "cases" / "hostile"
LIMITS = Limits(seconds=0.5, rows=50_000, size=64 << 20, memory=256 << 20)
PROCESS = 512 << 20
PLANTED = "schemalink-hostile*"


class Case(NamedTuple):
    statuses: tuple[str, ...]
    title: str
    query: str


def cases(engine: str) -> list[Case]:
    """The cases of a file: ``--- STATUS[, STATUS]: title``, then the query."""
    text = (CASES / f"{engine}.sql").read_text(encoding="utf-8")
    parts = re.split(r"^--- ([\w, ]+): (.*)\n", text, flags=re.MULTILINE)[1:]
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return [Case(tuple(statuses.split(", ")), title, query.rstrip("\n")) for statuses, title, query in triples]


def shop(path: Path) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, picture BLOB)")
        rows = [(number, f"item {number * 7919 % 2000}", number / 7, bytes(20)) for number in range(2000)]
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", rows)
        connection.execute("CREATE INDEX item_name ON item(name)")
        connection.execute("CREATE VIEW cheap AS SELECT * FROM item WHERE price < 10")
    connection.close()
    return path


class Ending(NamedTuple):
    status: str
    reason: str
    seconds: float


def endings(address: str, found: list[Case], monkeypatch: pytest.MonkeyPatch) -> tuple[list[Ending], int]:
    """How each case ended after how many seconds in a worker, and the largest resident size of any worker in KiB."""
    took: dict[object, float] = {}
    inner = Worker.call

    def call(worker: Worker, seconds: float, function: Callable[..., object], args: tuple[object, ...]) -> object:
        start = time.perf_counter()
        answer = inner(worker, seconds, function, args)
        took[args[2] if len(args) > 2 else None] = time.perf_counter() - start
        return answer

    monkeypatch.setattr(Worker, "call", call)
    with Pool(2, PROCESS, partial(run_query, address, LIMITS, "SELECT 1")) as pool, Watch(pool) as peak:
        pool.wait()

        def run(case: Case) -> Ending:
            status, reason = "ok", ""
            try:
                pool.call(LIMITS.seconds + MARGIN, run_query, address, LIMITS, case.query)
            except Failure as failure:
                status, reason = failure.status, failure.reason
            return Ending(status, reason, took[case.query])

        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(run, found)), peak.largest


class Watch:
    """Watches the resident size of a pool's workers."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.done, self.largest = pool, Event(), 0
        self.thread = Thread(target=self.watch)

    def watch(self) -> None:
        while not self.done.wait(0.02):
            for pid in self.pool.pids():
                try:
                    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
                except OSError:
                    continue
                if found := re.search(r"VmHWM:\s+(\d+)", status):
                    self.largest = max(self.largest, int(found[1]))

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()


def check(found: list[Case], ended: list[Ending], largest: int) -> None:
    wrong = [
        (case.title, ending) for case, ending in zip(found, ended, strict=True) if ending.status not in case.statuses
    ]
    assert not wrong
    late = [
        (case.title, ending) for case, ending in zip(found, ended, strict=True) if ending.seconds > LIMITS.seconds + 0.5
    ]
    assert not late
    assert 0 < largest < 1 << 20
    assert not list(Path("/tmp").glob(PLANTED))


@pytest.mark.slow
def test_sqlite_survives_hostile_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: some forty of the queries are there to run into their limit of half a second."""
    found = cases("sqlite")
    path = shop(tmp_path / "shop.sqlite")
    before, files = sha256(path), set(tmp_path.iterdir())
    ended, largest = endings(str(path), found, monkeypatch)
    assert len(found) >= 130
    check(found, ended, largest)
    assert sha256(path) == before
    assert set(tmp_path.iterdir()) == files


def duck(path: Path) -> Path:
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE item AS SELECT i AS id, 'item ' || i AS name, i / 7 AS price FROM range(2000) r(i)"
    )
    connection.execute("CREATE SEQUENCE counter")
    connection.close()
    return path


@pytest.mark.slow
def test_duckdb_survives_hostile_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: a dozen of the queries are there to run into their limit of half a second."""
    found = cases("duckdb")
    path = duck(tmp_path / "shop.duckdb")
    before, files = sha256(path), set(tmp_path.iterdir())
    ended, largest = endings(str(path), found, monkeypatch)
    check(found, ended, largest)
    assert sha256(path) == before
    assert set(tmp_path.iterdir()) == files


@pytest.mark.slow
def test_postgres_survives_hostile_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow: a server is made and started, and ten of the queries run into their limit of half a second."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[postgres]'")
    found = cases("postgres")
    with server() as address, psycopg.connect(address, autocommit=True) as connection:
        rows = "SELECT i AS id, 'item ' || i AS name, i / 7.0 AS price FROM generate_series(1, 2000) i"
        connection.execute(f"CREATE TABLE item AS {rows}")
        connection.execute("CREATE SEQUENCE counter")
        state = "SELECT md5(string_agg(item::text, '' ORDER BY id)), (SELECT count(*) FROM pg_class) FROM item"
        before = connection.execute(state).fetchall()
        ended, largest = endings(address, found, monkeypatch)
        assert connection.execute(state).fetchall() == before
        assert connection.execute("SELECT last_value, is_called FROM counter").fetchall() == [(1, False)]
    check(found, ended, largest)
