"""What a database declares about itself, relational or graph, and the addresses of its parts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeVar

from schemas.errors import unknown

EntityKind = Literal["table", "node", "relationship"]
Origin = Literal["declared", "database", "discovered", "heuristic"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Element:
    """The address of an entity (``field`` is empty) or of one of its fields, in the catalog's own spelling."""

    entity: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.entity}.{self.field}" if self.field else self.entity


@dataclass(frozen=True, slots=True)
class Statistic:
    """What is known of a field's values besides examples: a word such as ``min``, and its value as text."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Field:
    """A column or property; ``examples`` are values as text, most telling first, often none."""

    name: str
    type: str = ""
    description: str = ""
    primary: bool = False
    examples: tuple[str, ...] = ()
    statistics: tuple[Statistic, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A table, node label or relationship type with its fields in declared order."""

    name: str
    fields: tuple[Field, ...] = ()
    kind: EntityKind = "table"
    description: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A foreign key (``fields`` reference ``target_fields``) or a pattern ``(source)-[via]->(target)`` of a graph."""

    source: str
    target: str
    fields: tuple[str, ...] = ()
    target_fields: tuple[str, ...] = ()
    via: str = ""
    origin: Origin = "declared"

    def __str__(self) -> str:
        if self.via:
            return f"(:{self.source})-[:{self.via}]->(:{self.target})"
        return f"{self.source}({', '.join(self.fields)}) -> {self.target}({', '.join(self.target_fields)})"

    @property
    def elements(self) -> frozenset[Element]:
        """The entities and fields without which the relation does not exist."""
        ends = {Element(self.source), Element(self.target)} | ({Element(self.via)} if self.via else set())
        fields = {Element(self.source, name) for name in self.fields}
        return frozenset(ends | fields | {Element(self.target, name) for name in self.target_fields})


@dataclass(frozen=True)
class Catalog:
    """One database's entities and relations; ``dialect`` is sqlglot's word for its SQL, or ``cypher`` for a graph."""

    database: str
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    dialect: str = "sqlite"
    description: str = ""

    @cached_property
    def elements(self) -> frozenset[Element]:
        """Every entity and every field."""
        fields = {Element(entity.name, field.name) for entity in self.entities for field in entity.fields}
        return frozenset(fields | {Element(entity.name) for entity in self.entities})

    @cached_property
    def _entities(self) -> dict[str, Entity]:
        return _index((entity.name, entity) for entity in self.entities)

    @cached_property
    def _fields(self) -> dict[str, dict[str, Field]]:
        return {entity.name: _index((field.name, field) for field in entity.fields) for entity in self.entities}

    def entity(self, name: str) -> Entity | None:
        """The entity of that name: as spelled, else whatever the case; None where there is none."""
        return self._entities.get(name) or self._entities.get(name.casefold())

    def field(self, entity: str, name: str) -> Field | None:
        """The field of that entity, as spelled, else whatever the case; None where either is missing."""
        found = self.entity(entity)
        fields = self._fields[found.name] if found else {}
        return fields.get(name) or fields.get(name.casefold())

    def find(self, entity: str, field: str = "") -> Element | None:
        """The element of those names in the catalog's own spelling, whatever the case; None where there is none."""
        owner = self.entity(entity)
        if owner is None or not field:
            return Element(owner.name) if owner else None
        found = self.field(owner.name, field)
        return Element(owner.name, found.name) if found else None

    def keep(self, elements: Iterable[Element]) -> "Catalog":
        """The smaller catalog of exactly these elements; a field brings its entity, a relation needs all its elements.

        >>> shop = Catalog("shop", (Entity("item", (Field("id"), Field("price"))), Entity("sale")))
        >>> [str(element) for element in sorted(shop.keep({Element("item", "price")}).elements)]
        ['item', 'item.price']
        """
        kept: dict[str, set[str]] = {}
        for element in elements:
            if element not in self.elements:
                raise unknown(f"element of {self.database}", str(element), map(str, self.elements))
            kept.setdefault(element.entity, set()).add(element.field)
        entities = tuple(
            replace(entity, fields=tuple(field for field in entity.fields if field.name in kept[entity.name]))
            for entity in self.entities
            if entity.name in kept
        )
        relations = tuple(
            relation
            for relation in self.relations
            if all(
                part.entity in kept and (not part.field or part.field in kept[part.entity])
                for part in relation.elements
            )
        )
        return replace(self, entities=entities, relations=relations)

    def keep_whole(self, entities: Iterable[str]) -> "Catalog":
        """The smaller catalog of these entities with all their fields."""
        names = set(entities)
        missing = sorted(names - {entity.name for entity in self.entities})
        if missing:
            raise unknown(f"entity of {self.database}", missing[0], (entity.name for entity in self.entities))
        kept = tuple(entity for entity in self.entities if entity.name in names)
        relations = tuple(
            relation
            for relation in self._whole_relations
            if relation.source in names and relation.target in names and (not relation.via or relation.via in names)
        )
        return replace(self, entities=kept, relations=relations)

    def without_values(self) -> "Catalog":
        """The same catalog without example values and statistics: what it declares, and nothing of what it holds."""
        entities = tuple(
            replace(entity, fields=tuple(replace(field, examples=(), statistics=()) for field in entity.fields))
            for entity in self.entities
        )
        return replace(self, entities=entities)

    @cached_property
    def _whole_relations(self) -> tuple[Relation, ...]:
        """The relations all of whose elements exist."""
        return tuple(relation for relation in self.relations if relation.elements <= self.elements)


def _index(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Map exact names, then case-folded names, to their things; an exact name always wins."""
    exact = dict(pairs)
    folded: dict[str, T] = {}
    for name, thing in exact.items():
        folded.setdefault(name.casefold(), thing)
    return {**folded, **exact}
