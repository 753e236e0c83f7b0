"""Ask the results a question in SQL."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from flows.arguments import listed

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("table", "csv", "json", "markdown")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    views = "questions, catalogs, linkings, notes, queries, executions, scores, runs"
    parser.add_argument("sql", help=f"one SELECT over the views {views}")
    parser.add_argument("--format", choices=FORMATS, default="table")
    parser.add_argument("--runs", type=listed, default=[], metavar="RUN,…", help="only these runs (all)")


def main(arguments: argparse.Namespace) -> int:
    """Run one read-only query over all runs and print its rows."""
    import duckdb

    from schemas.errors import UserError
    from storage.layout import Store
    from storage.warehouse import connect, select

    connection = connect(Store(arguments.storage), arguments.runs)
    try:
        frame = select(connection, arguments.sql).pl()
    except duckdb.Error as error:
        raise UserError(f"the query fails: {' '.join(str(error).split())}") from error
    print_frame(frame, arguments.format)
    return 0


def print_frame(frame: "pl.DataFrame", form: str) -> None:
    """Print all rows and columns; lists and structs are JSON text in CSV."""
    import polars as pl

    if form == "csv":
        nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
        flat = {name: [json.dumps(value, ensure_ascii=False) for value in frame[name].to_list()] for name in nested}
        sys.stdout.write(frame.with_columns(**{name: pl.Series(texts) for name, texts in flat.items()}).write_csv())
        return
    if form == "json":
        print(frame.write_json())
        return
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        fmt_str_lengths=80,
        tbl_width_chars=200,
        tbl_formatting="MARKDOWN" if form == "markdown" else "UTF8_FULL_CONDENSED",
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        print(frame)
