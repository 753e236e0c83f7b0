"""Records as Parquet: written whole or not at all, validated when read."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, from_table, to_table
from schemas.errors import UserError
from storage.files import whole
from storage.places import is_remote, reason

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
    with readable(path) as source, pq.ParquetFile(source) as file:
        table = file.read()
    if not table.schema.equals(expected):
        odd = sorted(set(table.schema.names) ^ set(expected.names)) or "types"
        raise UserError(f"{path}: not a file of {record.__name__} records (differs in {odd}); delete it and run again")
    return table


@contextmanager
def readable(path: Path) -> Iterator[Any]:
    """What pyarrow reads a file from; a broken or foreign file is a UserError that names it."""
    try:
        if is_remote(path):
            with path.open("rb") as file:
                yield file
        else:
            yield path
    except UserError:
        raise
    except Exception as error:
        if not is_remote(path) and not isinstance(error, pa.ArrowInvalid | OSError):
            raise
        raise UserError(f"{path}: cannot be read as Parquet ({reason(error)}); delete it and run again") from error


def read(path: Path, record: type[T]) -> list[T]:
    """Read the records of one file, in their order."""
    return from_table(record, read_table(path, record))
