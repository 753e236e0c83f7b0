"""Where shards run: on threads of this process, or on the processes of a Dask or Ray cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from schemas.errors import UserError, unknown
from tasks.toolbox import Toolbox

RUNNERS = ("threads", "dask", "ray")
HERE = ("localhost", "127.0.0.1", "::1")
PATIENCE = 30.0
RAY_STORE = 100_000_000
UNPROFILED = {"distributed.worker.profile.enabled": False}


@dataclass(frozen=True)
class Runner:
    """Threads, Dask or Ray; the ``address`` of a running cluster, else a local one of so many ``workers`` is started.

    ``endpoint_limit`` is how many shards may ask one model server at a time, counted by the Prefect server over all
    that report to it; 0 leaves the limit as it is there.
    """

    name: str = "threads"
    address: str = ""
    workers: int = 0
    endpoint_limit: int = 0

    def check(self) -> None:
        """Refuse what cannot run before anything is written."""
        if self.name not in RUNNERS:
            raise unknown("runner", self.name, RUNNERS)
        if self.name == "threads":
            if self.address:
                raise UserError(f"--address {self.address} names a cluster: say --runner dask or --runner ray")
            return
        if find_spec(f"prefect_{self.name}") is None:
            raise UserError(f"--runner {self.name} is an extra: install it with pip install -e '.[{self.name}]'")
        if self.address and not self.is_here and not os.environ.get("PREFECT_API_URL"):
            raise UserError(
                f"workers of {self.address} cannot reach a Prefect server that only this machine knows: start one with "
                "prefect server start --host 0.0.0.0 and name it in PREFECT_API_URL"
            )

    @property
    def is_here(self) -> bool:
        """Whether the address is one of this machine."""
        return urlsplit(self.address if "//" in self.address else f"//{self.address}").hostname in HERE

    def processes(self, toolbox: Toolbox) -> int:
        """The processes of a local cluster: as asked, else one a core, but one for an embedded model."""
        return self.workers or min(os.cpu_count() or 1, toolbox.shards_at_once)


@dataclass(frozen=True)
class Outcome:
    """What came of a run's missing cells: failures, a line each; why it was stopped; the flow run that did it."""

    failures: tuple[str, ...] = ()
    stopped: str = ""
    flow_run: str = ""


@dataclass(frozen=True)
class Engine:
    """A Prefect task runner, how many shards it works on at the same time, and in how many processes."""

    task_runner: Any
    slots: int
    processes: int = 1

    def share(self, in_flight: int) -> int:
        """The calls that one process may have in flight, so that together they have as many as was asked."""
        return ceil(in_flight / self.processes)


@contextmanager
def engine(runner: Runner, toolbox: Toolbox) -> Iterator[Engine]:
    """Open what runs shards; a local cluster ends with this context and leaves no process."""
    if runner.name == "dask":
        yield _dask(runner, toolbox)
    elif runner.name == "ray":
        with _ray(runner, toolbox) as opened:
            yield opened
    else:
        from prefect.task_runners import ThreadPoolTaskRunner

        slots = runner.workers or toolbox.shards_at_once
        yield Engine(ThreadPoolTaskRunner(max_workers=slots), slots)


def _dask(runner: Runner, toolbox: Toolbox) -> Engine:
    """A cluster of Dask; the task runner starts and ends a local one.

    Its workers are not profiled: on Python 3.11 sampling freezes a process that starts many threads
    (github.com/dask/distributed/issues/8616).
    """
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    from prefect_dask.task_runners import DaskTaskRunner

    settings: Any = import_module("dask.config")
    settings.set(UNPROFILED)
    if runner.address:
        threads = _dask_threads(runner.address)
        slots = runner.workers or sum(threads)
        return Engine(DaskTaskRunner(address=runner.address), slots, len(threads))
    processes = runner.processes(toolbox)
    threads_each = ceil(toolbox.shards_at_once / processes) if toolbox.has_model else 1
    local = {
        "n_workers": processes,
        "threads_per_worker": threads_each,
        "processes": True,
        "memory_limit": None,
        "dashboard_address": ":0",
        "scheduler_kwargs": {"dashboard": False},
    }
    return Engine(DaskTaskRunner(cluster_kwargs=local), processes * threads_each, processes)


def _dask_threads(address: str) -> list[int]:
    """The threads of every worker of a running cluster."""
    from distributed import Client

    connect: Any = Client
    try:
        with connect(address, timeout=PATIENCE, set_as_default=False) as client:
            threads = list(client.ncores().values())
    except (OSError, ValueError) as error:
        raise UserError(f"no Dask scheduler answers at {address}: {error}") from error
    if not threads:
        raise UserError(f"the Dask cluster at {address} has no workers: start some with dask worker {address}")
    return threads


@contextmanager
def _ray(runner: Runner, toolbox: Toolbox) -> Iterator[Engine]:
    """A cluster of Ray, a process a shard; without the dashboard and its reports of use."""
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        os.environ.setdefault(name, "0")
    ray: Any = import_module("ray")
    from prefect_ray.task_runners import RayTaskRunner

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "prefect"}
    try:
        if runner.address:
            ray.init(runner.address, **quiet)
        else:
            local = {"num_cpus": runner.processes(toolbox), "object_store_memory": RAY_STORE}
            ray.init("local", include_dashboard=False, **local, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        where = runner.address or "this machine"
        hint = "; one that asks for a token wants its RAY_AUTH_TOKEN here, too" if runner.address else ""
        raise UserError(f"no Ray cluster at {where}: {str(error).splitlines()[0]}{hint}") from error
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        if not cores:
            raise UserError(f"the Ray cluster at {runner.address} has no cores: start a node with ray start")
        slots = min(runner.workers or cores, cores)
        yield Engine(RayTaskRunner(address=runner.address or None), slots, slots)
    finally:
        ray.shutdown()
