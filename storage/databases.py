"""Open whatever database an address names, read-only and with limits."""

import secrets
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Literal, Protocol

from schemas.errors import UserError, unknown
from schemas.tools import Database
from storage.engines.limits import Limits
from storage.graphs import ENGINES, GraphAddress, engine_file, graph_address, stamp

SERVERS = ("postgresql://", "postgres://")
BOLT = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
PROCESS = secrets.token_hex(8)


class OpenDatabase(Database, Protocol):
    """A database that its user closes."""

    def close(self) -> None:
        """Close the file or the connection."""


def open_database(
    address: str,
    *,
    seconds: float = 30.0,
    rows: int = 100_000,
    size: int = 64 << 20,
    memory: int = 1 << 30,
    cut: bool = False,
) -> OpenDatabase:
    """Open an SQLite or DuckDB file (told apart by content), a graph or a server; limits as in ``Limits``.

    A graph is a ``.json`` or ``.cypher`` file or a folder of ``.cypher`` or ``.csv`` files, run by graphdblite or, as
    ``graphqlite:PATH``, by graphqlite; a server is ``postgresql://``, ``bolt://`` or ``neo4j://``.
    In this process a query can outlast its limit where the engine does not look at the clock (a LIKE with many
    wildcards): for queries that nobody has read, use ``storage.isolation.IsolatedDatabase``.
    """
    return open_limited(address, Limits(seconds, rows, size, memory, cut))


def open_limited(address: str, limits: Limits) -> OpenDatabase:
    """Open the database of an address with these limits; a missing, foreign or broken file is a UserError."""
    if address.startswith(SERVERS):
        from storage.engines.postgres import Postgres

        return Postgres(address, limits)
    if address.startswith(BOLT):
        from storage.engines.neo4j import Neo4j

        return Neo4j(address, limits)
    if graph := graph_address(address):
        return _open_graph(graph, limits)
    path = Path(address)
    if _kind(path) == "duckdb":
        from storage.engines.duckdb import DuckDB

        return DuckDB(path, limits)
    from storage.engines.sqlite import SQLite

    return SQLite(path, limits)


def _open_graph(graph: GraphAddress, limits: Limits) -> OpenDatabase:
    if graph.engine == "graphqlite":
        from storage.engines.graphqlite import GraphQLite

        return GraphQLite(engine_file(graph), limits)
    from storage.engines.graphdblite import GraphDBLite

    return GraphDBLite(engine_file(graph), limits)


def prepare(address: str) -> None:
    """Make the engine's file of a graph if there is none: that can take longer than a query may."""
    if graph := graph_address(address):
        engine_file(graph)


def located(address: str, database: str, graphs: str) -> str:
    """Where a benchmark's graph is asked: ``graphs`` is an embedded engine's name, a Bolt server, or empty.

    Every graph of the server is the database of its name; SQL databases stay where they are.

    >>> located("graphs/movies.json", "movies", "bolt://127.0.0.1:7687"), located("shop.sqlite", "shop", "graphqlite")
    ('bolt://127.0.0.1:7687/movies', 'shop.sqlite')
    """
    if graphs.startswith(BOLT):
        return f"{graphs.rstrip('/')}/{database}" if not address or dialect(address) == "cypher" else address
    if graphs and graphs not in ENGINES:
        raise unknown("graph engine", graphs, [*ENGINES, *BOLT])
    graph = graph_address(address) if graphs else None
    return f"{graphs}:{graph.path}" if graph else address


def dialect(address: str) -> Literal["sql", "cypher"]:
    """The language in which the database of an address is asked.

    >>> dialect("bolt://127.0.0.1:7687"), dialect("shop.sqlite")
    ('cypher', 'sql')
    """
    return "cypher" if address.startswith(BOLT) or graph_address(address) else "sql"


def fingerprint(address: str) -> str:
    """A text that changes with a database file or its engine; a server's contents are unseen: it changes every process.

    Files are told apart by size and time of change, not by their bytes: some have gigabytes.
    """
    if address.startswith((*SERVERS, *BOLT)):
        return f"{address} {PROCESS}"
    if graph := graph_address(address):
        return stamp(graph)
    path = Path(address)
    engine = f"sqlite {sqlite3.sqlite_version}" if _kind(path) == "sqlite" else f"duckdb {version('duckdb')}"
    found = path.stat()
    return f"{engine} {found.st_size} {found.st_mtime_ns}"


def _kind(path: Path) -> Literal["sqlite", "duckdb"]:
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise UserError(f"cannot read database {path}: {error.strerror or error}") from error
    if head == b"SQLite format 3\0":
        return "sqlite"
    if head[8:12] == b"DUCK":
        return "duckdb"
    what = "is neither an SQLite nor a DuckDB file" if head else "is empty"
    raise UserError(f"{path} {what}; copy or build the database again")
