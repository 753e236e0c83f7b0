"""The Prefect flow: one task a shard and step, paths in, path out."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture, as_completed
from prefect.task_runners import ThreadPoolTaskRunner
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from flows.plan import Cell, Plan
from tasks.execute import ExecuteJob, execute_shard
from tasks.generate import GenerateJob, generate_shard
from tasks.link import LinkJob, link_shard
from tasks.score import ScoreJob, score_shard


@task(task_run_name="link {name}", cache_policy=NO_CACHE, persist_result=False)
def link(name: str, job: LinkJob) -> Path:
    """Link one shard unless that is done."""
    return job.linkings if job.linkings.exists() else link_shard(job)


@task(task_run_name="generate {name}", cache_policy=NO_CACHE, persist_result=False)
def generate(name: str, job: GenerateJob) -> Path:
    """Ask for one linked shard's queries unless that is done."""
    return job.queries if job.queries.exists() else generate_shard(job)


@task(task_run_name="execute {name}", cache_policy=NO_CACHE, persist_result=False)
def execute(name: str, job: ExecuteJob) -> Path:
    """Run one shard's queries unless that is done."""
    return job.executions if job.executions.exists() else execute_shard(job)


@task(task_run_name="score {name}", cache_policy=NO_CACHE, persist_result=False)
def score(name: str, job: ScoreJob) -> Path:
    """Score one shard whose linkings are there."""
    return score_shard(job)


def evaluate(plan: Plan, todo: Sequence[Cell], workers: int) -> list[str]:
    """Run the missing cells on a pool of threads; what failed, a line a cell."""
    runner: Any = ThreadPoolTaskRunner(max_workers=workers)

    @flow(name="evaluate", flow_run_name=plan.run.name, task_runner=runner)
    def run() -> list[str]:
        futures: dict[PrefectFuture[Path], Cell] = {}
        for _, group in groupby(todo, key=lambda cell: cell.shard):
            futures.update(_submit(list(group)))
        return _follow(plan, futures)

    return run()


def _submit(cells: Sequence[Cell]) -> dict[PrefectFuture[Path], Cell]:
    """Submit one shard's cells, all links first so that they share the prompt's prefix; the last step's futures."""
    links = [link.submit(cell.name, cell.link) for cell in cells]
    return {_finish(cell, linked): cell for cell, linked in zip(cells, links, strict=True)}


def _finish(cell: Cell, last: PrefectFuture[Path]) -> PrefectFuture[Path]:
    """Submit the steps after the link, each after the one before; the last one's future."""
    if cell.generate:
        last = generate.submit(cell.name, cell.generate, return_state=False, wait_for=[last])
    if cell.execute:
        last = execute.submit(cell.name, cell.execute, return_state=False, wait_for=[last])
    return score.submit(cell.name, cell.score, return_state=False, wait_for=[last])


def _follow(plan: Plan, futures: dict[PrefectFuture[Path], Cell]) -> list[str]:
    """Show progress until every cell has ended; what failed, a line a cell."""
    failures = []
    total = sum(cell.shard.questions for cell in futures.values())
    with _progress() as bar:
        line = bar.add_task(plan.run.name, total=total, rate="")
        for future in as_completed(list(futures)):
            cell = futures[future]
            future.wait()
            if not future.state.is_completed():
                failures.append(f"{cell.name}: {_reason(future)}")
            bar.advance(line, cell.shard.questions)
            bar.update(line, rate=f"{bar.tasks[0].speed or 0:,.0f} questions/s")
    return failures


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


def _reason(future: PrefectFuture[Path]) -> str:
    """The first line of what ended a cell."""
    result = future.result(raise_on_failure=False)
    return str(result).splitlines()[0] if str(result) else type(result).__name__
