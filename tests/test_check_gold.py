"""Gold queries against themselves: what is reachable, and what is shaky."""

import argparse
import sqlite3
from pathlib import Path

import pytest

from flows import check_gold
from schemas.errors import Failure, UserError
from schemas.records import Question
from schemas.tools import Rows
from storage.databases import open_limited
from storage.engines.limits import Limits
from tasks.check_gold import check_gold as check
from tasks.check_gold import difference, ties_turned
from tests.execution import benchmark, spider

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
GOLDS = {
    "steady": "SELECT name FROM item ORDER BY name",
    "tie-cut": "SELECT name FROM item ORDER BY kind LIMIT 1",
    "tie": "SELECT name FROM item ORDER BY kind",
    "cut": "SELECT name FROM item LIMIT 1",
    "chance": "SELECT random()",
    "digits": "SELECT sum(price) FROM item",
    "empty": "SELECT name FROM item WHERE id > 99",
    "slow": ENDLESS,
    "bad": "SELECT colour FROM item",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INT, name TEXT, kind TEXT, price REAL)")
        rows = [(1, "pen", "a", 1e16), (2, "ink", "a", 1.0), (3, "cap", "b", 1.0), (4, "nib", "b", 1.0)]
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", rows)
    connection.close()
    return path


def run(storage: Path, name: str, *options: str) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--storage", type=Path, default=storage)
    check_gold.add_arguments(parser)
    return check_gold.main(parser.parse_args([name, *options]))


@pytest.mark.parametrize(
    ("name", "again", "turned"),
    [
        ("steady", "", ""),
        ("tie-cut", "", "rows"),
        ("tie", "", "order"),
        ("cut", "", "rows"),
        ("chance", "rows", "rows"),
        ("digits", "", "digits"),
        ("empty", "", ""),
    ],
)
def test_what_is_shaky_is_told_apart(shop: Path, name: str, again: str, turned: str) -> None:
    found = check(str(shop), Limits(seconds=5), GOLDS[name], times=2)
    assert found.status == "ok"
    assert (found.again_differs, found.turned_differs) == (again, turned)
    assert found.again["ex_bird"] == float(not again)
    assert found.turned["ex_ordered"] == float(not turned)
    assert found.turned["ex_bird"] == float(turned in ("", "order"))


def test_one_run_is_its_own_ceiling(shop: Path) -> None:
    found = check(str(shop), Limits(seconds=5), GOLDS["steady"], times=1)
    assert found.again == found.turned
    assert {name for name, value in found.again.items() if not value} == {"both_empty"}


def test_failing_golds_have_a_status(shop: Path) -> None:
    assert check(str(shop), Limits(seconds=0.2), GOLDS["slow"], times=1).status == "gold_timeout"
    bad = check(str(shop), Limits(seconds=5), GOLDS["bad"], times=1)
    assert (bad.status, bad.reason) == ("gold_error", "query_error: no such column: colour")


def test_the_command_prints_ceilings_and_lists(tmp_path: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [
        Question("own", name, "shop", "?", gold_query=query, gold_status="ok") for name, query in GOLDS.items()
    ]
    questions += [
        Question("own", "out", "shop", "?", gold_query="SELECT 1", gold_status="excluded"),
        Question("own", "far", "lost", "?", gold_query="SELECT 1", gold_status="ok"),
        Question("own", "none", "shop", "?"),
    ]
    benchmark(tmp_path / "results" / "benchmarks" / "own", {"shop": shop}, questions)
    assert run(tmp_path / "results", "own", "--seconds", "0.3", "--workers", "2") == 0
    told = capsys.readouterr().out
    assert "12 questions, 10 with a usable gold query, 1 of them without a database; 9 gold queries ran" in told
    bird = next(line for line in told.splitlines() if "ex_bird" in line)
    assert [cell.strip() for cell in bird.split("│")[2:5]] == ["85.71", "42.86", "66.67"]
    assert "gold_timeout: 1 (too slow)\n  slow: timeout" in told
    assert "gold_error: 1 (failing)\n  bad: query_error: no such column: colour" in told
    assert "run again: different rows: 1 (chance)" in told
    assert "open order turned: different rows: 3 (tie-cut, cut, chance)" in told
    assert "(ties): 1 (tie)" in told
    assert "empty: 1 (empty)" in told


def test_an_unknown_benchmark_answers_with_what_exists(tmp_path: Path, shop: Path) -> None:
    benchmark(tmp_path / "benchmarks" / "own", {"shop": shop}, [])
    with pytest.raises(UserError, match="unknown prepared benchmark 'owm'; did you mean 'own'"):
        run(tmp_path, "owm")


@pytest.mark.parametrize(
    ("query", "turned"),
    [
        ("SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b, open_order() "),
        (
            "SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 3) ORDER BY a",
            "SELECT a FROM (SELECT a FROM t ORDER BY b , open_order() LIMIT 3) ORDER BY a, open_order() ",
        ),
        (
            "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t",
            "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t",
        ),
        ("SELECT 'order by' FROM t", "SELECT 'order by' FROM t"),
    ],
)
def test_ties_are_turned_in_every_order_but_those_of_windows(query: str, turned: str) -> None:
    assert ties_turned(query) == turned


def test_set_operations_run_as_they_are(shop: Path) -> None:
    query = "SELECT name FROM item UNION SELECT kind FROM item ORDER BY 1"
    database = open_limited(str(shop), Limits(reverse=True))
    with pytest.raises(Failure, match="ORDER BY term does not match"):
        database.run(ties_turned(query))
    assert check(str(shop), Limits(), query, times=1).status == "ok"


def test_differences_in_the_last_digits_are_named() -> None:
    first, second = Rows((), ((0.1 + 0.2, "a"),)), Rows((), ((0.3, "a"),))
    assert difference(first, second, counts=False) == "digits"
    assert difference(first, Rows((), ((0.31, "a"),)), counts=False) == "rows"


@pytest.mark.slow
def test_spider_can_be_reached_in_full_and_is_shaky_where_it_leaves_an_order_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slow: 972 gold queries run three times and more."""
    spider(tmp_path / "benchmarks" / "spider")
    assert run(tmp_path, "spider") == 0
    told = capsys.readouterr().out
    assert "972 gold queries ran" in told
    assert "gold_timeout: 0" in told
    assert "gold_error: 0" in told
    assert "empty: 49" in told
    for metric in ("ex_bag", "ex_bird", "ex_ordered", "ex_test_suite"):
        line = next(line for line in told.splitlines() if metric in line)
        cells = [cell.strip() for cell in line.split("│")[2:5]]
        assert cells[0] == cells[2] == "100.00"
        assert 90 < float(cells[1]) < 100


def test_a_graph_is_built_before_the_clock_of_its_queries_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("graphdblite", reason="needs the extra [graph]")
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    graph = tmp_path / "shop.json"
    graph.write_text('{"nodes": [{"id": 1, "labels": ["Item"], "props": {"name": "pen"}}], "rels": []}')
    built: list[bool] = []

    class Watching:
        size = 1

        def call(self, _seconds: float, _function: object, *_: object) -> None:
            built.append(any((tmp_path / "cache").rglob("*.db")))
            raise Failure("timeout", "too slow")

    question = Question("shop", "1", "shop", "Which items?", gold_query="MATCH (i:Item) RETURN i.name")
    found = check_gold.check([question], {"shop": str(graph)}, Watching(), 1.0, 1)  # type: ignore[arg-type]
    assert found["1"].status == "gold_timeout"
    assert built == [True]
