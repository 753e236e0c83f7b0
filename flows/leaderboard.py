"""Show the metrics of runs, with error bars."""

import argparse
from pathlib import Path

FORMATS = ("table", "csv", "json", "markdown")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("runs", nargs="*", metavar="RUN", help="runs to show (all)")
    parser.add_argument(
        "--level", choices=["entity", "field", "query"], action="append", help="tables, columns or queries"
    )
    parser.add_argument(
        "--by", choices=["difficulty", "database", "gold_tables", "stability"], default="", help="slice the questions"
    )
    parser.add_argument("--format", choices=FORMATS, default="table")
    parser.add_argument("--costs", action="store_true", help="what recall cost: tokens, seconds, money")
    parser.add_argument("--prices", type=Path, metavar="FILE", help="a TOML file like storage/prices.toml")


def main(arguments: argparse.Namespace) -> int:
    """Print the leaderboard."""
    from storage.layout import Store

    if arguments.costs:
        from flows.costs import print_costs

        print_costs(Store(arguments.storage), arguments.runs, arguments.prices, arguments.format)
        return 0
    from flows.reports import print_leaderboard

    levels = arguments.level or ["entity", "field", "query"]
    print_leaderboard(Store(arguments.storage), arguments.runs, levels=levels, by=arguments.by, form=arguments.format)
    return 0
