"""graphdblite, an embedded graph engine in Rust: the default for graphs as files; install the extra ``graph``.

It does not look at the clock: only the end of its process stops a query (``storage.isolation``).
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from schemas.errors import Failure, UserError
from schemas.tools import Rows
from storage.engines.cypher import check_one_query
from storage.engines.cypher_causes import cause_at, missing, sorted_by_distinct
from storage.engines.cypher_rewrites import count_by_comprehension, exists_by_comprehension, plain_names, rewrite
from storage.engines.graph_values import canonical
from storage.engines.graphdblite_rewrites import full_times, paths_as_maps, round_by_power
from storage.engines.limits import Limits, take

if TYPE_CHECKING:
    from storage.graphs import Contents

PASSES = (
    plain_names,
    count_by_comprehension,
    exists_by_comprehension,
    full_times,
    round_by_power,
    paths_as_maps,
)
PLACE = re.compile(r"at line (\d+):(\d+)")
UNKNOWN = re.compile(r"unknown (?:function|procedure) `([^`]+)`")
TIME = re.compile(r"serialization error.*?(?:in|timezone): (.*)")
ISO = re.compile(r"\d{4}(-?(\d\d(-?\d\d)?|W\d\d(-?\d)?|Q\d(-?\d\d)?|\d{3}))?(T\d\d.*)?")
BATCH = 5000
Times = tuple[tuple[str, str], ...]


class GraphDBLite:
    """One graph in graphdblite behind the ``Database`` protocol; for one thread at a time."""

    def __init__(self, path: Path, limits: Limits) -> None:
        import graphdblite

        from storage.graphs import engine_version

        self.limits = limits
        self.engine = f"graphdblite {engine_version('graphdblite')}"
        self._error = graphdblite.GraphDBError
        self._database = graphdblite.Database(str(path.resolve()))

    def run(self, query: str) -> Rows:
        """Run one query; raise Failure, ``unsupported`` where Neo4j could run what this engine cannot."""
        text = rewrite(check_one_query(query), PASSES)
        deadline = monotonic() + self.limits.seconds
        try:
            found = self._database.query(text)
        except MemoryError as error:
            raise Failure("too_large", "no memory left for the rows") from error
        except self._error as error:
            raise failure(text, str(error)) from error
        columns = [name.removeprefix("path ") for name in (found[0] if found else ())]
        return take(columns, (tuple(map(canonical, row.values())) for row in found), self.limits, deadline)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def failure(query: str, message: str) -> Failure:
    """What a message of the engine means for a query."""
    first = message.splitlines()[0].strip().removesuffix("-->").strip()
    if "not permitted inside a read" in message:
        return Failure("forbidden", first)
    if found := UNKNOWN.search(message):
        cause = missing(found[1])
    elif found := TIME.search(message):
        cause = "a form of time" if ISO.fullmatch(found[1].strip()) else ""
    elif "not in RETURN DISTINCT" in message:
        cause = sorted_by_distinct(query)
    else:
        place = PLACE.search(message)
        cause = cause_at(query, int(place[1]), int(place[2])) if place and "UnexpectedSyntax" in message else ""
    return Failure("unsupported", f"{cause}: {first}") if cause else Failure("query_error", first)


def build(contents: "Contents", path: Path) -> None:
    """Write contents into a new file of the engine; names are ASCII letters, digits and underscores here."""
    import graphdblite

    _check_names(contents)
    database = graphdblite.Database(str(path.resolve()))
    try:
        with database.begin_write() as writing:
            for statement in contents.script:
                writing.execute(rewrite(statement, (plain_names,)))
            numbers = _nodes(writing, contents)
            _links(writing, contents, numbers)
            writing.commit()
    except graphdblite.GraphDBError as error:
        first = str(error).splitlines()[0]
        raise UserError(f"graphdblite cannot load this graph ({first}); try graphqlite:PATH or a Neo4j") from error
    finally:
        database.close()


def _check_names(contents: "Contents") -> None:
    names = {label for node in contents.nodes for label in node.labels} | {link.type for link in contents.links}
    names |= {key for node in contents.nodes for key in node.properties}
    names |= {key for link in contents.links for key in link.properties}
    if odd := sorted(name for name in names if not re.fullmatch(r"[A-Za-z0-9_]+", name)):
        raise UserError(f"graphdblite cannot hold the name {odd[0]!r}; open the graph as graphqlite:PATH, or in Neo4j")


def _nodes(writing: Any, contents: "Contents") -> dict[Any, int]:
    """Create the nodes; the engine's number of each by its own id."""
    groups: dict[tuple[tuple[str, ...], Times], list[Any]] = defaultdict(list)
    for node in contents.nodes:
        groups[node.labels, _times(node.properties)].append(node)
    numbers: dict[Any, int] = {}
    for (labels, times), nodes in groups.items():
        told = "".join(f":{label}" for label in labels)
        create = f"UNWIND $rows AS row CREATE (n{told}) SET n = row{_sets('n', times)} RETURN id(n) AS number"
        for some in _batches(nodes):
            rows = writing.execute(create, {"rows": [_plain(node.properties) for node in some]})
            numbers |= {node.id: row["number"] for node, row in zip(some, rows, strict=True)}
    return numbers


def _links(writing: Any, contents: "Contents", numbers: dict[Any, int]) -> None:
    groups: dict[tuple[str, Times], list[tuple[int, int, dict[str, Any]]]] = defaultdict(list)
    for link in contents.links:
        ends = numbers[link.source], numbers[link.target]
        groups[link.type, _times(link.properties)].append((*ends, _plain(link.properties)))
    for (kind, times), links in groups.items():
        if not times:
            writing.batch_create_edges(kind, links)
            continue
        match = f"MATCH (a), (b) WHERE id(a) = $a AND id(b) = $b CREATE (a)-[r:{kind}]->(b) SET r = $row"
        for source, target, row in links:
            writing.execute(match + _sets("r", times).replace("row.", "$row."), {"a": source, "b": target, "row": row})


def _batches(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def _times(properties: Any) -> Times:
    return tuple(sorted((key, value.function) for key, value in properties.items() if hasattr(value, "text")))


def _sets(name: str, times: Times) -> str:
    return "".join(f" SET {name}.{key} = {function}(row.{key})" for key, function in times)


def _plain(properties: Any) -> dict[str, Any]:
    return {key: value.text if hasattr(value, "text") else value for key, value in properties.items()}


def contents(path: Path) -> "Contents":
    """The contents of one of the engine's files; times come as text."""
    import graphdblite

    from storage.graphs import Contents, Link, Node

    with graphdblite.Database(str(path.resolve())) as database:
        nodes = database.query("MATCH (n) RETURN n")
        links = database.query("MATCH ()-[r]->() RETURN r")
    return Contents(
        tuple(Node(row["n"]["__id"], tuple(row["n"]["__labels"]), _own(row["n"])) for row in nodes),
        tuple(Link(row["r"]["__src"], row["r"]["__dst"], row["r"]["__label"], _own(row["r"])) for row in links),
    )


def _own(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if not key.startswith("__")}
