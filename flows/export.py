"""Write a leaderboard for a paper or a spreadsheet."""

import argparse

from flows.arguments import listed

FORMATS = {".tex": "latex", ".md": "markdown", ".csv": "csv"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs to show")
    parser.add_argument("--format", choices=list(FORMATS.values()), help="what --to ends with, else latex")
    parser.add_argument("--to", default="", metavar="FILE", help="a .tex, .md or .csv file (standard output)")
    parser.add_argument("--level", choices=["entity", "field", "query"], action="append", help="what is judged (all)")
    parser.add_argument(
        "--by", choices=["difficulty", "database", "gold_tables", "stability"], default="", help="slice the questions"
    )
    parser.add_argument("--metrics", type=listed, default=[], metavar="METRIC,…", help="these columns, in this order")
    parser.add_argument(
        "--intervals", choices=["range", "half", "none"], default="range", help="[low, high], ± half the width, or none"
    )
    parser.add_argument("--digits", type=int, choices=range(5), default=1, help="after the decimal point (1)")
    parser.add_argument("--best", action="store_true", help="the best of each column in bold")


def main(arguments: argparse.Namespace) -> int:
    """Print or write the leaderboard, whole or not at all."""
    import sys
    from pathlib import Path

    from flows.reports import boards
    from flows.tables import Style, Table, exported
    from schemas.errors import UserError
    from storage.files import write_text
    from storage.layout import Store
    from storage.places import place

    form = arguments.format or FORMATS.get(Path(arguments.to).suffix, "" if arguments.to else "latex")
    if not form:
        raise UserError(f"--to {arguments.to}: end its name with {', '.join(FORMATS)}, or add --format")
    levels = arguments.level or ["entity", "field", "query"]
    found = boards(Store(arguments.storage), arguments.runs, levels, arguments.by).items()
    tables = [Table(level, rows, arguments.by, arguments.metrics) for level, rows in found if rows]
    if not tables:
        raise UserError(f"no scores in {', '.join(arguments.runs)}: no question has a gold, or no shard is finished")
    style = Style(arguments.digits, arguments.intervals, arguments.best)
    text = exported(tables, form, style)
    if arguments.to:
        write_text(place(arguments.to), text)
    else:
        sys.stdout.write(text)
    return 0
