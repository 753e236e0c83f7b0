"""What a query may take before it is stopped."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from sys import getsizeof
from threading import Timer
from time import monotonic
from typing import Any

from schemas.errors import Failure
from schemas.tools import Rows

NO_TEXT = re.compile("[\0\ud800-\udfff]")
NOISE = re.compile(r"(\s|--[^\n]*(\n|$)|/\*.*?(\*/|$)|;)*", re.DOTALL)
WRITES = re.compile(
    r"""(alter | analyze | attach | begin | call | checkpoint | close | cluster | comment | commit | copy | create |
    deallocate | declare | delete | detach | discard | do | drop | end | execute | export | fetch | force | grant |
    import | insert | install | listen | load | lock | merge | move | notify | prepare | reassign | refresh |
    reindex | release | replace | reset | revoke | rollback | savepoint | security | set | start | truncate |
    unlisten | update | use | vacuum)\b""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one query: seconds, rows, bytes of its rows in memory (``size``) and of the engine (``memory``).

    With ``cut`` too many rows are cut off and flagged instead of failing; with ``reverse`` the engine is asked for
    another order of rows wherever the query leaves the order open.
    """

    seconds: float = 30.0
    rows: int = 100_000
    size: int = 64 << 20
    memory: int = 1 << 30
    cut: bool = False
    reverse: bool = False


def check_reads(query: str) -> None:
    """Refuse a query without a statement (``empty_query``) or of change (``forbidden``), and what is not a text.

    >>> check_reads("/* now */ DROP TABLE item")
    Traceback (most recent call last):
    schemas.errors.Failure: forbidden: DROP is not a query
    """
    if NO_TEXT.search(query):
        raise Failure("query_error", "the query has a sign that no text has")
    noise = NOISE.match(query)
    start = noise.end() if noise else 0
    if start == len(query):
        raise Failure("empty_query", "there is no statement")
    if word := WRITES.match(query, start):
        raise Failure("forbidden", f"{word[1].upper()} is not a query")


@contextmanager
def watched(seconds: float, stop: Callable[[], object]) -> Iterator[float]:
    """Call ``stop`` from another thread after so long, never after the block has ended; gives the deadline."""
    watch = Timer(seconds, stop)
    watch.daemon = True
    watch.start()
    try:
        yield monotonic() + seconds
    finally:
        watch.cancel()
        watch.join()


def take(columns: Iterable[str], source: Iterable[tuple[Any, ...]], limits: Limits, deadline: float) -> Rows:
    """Materialise rows until a limit is met; too many are ``too_large``, later ones a ``timeout``."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in source:
        if len(rows) == limits.rows:
            if limits.cut:
                return Rows(tuple(columns), tuple(rows), truncated=True)
            raise Failure("too_large", f"more than {limits.rows} rows")
        size += getsizeof(row) + sum(map(getsizeof, row))
        if size > limits.size:
            raise Failure("too_large", f"more than {limits.size} bytes after {len(rows)} rows")
        if monotonic() > deadline:
            raise Failure("timeout", f"stopped after {limits.seconds:g} s and {len(rows)} rows")
        rows.append(row)
    return Rows(tuple(columns), tuple(rows))
