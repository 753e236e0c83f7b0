"""Evaluate linkers on benchmarks: shards in, scores out, what exists is skipped."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from flows.arguments import GRAPHS, add_model_arguments, add_runner_arguments, positive, runner, toolbox

if TYPE_CHECKING:
    from flows.plan import Cell, Plan
    from flows.portions import Portion
    from flows.runners import Runner


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--benchmarks", required=True, metavar="NAME,…", help="prepared benchmarks")
    parser.add_argument("--linkers", required=True, metavar="LABEL,…", help="e.g. 'full,random(size=3)'")
    parser.add_argument("--run", default="", metavar="NAME", help="the run's name (benchmarks and a hash)")
    parser.add_argument("--limit", type=positive, metavar="N", help="so many questions a benchmark, over all databases")
    parser.add_argument("--limit-per-database", type=positive, metavar="N", help="so many questions a database")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="only these question ids")
    parser.add_argument("--repeat", type=positive, default=1, metavar="N", help="ask every question so many times")
    parser.add_argument("--dry-run", action="store_true", help="say what would run and what exists; write nothing")
    parser.add_argument("--retry", action="store_true", help="link the run's questions again, replies from the cache")
    add_runner_arguments(parser)
    parser.add_argument("--shard", default="", metavar="I/N", help="run every N-th shard only, from the I-th (1 to N)")
    group = parser.add_argument_group("generated queries")
    group.add_argument("--generate", action="store_true", help="ask the model for every linked question's query")
    group.add_argument(
        "--style",
        choices=["ddl", "compact", "auto", "enhanced", "base"],
        default="ddl",
        help="how the prompt shows a catalog: ddl, compact of tables, auto, enhanced, base of graphs (ddl and auto)",
    )
    group.add_argument("--examples", type=int, default=2, metavar="N", help="example values a column in the prompt (2)")
    group.add_argument("--no-joins", action="store_true", help="leave the join path out of the prompt")
    group.add_argument(
        "--execute", action="store_true", help="run the generated queries and compare with the gold's rows"
    )
    group.add_argument("--seconds", type=float, default=30.0, metavar="S", help="time limit of one query (30)")
    group.add_argument("--graphs", default="", metavar="ENGINE", help=GRAPHS)
    add_model_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Plan, run what is missing, compact, and print the leaderboard."""
    from flows.plan import make_plan
    from flows.portions import portion
    from schemas.errors import UserError
    from tasks.generate import Generator
    from tasks.labels import split
    from tasks.shard import Selection

    generates = arguments.generate or arguments.execute
    plan = make_plan(
        storage=arguments.storage,
        run=arguments.run,
        names=[name.strip() for name in arguments.benchmarks.split(",") if name.strip()],
        linkers=split(arguments.linkers),
        selection=Selection(arguments.limit, arguments.limit_per_database, tuple(arguments.only)),
        repetitions=arguments.repeat,
        toolbox=toolbox(arguments),
        generator=Generator(arguments.style, arguments.examples, not arguments.no_joins) if generates else None,
        seconds=arguments.seconds if arguments.execute else 0.0,
        graphs=arguments.graphs,
    )
    if arguments.dry_run:
        print(plan.describe())
        return 0
    again, part = arguments.retry or arguments.fresh, portion(arguments.shard)
    if again and part:
        raise UserError("--retry and --fresh begin a run anew: give them to one process, without --shard")
    if plan.missing() or again:
        plan.toolbox.check()
    return execute(plan, runner=runner(arguments), retry=again, portion=part)


def never() -> str:
    """No reason to stop."""
    return ""


def execute(
    plan: "Plan",
    *,
    runner: "Runner | None" = None,
    retry: bool = False,
    report: bool = True,
    portion: "Portion | None" = None,
    stop: Callable[[], str] = never,
) -> int:
    """Run a plan, or a ``portion`` of it, print the leaderboard if ``report``, and tell failures; the exit status.

    ``stop`` is asked before each shard is started: a text that it gives ends the run between shards with status 3.
    """
    from flows.portions import PATIENCE, held
    from flows.reports import print_leaderboard
    from flows.runners import Runner

    runner = runner or Runner()
    runner.check()
    if plan.finished and not retry:
        plan.begin(retry=False)
    else:
        with held(plan.run, shared=portion is not None, patience=PATIENCE if portion else 0.0):
            plan.begin(retry=retry)
            missing = plan.missing()
            todo = portion.of(plan, missing) if portion else missing
            if todo and (status := run_cells(plan, todo, runner, stop)):
                return status
            if not portion:
                finish(plan)
    if portion and not settle(plan, portion):
        return 0
    if report:
        print_leaderboard(plan.storage, [plan.run.name], levels=("entity", "field", "query"), required=False)
    return report_failures(plan)


def run_cells(plan: "Plan", todo: "Sequence[Cell]", runner: "Runner", stop: Callable[[], str]) -> int:
    """Run the missing cells as one Prefect flow and tell what failed: 1; or why it was stopped: 3; else 0."""
    from flows.server import prefect_server
    from storage.runs import close_run

    with prefect_server(plan.storage.root):
        from flows.pipeline import evaluate

        outcome = evaluate(plan, todo, runner, stop)
    told = {"flow_run": outcome.flow_run}
    if outcome.failures:
        print("\n".join(outcome.failures), file=sys.stderr)
        again = "the same command tries them again"
        print(f"{len(outcome.failures)} of {len(todo)} shards failed; {again}", file=sys.stderr)
        close_run(plan.run, {**told, "status": "failed"})
        return 1
    if outcome.stopped:
        close_run(plan.run, {**told, "status": "stopped", "reason": outcome.stopped})
        print(f"stopped: {outcome.stopped}; the same command goes on where it was", file=sys.stderr)
        return 3
    close_run(plan.run, told)
    return 0


def finish(plan: "Plan") -> bool:
    """Compact and close a run whose cells are done; whether that was still to do."""
    from storage.runs import close_run, compact

    if plan.finished:
        return False
    compact(plan.run)
    close_run(plan.run, {"status": "done", "reason": "", "finished": now()})
    if os.environ.get("PREFECT_API_URL"):
        from flows.bulletins import publish_leaderboard

        publish_leaderboard(plan.storage, plan.run)
    return True


def settle(plan: "Plan", portion: "Portion") -> bool:
    """Finish the run if no portion's shards are missing; whether it was this process that did."""
    from flows.portions import PATIENCE, held

    ours = not plan.finished
    if ours:
        with held(plan.run, shared=True, patience=PATIENCE):
            missing = len(plan.missing())
        if missing:
            print(f"shards {portion} are done; {missing} of {len(plan.cells)} are missing, of other portions")
            return False
        with held(plan.run, patience=PATIENCE):
            ours = finish(plan)
    if not ours:
        print(f"shards {portion} are done, and so is run {plan.run.name}")
    return ours


def now() -> str:
    """The present time in UTC, to the second."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


def report_failures(plan: "Plan") -> int:
    """Tell how many questions of each linker failed; 1 where a linker failed on all of them."""
    from storage.warehouse import connect

    query = """
        SELECT linker, count(*), count(*) FILTER (status NOT IN ('ok', 'fallback')) AS failed,
               mode(status || ': ' || reason) FILTER (status NOT IN ('ok', 'fallback'))
        FROM linkings GROUP BY linker HAVING failed > 0 ORDER BY linker"""
    rows = connect(plan.storage, [plan.run.name], views=("linkings",)).execute(query).fetchall()
    for linker, asked, failed, reason in rows:
        print(f"{linker}: {failed} of {asked} questions failed, most often {reason}", file=sys.stderr)
    return int(any(asked == failed for _, asked, failed, _ in rows))
