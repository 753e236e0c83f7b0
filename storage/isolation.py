"""A database whose queries run in a process of their own."""

from schemas.tools import Rows
from storage.databases import OpenDatabase, fingerprint, open_limited, prepare
from storage.engines.limits import Limits
from storage.workers import GRACE, MARGIN, Pool, allow

KEPT = 8


class IsolatedDatabase:
    """A database behind the ``Database`` protocol whose every query runs in a worker and ends within its limit."""

    def __init__(self, pool: Pool, address: str, limits: Limits) -> None:
        self.pool = pool
        self.address = address
        self.limits = limits
        prepare(address)
        self.engine = pool.call(limits.seconds + MARGIN, _engine, address, limits)

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure as the engines do, and ``crashed`` where it ended its process."""
        return self.pool.call(self.limits.seconds + MARGIN, run_query, self.address, self.limits, query)

    def close(self) -> None:
        """Nothing is held open."""


def run_query(address: str, limits: Limits, query: str) -> Rows:
    """Run a query in the present process, on a connection that is kept for the next one."""
    database = kept_open(address, limits)
    allow(limits.seconds + GRACE)
    return database.run(query)


_kept: dict[str, tuple[tuple[str, Limits], OpenDatabase]] = {}


def kept_open(address: str, limits: Limits) -> OpenDatabase:
    """The open database of an address, one an address; a changed file or other limits open it again."""
    key = (fingerprint(address), limits)
    kept_key, database = _kept.pop(address, (None, None))
    if database is None or kept_key != key:
        while database or len(_kept) >= KEPT:
            (database or _kept.pop(next(iter(_kept)))[1]).close()
            database = None
        database = open_limited(address, limits)
    _kept[address] = (key, database)
    return database


def _engine(address: str, limits: Limits) -> str:
    return kept_open(address, limits).engine
