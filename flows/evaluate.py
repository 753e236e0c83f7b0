"""Evaluate linkers on benchmarks: shards in, scores out, what exists is skipped."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.arguments import GRAPHS, add_model_arguments, positive, toolbox

if TYPE_CHECKING:
    from flows.plan import Cell, Plan


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
    parser.add_argument("--runner", choices=["threads"], default="threads", help="where shards run (threads)")
    parser.add_argument(
        "--workers",
        type=positive,
        default=0,
        metavar="N",
        help="shards at the same time (4; 8 with a model server, 1 with an embedded model)",
    )
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
    again = arguments.retry or arguments.fresh
    if plan.missing() or again:
        plan.toolbox.check()
    return execute(plan, workers=arguments.workers, retry=again)


def execute(plan: "Plan", *, workers: int = 0, retry: bool = False, report: bool = True) -> int:
    """Run a plan to its end, print the leaderboard if ``report``, and tell failures; the exit status."""
    from flows.reports import print_leaderboard
    from storage.runs import close_run, compact, exclusive

    with exclusive(plan.run):
        plan.begin(retry=retry)
        todo = plan.missing()
        failures = run_cells(plan, todo, workers) if todo else []
        for failure in failures:
            print(failure, file=sys.stderr)
        if failures:
            close_run(plan.run, {"status": "failed"})
            print(f"{len(failures)} of {len(todo)} shards failed; the same command tries them again", file=sys.stderr)
            return 1
        if todo or not plan.finished:
            compact(plan.run)
            close_run(plan.run, {"status": "done", "finished": now()})
    if report:
        print_leaderboard(plan.storage, [plan.run.name], levels=("entity", "field", "query"), required=False)
    return report_failures(plan)


def now() -> str:
    """The present time in UTC, to the second."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


def run_cells(plan: "Plan", todo: "Sequence[Cell]", workers: int) -> list[str]:
    """Run the missing cells as one Prefect flow; what failed, a line each."""
    from flows.server import prefect_server

    with prefect_server(plan.storage.root):
        from flows.pipeline import evaluate

        return evaluate(plan, todo, workers or plan.toolbox.shards_at_once)


def report_failures(plan: "Plan") -> int:
    """Tell how many questions of each linker failed; 1 where a linker failed on all of them."""
    from storage.warehouse import connect

    query = """
        SELECT linker, count(*), count(*) FILTER (status NOT IN ('ok', 'fallback')) AS failed,
               mode(status || ': ' || reason) FILTER (status NOT IN ('ok', 'fallback'))
        FROM linkings GROUP BY linker HAVING failed > 0 ORDER BY linker"""
    rows = connect(plan.storage, [plan.run.name]).execute(query).fetchall()
    for linker, asked, failed, reason in rows:
        print(f"{linker}: {failed} of {asked} questions failed, most often {reason}", file=sys.stderr)
    return int(any(asked == failed for _, asked, failed, _ in rows))
