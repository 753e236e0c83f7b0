"""What linkers keep: entities or elements, in graphs with what holds them together, or all where nothing is found."""

from collections.abc import Iterable

from schemas.catalog import Catalog, Element, Relation
from schemas.tools import Tools


def vertices(catalog: Catalog) -> list[str]:
    """The entities that a query starts from: tables and nodes, not relationship types."""
    return [entity.name for entity in catalog.entities if entity.kind != "relationship"]


def keep_entities(catalog: Catalog, names: Iterable[str]) -> Catalog:
    """Keep tables or nodes whole, whole the relationship types between two of them, and types with their bare ends."""
    kept = set(names)
    patterns = [relation for relation in catalog.relations if relation.via]
    if not patterns:
        return catalog.keep_whole(kept)
    kept |= _between(patterns, kept)
    bare = {Element(end) for end in _ends(patterns, kept) - kept}
    whole = catalog.keep_whole(kept)
    return catalog.keep(whole.elements | bare) if bare else whole


def keep_elements(catalog: Catalog, elements: Iterable[Element]) -> Catalog:
    """Keep exactly these elements, and in a graph, bare, the relationship types between nodes and the ends of types."""
    kept = set(elements)
    owners = {element.entity for element in kept}
    patterns = [relation for relation in catalog.relations if relation.via]
    return catalog.keep(kept | {Element(name) for name in _between(patterns, owners) | _ends(patterns, owners)})


def fall_back(catalog: Catalog, tools: Tools, reason: str) -> Catalog:
    """Keep the whole catalog because nothing was found, and note why."""
    tools.note("fallback", value=reason)
    return catalog


def _between(patterns: Iterable[Relation], kept: set[str]) -> set[str]:
    """The relationship types of patterns whose ends are both kept."""
    return {pattern.via for pattern in patterns if pattern.source in kept and pattern.target in kept}


def _ends(patterns: list[Relation], kept: set[str]) -> set[str]:
    """The ends of the patterns of kept relationship types: of those that touch a kept node, else of all."""
    ends: set[str] = set()
    for name in kept & {pattern.via for pattern in patterns}:
        own = [pattern for pattern in patterns if pattern.via == name]
        touching = [pattern for pattern in own if pattern.source in kept or pattern.target in kept]
        ends.update(*((pattern.source, pattern.target) for pattern in touching or own))
    return ends
