"""The results at size: only what is asked for is opened, in a folder or an object store, and nothing beside them."""

import collections
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from schemas.errors import UserError
from schemas.records import Linking, Score
from storage import parquet
from storage.files import write_json
from storage.inventory import Inventory
from storage.layout import Store
from storage.leaderboards import leaderboards
from storage.places import place
from storage.runs import compact
from storage.warehouse import connect, leaderboard, named, select
from tests.conftest import ROOT, Cli
from tests.object_store import object_store

QUESTIONS = 6


def scores(linker: str, high: float, databases: int = 2) -> list[Score]:
    return [
        Score("tiny", f"d{at % databases}", f"q{at}", linker, 0, "entity", metric, value)
        for at in range(QUESTIONS)
        for metric, value in (("recall", high if at % 2 else 0.0), ("hits", 1.0), ("gold", 2.0))
    ]


def write_run(store: Store, name: str, linker: str, high: float, databases: int = 2) -> None:
    """Write a finished run."""
    run = store.run(name)
    parquet.write(run / "scores.parquet", Score, scores(linker, high, databases))
    asked = [Linking("tiny", f"d{at % databases}", f"q{at}", linker) for at in range(QUESTIONS)]
    parquet.write(run / "linkings.parquet", Linking, asked)
    configuration = {"benchmarks": {"tiny": "0"}, "linkers": [linker], "repetitions": 1}
    write_json(run / "run.json", {"name": name, "hash": linker, "status": "done", "configuration": configuration})


def begin_run(store: Store, name: str, linkers: tuple[str, ...]) -> None:
    """Write a run of which the shards are done and nothing is compacted."""
    for linker in linkers:
        parquet.write(store.shard(name, "scores", "tiny", linker, "d0-0"), Score, scores(linker, 1.0))
    write_json(store.run(name) / "run.json", {"name": name, "status": "begun"})


@pytest.fixture(scope="module")
def remote() -> Iterator[Store]:
    """Three finished runs and one that has begun, in an object store."""
    with object_store() as url:
        store = Store(place(f"{url}/results"))
        for at in range(3):
            write_run(store, f"run-{at}", "half", at / 2)
        begin_run(store, "begun", ("half",))
        (place(f"{url}/private") / "secret.txt").write_text("secret")
        yield store


def opened(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, str]:
    """How many files a query opens, and which groups of rows it reads."""
    told = connection.execute(f"EXPLAIN ANALYZE {query}").fetchall()[0][1]
    files = re.search(r"Total Files Read: (\d+)", told)
    groups = re.search(r"Row Groups Scanned: (\d+ / \d+)", told)
    return int(files[1]) if files else 0, groups[1] if groups else ""


def test_a_condition_on_the_run_opens_its_file_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs" / "x" / "results")
    for at in range(5):
        write_run(store, f"run-{at}", "half", 1.0)
    connection = connect(store)
    assert opened(connection, "SELECT avg(value) FROM scores")[0] == 5
    assert opened(connection, "SELECT avg(value) FROM scores WHERE run = 'run-3'")[0] == 1
    assert opened(connection, "SELECT avg(value) FROM scores WHERE run IN ('run-3', 'run-4')")[0] == 2
    assert connection.execute("SELECT DISTINCT run FROM scores ORDER BY 1").fetchall()[1] == ("run-1",)


def test_a_condition_on_the_linker_reads_its_groups_of_rows_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.runs.GROUP", 18)
    store = Store(tmp_path)
    begin_run(store, "one", ("a", "b", "c", "d"))
    compact(store.run("one"))
    connection = connect(store)
    assert opened(connection, "SELECT avg(value) FROM scores WHERE linker = 'c'")[1] == "1 / 4"


def test_shards_stand_for_a_run_until_it_is_compacted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    begin_run(store, "one", ("a", "b"))
    (store.run("one") / "scores/tiny/a/.half.parquet.1.tmp").write_bytes(b"torn")
    (tmp_path / "runs" / "no run").mkdir()
    before = leaderboard(connect(store))
    compact(store.run("one"))
    assert [row["linker"] for row in before] == ["a", "b"]
    assert leaderboard(connect(store)) == before


def test_only_the_views_that_a_query_names_are_made(tmp_path: Path) -> None:
    write_run(Store(tmp_path), "one", "half", 1.0)
    (tmp_path / "runs" / "one" / "notes.parquet").write_bytes(b"torn")
    assert set(named("SELECT count(*) FROM Scores JOIN runs USING (run)")) == {"scores", "runs"}
    assert connect(Store(tmp_path), views=["scores"]).execute("SELECT count(*) FROM scores").fetchall() == [(18,)]
    with pytest.raises(UserError, match="cannot read notes"):
        connect(Store(tmp_path))
    write_run(Store(tmp_path / "whole"), "one", "half", 1.0)
    connection = connect(Store(tmp_path / "whole"), views=named("FROM scorse"))
    with pytest.raises(UserError, match='Did you mean "scores'):
        select(connection, "FROM scorse")


def test_a_run_of_one_database_is_drawn_by_question(tmp_path: Path) -> None:
    write_run(Store(tmp_path), "one", "half", 1.0, databases=1)
    write_run(Store(tmp_path), "two", "half", 1.0, databases=2)
    rows = {row["run"]: row["recall"] for row in leaderboards(connect(Store(tmp_path)))["entity"]}
    assert rows["one"].mean == rows["two"].mean == 0.5
    assert 0.0 < rows["one"].low < 0.5 < rows["one"].high < 1.0
    assert (rows["two"].low, rows["two"].high) == (0.0, 1.0)


@pytest.mark.slow
def test_an_object_store_answers_like_a_folder(remote: Store, tmp_path: Path) -> None:
    """It starts an S3 server."""
    local = Store(tmp_path)
    for at in range(3):
        write_run(local, f"run-{at}", "half", at / 2)
    begin_run(local, "begun", ("half",))
    assert leaderboards(connect(remote)) == leaderboards(connect(local))
    for view in ("linkings", "notes", "questions", "costs", "runs"):
        query = f"SELECT * FROM {view} ORDER BY ALL"
        assert connect(remote).execute(query).fetchall() == connect(local).execute(query).fetchall(), view
    assert opened(connect(remote, views=["scores"]), "SELECT avg(value) FROM scores WHERE run = 'run-1'")[0] == 1
    assert Inventory(remote.root).runs() == Inventory(local.root).runs()
    with pytest.raises(UserError, match=r"unknown run 'run-9'.*: begun, run-0, run-1, run-2"):
        connect(remote, ["run-9"])


@pytest.mark.slow
def test_a_file_of_an_object_store_costs_one_request(remote: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts an S3 server; the listing tells what a question for each file would."""
    import s3fs

    asked: collections.Counter[str] = collections.Counter()
    real = s3fs.S3FileSystem._call_s3

    async def counted(self: object, method: str, *words: object, **options: object) -> object:
        asked[method] += 1
        return await real(self, method, *words, **options)

    monkeypatch.setattr(s3fs.S3FileSystem, "_call_s3", counted)
    runs = [f"run-{at}" for at in range(3)]
    connection = connect(remote, runs, views=["scores"])
    assert asked == {"get_object": 1}
    assert len(leaderboard(connection)) == 3
    assert set(asked) == {"get_object"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_text('{bucket}/private/secret.txt')",
        "SELECT * FROM read_text('{bucket}/results/../private/secret.txt')",
        "SELECT * FROM glob('{bucket}/private/*')",
        "SELECT * FROM read_text('https://example.com/')",
        "SELECT * FROM read_csv('{bucket}/results-of-others/x.csv')",
    ],
)
def test_nothing_beside_the_storage_is_read(remote: Store, sql: str) -> None:
    """It starts an S3 server."""
    bucket = str(remote.root).removesuffix("/results")
    with pytest.raises(UserError, match="disabled by configuration"):
        select(connect(remote, views=["runs"]), sql.format(bucket=bucket)).fetchall()
    with pytest.raises(duckdb.Error, match="locked"):
        connect(remote, views=["runs"]).execute("SET enable_external_access = true")


def test_memory_of_the_process_is_a_place_too() -> None:
    store = Store(place("memory://warehouse/results"))
    write_run(store, "one", "half", 1.0)
    assert leaderboard(connect(store))[0]["recall"].mean == 0.5


def test_answers_are_written_whole_in_the_format_of_the_name(cli: Cli, tmp_path: Path) -> None:
    write_run(Store(tmp_path), "one", "half", 1.0)
    sql = "SELECT question, metric, value, [value] AS listed FROM scores ORDER BY ALL"
    for ending in ("csv", "json", "jsonl", "parquet"):
        told = cli("query", sql, "--to", str(tmp_path / f"out.{ending}"))
        assert (told.returncode, told.stdout) == (0, ""), told.stderr
        assert told.stderr.startswith("18 rows: ")
    rows = json.loads((tmp_path / "out.json").read_text())
    assert rows[0] == {"question": "q0", "metric": "gold", "value": 2.0, "listed": [2.0]}
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == rows
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == rows
    lines = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [{**line, "value": float(line["value"]), "listed": json.loads(line["listed"])} for line in lines] == rows
    nothing = {"csv": "question\n", "json": "[]\n", "jsonl": ""}
    for form, text in nothing.items():
        assert cli("query", "SELECT question FROM scores WHERE false", "--format", form).stdout == text


def test_times_between_times_are_told_as_text(cli: Cli, tmp_path: Path) -> None:
    sql = """SELECT TIMESTAMP '2026-01-02' - TIMESTAMP '2026-01-01' AS "so ""long"" n", 1 AS n"""
    assert json.loads(cli("query", sql, "--format", "json").stdout) == [{'so "long" n': "1 day", "n": 1}]
    assert cli("query", sql, "--to", str(tmp_path / "out.parquet")).returncode == 0
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [{'so "long" n': "1 day", "n": 1}]


def test_a_plan_of_a_query_is_printed_in_full(cli: Cli, tmp_path: Path) -> None:
    write_run(Store(tmp_path), "one", "half", 1.0)
    told = cli("query", "EXPLAIN ANALYZE SELECT avg(value) FROM scores WHERE linker = 'half'")
    assert "READ_PARQUET" in told.stdout, told.stderr
    assert "Total Files Read: 1" in told.stdout


def test_an_answer_that_fails_half_way_leaves_the_file_as_it_was(cli: Cli, tmp_path: Path) -> None:
    write_run(Store(tmp_path), "one", "half", 1.0)
    target = tmp_path / "out.csv"
    target.write_text("before")
    sql = "SELECT CASE WHEN range = 400000 THEN error('late') ELSE range END AS n FROM range(500000)"
    told = cli("query", sql, "--to", str(target))
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "late" in told.stderr
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == ["out.csv"]
    for words, reason in (
        (("--format", "parquet"), "parquet needs a file"),
        (("--to", "x.xls"), "end its name with"),
        ((), "more than 100,000 rows"),
    ):
        told = cli("query", "SELECT range FROM range(200000)", *words)
        assert (told.returncode, told.stdout) == (2, "")
        assert reason in told.stderr


@pytest.mark.slow
def test_a_large_answer_is_not_held_in_memory(tmp_path: Path) -> None:
    """It writes answers of 10 and of 200 MB, each in a process of its own: the second needs hardly more memory."""
    write_run(Store(tmp_path), "one", "half", 1.0)

    def peak(rows: int) -> float:
        sql = f"SELECT range AS n, repeat('x', 90) AS filling FROM range({rows})"
        command = ["query", sql, "--to", str(tmp_path / "out.csv"), "--storage", str(tmp_path)]
        code = "import sys; from flows.__main__ import main; main(sys.argv[1:]); "
        code += "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        done = subprocess.run(
            [sys.executable, "-c", code, *command], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return int(done.stdout) / 1024

    small, large = peak(100_000), peak(2_000_000)
    assert (tmp_path / "out.csv").stat().st_size > 190e6
    assert large - small < 150
