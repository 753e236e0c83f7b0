"""A database whose queries run in a process of their own."""

from functools import lru_cache

from schemas.tools import Rows
from storage.databases import OpenDatabase, fingerprint, open_limited
from storage.engines.limits import Limits
from storage.workers import GRACE, MARGIN, Pool, allow


class IsolatedDatabase:
    """A database behind the ``Database`` protocol whose every query runs in a worker and ends within its limit."""

    def __init__(self, pool: Pool, address: str, limits: Limits) -> None:
        self.pool = pool
        self.address = address
        self.limits = limits
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


def kept_open(address: str, limits: Limits) -> OpenDatabase:
    """The open database of an address; a file that has changed is opened again."""
    return _open(address, fingerprint(address), limits)


@lru_cache(maxsize=8)
def _open(address: str, _fingerprint: str, limits: Limits) -> OpenDatabase:
    return open_limited(address, limits)


def _engine(address: str, limits: Limits) -> str:
    return kept_open(address, limits).engine
