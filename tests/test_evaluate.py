"""The whole line on a real Prefect server: what it writes, skips, refuses, and survives."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.records import Linking, Note, Question, Score
from storage import parquet
from tests.conftest import ROOT, Cli

LINKERS = "full,oracle,random(size=2)"


def scores(folder: Path, run: str) -> bytes:
    return (folder / "runs" / run / "scores.parquet").read_bytes()


def test_a_run_writes_one_file_a_dataset_and_prints_the_leaderboard(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    done = cli("evaluate", "--benchmarks", "tiny", "--linkers", LINKERS, "--run", "first", prefect=True)
    assert done.returncode == 0, done.stderr
    run = tmp_path / "runs" / "first"
    assert sorted(path.name for path in run.iterdir() if path.name != ".lock") == [
        "linkings.parquet",
        "notes.parquet",
        "run.json",
        "scores.parquet",
    ]
    linkings = parquet.read(run / "linkings.parquet", Linking)
    assert len(linkings) == 3 * 21
    assert {linking.status for linking in linkings} == {"ok"}
    assert parquet.read(run / "notes.parquet", Note) == []
    means = {}
    for score in parquet.read(run / "scores.parquet", Score):
        means.setdefault((score.linker, score.level, score.metric), []).append(score.value)
    assert set(means["oracle", "field", "exact_match"]) == {1.0}
    assert set(means["full", "entity", "recall"]) == {1.0}
    assert set(means["random(size=2)", "entity", "kept"]) == {2.0}
    told = json.loads((run / "run.json").read_text())
    assert told["status"] == "done"
    assert told["configuration"]["linkers"] == ["full", "oracle", "random(size=2)"]
    assert "strict" in done.stdout
    assert "random(size=2)" in done.stdout


def test_a_finished_run_is_not_run_again_and_needs_no_server_and_no_lock(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    words = ("--benchmarks", "tiny", "--linkers", LINKERS, "--run", "first")
    cli("evaluate", *words, prefect=True)
    before = scores(tmp_path, "first")
    start = time.perf_counter()
    again = cli("evaluate", *words, PREFECT_API_URL="http://127.0.0.1:9/api")
    assert again.returncode == 0, again.stderr
    assert time.perf_counter() - start < 10
    lock = tmp_path / "runs" / "first" / ".lock"
    lock.unlink()
    lock.mkdir()
    unwritable = cli("evaluate", *words)
    assert (unwritable.returncode, unwritable.stdout) == (0, again.stdout), unwritable.stderr
    portion = cli("evaluate", *words, "--shard", "1/2")
    assert portion.stdout == "shards 1/2 are done, and so is run first\n", portion.stderr
    assert scores(tmp_path, "first") == before


def test_another_configuration_under_the_same_name_is_refused(cli: Cli, tiny: Path) -> None:
    cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "first", prefect=True)
    refused = cli("evaluate", "--benchmarks", "tiny", "--linkers", "oracle", "--run", "first")
    assert refused.returncode == 2
    assert "linkers was ['full'], is ['oracle']): name another --run" in refused.stderr


def test_a_dry_run_says_what_would_run_and_writes_nothing(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    words = ("--benchmarks", "tiny", "--linkers", "full", "--limit-per-database", "2", "--dry-run")
    planned = cli("evaluate", *words)
    assert planned.returncode == 0, planned.stderr
    assert "full: 3 shards, 6 questions, 0 shards exist" in planned.stdout
    assert not (tmp_path / "runs").exists()


def test_limits_draw_from_every_database(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--limit", "4", "--run", "few", prefect=True)
    linkings = parquet.read(tmp_path / "runs" / "few" / "linkings.parquet", Linking)
    assert sorted(linking.question for linking in linkings) == ["north-0", "north-1", "south-0", "west-0"]


def test_retrying_with_another_configuration_removes_nothing(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "first", prefect=True)
    before = scores(tmp_path, "first")
    refused = cli("evaluate", "--benchmarks", "tiny", "--linkers", "oracle", "--run", "first", "--retry")
    assert refused.returncode == 2
    assert "name another --run" in refused.stderr
    assert scores(tmp_path, "first") == before


def test_a_run_killed_while_it_was_compacted_links_nothing_again(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    words = ("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "first")
    cli(*words, prefect=True)
    told = tmp_path / "runs" / "first" / "run.json"
    told.write_text(told.read_text().replace('"done"', '"begun"'))
    again = cli(*words, PREFECT_API_URL="http://127.0.0.1:9/api")
    assert again.returncode == 0, again.stderr
    assert json.loads(told.read_text())["status"] == "done"


def test_questions_without_gold_are_linked_and_nothing_is_scored(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    asked = [replace(each, gold=(), gold_status="none") for each in parquet.read(tiny / "questions.parquet", Question)]
    parquet.write(tiny / "questions.parquet", Question, asked)
    done = cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "first", prefect=True)
    assert done.returncode == 0, done.stderr
    assert "no question has a gold" in done.stdout
    assert len(parquet.read(tmp_path / "runs" / "first" / "linkings.parquet", Linking)) == 21


@pytest.mark.slow
def test_killed_at_random_points_the_metrics_are_the_same_bytes(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    """Slow: a dozen real runs of the flow, ten of them killed with SIGKILL when a random number of files is there."""
    environment = {**os.environ, "PREFECT_API_URL": prefect_api}
    words = [sys.executable, "-m", "flows", "evaluate", "--benchmarks", "tiny", "--linkers", LINKERS]
    words += ["--storage", str(tmp_path), "--workers", "1"]
    subprocess.run([*words, "--run", "whole"], cwd=ROOT, env=environment, check=True, capture_output=True)
    run = tmp_path / "runs" / "killed"
    killed = 0
    for files in sorted(random.Random(7).sample(range(27), 10)):
        process = subprocess.Popen(
            [*words, "--run", "killed"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and (not run.exists() or len(list(run.glob("*/tiny/*/*.parquet"))) < files):
            time.sleep(0.002)
        killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*words, "--run", "killed"], cwd=ROOT, env=environment, check=True, capture_output=True)
    assert killed >= 8
    assert scores(tmp_path, "killed") == scores(tmp_path, "whole")
    assert not list(run.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--benchmarks", "tinny", "--linkers", "full"), "'tinny'; did you mean 'tiny'?"),
        (("--benchmarks", "tiny", "--linkers", "ful"), "unknown linker 'ful'; did you mean 'full'?"),
        (("--benchmarks", "tiny", "--linkers", "random(sise=3)"), "'sise'; did you mean 'size'?"),
        (("--benchmarks", "tiny", "--linkers", "random(size=many)"), "'many'"),
        (("--benchmarks", "tiny", "--linkers", "full", "--only", "north-77"), "'north-77'; did you mean 'north-"),
        (("--benchmarks", "tiny", "--linkers", "full", "--limit", "0"), "'0' is not a whole number above zero"),
        (("--benchmarks", "tiny", "--linkers", "full", "--lmit", "3"), "did you mean --limit?"),
        (("--benchmarks", "tiny", "--linkers", "llm_tables"), "name one with --model embedded or --endpoint URL"),
    ],
)
def test_mistakes_are_one_line_and_status_2(cli: Cli, tiny: Path, tmp_path: Path, words: tuple[str], told: str) -> None:
    done = cli("evaluate", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_corrupt_shard_is_named(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    (tiny / "questions.parquet").write_bytes(b"PAR1 no more")
    done = cli("evaluate", "--benchmarks", "tiny", "--linkers", "full")
    assert done.returncode == 2
    assert "questions.parquet: cannot be read as Parquet" in done.stderr
    assert done.stderr.count("\n") == 1
