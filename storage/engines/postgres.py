"""PostgreSQL servers through read-only transactions and server-side cursors; install the extra ``postgres``.

A read-only transaction does not hold back every function: connect as a role that may only read.
"""

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from typing import Any

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.limits import Limits, check_reads, take, watched
from storage.rows import plain_row

BATCH = 100
CONNECT_SECONDS = 10
READ_ONLY = "-c default_transaction_read_only=on -c lock_timeout=5s"
REORDERED = " -c enable_seqscan=off -c enable_hashagg=off -c enable_hashjoin=off"
ESCAPES = re.compile(
    r"\b(set_config|dblink\w*|lo_\w+|pg_(?:terminate|cancel)_backend|pg_(?:try_)?advisory\w*|pg_(?:read|ls|stat)_\w*file\w*"
    r"|pg_ls_\w+|pg_reload_conf|pg_rotate_logfile|pg_notify|query_to_xml\w*|database_to_xml\w*)\b",
    re.IGNORECASE,
)
STATUSES = {
    "25006": "forbidden",
    "42501": "forbidden",
    "0A000": "forbidden",
    "57014": "timeout",
    "54000": "too_large",
    "53200": "too_large",
    "53400": "too_large",
}


class Postgres:
    """One PostgreSQL database behind the ``Database`` protocol; for one thread at a time."""

    def __init__(self, url: str, limits: Limits) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise UserError("PostgreSQL needs psycopg: pip install -e '.[postgres]'") from error
        self.limits = limits
        self._error = psycopg.Error
        milliseconds = max(1, int(limits.seconds * 1000))
        self._connect = partial(
            psycopg.connect,
            url,
            connect_timeout=CONNECT_SECONDS,
            options=f"{READ_ONLY} -c statement_timeout={milliseconds}{REORDERED * limits.reverse}",
            application_name="schemalink",
        )
        self._connection = self._connected()
        self.engine = f"postgresql {self._connection.info.parameter_status('server_version')}"

    def _connected(self) -> Any:
        try:
            return self._connect()
        except self._error as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"PostgreSQL cannot be reached ({reason}); check address, role and password") from error

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure: ``timeout``, ``too_large``, ``forbidden``, ``query_error``, ``empty_query``."""
        check_reads(query)
        if found := ESCAPES.search(query):
            raise Failure("forbidden", f"{found[1]} is not a function for queries")
        if self._connection.closed:
            self._connection = self._connected()
        try:
            with (
                watched(self.limits.seconds, self._cancel) as deadline,
                closing(self._connection.cursor(name="query")) as cursor,
            ):
                cursor.itersize = BATCH
                cursor.execute(query.encode())
                columns = [column.name for column in cursor.description or ()]
                return take(columns, self._rows(cursor), self.limits, deadline)
        except MemoryError as error:
            raise Failure("too_large", "no memory left for the rows") from error
        except (self._error, UnicodeError, ValueError) as error:
            raise self._failure(error) from error
        finally:
            with suppress(self._error):
                self._connection.rollback()

    def _cancel(self) -> None:
        with suppress(self._error):
            self._connection.cancel_safe(timeout=1.0)

    @staticmethod
    def _rows(cursor: Any) -> Iterator[tuple[Any, ...]]:
        yield from map(plain_row, cursor)

    def _failure(self, error: Exception) -> Failure:
        status = STATUSES.get(getattr(error, "sqlstate", None) or "", "query_error")
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        if "multiple commands" in reason:
            status = "forbidden"
        return Failure(status, f"stopped after {self.limits.seconds:g} s" if status == "timeout" else reason)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
