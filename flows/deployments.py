"""Flows for schedules and workers: the commands ``evaluate`` and ``sweep`` with parameters instead of arguments.

``prefect.yaml`` deploys both; a flow run fails where the command would not end with status 0.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any, NoReturn

from prefect import flow
from prefect.runtime import flow_run

from flows.__main__ import Parser, parser_of
from schemas.errors import UserError

MEANINGS = {1: "something failed", 3: "stopped before the end: the next flow run of the same parameters goes on"}
Value = str | int | float | bool | list[str] | None


class Unfinished(Exception):
    """The command ended with another status than 0; the flow run's log tells more."""


class Strict(Parser):
    """A parser whose errors are exceptions: a worker must not end with a flow run."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise what would be printed."""
        raise UserError((message or f"status {status}").strip())


@flow(name="evaluate")
def evaluate(
    benchmarks: list[str],
    linkers: list[str],
    run: str = "",
    storage: str = "results",
    model: str = "",
    endpoints: list[str] | None = None,
    limit: int | None = None,
    limit_per_database: int | None = None,
    repeat: int = 1,
    generate: bool = False,
    execute: bool = False,
    runner: str = "threads",
    address: str = "",
    workers: int | None = None,
    endpoint_limit: int | None = None,
    shard: str = "",
    options: dict[str, str | int | float | bool] | None = None,
) -> None:
    """Evaluate linkers on prepared benchmarks, as ``python -m flows evaluate`` does.

    ``{date}`` in ``run`` becomes the day for which the flow run was scheduled, so that every day has a run of its own.
    ``options`` are the command's other arguments by name, such as ``{"in_flight": 64, "style": "compact"}``.
    """
    from flows.evaluate import main

    given: dict[str, Value] = {
        "benchmarks": benchmarks,
        "linkers": linkers,
        "run": dated(run),
        "storage": storage,
        "model": model,
        "endpoint": endpoints,
        "limit": limit,
        "limit_per_database": limit_per_database,
        "repeat": repeat,
        "generate": generate,
        "execute": execute,
        "runner": runner,
        "address": address,
        "workers": workers,
        "endpoint_limit": endpoint_limit,
        "shard": shard,
        **(options or {}),
    }
    _end(main(parser_of("evaluate", Strict).parse_args(words(given))))


@flow(name="sweep")
def sweep(
    file: str,
    storage: str = "results",
    runner: str = "",
    address: str = "",
    workers: int | None = None,
    shard: str = "",
    retry: bool = False,
) -> None:
    """Run a sweep file, as ``python -m flows sweep run`` does; what is done is skipped, what failed is tried again."""
    from flows.sweep import main

    options: dict[str, Value] = {"runner": runner, "address": address, "workers": workers, "shard": shard}
    given = words({**options, "retry": retry, "storage": storage})
    _end(main(parser_of("sweep", Strict).parse_args(["run", str(Path(file)), *given])))


def words(given: Mapping[str, Value]) -> Sequence[str]:
    """The command line of parameters; those that are empty are left out.

    >>> words({"benchmarks": ["demo", "own"], "limit_per_database": 2, "generate": True, "model": ""})
    ['--benchmarks=demo,own', '--limit-per-database=2', '--generate']
    """
    line = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            line.append(option)
        elif value not in (None, False, "", []) or (value == 0 and value is not False):
            line.append(f"{option}={','.join(value) if isinstance(value, list) else value}")
    return line


def dated(run: str) -> str:
    """A run's name with the day in UTC for which this flow run was scheduled in the place of ``{date}``."""
    if "{date}" not in run:
        return run
    scheduled: Any = flow_run.scheduled_start_time
    return run.replace("{date}", f"{scheduled.astimezone(UTC):%Y-%m-%d}")


def _end(status: int) -> None:
    if status:
        raise Unfinished(f"status {status}: {MEANINGS.get(status, 'see the log')}")
