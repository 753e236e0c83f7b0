"""DuckDB files, read-only, on one thread, without files, extensions or settings beside the database itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.limits import Limits, check_reads, take, watched
from storage.rows import plain_row

CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",
}
BATCH = 64
STATUSES: tuple[tuple[type[Exception], str], ...] = (
    (duckdb.InterruptException, "timeout"),
    (duckdb.OutOfMemoryException, "too_large"),
    (duckdb.PermissionException, "forbidden"),
)


class DuckDB:
    """One DuckDB file behind the ``Database`` protocol; for one thread at a time."""

    engine = f"duckdb {duckdb.__version__}"

    def __init__(self, path: Path, limits: Limits) -> None:
        self.limits = limits
        config = CONFIGURATION | {
            "memory_limit": f"{limits.memory}B",
            "preserve_insertion_order": not limits.reverse,
            "threads": 4 if limits.reverse else 1,
        }
        try:
            self._connection = duckdb.connect(str(path), read_only=True, config=config)
            self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise UserError(
                f"{path}: cannot be opened as DuckDB ({reason}); close other programs or rebuild it"
            ) from error

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure: ``timeout``, ``too_large``, ``forbidden``, ``query_error``, ``empty_query``."""
        check_reads(query)
        try:
            self._check_kind(query)
            with watched(self.limits.seconds, self._connection.interrupt) as deadline:
                self._connection.execute(query)
                columns = [column[0] for column in self._connection.description or ()]
                return take(columns, self._rows(), self.limits, deadline)
        except MemoryError as error:
            raise Failure("too_large", "no memory left for the rows") from error
        except (duckdb.Error, UnicodeError, RuntimeError, ValueError) as error:
            raise self._failure(error) from error

    def _check_kind(self, query: str) -> None:
        statements = duckdb.extract_statements(query)
        if len(statements) != 1:
            raise Failure("forbidden" if statements else "empty_query", f"{len(statements)} statements")
        if statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
            raise Failure("forbidden", f"{statements[0].type.name} is not a query")

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        while batch := self._connection.fetchmany(BATCH):
            yield from map(plain_row, batch)

    def _failure(self, error: Exception) -> Failure:
        status = next((status for kind, status in STATUSES if isinstance(error, kind)), "query_error")
        reason = f"stopped after {self.limits.seconds:g} s" if status == "timeout" else str(error).splitlines()[0]
        return Failure(status, reason)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
