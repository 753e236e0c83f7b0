"""The results as people read them: leaderboard, SQL, one question's story, error bars."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from schemas.catalog import Element
from schemas.records import Linking, Note, Score
from storage import parquet
from storage.files import write_json
from storage.intervals import cluster_bootstrap
from storage.layout import Store
from storage.warehouse import connect, leaderboard
from tests.conftest import Cli

KEPT = {
    "half": (Element("customer"), Element("customer", "name")),
    "none": (),
}


@pytest.fixture
def results(tiny: Path, tmp_path: Path) -> Store:
    """A run of two linkers on the tiny benchmark: one keeps ``customer.name``, one fails; scores by hand."""
    run = tmp_path / "runs" / "one"
    keys = [("tiny", name, f"{name}-{at}", linker) for name in ("north", "south") for at in range(3) for linker in KEPT]
    linkings = [
        Linking(*key, status="ok" if KEPT[key[3]] else "model_error", reason="", kept=KEPT[key[3]]) for key in keys
    ]
    values = {"north": (1.0, 0.5, 0.0), "south": (1.0, 1.0, None)}
    scores = [
        Score(*key, 0, "entity", "recall", values[key[1]][int(key[2][-1])] if KEPT[key[3]] else 0.0) for key in keys
    ]
    sizes = {"hits": 1.0, "gold": 2.0, "kept": 4.0}
    scores += [Score(*key, 0, "entity", name, size) for key in keys for name, size in sizes.items()]
    parquet.write(run / "linkings.parquet", Linking, linkings)
    parquet.write(run / "scores.parquet", Score, scores)
    parquet.write(run / "notes.parquet", Note, [Note("tiny", "north", "north-1", "half", 0, 0, "source", "customer")])
    write_json(run / "run.json", {"name": "one", "status": "done", "configuration": {"linkers": ["half", "none"]}})
    return Store(tmp_path)


def test_means_leave_out_what_does_not_apply_and_pool_for_micro_ratios(results: Store) -> None:
    half = next(row for row in leaderboard(connect(results)) if row["linker"] == "half")
    assert half["recall"].mean == pytest.approx(3.5 / 5)
    assert half["n"] == 6
    assert half["nsr"].mean == pytest.approx(0.5)
    assert half["nsp"].mean == pytest.approx(0.25)


def test_slices_add_up(results: Store) -> None:
    rows = {row["slice"]: row for row in leaderboard(connect(results), by="database") if row["linker"] == "half"}
    assert rows["north"]["recall"].mean == pytest.approx(0.5)
    assert rows["south"]["recall"].mean == pytest.approx(1.0)
    rows = {row["slice"]: row["n"] for row in leaderboard(connect(results), by="difficulty") if row["linker"] == "half"}
    assert rows == {"simple": 4, "challenging": 2}
    rows = {
        row["slice"]: row["n"] for row in leaderboard(connect(results), by="gold_tables") if row["linker"] == "half"
    }
    assert rows == {"1": 4, "2": 2}


def test_the_interval_is_that_of_a_plain_bootstrap_over_clusters() -> None:
    chance = np.random.default_rng(3)
    clusters = [chance.random(size) for size in (5, 50, 20, 9, 31, 14)]
    found = cluster_bootstrap([sum(values) for values in clusters], [len(values) for values in clusters])
    draws = chance.integers(0, 6, size=(20000, 6))
    plain = [np.concatenate([clusters[at] for at in draw]).mean() for draw in draws]
    low, high = np.quantile(plain, [0.025, 0.975])
    assert found.mean == pytest.approx(np.concatenate(clusters).mean())
    assert found.low == pytest.approx(low, abs=0.005)
    assert found.high == pytest.approx(high, abs=0.005)


def test_the_leaderboard_counts_failures_beside_the_means(cli: Cli, results: Store) -> None:
    table = cli("leaderboard", "one", "--level", "entity")
    assert table.returncode == 0, table.stderr
    half, none = (line.split("│") for line in table.stdout.splitlines() if "│ half" in line or "│ none" in line)
    assert [cell.strip() for cell in half[1:5]] == ["half", "6", "0", "70.00"]
    assert [cell.strip() for cell in none[1:5]] == ["none", "6", "6", "0.00"]
    lines = json.loads(cli("leaderboard", "--format", "json").stdout)
    recall = next(line for line in lines if (line["linker"], line["metric"]) == ("half", "recall"))
    assert recall["mean"] == pytest.approx(0.7)
    assert recall["low"] <= 0.7 <= recall["high"]
    rows = list(csv.DictReader(io.StringIO(cli("leaderboard", "--format", "csv").stdout)))
    assert len(rows) == len(lines)
    markdown = cli("leaderboard", "--level", "entity", "--format", "markdown").stdout
    assert markdown.splitlines()[2].startswith("| linker | n | failed | recall |")


def test_sql_reads_every_view(cli: Cli, results: Store) -> None:
    for view, count in {
        "questions": 21,
        "catalogs": 3,
        "linkings": 12,
        "notes": 1,
        "scores": 48,
        "queries": 0,
        "executions": 0,
        "runs": 1,
    }.items():
        told = cli("query", f"SELECT count(*) AS n FROM {view}", "--format", "csv")
        assert told.stdout == f"n\n{count}\n", (view, told.stderr)
    kept = cli("query", "SELECT run, linker, kept FROM linkings WHERE question = 'north-0' AND status = 'ok'")
    assert "one" in kept.stdout
    as_csv = cli("query", "SELECT kept FROM linkings WHERE question = 'north-0' AND status = 'ok'", "--format", "csv")
    row = next(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert json.loads(row["kept"]) == [{"entity": "customer", "field": ""}, {"entity": "customer", "field": "name"}]


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO 'stolen.csv'",
        "CREATE TABLE mine AS SELECT 1",
        "SELECT 1; SELECT 2",
        "ATTACH 'other.db'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELEC 1",
        "SELECT nothing FROM linkings",
        "",
    ],
)
def test_sql_that_is_wrong_or_writes_is_one_line(cli: Cli, results: Store, sql: str) -> None:
    refused = cli("query", sql)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "Traceback" not in refused.stderr
    assert not list(results.root.rglob("*.csv"))


def test_show_tells_one_question(cli: Cli, results: Store) -> None:
    story = cli("show", "north-1")
    assert (story.returncode, story.stderr) == (0, "")
    assert "Which customer of city 1 in the north paid most?" in story.stdout
    assert "missed: line, line.price" in story.stdout
    assert "source: customer" in story.stdout
    unknown = cli("show", "nort-1")
    assert unknown.returncode == 2
    assert "unknown question id 'nort-1'; did you mean 'north-1'?" in unknown.stderr


def test_an_unknown_run_lists_what_exists(cli: Cli, results: Store) -> None:
    refused = cli("leaderboard", "two")
    assert refused.returncode == 2
    assert refused.stderr == "unknown run 'two'; there are: one\n"


def test_an_empty_storage_says_what_to_do(cli: Cli) -> None:
    refused = cli("leaderboard")
    assert refused.returncode == 2
    assert "make one with: python -m flows evaluate" in refused.stderr
