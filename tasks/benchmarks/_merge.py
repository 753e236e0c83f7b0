"""What a database file adds to the catalog that was published for it."""

from collections.abc import Iterator
from dataclasses import replace

from schemas.catalog import Catalog, Entity, Field, Relation


def merge(published: Catalog, found: Catalog) -> Catalog:
    """The published catalog with the foreign keys, example values and primary keys that only the database file has.

    Published names stay; a primary key is taken over for a table that is published without one.
    """
    entities = tuple(_merged(entity, found.entity(entity.name)) for entity in published.entities)
    known = {pair for relation in published.relations for pair in _pairs(relation)}
    added = (
        relation
        for other in found.relations
        if (relation := _spelled(published, other)) and not known.issuperset(_pairs(relation))
    )
    return replace(published, entities=entities, relations=(*published.relations, *dict.fromkeys(added)))


def _merged(entity: Entity, found: Entity | None) -> Entity:
    fields = {field.name.casefold(): field for field in found.fields} if found else {}
    keyless = not any(field.primary for field in entity.fields)

    def merged(field: Field) -> Field:
        other = fields.get(field.name.casefold(), field)
        return replace(
            field, examples=field.examples or other.examples, primary=field.primary or (keyless and other.primary)
        )

    return replace(entity, fields=tuple(map(merged, entity.fields)))


def _spelled(published: Catalog, relation: Relation) -> Relation | None:
    """The relation in published names, or None where one of them is not published."""
    own = [published.find(relation.source, name) for name in relation.fields]
    target = [published.find(relation.target, name) for name in relation.target_fields]
    starts, ends = [one for one in own if one], [one for one in target if one]
    if not starts or (len(starts), len(ends)) != (len(own), len(own)):
        return None
    names = tuple(one.field for one in starts), tuple(one.field for one in ends)
    return Relation(starts[0].entity, ends[0].entity, *names, origin="database")


def _pairs(relation: Relation) -> set[tuple[str, str, str, str]]:
    pairs = zip(relation.fields, relation.target_fields, strict=True)
    return {(relation.source, own, relation.target, other) for own, other in pairs}


def differences(published: Catalog, found: Catalog) -> Iterator[str]:
    """Remarks on tables and columns that only one side has, and on foreign keys that the published side lacks."""
    where = published.database
    for title, one, other in (("published", published, found), ("database file", found, published)):
        lacking = (element for element in sorted(one.elements) if other.find(element.entity, element.field) is None)
        missing = [str(element) for element in lacking if not element.entity.startswith("sqlite_")]
        if missing:
            yield f"{where}: only in the {title}: {', '.join(missing)}"
    added = merge(published, found).relations[len(published.relations) :]
    if added:
        yield f"{where}: foreign keys only in the database file: {', '.join(map(str, added))}"
