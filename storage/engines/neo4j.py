"""Neo4j over Bolt: EXPLAIN first, READ routing, a server-side time limit; install the extra ``graph``.

Name and password come from ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, the database from the address
(``neo4j://host:7687/movies``) or ``NEO4J_DATABASE``.
"""

import os
import re
from collections.abc import Iterator
from time import monotonic
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.cypher import check_one_query
from storage.engines.graph_values import canonical, moment, node, relationship
from storage.engines.limits import Limits, take
from storage.rows import plain

CONNECT_SECONDS = 10
BATCH = 1000
STATUSES = (
    (r"TransactionTimedOut|LockClientStopped|Transaction\.Terminated|TransactionTimeout", "timeout"),
    (r"AccessMode|Security\.|ForbiddenOnReadOnly|NotALeader|WriteOnReadOnly", "forbidden"),
    (r"OutOfMemory|MemoryPool|TransactionOutOfMemory|StackOverflow", "too_large"),
)
LIBRARIES = re.compile(r"\b(apoc|gds|genai)\.", re.IGNORECASE)


class Neo4j:
    """One database of a Neo4j server behind the ``Database`` protocol; for one thread at a time."""

    def __init__(self, url: str, limits: Limits) -> None:
        try:
            import neo4j
        except ImportError as error:
            raise UserError("Neo4j needs its driver: pip install -e '.[graph]'") from error
        self.limits = limits
        self._neo4j = neo4j
        address, self._name = _address(url)
        user, password = os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ.get("NEO4J_PASSWORD")
        try:
            self._driver = neo4j.GraphDatabase.driver(
                address,
                auth=(user, password) if password else None,
                connection_timeout=CONNECT_SECONDS,
                connection_acquisition_timeout=CONNECT_SECONDS,
                user_agent="schemalink",
                notifications_min_severity="OFF",
            )
            self.engine = _engine(self._driver.get_server_info().agent)
        except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError, ValueError) as error:
            advice = "check the address, NEO4J_USERNAME and NEO4J_PASSWORD"
            raise UserError(f"Neo4j cannot be reached at {address} ({_first_line(error)}); {advice}") from error

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure: ``timeout``, ``too_large``, ``forbidden``, ``query_error``, ``empty_query``.

        ``unsupported`` is a query that needs a library which the server does not have.
        """
        text = check_one_query(query)
        deadline = monotonic() + self.limits.seconds
        exceptions = self._neo4j.exceptions
        session = self._driver.session(
            database=self._name,
            default_access_mode=self._neo4j.READ_ACCESS,
            fetch_size=min(BATCH, self.limits.rows + 1),
        )
        try:
            self._check_kind(session, text)
            with session.begin_transaction(timeout=max(0.001, deadline - monotonic())) as transaction:
                result = transaction.run(text)
                return take(result.keys(), _rows(result), self.limits, deadline)
        except (exceptions.Neo4jError, exceptions.DriverError) as error:
            raise self._failure(text, error, monotonic() > deadline) from error
        finally:
            session.close()

    def _check_kind(self, session: Any, query: str) -> None:
        """Have the server plan the query and say of what kind it is; one that does not say gets no procedure calls."""
        with session.begin_transaction(timeout=self.limits.seconds) as transaction:
            kind = transaction.run(f"EXPLAIN {query}").consume().query_type
        if kind not in {"r", None} or (kind is None and re.search(r"\bCALL\b\s*[\w`]", query, re.IGNORECASE)):
            raise Failure("forbidden", f"the server plans it as {kind!r}, not as a read")

    def _failure(self, query: str, error: Exception, late: bool) -> Failure:
        code = getattr(error, "code", None) or ""
        status = next((status for pattern, status in STATUSES if re.search(pattern, code)), "query_error")
        if isinstance(error, self._neo4j.exceptions.ServiceUnavailable | self._neo4j.exceptions.SessionExpired):
            status = "crashed"
        if status == "timeout" or (late and status == "query_error"):
            return Failure("timeout", f"stopped after {self.limits.seconds:g} s")
        reason = _first_line(error)
        if re.search(r"ProcedureNotFound|[Uu]nknown function|[Nn]o procedure", f"{code} {reason}") and LIBRARIES.search(
            query
        ):
            return Failure("unsupported", reason)
        return Failure(status, reason)

    def close(self) -> None:
        """Close the connections."""
        self._driver.close()


def _address(url: str) -> tuple[str, str | None]:
    """The server's address, and the database's name if there is one."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise UserError("a Neo4j address has no name or password in it: set NEO4J_USERNAME and NEO4J_PASSWORD")
    name = parts.path.strip("/") or os.environ.get("NEO4J_DATABASE") or None
    return urlunsplit((parts.scheme, parts.netloc, "", parts.query, "")), name


def _engine(agent: str) -> str:
    return agent.replace("/", " ", 1).lower()


def _first_line(error: Exception) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]


def _rows(result: Any) -> Iterator[tuple[Any, ...]]:
    for record in result:
        yield tuple(map(value, record.values()))


def value(found: Any) -> Any:
    """A value of the driver as a plain value, as ``storage.engines.graph_values`` has it."""
    if isinstance(found, list | dict):
        return tuple(map(value, found)) if isinstance(found, list) else plain(_converted(found))
    return moment(found.iso_format()) if hasattr(found, "iso_format") else _thing(found)


def _thing(found: Any) -> Any:
    """A node, relationship, path or point; anything else is plain already."""
    import neo4j.graph
    import neo4j.spatial

    if isinstance(found, neo4j.graph.Node):
        return node(found.labels, _converted(found))
    if isinstance(found, neo4j.graph.Relationship):
        return relationship(found.type, _converted(found))
    if isinstance(found, neo4j.graph.Path):
        links = [value(link) for link in found.relationships]
        return plain({"nodes": [value(each) for each in found.nodes], "relationships": links})
    if isinstance(found, neo4j.spatial.Point):
        return plain({"srid": found.srid, "coordinates": tuple(found)})
    return canonical(found)


def _converted(found: Any) -> dict[str, Any]:
    return {key: value(item) for key, item in found.items()}
