"""Graph catalogs from schemas written as text for prompts, in the layouts that Neo4j's libraries have had."""

import ast
import re
from collections.abc import Iterable, Iterator

from schemas.catalog import Catalog, Entity, EntityKind, Field, Statistic
from schemas.errors import UserError
from tasks.benchmarks._structured_schema import read_structured, with_patterns

HEADING = re.compile(r"\W*(?:relevant |the )?(node|relationship)[\w ]*(label|propert)[^{}]*:?\s*$", re.IGNORECASE)
ENTITY = re.compile(r"^[-*] \**`?(.+?)`?\**\s*$")
PROPERTY = re.compile(r"^\s+[-*] `(?P<name>[^`]+?)(?:`: |: )(?P<type>[A-Z_]+(?:<[^>]*>)?)`?(?P<told>.*)$")
COMPACT = re.compile(r"(?:^|,\s*|\s)`?([^\s`{},:][^`{},:]*?)`?\s*\{([^{}]*)\}")
PAIR = re.compile(r"`?([^`,:]+?)`?:\s*([A-Z][\w<> |]*)")
NAME = r":?`?([^`()\[\]]+?)`?"
PATTERN = re.compile(rf"\({NAME}\)-\[{NAME}\]->\({NAME}\)")
PARTS = re.compile(
    r"""\{['"]?start['"]?: ?'?([^',}]+)'?, ?['"]?type['"]?: ?'?([^',}]+)'?, ?['"]?end['"]?: ?'?([^',}]+)'?"""
)
RANGE = re.compile(r"^\s*Min( Size)?: (.*?), Max(?: Size)?: +(.*)$")
EXAMPLE = re.compile(r'^\s*Example: "(.*)"\s*$')
OPTIONS = re.compile(r"^\s*Available options: (\[.*\])\s*$")


def schema_text_catalog(text: str, database: str) -> Catalog:
    """The catalog of a schema text: base or enhanced layout, today's or older headings, or a structured schema.

    >>> catalog = schema_text_catalog("Node properties:\\nTown {name: STRING}\\nThe relationships:\\n"
    ...     "(:Town)-[:NEAR]->(:Town)", "fairs")
    >>> sorted(map(str, catalog.elements)), [str(relation) for relation in catalog.relations]
    (['NEAR', 'Town', 'Town.name'], ['(:Town)-[:NEAR]->(:Town)'])
    """
    if text.lstrip().startswith("{") and "node_props" in text[:200]:
        return read_structured(text, database)
    patterns = [(one[1], one[2], one[3]) for found in (PATTERN, PARTS) for one in found.finditer(text)]
    entities = list(_entities(text.splitlines()))
    if not entities and not patterns:
        raise UserError(f"{database}: no node, relationship or pattern in the schema {text[:60]!r}")
    return with_patterns(
        database, entities, [(source.strip(), via.strip(), end.strip()) for source, via, end in patterns]
    )


def _entities(lines: Iterable[str]) -> Iterator[Entity]:
    """The entities of a text, those after a heading about relationships being types."""
    kind: EntityKind = "node"
    name, fields = "", list[Field]()
    for line in lines:
        heading, entity, one = HEADING.match(line), ENTITY.match(line), PROPERTY.match(line)
        if heading or entity:
            yield from _named(name, fields, kind)
            name, fields = (entity[1] if entity and not heading else ""), []
        if heading:
            kind = "node" if heading[1].lower() == "node" else "relationship"
        elif one:
            fields.append(_field(one["name"], one["type"], one["told"]))
        elif not entity and not PATTERN.search(line) and not PARTS.search(line):
            yield from (_compact(found, kind) for found in COMPACT.finditer(line))
    yield from _named(name, fields, kind)


def _compact(found: re.Match[str], kind: EntityKind) -> Entity:
    pairs = PAIR.findall(found[2])
    return Entity(found[1].strip(), tuple(Field(name.strip(), type_.strip()) for name, type_ in pairs), kind)


def _named(name: str, fields: list[Field], kind: EntityKind) -> Iterator[Entity]:
    if name:
        yield Entity(name, tuple(fields), kind)


def _field(name: str, kind: str, told: str) -> Field:
    """A property with what its line tells of its values."""
    if found := RANGE.match(told):
        words = ("min_size", "max_size") if found[1] else ("min", "max")
        bounds = (Statistic(words[0], found[2]), Statistic(words[1], found[3].strip()))
        return Field(name, kind, statistics=bounds)
    if found := EXAMPLE.match(told):
        return Field(name, kind, examples=(found[1],))
    if found := OPTIONS.match(told):
        values = tuple(map(str, ast.literal_eval(found[1])))
        return Field(name, kind, examples=values, statistics=(Statistic("distinct_count", str(len(values))),))
    return Field(name, kind)
