"""One sweep on threads, on Dask and on Ray, all results in an object store: the same bytes, whoever is killed."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from schemas.records import Linking
from storage import parquet
from storage.places import matching, place
from tests.clusters import TOKEN, command, marked, timeless, until
from tests.conftest import Cli
from tests.object_store import object_store
from tests.stub_server import Stub, running

SWEEP = """
name = "grid"
benchmarks = [{{name = "demo", only = {only}}}]
linkers = [
  "full",
  "exact_match",
  {{linker = "schemagraphsql", configuration = ["force-union", "no-union"]}},
]

[[models]]
name = "stub"
endpoints = ["{url}"]
"""
QUESTIONS = [f"demo-{name}-{at:02d}" for name in ("bakery", "campus", "clinic", "cycles") for at in range(1, 5)]
ASKED = len(QUESTIONS)


@pytest.fixture
def bucket() -> Iterator[str]:
    """The URL of an empty bucket."""
    with object_store() as url:
        yield url


@contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[tuple[str, list[int]]]:
    """A Dask scheduler and two workers in folders and caches of their own; the address, and the workers' processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    scheduler = ("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "2", "--no-dashboard")
    started = [command(*scheduler, folder=folder / "scheduler", **environment)]
    for at in range(2):
        own = folder / f"worker-{at}"
        started.append(command(*worker, folder=own, **{**environment, "SCHEMALINK_CACHE": str(own / "cache")}))
    try:
        yield address, [process.pid for process in started[1:]]
    finally:
        for process in started:
            process.kill()
            process.wait()


def started(stub: Stub, storage: str, folder: Path, *words: str, api: str, token: str) -> subprocess.Popen[str]:
    """Begin the sweep from a folder that is not the checkout, with a cache of its own."""
    folder.mkdir(parents=True)
    (folder / "grid.toml").write_text(SWEEP.format(url=stub.url, only=QUESTIONS))
    environment = {"PREFECT_API_URL": api, TOKEN: token, "SCHEMALINK_CACHE": str(folder / "cache")}
    sweep = ("flows", "sweep", "run", "grid.toml", "--storage", storage, *words)
    return command(*sweep, folder=folder, **environment)


def begun(storage: str, driver: subprocess.Popen[str]) -> bool:
    """Whether some shards are finished, or the driver has ended."""
    return len(matching(place(storage) / "runs", "*/scores/*/*/*.parquet")) > 3 or driver.poll() is not None


def of_ray(token: str) -> list[int]:
    """Ray's processes that are at work on a task."""
    found = []
    for pid in marked(token):
        try:
            found += [pid] if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::") else []
        except OSError:
            continue
    return found


def copied_results(storage: str, target: Path) -> Path:
    """The runs of a storage, copied so that they can be compared."""
    source = place(storage) / "runs"
    for path in matching(source, "*/*"):
        copy = target / path.parent.name / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return target


@pytest.mark.slow
def test_threads_dask_and_ray_on_an_object_store(cli: Cli, tmp_path: Path, bucket: str, prefect_api: str) -> None:
    """Slow: two clusters of two processes, and a server of objects that is asked thousands of times.

    A worker of each cluster is killed with SIGKILL in the middle.
    """
    results, requests = {}, {}
    for name in ("threads", "dask", "ray"):
        storage = f"{bucket}/{name}"
        assert cli("prepare", "demo", "--storage", storage).returncode == 0
        with ExitStack() as stack:
            stub = stack.enter_context(running("--latency", "0.3", "--text", "src=customer, dst=line"))
            words, workers = ["--runner", name, "--workers", "2"], lambda name=name: of_ray(name)
            if name == "dask":
                dask = cluster(tmp_path / name, **{"PREFECT_API_URL": prefect_api, TOKEN: name})
                address, pids = stack.enter_context(dask)
                words, workers = ["--runner", name, "--address", address], lambda pids=pids: pids
            driver = started(stub, storage, tmp_path / name / "driver", *words, api=prefect_api, token=name)
            if name != "threads":
                assert until(partial(begun, storage, driver), 180, 0.2)
                os.kill(workers()[-1], signal.SIGKILL)
                assert driver.poll() is None
            code = driver.wait(timeout=240)
            assert code == 0, (tmp_path / name / "driver" / "flows.log").read_text()
            requests[name] = len(set(stub.texts())), len(stub.texts())
        assert until(lambda name=name: not marked(name), 30), f"processes of {name} are left"
        results[name] = copied_results(storage, tmp_path / "copies" / name)
    runs = sorted(path.name for path in results["threads"].iterdir())
    assert runs
    for run in runs:
        whole = results["threads"] / run
        for name in ("dask", "ray"):
            other = results[name] / run
            assert (other / "scores.parquet").read_bytes() == (whole / "scores.parquet").read_bytes()
            assert timeless(other) == timeless(whole)
    linkings = [one for run in runs for one in parquet.read(results["ray"] / run / "linkings.parquet", Linking)]
    assert len({(one.linker, one.question) for one in linkings}) == len(linkings) == 4 * ASKED
    assert requests["threads"] == (ASKED, ASKED)
    for name in ("dask", "ray"):
        distinct, sent = requests[name]
        assert distinct == ASKED
        assert sent <= ASKED + 8, "more was sent again than a killed worker had under way"
