"""The Prefect flow: one task a shard and step, paths in, path out; a shard is started when another has ended."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from prefect import Task, flow, tags, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import TagsContext
from prefect.futures import PrefectFuture
from prefect.states import Completed

from flows.bulletins import Bulletin, reporting
from flows.endpoints import limited, tags_of
from flows.plan import Cell, Plan, flow_run
from flows.runners import Engine, Outcome, Runner, engine
from tasks.execute import ExecuteJob, execute_shard
from tasks.generate import GenerateJob, generate_shard
from tasks.link import LinkJob, link_shard
from tasks.score import ScoreJob, score_shard

THREADS = Runner()
Job = TypeVar("Job", LinkJob, GenerateJob)
Step = tuple["Task[Any, Path]", Any]


class ShardsFailed(Exception):
    """Some shards did not come to their end; the flow run is shown as failed."""


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


@dataclass
class Course:
    """The cells that are to run, the engine that runs them, and what has come of them."""

    plan: Plan
    todo: Sequence[Cell]
    engine: Engine
    asking: frozenset[str]
    stop: Callable[[], str]
    failures: list[str] = field(default_factory=list)
    stopped: str = ""
    flow_run: str = ""

    def follow(self) -> None:
        """Keep as many cells under way as the engine works on, each step after the one before, until all have ended."""
        ended: SimpleQueue[tuple[Cell, Iterator[Step], PrefectFuture[Path]]] = SimpleQueue()

        def advance(cell: Cell, steps: Iterator[Step]) -> bool:
            step = next(steps, None)
            if step:
                future = step[0].submit(cell.name, step[1], return_state=False)
                future.add_done_callback(lambda _: ended.put((cell, steps, future)))
            return step is not None

        waiting, running = iter(self.todo), 0
        questions = sum(cell.shard.questions for cell in self.todo)
        with Bulletin(self.plan.run.name, questions, self.flow_run) as bulletin:
            while True:
                while running < self.engine.slots and (cell := self._next(waiting)):
                    running += advance(cell, self._steps(cell))
                if not running:
                    return
                cell, steps, future = ended.get()
                reason = failure(future)
                if reason:
                    self.failures.append(f"{cell.name}: {reason}")
                if reason or not advance(cell, steps):
                    running -= 1
                    bulletin.advance(cell.shard.questions, len(self.failures))

    def _next(self, waiting: Iterator[Cell]) -> Cell | None:
        """The next cell to start, unless there is a reason to stop."""
        cell = None if self.stopped else next(waiting, None)
        if cell:
            self.stopped = self.stop()
        return None if self.stopped else cell

    def _steps(self, cell: Cell) -> Iterator[Step]:
        yield self._asking(link), self._shared(cell.link)
        if cell.generate:
            yield self._asking(generate), self._shared(cell.generate)
        if cell.execute:
            yield execute, cell.execute
        yield score, cell.score

    def _asking(self, step: "Task[Any, Path]") -> "Task[Any, Path]":
        return step.with_options(tags=self.asking) if self.asking else step

    def _shared(self, job: Job) -> Job:
        """The job with this process's share of the calls in flight."""
        share = self.engine.share(job.toolbox.in_flight)
        return job if share == job.toolbox.in_flight else replace(job, toolbox=replace(job.toolbox, in_flight=share))


COURSE: ContextVar[Course] = ContextVar("course")


def evaluation(run: str) -> State[None] | None:
    """Evaluate one run; its cells lie in this context, not in parameters, so that no task carries them all."""
    return _follow()


def _follow() -> State[None] | None:
    course = COURSE.get()
    course.flow_run = course.flow_run or flow_run()
    with TagsContext(current_tags=set()):
        course.follow()
    if course.failures:
        raise ShardsFailed(f"{len(course.failures)} of {len(course.todo)} shards failed, first {course.failures[0]}")
    return Completed(name="Stopped", message=course.stopped) if course.stopped else None


def evaluate(
    plan: Plan, todo: Sequence[Cell], runner: Runner = THREADS, stop: Callable[[], str] = lambda: ""
) -> Outcome:
    """Run the missing cells; ``stop`` is asked before each is started and ends the run by giving a reason."""
    with reporting(), engine(runner, plan.toolbox) as opened, tags(*labels(plan)):
        asking = limited(plan.toolbox, runner.endpoint_limit)
        course = Course(plan, todo, opened, asking, stop, flow_run=flow_run())
        token = COURSE.set(course)
        run = flow(name="shards", flow_run_name=plan.run.name, task_runner=opened.task_runner)(evaluation)
        try:
            with suppress(ShardsFailed):
                run(plan.run.name)
        finally:
            COURSE.reset(token)
    return Outcome(tuple(course.failures), course.stopped, course.flow_run)


def labels(plan: Plan) -> list[str]:
    """The tags of a flow run: its benchmarks, its model and the servers that it asks."""
    benchmarks = [f"benchmark:{name}" for name in plan.configuration["benchmarks"]]
    model = [f"model:{plan.toolbox.label}"] if plan.toolbox.has_model else []
    return [*benchmarks, *model, *sorted(tags_of(plan.toolbox))]


def failure(future: "PrefectFuture[Path]") -> str:
    """The first line of what ended a task that failed, or was lost with its worker; else nothing."""
    try:
        result: object = future.result(raise_on_failure=False)
    except Exception as error:
        result = error
    if not isinstance(result, BaseException):
        return ""
    return str(result).splitlines()[0] if str(result) else type(result).__name__
