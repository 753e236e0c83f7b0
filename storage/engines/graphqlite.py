"""graphqlite, a Cypher extension of SQLite, as a cross-check; install the extra ``graph``.

Known to differ from Neo4j (0.12.0): properties in the nodes of a pattern in a condition are ignored, DISTINCT inside an
aggregate too, the sum of nothing is null, a list that passes a WITH becomes text, parts of times are null.
It corrupts its heap on very long literals: run it in a process of its own (``storage.isolation``).
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.cypher import check_one_query
from storage.engines.cypher_causes import cause_at, constructs, missing
from storage.engines.cypher_rewrites import count_by_comprehension, quote_reserved_names, rewrite
from storage.engines.graph_values import canonical
from storage.engines.limits import Limits, take

if TYPE_CHECKING:
    from storage.graphs import Contents

PASSES = (quote_reserved_names, count_by_comprehension)
WRONG = {"CALL {}"}
STEPS = 1000
PLACE = re.compile(r"Line (\d+), Col (\d+)")
UNKNOWN = re.compile(r"(?:UnknownFunction: |there is no procedure )([\w.]+)")
OWN_FAULTS = (
    "no such column",
    "near ",
    "ambiguous column",
    "no such function",
    "misuse of aggregate",
    "malformed JSON",
)
KINDS = {bool: "bool", int: "int", float: "real", str: "text"}


class GraphQLite:
    """One graph in graphqlite behind the ``Database`` protocol; for one thread at a time."""

    def __init__(self, path: Path, limits: Limits) -> None:
        from storage.graphs import engine_version

        self.limits = limits
        self.engine = f"graphqlite {engine_version('graphqlite')}"
        self._deadline = 0.0
        self._error = _sqlite().Error
        self._connection = connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1")
        self._connection.execute("PRAGMA query_only=1")
        self._connection.set_progress_handler(lambda: monotonic() > self._deadline, STEPS)

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure, ``unsupported`` where Neo4j could run what this engine cannot."""
        text = rewrite(check_one_query(query), PASSES)
        if any(name in WRONG for _, _, name in constructs(text)):
            raise Failure("unsupported", "CALL {}: this engine runs the subquery once, not for every row")
        self._deadline = monotonic() + self.limits.seconds
        columns: list[str] = []
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute("SELECT row FROM cypher_rows(?)", (text,))
                found = take((), _rows(cursor, columns), self.limits, self._deadline)
        except MemoryError as error:
            raise Failure("too_large", "no memory left for the rows") from error
        except self._error as error:
            if monotonic() > self._deadline:
                raise Failure("timeout", f"stopped after {self.limits.seconds:g} s") from error
            raise failure(text, str(error)) from error
        return Rows(tuple(columns), found.rows, found.truncated)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class _Object(dict[str, Any]):
    """A JSON object that remembers keys which occur twice: two columns may have one name."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


READ = json.JSONDecoder(object_pairs_hook=_Object).decode


def _rows(cursor: Any, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    for (text,) in cursor:
        pairs = READ(text).pairs
        columns[:] = columns or [name for name, _ in pairs]
        yield tuple(canonical(value) for _, value in pairs)


def _sqlite() -> Any:
    """A SQLite module that may load extensions: pysqlite3 where Python's own may not."""
    try:
        import pysqlite3  # type: ignore[import-untyped, unused-ignore]

        return pysqlite3
    except ImportError:
        import sqlite3

        return sqlite3


def connect(address: str) -> Any:
    """A connection with the extension loaded."""
    import graphqlite  # type: ignore[import-untyped, unused-ignore]

    connection = _sqlite().connect(address, uri=True, isolation_level=None, check_same_thread=False)
    if not hasattr(connection, "enable_load_extension"):
        raise UserError("this Python's SQLite loads no extensions: pip install pysqlite3-binary")
    connection.enable_load_extension(True)
    connection.load_extension(graphqlite.loadable_path().removesuffix(".so"))
    connection.enable_load_extension(False)
    return connection


def failure(query: str, message: str) -> Failure:
    """What a message of the engine means for a query."""
    try:
        told = json.loads(message)
        message, code = str(told["error"]), str(told.get("code", ""))
    except (ValueError, TypeError, KeyError):
        code = ""
    if code == "MEMORY_ERROR":
        return Failure("too_large", message)
    place = PLACE.search(message)
    if found := UNKNOWN.search(message):
        cause = missing(found[1])
    elif code == "NOT_IMPLEMENTED" or message.startswith(OWN_FAULTS):
        cause = "not implemented"
    else:
        cause = cause_at(query, int(place[1]), int(place[2])) if place else ""
    return Failure("unsupported", f"{cause}: {message}") if cause else Failure("query_error", message)


def build(contents: "Contents", path: Path) -> None:
    """Write contents into a new file of the engine, its tables filled directly."""
    with closing(connect(path.resolve().as_uri())) as connection:
        connection.execute("BEGIN")
        numbers = {node.id: number for number, node in enumerate(contents.nodes, start=1)}
        connection.executemany("INSERT INTO nodes (id) VALUES (?)", [(number,) for number in numbers.values()])
        labels = {(numbers[node.id], label) for node in contents.nodes for label in node.labels}
        connection.executemany("INSERT INTO node_labels (node_id, label) VALUES (?, ?)", sorted(labels))
        edges = [
            (number, numbers[link.source], numbers[link.target], link.type)
            for number, link in enumerate(contents.links, start=1)
        ]
        connection.executemany("INSERT INTO edges (id, source_id, target_id, type) VALUES (?, ?, ?, ?)", edges)
        properties = {
            "node": [each.properties for each in contents.nodes],
            "edge": [each.properties for each in contents.links],
        }
        keys = sorted({key for those in properties.values() for each in those for key in each})
        numbered = {key: number for number, key in enumerate(keys, start=1)}
        connection.executemany(
            "INSERT INTO property_keys (id, key) VALUES (?, ?)", [(n, k) for k, n in numbered.items()]
        )
        for thing, those in properties.items():
            _fill(connection, thing, those, numbered)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")


def _fill(connection: Any, thing: str, properties: list[Any], keys: dict[str, int]) -> None:
    """Insert the properties of all nodes or of all edges, each into the table of its type."""
    rows: dict[str, list[tuple[int, int, Any]]] = {}
    for number, each in enumerate(properties, start=1):
        for key, value in each.items():
            plain = value.text if hasattr(value, "text") else value
            kind = KINDS.get(type(plain), "json")
            stored = json.dumps(plain, ensure_ascii=False) if kind == "json" else plain
            rows.setdefault(kind, []).append((number, keys[key], stored))
    for kind, some in rows.items():
        insert = f"INSERT INTO {thing}_props_{kind} ({thing}_id, key_id, value) VALUES (?, ?, ?)"
        connection.executemany(insert, some)
