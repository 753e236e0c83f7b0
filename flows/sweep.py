"""Plan, run and watch a sweep, a grid of models, benchmarks and linkers in a TOML file: ``sweep plan FILE``."""

import argparse
from pathlib import Path

from flows.arguments import positive, storage

FORMATS = ("table", "json", "csv", "markdown")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands ``plan``, ``run`` and ``status``."""
    actions = parser.add_subparsers(dest="action", metavar="plan|run|status", required=True, parser_class=type(parser))
    plan = actions.add_parser("plan", help="the cells of a sweep file, and what they will take")
    run = actions.add_parser("run", help="run what is missing, within the budget (exit status 3: it is spent)")
    status = actions.add_parser("status", help="what is done, running and failed, from what is on disk")
    for action in (plan, run):
        action.add_argument("file", type=Path, metavar="FILE", help="a sweep file (flows/sweeps/examples/demo.toml)")
    status.add_argument("sweep", nargs="?", default="", metavar="NAME|FILE", help="a sweep (the only one there is)")
    for action in (plan, status):
        action.add_argument("--format", choices=FORMATS, default="table")
    run.add_argument("--dry-run", action="store_true", help="the same as sweep plan")
    run.add_argument("--retry", action="store_true", help="try runs again of which only some questions failed")
    run.add_argument("--shard", default="", metavar="i/n", help="only every n-th shard of every run, from the i-th on")
    run.add_argument("--runner", default="", help="threads, dask or ray (the file's)")
    run.add_argument("--address", default="", help="a running cluster (the file's)")
    run.add_argument("--workers", type=positive, default=0, metavar="N", help="shards at the same time (the file's)")
    for action in (plan, run, status):
        action.add_argument(
            "--storage", type=storage, default=argparse.SUPPRESS, help="the folder of all results (results)"
        )


def main(arguments: argparse.Namespace) -> int:
    """Do what is asked; the exit status."""
    if arguments.action == "status":
        from flows.sweeps.status import print_status

        print_status(arguments.sweep, arguments.storage, arguments.format)
        return 0
    if arguments.action == "plan" or arguments.dry_run:
        from flows.sweeps.planning import print_plan
        from flows.sweeps.reading import read

        print_plan(read(arguments.file, arguments.storage), arguments.storage, getattr(arguments, "format", "table"))
        return 0
    return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from flows.portions import portion
    from flows.sweeps.reading import read
    from flows.sweeps.running import run_sweep

    told = {"name": arguments.runner, "address": arguments.address, "workers": arguments.workers}
    given = {key: value for key, value in told.items() if value}
    runner = replace(read(arguments.file, arguments.storage).runner, **given) if given else None
    part = portion(arguments.shard)
    return run_sweep(arguments.file, arguments.storage, runner, part, retry=arguments.retry)
