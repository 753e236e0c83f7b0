"""Graph catalogs from contents: nodes and relationships as plain JSON, described in Neo4j's terms."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Entity, EntityKind, Field, Statistic
from storage.graphs import GraphAddress, Moment, engine_file, read
from tasks.benchmarks._structured_schema import with_patterns

SUFFIX = ".graph.json"
SHOWN = 10
LONGEST = 50
TEMPORAL = {"$datetime": "DATE_TIME", "$localdatetime": "LOCAL_DATE_TIME", "$date": "DATE"}
UNORDERED = {"$point": "POINT", "$duration": "DURATION"}
ORDERED = {"INTEGER", "FLOAT", *TEMPORAL.values()}
Item = Mapping[str, Any]


@dataclass
class _Kind:
    """One label or type: its properties' values, in the order in which properties are first seen."""

    kind: EntityKind
    values: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, properties: Mapping[str, Any]) -> None:
        for name, value in properties.items():
            if value is not None:
                self.values.setdefault(name, []).append(value)


def graph_catalog(nodes: Sequence[Item], relationships: Iterable[Item], database: str) -> Catalog:
    """The catalog of nodes (``id``, ``labels``, ``props``) and relationships (``s``, ``e``, ``type``, ``props``).

    A property's type is that of most of its values; a node of several labels counts for each of them, as do the
    patterns that it is an end of. Temporal values are objects such as ``{"$date": "2024-05-01"}``.

    >>> nodes = [{"id": 1, "labels": ["Town"], "props": {"name": "Lyon"}}, {"id": 2, "labels": ["Fair"], "props": {}}]
    >>> town = graph_catalog(nodes, [{"s": 2, "e": 1, "type": "HELD_IN", "props": {"days": 3}}], "fairs")
    >>> print(*town.relations, *town.entities[2].fields[0].statistics)
    (:Fair)-[:HELD_IN]->(:Town) Statistic(name='min', value='3') Statistic(name='max', value='3') \
Statistic(name='distinct_count', value='1')
    """
    kinds: dict[tuple[str, EntityKind], _Kind] = {}
    labels: dict[Any, tuple[str, ...]] = {}
    for node in nodes:
        labels[node["id"]] = tuple(node["labels"])
        for label in node["labels"]:
            kinds.setdefault((label, "node"), _Kind("node")).add(node.get("props") or {})
    patterns: dict[tuple[str, str, str], None] = {}
    for edge in relationships:
        kinds.setdefault((edge["type"], "relationship"), _Kind("relationship")).add(edge.get("props") or {})
        for source in labels[edge["s"]]:
            patterns.update(((source, edge["type"], target), None) for target in labels[edge["e"]])
    entities = [Entity(name, tuple(_fields(found)), kind) for (name, kind), found in kinds.items()]
    return with_patterns(database, sorted(entities, key=lambda entity: not entity.fields), list(patterns))


def graph_file_catalog(path: Path, database: str) -> Catalog:
    """The catalog of a graph's contents: a JSON file, a Cypher script that creates it, or a folder of CSV files.

    A script is run by an embedded engine to see what it creates.
    """
    contents = read(path)
    if contents.script:
        from storage.engines import graphdblite

        contents = graphdblite.contents(engine_file(GraphAddress("graphdblite", path)))
    nodes = [{"id": node.id, "labels": node.labels, "props": _told_apart(node.properties)} for node in contents.nodes]
    edges = (
        {"s": link.source, "e": link.target, "type": link.type, "props": _told_apart(link.properties)}
        for link in contents.links
    )
    return graph_catalog(nodes, edges, database)


def _told_apart(properties: Item) -> Item:
    return {
        name: {f"${value.function}": value.text} if isinstance(value, Moment) else value
        for name, value in properties.items()
    }


def _fields(found: _Kind) -> Iterable[Field]:
    for name, values in found.values.items():
        types = [_type(value) for value in values]
        kind = Counter(types).most_common(1)[0][0]
        yield _field(name, kind, [_plain(value) for value, own in zip(values, types, strict=True) if own == kind])


def _field(name: str, kind: str, values: list[Any]) -> Field:
    """A property with what Neo4j's libraries tell of values of its type."""
    if kind == "STRING":
        distinct = list(dict.fromkeys(value[:LONGEST] for value in values))
        return Field(name, kind, examples=tuple(distinct[:SHOWN]), statistics=_told(distinct_count=len(distinct)))
    if kind in ORDERED:
        told = _told(min=min(values), max=max(values), distinct_count=len(set(values)))
        return Field(name, kind, statistics=told)
    if kind == "LIST":
        sizes = [len(value) for value in values]
        return Field(name, kind, statistics=_told(min_size=min(sizes), max_size=max(sizes)))
    return Field(name, kind)


def _told(**values: Any) -> tuple[Statistic, ...]:
    return tuple(Statistic(name, str(value)) for name, value in values.items())


def _type(value: Any) -> str:
    """A value's type in Neo4j's words."""
    if isinstance(value, dict):
        key = next(iter(value), "")
        return TEMPORAL.get(key) or UNORDERED.get(key) or "MAP"
    words = ((bool, "BOOLEAN"), (int, "INTEGER"), (float, "FLOAT"), (list, "LIST"))
    return next((word for kind, word in words if isinstance(value, kind)), "STRING")


def _plain(value: Any) -> Any:
    return next(iter(value.values()), "") if isinstance(value, dict) else value
