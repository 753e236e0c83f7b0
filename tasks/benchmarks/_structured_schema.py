"""Graph catalogs from the structured schema that Neo4j's own libraries compute and that Text2Cypher publishes.

It has ``node_props`` and ``rel_props`` (label or type to a list of properties, each with ``property``, ``type`` and
what is known of its values), ``relationships`` (``start``, ``type``, ``end``) and perhaps ``metadata``.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.catalog import Catalog, Entity, EntityKind, Field, Relation, Statistic
from schemas.errors import UserError

STATISTICS = ("min", "max", "min_size", "max_size", "distinct_count")
UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS", "NODE_KEY")


def structured_catalog(schema: Mapping[str, Any], database: str) -> Catalog:
    """The catalog of a structured schema: nodes first, then relationship types, those without properties last.

    A property with a uniqueness constraint of its own is primary. Something else than such a schema is a UserError.
    """
    try:
        nodes, types = schema["node_props"], schema["rel_props"]
        patterns = [(edge["start"], edge["type"], edge["end"]) for edge in schema["relationships"]]
        unique = _unique(schema.get("metadata") or {})
        entities = [_entity(name, fields, "node", unique) for name, fields in nodes.items()]
        entities += [_entity(name, fields, "relationship", set()) for name, fields in types.items()]
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise UserError(f"{database}: not a structured schema of Neo4j's ({type(error).__name__}: {error})") from error
    return with_patterns(database, entities, patterns)


def with_patterns(database: str, entities: Sequence[Entity], patterns: Sequence[tuple[str, str, str]]) -> Catalog:
    """A graph's catalog; labels and types that only patterns mention become entities without properties."""
    known = {(entity.name, entity.kind == "relationship") for entity in entities}
    labels = dict.fromkeys(end for source, _, target in patterns for end in (source, target))
    bare = [Entity(name, kind="node") for name in labels if (name, False) not in known]
    types = dict.fromkeys(via for _, via, _ in patterns)
    later = [Entity(name, kind="relationship") for name in types if (name, True) not in known]
    relations = (Relation(source, target, via=via) for source, via, target in dict.fromkeys(patterns))
    nodes = [entity for entity in entities if entity.kind == "node"]
    others = [entity for entity in entities if entity.kind != "node"]
    return Catalog(database, (*nodes, *bare, *others, *later), tuple(relations), "cypher")


def read_structured(text: str, database: str) -> Catalog:
    """The catalog of a structured schema written as JSON or, as it is published, as a Python literal."""
    try:
        schema = json.loads(text) if text.lstrip().startswith('{"') else ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise UserError(f"{database}: the structured schema is neither JSON nor a Python literal") from error
    if not isinstance(schema, Mapping):
        raise UserError(f"{database}: the structured schema is a {type(schema).__name__}, not an object")
    return structured_catalog(schema, database)


def _entity(name: str, fields: Sequence[Mapping[str, Any]], kind: EntityKind, unique: set[tuple[str, str]]) -> Entity:
    return Entity(name, tuple(_field(name, one, unique) for one in fields), kind)


def _field(owner: str, known: Mapping[str, Any], unique: set[tuple[str, str]]) -> Field:
    """A property with its values as text; statistics are those that Neo4j's layout shows."""
    name = known["property"]
    statistics = (Statistic(word, str(known[word])) for word in STATISTICS if known.get(word) is not None)
    examples = tuple(map(str, known.get("values") or ()))
    return Field(name, known["type"], "", (owner, name) in unique, examples, tuple(statistics))


def _unique(metadata: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Labels with a property that alone tells their nodes apart."""
    return {
        (one["labelsOrTypes"][0], one["properties"][0])
        for one in metadata.get("constraint") or ()
        if one.get("type") in UNIQUE and len(one.get("properties") or ()) == 1 and one.get("entityType") == "NODE"
    }
