"""What linkers keep: whole entities, in graphs with the relationship types between them, or all where none is found."""

from collections.abc import Iterable

from schemas.catalog import Catalog
from schemas.tools import Tools


def vertices(catalog: Catalog) -> list[str]:
    """The entities that a query starts from: tables and nodes, not relationship types."""
    return [entity.name for entity in catalog.entities if entity.kind != "relationship"]


def keep_between(catalog: Catalog, names: Iterable[str]) -> Catalog:
    """Keep tables or nodes whole, and whole the relationship types of patterns between two of them."""
    kept = set(names)
    between = {edge.via for edge in catalog.relations if edge.via and edge.source in kept and edge.target in kept}
    return catalog.keep_whole(kept | between)


def fall_back(catalog: Catalog, tools: Tools, reason: str) -> Catalog:
    """Keep the whole catalog because nothing was found, and note why."""
    tools.note("fallback", value=reason)
    return catalog
