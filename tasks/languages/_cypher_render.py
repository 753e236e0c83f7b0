"""A graph's catalog as text, in the layouts of Neo4j's own library."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from schemas.catalog import Catalog, Entity, Field
from schemas.errors import UserError, unknown

STYLES = ("auto", "enhanced", "base")
SIZES = ("min_size", "max_size", "distinct_count")
INSTALL = "install it with: pip install -e '.[graph]'"


def render(catalog: Catalog, *, style: str = "auto", examples: int = 1) -> str:
    """A graph's catalog as text for a prompt.

    ``base``: one line a label or relationship type with its properties' types, then the patterns. ``enhanced``: one
    line a property with an example, its range, or all its values where there are at most ten. ``auto`` is enhanced
    where the catalog has any examples or statistics. ``examples`` 0 leaves values out; else the layout decides.

    >>> from schemas.catalog import Relation
    >>> town = Entity("Town", (Field("name", "STRING"),), "node")
    >>> print(render(Catalog("fairs", (town,), (Relation("Town", "Town", via="NEAR"),), "cypher")))
    Node properties:
    Town {name: STRING}
    Relationship properties:
    <BLANKLINE>
    The relationships:
    (:Town)-[:NEAR]->(:Town)
    """
    if style not in STYLES:
        raise unknown("style", style, STYLES)
    fields = [field for entity in catalog.entities for field in entity.fields]
    valued = examples > 0 and any(field.examples or field.statistics for field in fields)
    text: str = _layout()(structured(catalog), style == "enhanced" or (style == "auto" and valued))
    return text


def structured(catalog: Catalog) -> dict[str, Any]:
    """The structured schema of a catalog, as Neo4j's library reads it.

    Minimum and maximum are text, which the layout shows even where they are zero. A label or relationship type without
    properties is left to its patterns, unless no pattern shows it.
    """
    labels = {end for relation in catalog.relations for end in (relation.source, relation.target)}
    types = {relation.via for relation in catalog.relations}
    return {
        "node_props": _by_name(one for one in catalog.entities if one.kind != "relationship" and _told(one, labels)),
        "rel_props": _by_name(one for one in catalog.entities if one.kind == "relationship" and _told(one, types)),
        "relationships": [
            {"start": relation.source, "type": relation.via, "end": relation.target}
            for relation in catalog.relations
            if relation.via
        ],
    }


def quoted(name: str, dialect: str = "cypher") -> str:
    """A name as a query writes it: in backticks where it has to be.

    >>> quoted("Town"), quoted("Home town")
    ('Town', '`Home town`')
    """
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


def _told(entity: Entity, shown: set[str]) -> bool:
    return bool(entity.fields) or entity.name not in shown


def _by_name(entities: Iterable[Entity]) -> dict[str, list[dict[str, Any]]]:
    return {entity.name: [_property(field) for field in entity.fields] for entity in entities}


def _property(field: Field) -> dict[str, Any]:
    known: dict[str, Any] = {"property": field.name, "type": field.type or "STRING"}
    if field.examples:
        known["values"] = list(field.examples)
    for one in field.statistics:
        known[one.name] = int(one.value) if one.name in SIZES and one.value.isdecimal() else one.value
    return known


@cache
def _layout() -> Any:
    try:
        from neo4j_graphrag.schema import format_schema
    except ImportError as error:
        raise UserError(f"a graph's schema as text needs the package {error.name}; {INSTALL}") from error
    return format_schema
