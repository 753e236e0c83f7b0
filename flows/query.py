"""Ask the results a question in SQL."""

import argparse
import sys

from flows.arguments import listed

FORMATS = ("table", "csv", "json", "jsonl", "markdown", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    views = "questions, catalogs, linkings, notes, queries, executions, scores, costs, runs"
    parser.add_argument("sql", help=f"one SELECT over the views {views}")
    parser.add_argument("--format", choices=FORMATS, default="", help="of the answer (table, or what --to ends with)")
    parser.add_argument(
        "--to", default="", metavar="FILE", help="write to a .csv, .json, .jsonl or .parquet file, whole or not at all"
    )
    parser.add_argument("--runs", type=listed, default=[], metavar="RUN,…", help="only these runs (all)")


def main(arguments: argparse.Namespace) -> int:
    """Run one read-only query over all runs, and print or write its rows as they come."""
    from flows.answers import destination, print_rows, write_rows
    from storage.layout import Store
    from storage.warehouse import connect, named, select

    target, form = destination(arguments.to, arguments.format)
    connection = connect(Store(arguments.storage), arguments.runs, views=named(arguments.sql))
    relation = select(connection, arguments.sql)
    if target is None:
        print_rows(relation, form)
    else:
        print(f"{write_rows(relation, target, form):,} rows: {target}", file=sys.stderr)
    return 0
