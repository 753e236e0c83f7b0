"""The rows of an answer, printed or written as they come: a large one is never held in memory."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import UserError
from storage.files import whole
from storage.places import place

FORMATS = ("table", "csv", "json", "jsonl", "markdown", "parquet")
SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".parquet": "parquet"}
BATCH = 122_880
SHOWN = 100_000


def destination(to: str, form: str) -> tuple[Path | None, str]:
    """Where an answer goes (None: standard output), and its format: that of the file's ending where none is given."""
    if not to:
        if form == "parquet":
            raise UserError("parquet needs a file: add --to FILE.parquet")
        return None, form or "table"
    form = form or SUFFIXES.get(Path(to).suffix, "")
    if form not in SUFFIXES.values():
        raise UserError(f"--to {to}: end its name with one of {', '.join(SUFFIXES)}, or add --format csv")
    return place(to), form


def batches(relation: duckdb.DuckDBPyRelation) -> Iterator[pa.RecordBatch]:
    """The rows of a query as it runs, at least one batch; what goes wrong is a UserError."""
    with failing():
        rows = _without_intervals(relation).to_arrow_reader(BATCH)
        batch = next(rows, None)
    yield batch if batch is not None else pa.RecordBatch.from_pylist([], rows.schema)
    while batch is not None:
        with failing():
            batch = next(rows, None)
        if batch is not None:
            yield batch


def _without_intervals(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The same rows with intervals as text: neither Polars nor Parquet takes them from Arrow."""
    kinds = [str(kind) for kind in relation.types]
    if "INTERVAL" not in kinds:
        return relation
    names = ['"' + name.replace('"', '""') + '"' for name in relation.columns]
    columns = (
        f"{name}::VARCHAR AS {name}" if kind == "INTERVAL" else name for name, kind in zip(names, kinds, strict=True)
    )
    return relation.project(", ".join(columns))


@contextmanager
def failing() -> Iterator[None]:
    """Make what goes wrong with a query one line."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, pl.exceptions.PolarsError) as error:
        raise UserError(f"the query fails: {' '.join(str(error).split())}") from error


def print_rows(relation: duckdb.DuckDBPyRelation, form: str) -> None:
    """Print an answer; as a table or Markdown only as many rows as a person reads."""
    if form not in ("table", "markdown"):
        sys.stdout.writelines(texts(batches(relation), form))
        return
    found: list[pa.RecordBatch] = []
    for batch in batches(relation):
        found.append(batch)
        if sum(each.num_rows for each in found) > SHOWN:
            raise UserError(f"more than {SHOWN:,} rows: add a LIMIT, or --format csv, or --to FILE.parquet")
    frame = _frame(pa.Table.from_batches(found))
    if frame.columns == ["explain_key", "explain_value"]:
        print("\n".join(frame["explain_value"]))
    else:
        print_frame(frame, form)


def write_rows(relation: duckdb.DuckDBPyRelation, target: Path, form: str) -> int:
    """Write an answer to a file that is there whole or not at all; the number of its rows."""
    count = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in batches(relation):
            count += batch.num_rows
            yield batch

    with whole(target) as temporary:
        if form == "parquet":
            _write_parquet(counted(), temporary)
        else:
            with temporary.open("w", encoding="utf-8") as file:
                file.writelines(texts(counted(), form))
    return count


def _write_parquet(rows: Iterator[pa.RecordBatch], path: Path) -> None:
    first = next(rows)
    with failing(), pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_batch(first)
        for batch in rows:
            writer.write_batch(batch)


def texts(rows: Iterable[pa.RecordBatch | pa.Table], form: str) -> Iterator[str]:
    """An answer as CSV (lists and structs as JSON text), as one JSON array, or as a JSON object a line."""
    start = True
    for batch in rows:
        frame = _frame(batch)
        with failing():
            text = _csv(frame, header=start) if form == "csv" else frame.write_ndjson()
        if form == "json":
            text = ("[" if start else "," if text else "") + text.rstrip("\n").replace("\n", ",")
        start = form == "json" and text == "["
        yield "" if start else text
    if form == "json":
        yield "[]\n" if start else "]\n"


def _frame(rows: Any) -> pl.DataFrame:
    with failing():
        frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _csv(frame: pl.DataFrame, *, header: bool) -> str:
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = {
        name: [json.dumps(value, ensure_ascii=False, default=str) for value in frame[name].to_list()] for name in nested
    }
    columns = {name: pl.Series(name, values, dtype=pl.String) for name, values in flat.items()}
    return frame.with_columns(**columns).write_csv(include_header=header)


def print_frame(frame: pl.DataFrame, form: str) -> None:
    """Print all rows and columns of a frame."""
    if form not in ("table", "markdown"):
        sys.stdout.writelines(texts([frame.to_arrow()], form))
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
