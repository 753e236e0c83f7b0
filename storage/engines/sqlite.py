"""SQLite files, read-only and immutable: nothing is written, attached, loaded or left running."""

import sqlite3
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.limits import Limits, check_reads, take

STEPS = 1000
LONGEST_SQL = 1_000_000
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
PRAGMAS = {"table_info", "table_xinfo", "table_list", "foreign_key_list", "index_list", "index_info", "index_xinfo"}
TABLE_FUNCTIONS = ("json_each('[]')", "json_tree('[]')", *(f"pragma_{name}" for name in sorted(PRAGMAS)))
ESCAPES = {"load_extension", "fts3_tokenizer"}
STATUSES = {
    sqlite3.SQLITE_AUTH: "forbidden",
    sqlite3.SQLITE_READONLY: "forbidden",
    sqlite3.SQLITE_INTERRUPT: "timeout",
    sqlite3.SQLITE_TOOBIG: "too_large",
    sqlite3.SQLITE_NOMEM: "too_large",
    sqlite3.SQLITE_FULL: "too_large",
}


class SQLite:
    """One SQLite file behind the ``Database`` protocol; for one thread at a time.

    With ``reverse`` there is a function ``open_order()`` whose values fall: as the last key of an ORDER BY, it turns
    the order of ties.
    The heap limit is SQLite's own and holds for all of the process; it can be lowered but not raised again.
    """

    engine = f"sqlite {sqlite3.sqlite_version}"

    def __init__(self, path: Path, limits: Limits) -> None:
        self.limits = limits
        self._deadline = 0.0
        log = path.with_name(path.name + "-wal")
        if log.is_file() and log.stat().st_size:
            raise UserError(f"{path}: changes still lie in {log.name}; run PRAGMA wal_checkpoint(TRUNCATE) on it first")
        try:
            self._connection = self._connect(path)
        except sqlite3.Error as error:
            raise UserError(f"{path}: cannot be opened as SQLite ({error}); copy or build the file again") from error

    def _connect(self, path: Path) -> sqlite3.Connection:
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        for pragma in (
            "query_only=1",
            "trusted_schema=0",
            "temp_store=memory",
            f"hard_heap_limit={self.limits.memory}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if self.limits.reverse:
            connection.execute("PRAGMA reverse_unordered_selects=1")
            connection.create_function("open_order", 0, partial(next, count(0, -1)))
        for function in TABLE_FUNCTIONS:
            with suppress(sqlite3.Error):
                connection.execute(f"SELECT 1 FROM {function} LIMIT 0")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self.limits.size, 1_000_000_000))
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_SQL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: monotonic() > self._deadline, STEPS)
        return connection

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure: ``timeout``, ``too_large``, ``forbidden``, ``query_error``, ``empty_query``."""
        check_reads(query)
        self._deadline = monotonic() + self.limits.seconds
        try:
            cursor = self._connection.execute(query)
            with_rows = cursor.description or ()
            try:
                return take((column[0] for column in with_rows), cursor, self.limits, self._deadline)
            finally:
                cursor.close()
        except MemoryError as error:
            raise Failure("too_large", f"more than {self.limits.memory} bytes at work") from error
        except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError, ValueError, OverflowError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> Failure:
        reason = str(error)
        status = STATUSES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "query_error")
        if status == "timeout":
            reason = f"stopped after {self.limits.seconds:g} s"
        elif reason.startswith(("not authorized", "access to", "You can only execute one statement")):
            status = "forbidden"
        return Failure(status, reason)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    allowed = (
        action in ALLOWED
        or (action == sqlite3.SQLITE_FUNCTION and second not in ESCAPES)
        or (action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS)
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
