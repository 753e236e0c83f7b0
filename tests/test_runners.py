"""Where shards run: threads, Dask and Ray give the same bytes, a lost worker costs nothing, portions make one run."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from flows.bulletins import Bulletin, reporting
from flows.endpoints import limited, tags_of
from flows.evaluate import execute
from flows.plan import Plan, make_plan
from flows.portions import Portion, portion
from flows.runners import Engine, Runner, engine
from schemas.errors import Faults, UserError
from schemas.records import Score
from storage import parquet
from tasks.shard import Selection
from tasks.toolbox import Toolbox
from tests.clusters import TOKEN, command, marked, timeless, until
from tests.conftest import ROOT, Cli
from tests.stub_server import running

LINKERS = "full,exact_match,random(size=3),schemagraphsql(endpoints=oracle)"


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3", "-1/2"])
def test_a_portion_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not i/n with i from 1 to n"):
        portion(text)
    assert portion("") is None


@pytest.mark.parametrize(
    ("runner", "told"),
    [
        (Runner("dusk"), "unknown runner 'dusk'; did you mean 'dask'?"),
        (Runner("threads", "tcp://10.0.0.1:8786"), "say --runner dask or --runner ray"),
        (Runner("dask", "tcp://10.0.0.1:8786"), "name it in PREFECT_API_URL"),
        (Runner("ray", "auto"), "name it in PREFECT_API_URL"),
    ],
)
def test_a_runner_that_cannot_run_is_refused(runner: Runner, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with pytest.raises(UserError) as error:
        runner.check()
    assert told in str(error.value)


@pytest.mark.slow
def test_workers_of_a_local_dask_cluster_are_not_profiled_even_if_dask_was_there_before(tmp_path: Path) -> None:
    """Slow: starts a worker process to ask it."""
    settings: Any = pytest.importorskip("dask.config")
    with (
        settings.set({"distributed.worker.profile.enabled": True}),
        engine(Runner("dask", workers=1), Toolbox(tmp_path)) as opened,
        opened.task_runner as runner,
    ):
        told = runner.client.run(settings.get, "distributed.worker.profile.enabled")
        assert list(told.values()) == [False]


class Gateway(BaseHTTPRequestHandler):
    """A gateway that answers everything with a page of its own."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>starting</html>")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_gateway_that_answers_for_the_prefect_server_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), Gateway) as server:
        threading.Thread(target=server.serve_forever).start()
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{server.server_port}/api")
        try:
            with reporting(), Bulletin("run", 10, "") as bulletin:
                bulletin.advance(10, 0)
        finally:
            server.shutdown()
    assert (bulletin.done, bulletin.artifact) == (10, None)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "localhost:8786", "ray://[::1]:10001"])
def test_a_cluster_on_this_machine_needs_no_named_server(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert Runner("dask", address).is_here
    Runner("dask", address).check()


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_missing_extra_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.runners.find_spec", lambda _: None)
    with pytest.raises(UserError) as error:
        Runner(name).check()
    assert str(error.value) == f"--runner {name} is an extra: install it with pip install -e '.[{name}]'"


def test_processes_share_the_calls_in_flight() -> None:
    assert Engine(None, slots=8, processes=2).share(256) == 128
    assert Engine(None, slots=3, processes=3).share(256) == 86
    assert Runner("dask").processes(Toolbox(Path("/"), model="embedded")) == 1


def test_endpoints_are_tags_without_credentials() -> None:
    toolbox = Toolbox(Path("/"), "m", ("http://me:secret@gpu-1:8000/v1", "https://host/v1"))
    assert tags_of(toolbox) == {"endpoint:gpu-1:8000", "endpoint:host:443"}
    assert tags_of(Toolbox(Path("/"), "embedded:1.5b")) == tags_of(Toolbox(Path("/"))) == frozenset()


def planned(storage: Path, run: str, linkers: tuple[str, ...] = ("full", "oracle", "random(size=2)")) -> Plan:
    return make_plan(
        storage=storage,
        run=run,
        names=["tiny"],
        linkers=linkers,
        selection=Selection(),
        repetitions=1,
        toolbox=Toolbox(storage),
    )


def test_portions_cut_a_plan_by_shards(tiny: Path, tmp_path: Path) -> None:
    plan = planned(tmp_path, "first")
    parts = [[cell.name for cell in Portion(index, 2).of(plan, plan.missing())] for index in (1, 2)]
    assert sorted(parts[0] + parts[1]) == sorted(cell.name for cell in plan.cells)
    assert {name.split(" on ")[1] for name in parts[1]} == {"tiny/south"}


def status(run: Path) -> dict[str, str]:
    told: dict[str, str] = json.loads((run / "run.json").read_text())
    return told


def budget(cells: int) -> Callable[[], str]:
    left = iter(range(cells))
    return lambda: "" if next(left, None) is not None else "the budget is spent"


def test_a_run_that_is_stopped_goes_on(
    tiny: Path, tmp_path: Path, prefect_api: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(tmp_path, "stopped")
    assert execute(plan, runner=Runner(workers=2), stop=budget(4)) == 3
    assert "stopped: the budget is spent; the same command goes on" in capsys.readouterr().err
    assert (status(plan.run)["status"], status(plan.run)["reason"]) == ("stopped", "the budget is spent")
    assert [cell.name for cell in plan.missing()] == [cell.name for cell in plan.cells[4:]]
    assert execute(planned(tmp_path, "stopped"), report=False) == 0
    assert (status(plan.run)["status"], status(plan.run)["reason"]) == ("done", "")
    assert execute(planned(tmp_path, "whole"), report=False) == 0
    whole = (tmp_path / "runs" / "whole" / "scores.parquet").read_bytes()
    assert (plan.run / "scores.parquet").read_bytes() == whole


def test_a_run_that_is_killed_while_it_is_begun_anew_lacks_nothing(
    tiny: Path, tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(tmp_path, "anew")
    assert execute(plan, report=False) == 0
    scores = (plan.run / "scores.parquet").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("flows.plan.remove_tree", lambda folder: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            plan.begin(retry=True)
    assert len(planned(tmp_path, "anew").missing()) == len(plan.cells)
    assert execute(planned(tmp_path, "anew"), report=False) == 0
    assert (plan.run / "scores.parquet").read_bytes() == scores


def test_a_shard_that_fails_stops_no_other(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    plan = planned(tmp_path, "first")
    blocked = plan.cells[4].link.linkings
    blocked.mkdir(parents=True)
    assert execute(plan, report=False) == 1
    assert plan.missing() == [plan.cells[4]]
    assert status(plan.run)["status"] == "failed"
    blocked.rmdir()
    assert execute(planned(tmp_path, "first"), report=False) == 0
    assert len(timeless(plan.run)) == 3 * 21


def test_faults_of_a_worker_reach_us_whole() -> None:
    import pickle

    assert str(pickle.loads(pickle.dumps(Faults("here", ["a", "b"])))) == "here: a\nhere: b"


def evaluated(storage: Path, run: str, *words: str, benchmark: str = "demo", **environment: str) -> str:
    """Evaluate from a folder that is not the checkout; what it printed."""
    process = command(
        *("flows", "evaluate", "--storage", str(storage), "--benchmarks", benchmark, "--run", run, *words),
        folder=storage / "elsewhere" / run,
        **environment,
    )
    assert process.wait(timeout=240) == 0, (storage / "elsewhere" / run / "flows.log").read_text()
    return (storage / "elsewhere" / run / "flows.log").read_text()


def test_threads_dask_and_ray_give_the_same_bytes(cli: Cli, tmp_path: Path, prefect_api: str) -> None:
    """Slow: a cluster of two processes is started twice."""
    assert cli("prepare", "demo").returncode == 0
    for runner in ("threads", "dask", "ray"):
        words = ("--linkers", LINKERS, "--runner", runner, "--workers", "2")
        evaluated(tmp_path, runner, *words, PREFECT_API_URL=prefect_api, **{TOKEN: runner})
        assert until(lambda runner=runner: not marked(runner), 20), f"processes of {runner} are left"
    threads = tmp_path / "runs" / "threads"
    for other in (tmp_path / "runs" / "dask", tmp_path / "runs" / "ray"):
        for dataset in ("scores", "notes"):
            assert (other / f"{dataset}.parquet").read_bytes() == (threads / f"{dataset}.parquet").read_bytes()
        assert timeless(other) == timeless(threads)
    assert len(timeless(threads)) == 4 * 123


def test_a_killed_worker_of_a_cluster_costs_nothing(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    """Slow: a running Dask cluster of two processes in folders of their own, of which one is killed with SIGKILL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    tokens = {"PREFECT_API_URL": prefect_api, TOKEN: "cluster"}
    asked = ("--linkers", "schemagraphsql", "--repeat", "4", "--model", "stub")
    scheduler = ("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "2", "--no-dashboard")
    run = tmp_path / "runs" / "killed"
    with running("--latency", "0.5", "--text", "src=customer, dst=line", "--quiet") as stub:
        others = [command(*scheduler, folder=tmp_path / "scheduler", **tokens)]
        others += [command(*worker, folder=tmp_path / f"worker-{at}", **tokens) for at in range(2)]
        try:
            whole = ["flows", "evaluate", "--storage", str(tmp_path), "--benchmarks", "tiny", "--run", "killed", *asked]
            cluster = ("--endpoint", stub.url, "--runner", "dask", "--address", address)
            process = command(*whole, *cluster, folder=tmp_path / "driver", **tokens)
            assert until(lambda: list(run.glob("scores/*/*/*.parquet")) or process.poll() is not None, 120)
            others[-1].send_signal(signal.SIGKILL)
            done = len(list(run.glob("scores/*/*/*.parquet")))
            assert process.wait(timeout=180) == 0, (tmp_path / "driver" / "flows.log").read_text()
        finally:
            for other in others:
                other.kill()
                other.wait()
        assert 0 < done < 12
        linkings = timeless(run)
        assert len({(linking.question, linking.repetition) for linking in linkings}) == len(linkings) == 4 * 21
        assert {linking.status for linking in linkings} == {"ok"}
        evaluated(tmp_path, "threads", *asked, "--endpoint", stub.url, benchmark="tiny", **tokens)
    assert (run / "scores.parquet").read_bytes() == (tmp_path / "runs" / "threads" / "scores.parquet").read_bytes()
    assert timeless(run) == timeless(tmp_path / "runs" / "threads")


def portions(tmp_path: Path, url: str, run: str, *shards: str) -> list[tuple[int, str]]:
    """Run portions at the same time; the status and output of each."""
    words = [sys.executable, "-m", "flows", "evaluate", "--storage", str(tmp_path), "--benchmarks", "tiny"]
    words += ["--linkers", "full,oracle,random(size=2)", "--run", run]
    environment = {**os.environ, "PREFECT_API_URL": url}
    started = [
        subprocess.Popen(
            [*words, "--shard", shard],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for shard in shards
    ]
    return [(process.wait(timeout=120), process.communicate()[0]) for process in started]


def test_portions_at_the_same_time_make_one_run(cli: Cli, tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    (first,) = portions(tmp_path, prefect_api, "parts", "1/3")
    assert first[0] == 0
    assert "shards 1/3 are done; 6 of 9 are missing, of other portions" in first[1]
    both = portions(tmp_path, prefect_api, "parts", "2/3", "3/3")
    assert [code for code, _ in both] == [0, 0], both
    assert ["tables (entity level)" in text for _, text in both].count(True) == 1
    cli("evaluate", "--benchmarks", "tiny", "--linkers", "full,oracle,random(size=2)", "--run", "whole", prefect=True)
    parts, whole = tmp_path / "runs" / "parts", tmp_path / "runs" / "whole"
    assert (parts / "scores.parquet").read_bytes() == (whole / "scores.parquet").read_bytes()
    assert timeless(parts) == timeless(whole)
    assert status(parts)["status"] == "done"
    assert not list(parts.glob("*/"))
    (again,) = portions(tmp_path, prefect_api, "parts", "1/3")
    assert again[0] == 0
    assert "shards 1/3 are done, and so is run parts" in again[1]


def test_a_portion_does_not_begin_a_run_anew(cli: Cli, tiny: Path) -> None:
    done = cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--shard", "1/2", "--retry")
    assert done.returncode == 2
    assert "without --shard" in done.stderr


def test_two_runs_do_not_exceed_an_endpoints_limit(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    """Slow: two command lines ask one stub, whose calls in flight are counted; a shard has seven at a time."""
    with running("--latency", "0.3", "--text", "src=customer, dst=line", "--quiet") as stub:
        words = ("--linkers", "schemagraphsql", "--model", "stub", "--endpoint", stub.url, "--endpoint-limit", "1")
        started = [
            command(
                *("flows", "evaluate", "--storage", str(tmp_path / run), "--benchmarks", "tiny", *words, "--run", run),
                folder=tmp_path / run,
                PREFECT_API_URL=prefect_api,
            )
            for run in ("one", "two")
            if copied(tmp_path, tmp_path / run)
        ]
        assert [process.wait(timeout=120) for process in started] == [0, 0]
        state = stub.state()
    assert sum(state["counts"].values()) >= 2 * 21
    assert state["most"] <= 7


def test_only_endpoints_with_a_limit_are_tags_of_tasks(tmp_path: Path, prefect_api: str) -> None:
    one, two = (Toolbox(tmp_path, "m", (f"http://gpu-{at}:8000/v1",)) for at in (1, 2))
    with reporting():
        assert limited(one, 0) == frozenset()
        assert limited(one, 3) == {"endpoint:gpu-1:8000"}
        assert limited(replace(one, endpoints=one.endpoints + two.endpoints), 0) == {"endpoint:gpu-1:8000"}
        assert limited(two, 0) == frozenset()


def copied(source: Path, target: Path) -> bool:
    """Give a run a storage, and a cache of replies, of its own."""
    import shutil

    shutil.copytree(source / "benchmarks", target / "benchmarks")
    return True


def test_the_prefect_server_shows_leaderboard_and_progress(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    plan = planned(tmp_path, "Shown_1")
    start = time.perf_counter()
    assert execute(plan, report=False) == 0
    assert time.perf_counter() - start < 60
    with get_client(sync_client=True) as client:
        keys = ArtifactFilterKey(any_=["leaderboard-shown-1", "progress-shown-1"])
        shown = {each.key: each for each in client.read_artifacts(artifact_filter=ArtifactFilter(key=keys))}
        run = client.read_flow_run(shown["leaderboard-shown-1"].flow_run_id)
    assert "| random(size=2) |" in str(shown["leaderboard-shown-1"].data)
    assert shown["progress-shown-1"].data == 100.0
    assert "63 of 63 questions" in str(shown["progress-shown-1"].description)
    assert (run.name, str(run.id)) == ("Shown_1", status(plan.run)["flow_run"])
    assert set(run.tags) == {"benchmark:tiny"}
    assert len(parquet.read(plan.run / "scores.parquet", Score)) > 63
