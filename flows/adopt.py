"""Take published predictions in as a run, beside our own."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flows.arguments import GRAPHS

if TYPE_CHECKING:
    from schemas.records import Score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the published file")
    parser.add_argument("--benchmark", required=True, metavar="NAME", help="the prepared benchmark that it answers")
    parser.add_argument("--format", required=True, metavar="FORMAT", help="sql, rsl_sql, dts_sql, cypher_json")
    parser.add_argument("--as", dest="name", required=True, metavar="NAME", help="the run's and the linker's name")
    parser.add_argument(
        "--no-execute", action="store_true", help="do not run published queries on the databases at hand"
    )
    parser.add_argument("--graphs", default="", metavar="ENGINE", help=GRAPHS)
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="time limit of one query (30)")


def main(arguments: argparse.Namespace) -> int:
    """Read the predictions, score their linked elements, and print the leaderboard."""
    from flows.plan import facts
    from flows.reports import print_leaderboard
    from schemas.records import Linking, Note, Query, Score
    from storage import benchmarks, parquet
    from storage.files import sha256
    from storage.layout import Store
    from storage.runs import close_run, exclusive, fingerprint, open_run
    from tasks.adopt import adopt, counts
    from tasks.score import score_linking, score_queries

    store = Store(arguments.storage)
    folder = store.benchmark(arguments.benchmark)
    adopted = adopt(folder, arguments.format, arguments.file, arguments.name)
    known = benchmarks.description(folder)
    seconds = 0.0 if arguments.no_execute or not known.get("databases") else float(arguments.seconds)
    configuration = {
        "benchmarks": {folder.name: fingerprint(known["files"])[:16]},
        "adopted": {"format": arguments.format, "file": arguments.file.name, "sha256": sha256(arguments.file)},
        "execute_seconds": seconds,
        **({"graphs": arguments.graphs} if arguments.graphs else {}),
    }
    run = store.run(arguments.name)
    with exclusive(run):
        open_run(run, configuration, facts())
        parquet.write(run / "linkings.parquet", Linking, [each.linking for each in adopted])
        parquet.write(run / "notes.parquet", Note, [note for each in adopted for note in each.notes])
        names = {each.question.database for each in adopted}
        first = {name: benchmarks.representatives(folder, name) for name in names}
        scores = [
            score
            for each in adopted
            for score in score_linking(each.question, each.linking, first[each.question.database])
        ]
        if queries := [each.query for each in adopted if each.query]:
            parquet.write(run / "queries.parquet", Query, queries)
            asked = {each.question.id: each.question for each in adopted}
            scores += [*score_queries(folder, asked, queries), *execute(folder, run, seconds, arguments.graphs)]
        parquet.write(run / "scores.parquet", Score, scores)
        close_run(run, {"status": "done"})
    print(f"{arguments.file.name}: {'; '.join(counts(adopted))}")
    print_leaderboard(store, [run.name], levels=("entity", "field", "query"))
    return 0


def execute(folder: Path, run: Path, seconds: float, graphs: str) -> "list[Score]":
    """Run the adopted queries where that is asked for, and score what they return."""
    from schemas.records import Execution
    from storage import parquet
    from tasks.execute import ExecuteJob, execute_shard
    from tasks.score import score_execution

    if not seconds:
        return []
    paths = folder / "questions.parquet", folder, run / "queries.parquet", run / "executions.parquet"
    job = ExecuteJob(*paths, seconds, graphs=graphs)
    return [score for each in parquet.read(execute_shard(job), Execution) for score in score_execution(each)]
