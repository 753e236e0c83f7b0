"""The Prefect flow: one task a shard and step, paths in, path out."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.exceptions import PrefectException
from prefect.futures import PrefectFuture, as_completed
from prefect.task_runners import ThreadPoolTaskRunner
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from flows.plan import Cell, Plan
from tasks.execute import ExecuteJob, execute_shard
from tasks.generate import GenerateJob, generate_shard
from tasks.link import LinkJob, link_shard
from tasks.score import ScoreJob, score_shard

Steps = list[PrefectFuture[Path]]


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
        steps: dict[PrefectFuture[Path], tuple[Cell, Steps]] = {}
        for _, group in groupby(todo, key=lambda cell: cell.shard):
            for cell, submitted in _submit(list(group)):
                steps[submitted[-1]] = (cell, submitted)
        return _follow(plan, steps)

    return run()


def _submit(cells: Sequence[Cell]) -> list[tuple[Cell, Steps]]:
    """Submit one shard's cells, all links first so that they share the prompt's prefix."""
    links = [link.submit(cell.name, cell.link) for cell in cells]
    return [(cell, _finish(cell, linked)) for cell, linked in zip(cells, links, strict=True)]


def _finish(cell: Cell, linked: PrefectFuture[Path]) -> Steps:
    """Submit the steps after the link, each after the one before; all of the cell's steps in their order."""
    steps = [linked]
    if cell.generate:
        steps.append(generate.submit(cell.name, cell.generate, return_state=False, wait_for=steps[-1:]))
    if cell.execute:
        steps.append(execute.submit(cell.name, cell.execute, return_state=False, wait_for=steps[-1:]))
    return [*steps, score.submit(cell.name, cell.score, return_state=False, wait_for=steps[-1:])]


def _follow(plan: Plan, steps: dict[PrefectFuture[Path], tuple[Cell, Steps]]) -> list[str]:
    """Show progress until every cell has ended; what failed, a line a cell."""
    failures = []
    total = sum(cell.shard.questions for cell, _ in steps.values())
    with _progress() as bar:
        line = bar.add_task(plan.run.name, total=total, rate="")
        for future in as_completed(list(steps)):
            cell, submitted = steps[future]
            future.wait()
            if not future.state.is_completed():
                failures.append(f"{cell.name}: {_reason(submitted)}")
            bar.advance(line, cell.shard.questions)
            bar.update(line, rate=f"{bar.tasks[0].speed or 0:,.0f} questions/s")
    return failures


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


def _reason(steps: Steps) -> str:
    """The first line of what ended the first step that failed."""
    failed = next(step for step in steps if not step.state.is_completed())
    try:
        result: object = failed.result(raise_on_failure=False)
    except PrefectException as error:
        result = error
    return str(result).splitlines()[0] if str(result) else type(result).__name__
