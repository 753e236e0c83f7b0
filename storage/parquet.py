"""Records as Parquet: written whole or not at all, validated when read."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, from_table, to_table
from schemas.errors import UserError
from storage.files import whole

T = TypeVar("T")


def write(path: Path, record: type[T], rows: Iterable[T], *, group: int | None = None) -> Path:
    """Write records of one type to one file; the same records give the same bytes.

    ``group`` records form a row group that can be read without the others.
    """
    return write_table(path, to_table(record, rows), group=group)


def write_table(path: Path, table: pa.Table, *, group: int | None = None) -> Path:
    """Write an Arrow table to one file, whole or not at all."""
    with whole(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", row_group_size=group)
    return path


def read_table(path: Path, record: type) -> pa.Table:
    """Read a file whose columns must be those of the record; a broken or foreign file is a UserError that names it."""
    expected = arrow_schema(record)
    try:
        with pq.ParquetFile(path) as file:
            table = file.read()
    except (pa.ArrowInvalid, OSError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{path}: cannot be read as Parquet ({first}); delete it and run again") from error
    if not table.schema.equals(expected):
        odd = sorted(set(table.schema.names) ^ set(expected.names)) or "types"
        raise UserError(f"{path}: not a file of {record.__name__} records (differs in {odd}); delete it and run again")
    return table


def read(path: Path, record: type[T]) -> list[T]:
    """Read the records of one file, in their order."""
    return from_table(record, read_table(path, record))
