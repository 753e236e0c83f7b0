"""What the variables of a Cypher query stand for: nodes and relationships, and which labels and types they can have."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from schemas.catalog import Catalog, Entity, Relation


@dataclass(eq=False, slots=True)
class Thing:
    """A node or relationship of a pattern with the labels or types that are asserted of it."""

    relationship: bool
    names: dict[str, None] = field(default_factory=dict)
    denied: dict[str, None] = field(default_factory=dict)


class Use(NamedTuple):
    """A property read from a thing."""

    thing: Thing
    name: str


Below: TypeAlias = tuple[Thing | Use, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gives: what lies beneath it, the things that it may be, and the entries of a map."""

    below: Below = ()
    things: tuple[Thing, ...] = ()
    entries: Mapping[str, "Value"] = field(default_factory=dict)


def merged(values: Iterable[Value]) -> Value:
    """One value for several: all that lies beneath them, all things, and entries by name."""
    found = list(values)
    if len(found) == 1:
        return found[0]
    entries: dict[str, Value] = {}
    for value in found:
        for name, entry in value.entries.items():
            entries[name] = merged([entries[name], entry]) if name in entries else entry
    below = dict.fromkeys(part for value in found for part in value.below)
    things = dict.fromkeys(thing for value in found for thing in value.things)
    return Value(tuple(below), tuple(things), entries)


class Hop(NamedTuple):
    """A relationship of a pattern between two nodes, perhaps in ``both`` directions, perhaps repeated (``far``)."""

    source: Thing
    via: Thing
    target: Thing
    both: bool
    far: bool


class Graph:
    """The hops of a query over a catalog, from which follows what a thing without a label can be."""

    def __init__(self, catalog: Catalog) -> None:
        self.nodes = {entity.name: entity for entity in catalog.entities if entity.kind != "relationship"}
        self.types = {entity.name: entity for entity in catalog.entities if entity.kind == "relationship"}
        self.patterns = catalog.relations
        self.hops: list[Hop] = []
        self._possible: dict[Thing, tuple[str, ...]] = {}

    def known(self, thing: Thing) -> Mapping[str, Entity]:
        """The entities of a thing's kind by name."""
        return self.types if thing.relationship else self.nodes

    def owners(self, use: Use) -> list[str]:
        """The entities whose property a use reads: of those asserted, else of all that are possible, those with it."""
        known = self.known(use.thing)
        names = [name for name in use.thing.names if name in known] if use.thing.names else self.possible(use.thing)
        return [name for name in names if any(field.name == use.name for field in known[name].fields)]

    def possible(self, thing: Thing) -> tuple[str, ...]:
        """The labels or types that a thing can have by what is asserted of it and by the patterns it stands in."""
        if not self._possible:
            self._narrow()
        return self._possible.get(thing, tuple(self.known(thing)))

    def _narrow(self) -> None:
        """Drop possibilities that no pattern of the catalog has until nothing more can be dropped."""
        things = dict.fromkeys(thing for hop in self.hops for thing in (hop.source, hop.via, hop.target))
        self._possible = {thing: self._asserted(thing) for thing in things}
        changed = True
        while changed:
            changed = False
            for hop in self.hops:
                for thing, names in self._fitting(hop):
                    if not thing.names and names and set(names) < set(self._possible[thing]):
                        self._possible[thing] = tuple(name for name in self._possible[thing] if name in names)
                        changed = True

    def _asserted(self, thing: Thing) -> tuple[str, ...]:
        known = self.known(thing)
        return tuple(name for name in thing.names if name in known) or tuple(
            name for name in known if name not in thing.denied
        )

    def _fitting(self, hop: Hop) -> Iterator[tuple[Thing, set[str]]]:
        """The names that each part of a hop can have by the patterns that fit all its parts."""
        for strict in (True, False):
            found = [edge for pattern in self.patterns for edge in _ways(pattern, hop) if self._fits(edge, hop, strict)]
            if found:
                yield hop.source, {edge[0] for edge in found}
                yield hop.via, {edge[1] for edge in found}
                yield hop.target, {edge[2] for edge in found}
                return

    def _fits(self, edge: tuple[str, str, str], hop: Hop, strict: bool) -> bool:
        """Whether a pattern fits; not strictly, a labelled end may be of a label that the catalog's patterns leave out.

        A repeated hop passes through other nodes, so that its ends need not stand in one pattern.
        """
        source, via, target = edge
        if via not in self._possible[hop.via]:
            return False
        first, last = source in self._possible[hop.source], target in self._possible[hop.target]
        if hop.far:
            return first or last or not strict
        if strict:
            return first and last
        return (first or bool(hop.source.names)) and (last or bool(hop.target.names))


def _ways(pattern: Relation, hop: Hop) -> Iterator[tuple[str, str, str]]:
    yield pattern.source, pattern.via, pattern.target
    if hop.both:
        yield pattern.target, pattern.via, pattern.source
