"""Nodes, relationships, paths and times as plain values that can be compared, whichever engine they come from.

A node is its labels (sorted) and properties, a relationship its type and properties, a path its nodes and
relationships in order; numbers that an engine gives them inside are left out. A map is its pairs sorted by key. A date
or time is its ISO text with seconds, without trailing zeros, ``Z`` for UTC: embedded engines give text, so a property
that holds such a text is written alike.
"""

import re
from typing import Any

from storage.rows import plain

ISO = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?(\[[^\]]*\])?")


def canonical(value: Any) -> Any:
    """A value of an embedded engine as a plain value.

    >>> canonical({"__id": 7, "__labels": ["B", "A"], "name": "x", "at": "2016-06-14T00:00Z"})
    (('labels', ('A', 'B')), ('properties', (('at', '2016-06-14T00:00:00Z'), ('name', 'x'))))
    """
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, list | tuple):
        return tuple(map(canonical, value))
    return _map(value) if isinstance(value, dict) else plain(value)


def _map(value: dict[str, Any]) -> Any:
    """A graphdblite node or relationship (marked keys), a graphqlite one (exact keys), a path, or a map."""
    keys = value.keys()
    if {"__id", "__labels"} <= keys:
        return node(value["__labels"], _unmarked(value))
    if {"__src", "__dst", "__label"} <= keys:
        return relationship(value["__label"], _unmarked(value))
    if keys == {"id", "labels", "properties"}:
        return node(value["labels"], value["properties"])
    if keys == {"id", "type", "startNode", "endNode", "properties"}:
        return relationship(value["type"], value["properties"])
    if keys in ({"nodes", "rels"}, {"nodes", "relationships"}):
        nodes, links = value["nodes"], value.get("rels", value.get("relationships"))
        return None if nodes is None else plain({"nodes": canonical(nodes), "relationships": canonical(links)})
    return value["_iso8601"] if "_iso8601" in keys else plain({key: canonical(item) for key, item in value.items()})


def _unmarked(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if not key.startswith("__")}


def node(labels: Any, properties: dict[str, Any]) -> Any:
    """A node as a plain value."""
    return plain({"labels": sorted(labels), "properties": {key: canonical(item) for key, item in properties.items()}})


def relationship(kind: str, properties: dict[str, Any]) -> Any:
    """A relationship as a plain value."""
    return plain({"type": kind, "properties": {key: canonical(item) for key, item in properties.items()}})


def moment(text: str) -> str:
    """A date with time in one spelling; any other text as it is.

    >>> moment("2016-06-14T00:00:00.000000000+00:00"), moment("2016-06-14")
    ('2016-06-14T00:00:00Z', '2016-06-14')
    """
    found = ISO.fullmatch(text) if "T" in text else None
    if found is None:
        return text
    start, seconds, fraction, offset, zone = found.groups()
    fraction = (fraction or "").rstrip("0")
    offset = "Z" if offset in {"+00:00", "-00:00"} else offset or ""
    return f"{start}{seconds or ':00'}{'.' + fraction if fraction else ''}{offset}{zone or ''}"
