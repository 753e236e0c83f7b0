"""Sweeps as people run them: real flows of a Prefect server, budgets, interruptions, servers that a sweep starts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.sweeps import ledger, running, status
from flows.sweeps.record import load
from tests.conftest import ROOT, Cli
from tests.stub_server import running as stub_running
from tests.sweeps import quick, toml, written  # noqa: F401
from tests.test_serve import engine, gone, started  # noqa: F401

pytestmark = pytest.mark.slow
ENDPOINTS = ("--text", "src=customer, dst=line", "--count")


def cells(storage: Path, sweep: str) -> list[status.Cell]:
    return status.cells(load(storage, sweep), storage, ledger.invocations(storage, sweep))


@pytest.mark.usefixtures("tiny")
def test_a_sweep_is_planned_run_within_its_budget_and_told_about(cli: Cli, tmp_path: Path) -> None:
    """Slow: three flows."""
    with stub_running(*ENDPOINTS) as stub:
        linkers = ["full", "schemagraphsql", "schemagraphsql(configuration=force-longest)"]
        file = str(written(tmp_path, "whole", linkers, stub, workers=1, budget={"tokens": 1500}))
        told = cli("sweep", "run", file, "--dry-run")
        assert (told.returncode, stub.texts()) == (0, [])
        assert told.stdout == cli("sweep", "plan", file).stdout
        assert "sweep whole: 2 runs, 3 cells, 9 shards of which 0 are done" in told.stdout
        told = cli("sweep", "run", file, prefect=True)
        assert told.returncode == running.OUT_OF_BUDGET, told.stderr
        assert len(stub.texts()) < 21
        states = {each.linker: each.state for each in cells(tmp_path, "whole")}
        assert (states["full"], states["schemagraphsql"]) == ("done", "stopped")
        file = str(written(tmp_path, "whole", linkers, stub, budget={"tokens": 1_000_000}))
        assert cli("sweep", "run", file, prefect=True).returncode == 0
        assert len(stub.texts()) == 21
    told = cli("sweep", "status", "whole")
    assert told.stdout.startswith("sweep whole: 3 cells: 3 done")
    told = cli("sweep", "status", "wohle")
    assert (told.returncode, told.stderr) == (2, "unknown sweep 'wohle'; did you mean 'whole'? there are: whole\n")


@pytest.mark.usefixtures("tiny")
def test_an_interrupted_sweep_is_seen_at_work_and_goes_on(prefect_api: str, tmp_path: Path) -> None:
    """Slow: waits for a server that takes its time."""
    with stub_running(*ENDPOINTS, "--latency", "0.6") as stub:
        file = written(tmp_path, "cut", ["schemagraphsql"], stub, workers=1, repetitions=3)
        command = [sys.executable, "-m", "flows", "sweep", "run", str(file), "--storage", str(tmp_path)]
        environment = {**os.environ, "PREFECT_API_URL": prefect_api}
        with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 60
            while time.monotonic() < until and len(stub.texts()) < 14:
                time.sleep(0.1)
            (seen,) = cells(tmp_path, "cut")
            (at_work,) = ledger.invocations(tmp_path, "cut")
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        assert process.returncode == 130, told
        assert (seen.state, at_work.alive, at_work.turns[0].run) == ("running", True, "cut-stub-tiny")
        assert [each.state for each in cells(tmp_path, "cut")] == ["stopped"]
        sent = len(stub.texts())
        assert sent < 63
        finished = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
        assert finished.returncode == 0, finished.stderr
        assert len(stub.texts()) <= 63 + 7
    (first, second) = ledger.invocations(tmp_path, "cut")
    assert ([turn.status for turn in first.turns], [turn.status for turn in second.turns]) == (["stopped"], ["done"])


@pytest.mark.usefixtures("tiny", "quick")
def test_a_sweep_starts_the_servers_of_a_model_and_stops_them(
    engine: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Slow: starts two servers."""
    serve = {"weights": "org/tiny", "python": str(engine), "replicas": 2, "options": ["--max-model-len", "4096"]}
    file = tmp_path / "served.toml"
    told = {"benchmarks": ["tiny"], "linkers": ["full"], "generate": True, "models": [{"name": "tiny", "serve": serve}]}
    file.write_text("\n".join(f"{key} = {toml(value)}" for key, value in told.items()))
    assert running.run_sweep(file, tmp_path) == running.FAILED
    told = capsys.readouterr()
    assert "starting 2 server(s) of tiny" in told.out
    assert "full: 21 of 21 queries failed, most often empty: no statement in the answer" in told.err
    assert "another try would read the same stored replies" in told.err
    both = started(engine)
    assert [each["words"][-2:] for each in both] == [["--max-model-len", "4096"]] * 2
    assert gone([pid for each in both for pid in each["pids"]])
    assert running.run_sweep(file, tmp_path) == running.FAILED
    assert started(engine) == both
    (cell,) = cells(tmp_path, "served")
    assert (cell.run, cell.state, cell.tokens) == ("served-tiny-tiny", "failed", 21 * 105)


@pytest.mark.usefixtures("tiny", "quick")
def test_servers_that_do_not_start_fail_their_runs_only(
    engine: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Slow: starts a server."""
    serve = {"weights": "org/tiny", "python": str(engine), "options": ["--dies"]}
    told = {"benchmarks": ["tiny"], "linkers": ["full", "llm_tables"], "models": [{"name": "tiny", "serve": serve}]}
    file = tmp_path / "dying.toml"
    file.write_text("\n".join(f"{key} = {toml(value)}" for key, value in told.items()))
    assert running.run_sweep(file, tmp_path) == 1
    assert "ValueError: the weights do not fit into memory" in capsys.readouterr().err
    assert [each.state for each in cells(tmp_path, "dying")] == ["done", "failed"]
