"""The joins that a catalog's graph is made of: declared, discovered by a model, or guessed from shared columns."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Literal

from schemas.catalog import Catalog, Relation
from tasks import plugins
from tasks.linkers._graph import JoinGraph, related
from tasks.linkers._keep import vertices
from tasks.linkers._memo import per_catalog

Ids = Literal["paper", "off"]
FEW = 2


@dataclass(frozen=True)
class Joins:
    """Relations with the graph they make, and the columns by which tables without relations are thought to join."""

    graph: JoinGraph
    relations: tuple[Relation, ...]
    shared: Mapping[tuple[str, str], tuple[tuple[str, str], ...]]

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], list[Relation]]:
        pairs = defaultdict(list)
        for relation in self.relations:
            pairs[_pair(relation.source, relation.target)].append(relation)
        return pairs

    def of(self, one: str, other: str) -> list[Relation]:
        """The relations that join two entities, guessed ones where there are no others; several are alternatives."""
        first, second = _pair(one, other)
        guessed = self.shared.get((first, second), ())
        return self._by_pair.get((first, second)) or [
            Relation(first, second, (here,), (there,), origin="heuristic") for here, there in guessed
        ]


def joins_of(catalog: Catalog, relations: tuple[Relation, ...], ids: Ids) -> Joins:
    """The joins of a catalog's tables or nodes by relations and, with ``ids=paper``, by shared ``id`` columns.

    SchemaGraphSQL's heuristic for sparse schemas: with fewer than two edges, every two tables that share a column
    whose name contains ``id`` get one. It is not applied to graphs, whose patterns are all there is.
    """
    edges = {_pair(*ends) for ends in related(relations) if ends[0] != ends[1]}
    guess = ids == "paper" and len(edges) < FEW and catalog.dialect != "cypher"
    shared = _shared_ids(catalog) if guess else {}
    return Joins(JoinGraph(vertices(catalog), [*related(relations), *shared]), relations, shared)


@per_catalog
def declared(catalog: Catalog, ids: Ids) -> Joins:
    """The joins of a catalog by its own relations, found once."""
    return joins_of(catalog, catalog.relations, ids)


def _shared_ids(catalog: Catalog) -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    owners: dict[str, dict[str, str]] = defaultdict(dict)
    for entity in catalog.entities:
        for field in entity.fields:
            if "id" in field.name.casefold():
                owners[field.name.casefold()].setdefault(entity.name, field.name)
    pairs: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
    for name in sorted(owners):
        for pair in combinations(sorted(owners[name]), 2):
            pairs[pair] = (*pairs.get(pair, ()), (owners[name][pair[0]], owners[name][pair[1]]))
    return pairs


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)


def condition(relation: Relation, dialect: str) -> str:
    """A relation as a line for a prompt: pairs of columns, or the pattern of a graph.

    >>> condition(Relation("orders", "customers", ("customer_id",), ("id",)), "sqlite")
    'orders.customer_id = customers.id'
    """
    if relation.via:
        return str(relation)
    quoted = partial(plugins.language(dialect).quoted, dialect=dialect)
    source, target = quoted(relation.source), quoted(relation.target)
    pairs = zip(relation.fields, relation.target_fields, strict=False)
    return " AND ".join(f"{source}.{quoted(one)} = {target}.{quoted(two)}" for one, two in pairs)
