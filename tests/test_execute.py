"""The execute step: one row a query whatever happens, gold results run once, workers that are replaced."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from schemas.errors import Failure, UserError
from schemas.records import Execution, Query, Question
from storage import parquet
from storage.gold import read_gold, read_rows
from storage.workers import Pool, allow
from tasks.execute import ExecuteJob, execute_shard
from tests.execution import benchmark

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
UNSTOPPABLE = "SELECT count(*) FROM item a, item b WHERE instr(hex(zeroblob(9000000)), hex(zeroblob(4000000)) || '1')"
EXECUTION_METRICS = {"ex_bird", "ex_bag", "ex_ordered", "ex_test_suite"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER, name TEXT, kind TEXT)")
        connection.executemany("INSERT INTO item VALUES (?, ?, ?)", [(1, "pen", "a"), (2, "ink", "a"), (3, "cap", "b")])
    connection.close()
    return path


class Bench:
    """A benchmark of one shop, and what becomes of queries on it."""

    def __init__(self, folder: Path, golds: dict[str, str | Question], **databases: Path) -> None:
        self.folder = folder
        questions = [
            gold
            if isinstance(gold, Question)
            else Question("own", name, "shop", "?", gold_query=gold, gold_status="ok")
            for name, gold in golds.items()
        ]
        benchmark(folder, databases, questions)

    def execute(self, *queries: tuple[str, str] | Query, seconds: float = 5.0) -> list[Execution]:
        rows = [
            query if isinstance(query, Query) else Query("own", "shop", query[0], "full", "model", query=query[1])
            for query in queries
        ]
        path = parquet.write(self.folder / "queries.parquet", Query, rows)
        out = self.folder / "executions.parquet"
        job = ExecuteJob(self.folder / "questions.parquet", self.folder, path, out, seconds=seconds, workers=2)
        assert execute_shard(job) == out
        return parquet.read(out, Execution)

    def gold_files(self) -> dict[Path, float]:
        return {path: path.stat().st_mtime_ns for path in self.folder.glob("gold/*/*")}


def values(execution: Execution) -> dict[str, float | None]:
    return {verdict.metric: verdict.value for verdict in execution.verdicts}


def passed(execution: Execution) -> set[str]:
    return {metric for metric, value in values(execution).items() if value}


def test_every_query_has_a_row_with_its_verdicts(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT name FROM item ORDER BY id"}, shop=shop)
    right, turned, wrong = bench.execute(
        ("1", "SELECT name FROM item ORDER BY id"),
        ("1", "SELECT name FROM item ORDER BY id DESC"),
        ("1", "SELECT kind FROM item"),
    )
    assert (right.status, right.rows, right.gold_status, right.gold_rows) == ("ok", 3, "ok", 3)
    assert right.engine == f"sqlite {sqlite3.sqlite_version}"
    assert right.linker == "full"
    assert right.generator == "model"
    assert 0 < right.seconds < 1
    assert passed(right) == EXECUTION_METRICS
    assert passed(turned) == {"ex_bird", "ex_bag"}
    assert right.digest == turned.digest != wrong.digest
    assert passed(wrong) == set()
    assert set(values(wrong).values()) == {0.0}


def test_what_fails_is_a_status_and_no_success(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT count(*) FROM item"}, shop=shop)
    failed = Query("own", "shop", "1", "full", "model", 0, "truncated", "the answer ends in the middle")
    queries = [
        "",
        "SELECT nothing_here FROM item",
        "DELETE FROM item",
        ENDLESS,
        UNSTOPPABLE,
        "SELECT zeroblob(900000000)",
    ]
    found = bench.execute(*(("1", query) for query in queries), failed, seconds=0.3)
    assert [execution.status for execution in found] == [
        "empty_query", "query_error", "forbidden", "timeout", "timeout", "too_large", "truncated",
    ]  # fmt: skip
    assert "nothing_here" in found[1].reason
    assert found[-1].reason == failed.reason
    for execution in found:
        assert execution.gold_status == "ok"
        assert set(values(execution).values()) == {0.0}


def test_a_gold_that_cannot_judge_leaves_no_values(tmp_path: Path, shop: Path) -> None:
    excluded = Question("own", "out", "shop", "?", gold_query="SELECT 1", gold_status="excluded")
    elsewhere = Question("own", "far", "lost", "?", gold_query="SELECT 1", gold_status="ok")
    bench = Bench(
        tmp_path / "own",
        {
            "slow": ENDLESS,
            "bad": "SELECT x FROM nowhere",
            "none": "",
            "out": excluded,
            "far": elsewhere,
            "unread": "SELECT 3",
        },
        shop=shop,
    )
    found = bench.execute(
        *((name, "SELECT 3") for name in ("slow", "bad", "none", "out", "far", "unread")), seconds=0.3
    )
    assert [execution.gold_status for execution in found] == [
        "gold_timeout", "gold_error", "none", "excluded", "no_database", "ok",
    ]  # fmt: skip
    assert [execution.status for execution in found] == ["ok", "ok", "ok", "ok", "no_database", "ok"]
    for execution in found[:-1]:
        assert set(values(execution).values()) == {None}
    assert passed(found[-1]) == EXECUTION_METRICS


def test_an_unreadable_gold_for_linking_still_judges_rows(tmp_path: Path, shop: Path) -> None:
    question = Question("own", "1", "shop", "?", gold_query="SELECT 1", gold_status="parse_error")
    (execution,) = Bench(tmp_path / "own", {"1": question}, shop=shop).execute(("1", "SELECT 1"))
    assert passed(execution) == EXECUTION_METRICS


def test_distinct_is_dropped_for_the_test_suite_only(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT DISTINCT kind FROM item"}, shop=shop)
    plain, distinct, mended = bench.execute(
        ("1", "SELECT kind FROM item"),
        ("1", "SELECT DISTINCT kind FROM item"),
        ("1", "SELECT kind FROM item WHERE id > = 1"),
    )
    assert passed(plain) == {"ex_bird", "ex_test_suite"}
    assert passed(distinct) == EXECUTION_METRICS
    assert mended.status == "query_error"
    assert passed(mended) == {"ex_test_suite"}


def test_empty_answers_are_flagged(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT id FROM item WHERE id > 9"}, shop=shop)
    (execution,) = bench.execute(("1", "SELECT name, kind FROM item WHERE id > 99"))
    assert passed(execution) == EXECUTION_METRICS | {"both_empty"}


def test_gold_queries_run_once(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT random()", "2": "SELECT DISTINCT kind FROM item"}, shop=shop)
    (first,) = bench.execute(("1", "SELECT 1"))
    held = bench.gold_files()
    assert len(held) == 1
    assert read_rows(next(iter(held))).columns == ("random()",)
    bench.execute(("1", "SELECT 2"), ("2", "SELECT kind FROM item"))
    assert held.items() <= bench.gold_files().items()
    assert len(bench.gold_files()) == 3
    assert first.gold_rows == 1


def test_a_changed_database_runs_its_golds_again(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT count(*) FROM item"}, shop=shop)
    assert passed(bench.execute(("1", "SELECT 3"))[0]) == EXECUTION_METRICS
    with sqlite3.connect(shop) as connection:
        connection.execute("DELETE FROM item WHERE id = 1")
    connection.close()
    assert passed(bench.execute(("1", "SELECT 2"))[0]) == EXECUTION_METRICS


def test_a_gold_that_was_too_slow_is_tried_again_with_more_time_only(tmp_path: Path, shop: Path) -> None:
    slow = ENDLESS.replace("FROM n)", "FROM n WHERE i < 1500000)")
    bench = Bench(tmp_path / "own", {"1": slow}, shop=shop)
    assert bench.execute(("1", "SELECT 1"), seconds=0.05)[0].gold_status == "gold_timeout"
    held = bench.gold_files()
    assert bench.execute(("1", "SELECT 1"), seconds=0.05)[0].gold_status == "gold_timeout"
    assert bench.gold_files() == held
    assert bench.execute(("1", "SELECT 1500000"), seconds=60)[0].gold_status == "ok"
    (gold,) = [read_gold(path) for path in bench.gold_files()]
    assert gold is not None
    assert gold.seconds > 0.05


def test_a_torn_gold_file_says_what_to_do(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT id FROM item"}, shop=shop)
    bench.execute(("1", "SELECT 1"))
    (path,) = bench.gold_files()
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:-1]), encoding="utf-8")
    with pytest.raises(UserError, match=r"2 of 3 rows; delete it and run again"):
        bench.execute(("1", "SELECT 1"))
    path.write_text("rubbish", encoding="utf-8")
    assert bench.execute(("1", "SELECT id FROM item"))[0].gold_rows == 3


def test_queries_of_another_shard_are_refused(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT 1"}, shop=shop)
    with pytest.raises(UserError, match="question '7' is not in"):
        bench.execute(("7", "SELECT 1"))


def test_the_same_queries_give_the_same_file(tmp_path: Path, shop: Path) -> None:
    bench = Bench(tmp_path / "own", {"1": "SELECT id FROM item"}, shop=shop)
    queries = [("1", "SELECT id FROM item"), ("1", "SELECT name FROM item"), ("1", "nonsense")]
    first, second = bench.execute(*queries), bench.execute(*queries)
    assert [replace(row, seconds=0.0) for row in first] == [replace(row, seconds=0.0) for row in second]


def prepare() -> None:
    """Import this module."""


def wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def end_with(number: int) -> None:
    os.kill(os.getpid(), number)


def grow(size: int) -> int:
    return len(bytearray(size))


def fail(reason: str) -> None:
    raise ValueError(reason)


def extend(first: float, then: float) -> str:
    allow(first)
    time.sleep(then)
    return "done"


def test_a_worker_that_dies_is_replaced_and_only_its_call_fails() -> None:
    with Pool(2) as pool:
        pool.wait()
        before = set(pool.pids())
        results: list[float] = []
        other = threading.Thread(target=lambda: results.append(pool.call(9.0, wait, 0.4)))
        other.start()
        with pytest.raises(Failure, match="crashed: its process ended with SIGSEGV"):
            pool.call(9.0, end_with, int(signal.SIGSEGV))
        with pytest.raises(Failure, match="crashed: its process ended with SIGKILL"):
            pool.call(9.0, end_with, int(signal.SIGKILL))
        other.join()
        assert results == [0.4]
        pool.wait()
        assert len(set(pool.pids())) == 2
        assert len(set(pool.pids()) & before) <= 1
        assert pool.call(9.0, wait, 0.0) == 0.0


def test_a_call_that_takes_too_long_is_ended_in_time() -> None:
    with Pool(1, warm_up=prepare) as pool:
        pool.wait()
        start = time.perf_counter()
        with pytest.raises(Failure, match="timeout"):
            pool.call(0.3, wait, 60.0)
        assert 0.25 < time.perf_counter() - start < 0.8
        assert pool.call(0.3, extend, 5.0, 0.5) == "done"
        with pytest.raises(Failure, match="timeout"):
            pool.call(30.0, extend, 0.1, 20.0)


def test_a_worker_may_not_claim_more_memory_than_it_is_given() -> None:
    with Pool(1, memory=300 << 20, warm_up=prepare) as pool:
        assert pool.call(9.0, grow, 50 << 20) == 50 << 20
        with pytest.raises(Failure, match="too_large"):
            pool.call(9.0, grow, 2 << 30)
        assert pool.call(9.0, grow, 1) == 1


def test_a_mistake_in_a_worker_is_told_with_its_traceback() -> None:
    with Pool(1) as pool:
        with pytest.raises(RuntimeError, match="ValueError: no such thing"):
            pool.call(9.0, fail, "no such thing")
        assert pool.call(9.0, wait, 0.0) == 0.0


def test_workers_that_cannot_start_say_why() -> None:
    with (
        Pool(1, warm_up=partial(fail, "no warmth")) as pool,
        pytest.raises(RuntimeError, match="ValueError: no warmth"),
    ):
        pool.call(9.0, wait, 0.0)


def test_a_pool_can_be_closed_at_any_moment() -> None:
    for delay in (0.0, 0.01, 0.1, 0.3):
        pool = Pool(2)
        outcome: list[str] = []

        def ask(pool: Pool = pool, outcome: list[str] = outcome) -> None:
            try:
                pool.call(9.0, wait, 5.0)
            except Failure as failure:
                outcome.append(failure.status)

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(delay)
        pool.close()
        asking.join(timeout=3)
        assert outcome == ["crashed"]


def test_workers_end_with_their_pool() -> None:
    pool = Pool(2)
    pool.wait()
    pids = pool.pids()
    pool.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    with pytest.raises(Failure, match="closed"):
        pool.call(9.0, wait, 0.0)


def test_workers_end_when_their_caller_is_killed() -> None:
    program = (
        "import time; from storage.workers import Pool; from threading import Thread\n"
        "pool = Pool(2); pool.wait(); print(*pool.pids(), flush=True)\n"
        "Thread(target=pool.call, args=(3.0, time.sleep, 60.0), daemon=True).start(); time.sleep(60)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]) as caller:
        assert caller.stdout is not None
        pids = [int(pid) for pid in caller.stdout.readline().split()]
        caller.kill()
    assert len(pids) == 2
    deadline = time.monotonic() + 8
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")")[-1].split()[0] != "Z"
    except OSError:
        return False


def call_from_within() -> None:
    with Pool(1) as pool:
        assert pool.call(5.0, wait, 0.1) == 0.1


def test_workers_start_below_the_daemonic_processes_of_clusters() -> None:
    process = multiprocessing.get_context("spawn").Process(target=call_from_within, daemon=True)
    process.start()
    process.join()
    assert process.exitcode == 0
