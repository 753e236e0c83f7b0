"""A relational catalog as text: CREATE TABLE statements, or one short line a table."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from schemas.catalog import Catalog, Entity, Field, Relation
from schemas.errors import unknown
from tasks.languages._sql_sources import folding

Style = Literal["ddl", "compact"]
STYLES = ("ddl", "compact")
LONGEST_EXAMPLE = 60
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
TEXTUAL = re.compile("char|text|clob|string|date|time", re.IGNORECASE)
DECLARABLE = re.compile(r"[A-Za-z_]\w*( [A-Za-z_]\w*)*( ?\( ?[+-]?\d+ ?(, ?[+-]?\d+ ?)?\))?")
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    add all alter and any array as asc authorization autoincrement between both by case cast check collate column commit
    constraint create cross current current_date current_time current_timestamp current_user default deferrable delete
    desc distinct do drop else end escape except exists false fetch for foreign from full glob grant group having hash
    if in index inner insert intersect interval into is isnull join lateral leading left like limit match merge natural
    new not nothing notnull null of offset on or order outer over partition primary qualify raise range recursive
    references regexp returning right rollback rows select set some struct table tablesample then to trailing
    transaction true union unique unnest update user using values when where window with within
    """,
    )
)


def render(catalog: Catalog, *, style: Style = "ddl", examples: int = 2) -> str:
    """A catalog as text for a prompt, names quoted where a query has to quote them.

    ``ddl``: CREATE TABLE statements that SQLite executes (for its dialect), with types, keys, descriptions and up to
    ``examples`` example values a column as comments. ``compact``: one line a table, then the foreign keys; neither
    descriptions nor examples. What no CREATE TABLE can make is a comment: a table of which no column is left, a table
    of SQLite's own (``sqlite_…``).

    >>> shop = Catalog("shop", (Entity("order", (Field("id", "INTEGER", primary=True), Field("item", "TEXT"))),))
    >>> print(render(shop, style="compact"))
    "order"(id INTEGER pk, item TEXT)
    """
    if style not in STYLES:
        raise unknown("style", style, STYLES)
    if style == "compact":
        return "\n".join(_compact(catalog))
    return "\n\n".join(_statement(entity, catalog, examples) for entity in catalog.entities)


def quoted(name: str, dialect: str) -> str:
    """One name as a query of that dialect writes it: in quotes where it has to be.

    >>> quoted("Charter School (Y/N)", "sqlite"), quoted("Name", "sqlite"), quoted("Name", "snowflake")
    ('"Charter School (Y/N)"', 'Name', '"Name"')
    """
    if PLAIN.fullmatch(name) and folding(dialect)(name) == name and name.casefold() not in RESERVED:
        return name
    mark = Dialect.get_or_raise(dialect).IDENTIFIER_END
    return f'"{name.replace(mark, mark * 2)}"' if mark == '"' else exp.to_identifier(name, quoted=True).sql(dialect)


def qualified(name: str, dialect: str) -> str:
    """An entity's name as a query writes it; outside SQLite, whose tables are called as they like, dots part names.

    >>> qualified("Old.visit", "sqlite"), qualified("Old.VISIT", "snowflake")
    ('"Old.visit"', '"Old".VISIT')
    """
    parts = [name] if dialect == "sqlite" else name.split(".")
    return ".".join(quoted(part, dialect) for part in parts)


def _statement(entity: Entity, catalog: Catalog, examples: int) -> str:
    """One CREATE TABLE statement, its table's description above it; a comment where SQLite could not execute one."""
    dialect = catalog.dialect
    if not entity.fields or (dialect == "sqlite" and entity.name.casefold().startswith("sqlite_")):
        names = ", ".join(quoted(field.name, dialect) for field in entity.fields)
        return (
            f"-- {qualified(entity.name, dialect)}: {f'a table of SQLite itself, with {names}' if names else 'a table'}"
        )
    keys = [field for field in entity.fields if field.primary]
    lines = [
        (_column(field, dialect, inline=len(keys) == 1), _remark(field, examples))
        for field in _distinct(entity.fields, dialect)
    ]
    if len(keys) > 1:
        lines.append((f"PRIMARY KEY {_listed([field.name for field in keys], dialect)}", ""))
    own = [relation for relation in catalog.relations if relation.source == entity.name and not relation.via]
    lines += [(_foreign_key(relation, dialect), "") for relation in dict.fromkeys(own) if _whole(relation)]
    last = len(lines) - 1
    body = [f"  {line}{'' if i == last else ','}{remark}" for i, (line, remark) in enumerate(lines)]
    above = [f"-- {_line(entity.description)}"] if entity.description else []
    return "\n".join([*above, f"CREATE TABLE {qualified(entity.name, dialect)} (", *body, ");"])


def _distinct(fields: tuple[Field, ...], dialect: str) -> Iterable[Field]:
    """The fields that a table can have side by side: where case is ignored, only the first of one name."""
    fold = str.casefold if folding(dialect) is str else str
    first: dict[str, Field] = {}
    for field in fields:
        first.setdefault(fold(field.name), field)
    return first.values()


def _column(field: Field, dialect: str, *, inline: bool) -> str:
    """A column's definition; a type that SQLite would not read is left out."""
    words = _line(field.type)
    readable = DECLARABLE.fullmatch(words) and not RESERVED & set(words.casefold().split("(")[0].split())
    kind = f" {words}" if words and (readable or dialect != "sqlite") else ""
    return f"{quoted(field.name, dialect)}{kind}{' PRIMARY KEY' if field.primary and inline else ''}"


def _remark(field: Field, examples: int) -> str:
    """A column's description and examples as a comment, or nothing."""
    values = ", ".join(_value(value, field.type) for value in field.examples[: max(examples, 0)])
    parts = [part for part in (_line(field.description), f"e.g. {values}" if values else "") if part]
    return f"  -- {'; '.join(parts)}" if parts else ""


def _value(value: str, kind: str) -> str:
    """An example value as a literal: bare where it is a number in a column of numbers, else in quotes and not long."""
    if NUMBER.fullmatch(value) and not TEXTUAL.search(kind):
        return value
    text = _line(value)
    text = text if len(text) <= LONGEST_EXAMPLE else text[:LONGEST_EXAMPLE] + "…"
    return "'" + text.replace("'", "''") + "'"


def _foreign_key(relation: Relation, dialect: str) -> str:
    """A foreign key as a table constraint."""
    target = f"{qualified(relation.target, dialect)} {_listed(relation.target_fields, dialect)}".rstrip()
    return f"FOREIGN KEY {_listed(relation.fields, dialect)} REFERENCES {target}"


def _listed(names: Sequence[str], dialect: str) -> str:
    """Names in parentheses; nothing where there are none."""
    return f"({', '.join(quoted(name, dialect) for name in names)})" if names else ""


def _whole(relation: Relation) -> bool:
    """Whether a relation says which columns it joins, as many on one side as on the other."""
    return bool(relation.fields) and len(relation.target_fields) in (0, len(relation.fields))


def _compact(catalog: Catalog) -> Iterator[str]:
    """One line a table, then one line a foreign key."""
    dialect = catalog.dialect
    for entity in catalog.entities:
        fields = (
            " ".join(filter(None, (quoted(field.name, dialect), _line(field.type), "pk" if field.primary else "")))
            for field in entity.fields
        )
        yield f"{qualified(entity.name, dialect)}({', '.join(fields)})"
    for relation in dict.fromkeys(relation for relation in catalog.relations if _whole(relation) and not relation.via):
        ends = (relation.source, relation.fields), (relation.target, relation.target_fields)
        yield " -> ".join(f"{qualified(name, dialect)}{_listed(fields, dialect)}" for name, fields in ends)


def _line(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())
