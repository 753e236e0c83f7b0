"""Compare runs or linkers on the same questions: differences, intervals, tests, and the questions that flipped."""

import argparse

from flows.arguments import listed

FORMATS = ("table", "csv", "json", "markdown")
LEVELS = ("entity", "field", "query")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("runs", nargs="+", metavar="RUN[:LINKER]", help="two or more runs, or one run with --linkers")
    parser.add_argument("--linkers", default="", metavar='"A, B, …"', help="only these linkers (all that runs share)")
    parser.add_argument("--baseline", default="", metavar="NAME", help="a linker, run or RUN:LINKER: all against it")
    parser.add_argument("--level", choices=LEVELS, action="append", help="tables, columns or queries")
    parser.add_argument("--metrics", type=listed, default=[], metavar="METRIC,…", help="only these metrics")
    parser.add_argument(
        "--by", choices=["difficulty", "database", "gold_tables"], default="", help="slice the questions"
    )
    parser.add_argument("--flips", type=int, default=5, metavar="N", help="name so many questions that flipped (5)")
    parser.add_argument("--format", choices=FORMATS, default="table")


def main(arguments: argparse.Namespace) -> int:
    """Print the comparisons."""
    from flows.difference_tables import print_differences
    from flows.differences import differences
    from flows.sides import chosen, named
    from storage.layout import Store
    from storage.warehouse import connect
    from tasks.labels import split

    store = Store(arguments.storage)
    words = named(arguments.runs, store.runs())
    runs = list(dict.fromkeys(run for run, _ in words))
    views = ["scores", "runs", *(["questions"] if arguments.by in ("difficulty", "gold_tables") else [])]
    connection = connect(store, runs, views=views)
    found = connection.execute("SELECT DISTINCT run, linker FROM scores ORDER BY ALL").fetchall()
    scored = {run: [linker for name, linker in found if name == run] for run in runs}
    pairs = chosen(words, scored, split(arguments.linkers), arguments.baseline)
    report = differences(connection, pairs, arguments.level or LEVELS, arguments.metrics, arguments.by)
    print_differences(report, arguments.by, arguments.format, max(0, arguments.flips))
    return 0
