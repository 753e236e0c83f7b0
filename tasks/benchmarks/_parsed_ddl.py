"""The catalog of a DDL text of any dialect, read by sqlglot."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from schemas.catalog import Catalog, Entity, Field, Relation
from schemas.errors import UserError, unknown
from tasks.benchmarks._declared import foreign_key

DEFAULT_SCHEMAS = {"", "public", "main", "dbo"}
CREATE_TABLE = re.compile(r"\s*CREATE\b[\s\w]*\bTABLE\b", re.IGNORECASE)


@dataclass
class _Reading:
    """What has been read so far; keys and descriptions wait by case-folded names until all tables are known."""

    dialect: str
    tables: dict[str, list[Field]] = field(default_factory=dict)
    primary: dict[str, list[str]] = field(default_factory=dict)
    foreign: list[tuple[str, tuple[str, ...], exp.Reference]] = field(default_factory=list)
    described: dict[tuple[str, str], str] = field(default_factory=dict)

    def add_primary(self, table: str, names: Sequence[str]) -> None:
        self.primary.setdefault(table.casefold(), []).extend(names)

    def describe(self, table: str, column: str, text: str) -> None:
        self.described[table.casefold(), column.casefold()] = text


def parsed_ddl(text: str, database: str, dialect: str) -> Catalog:
    """The catalog of CREATE TABLE, ALTER TABLE … ADD CONSTRAINT and COMMENT ON; other statements are passed over.

    A table outside the default schema (``public``, ``main``, ``dbo``) is called ``schema.table``. Views are left out,
    as their columns have no types before they run.
    """
    reading = _Reading(dialect)
    for statement in _parsed(text, dialect):
        if isinstance(statement, exp.Create) and statement.kind == "TABLE":
            _create(statement, reading)
        elif isinstance(statement, exp.Alter):
            _constraints(_name(statement.this), statement, reading)
        elif isinstance(statement, exp.Comment):
            _comment(statement, reading)
        elif isinstance(statement, exp.Command) and CREATE_TABLE.match(statement.sql()):
            raise UserError(f"cannot read as {dialect}: {' '.join(statement.sql().split())[:80]}")
    catalog = Catalog(database, tuple(_entities(reading)), dialect=dialect)
    relations = (_relation(catalog, reading, *foreign) for foreign in reading.foreign)
    return replace(catalog, relations=tuple(relation for relation in relations if relation))


def _parsed(text: str, dialect: str) -> Sequence[exp.Expr | None]:
    """The statements of a text; psql's own commands (lines that begin with a backslash) are blanked."""
    if sqlglot.Dialect.get(dialect) is None:
        raise unknown("dialect", dialect, (name for name in sqlglot.Dialect.classes if name))
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return sqlglot.parse(re.sub(r"(?m)^\\.*$", "", text), read=dialect)
    except ParseError as error:
        at = error.errors[0]
        where = f"line {at['line']}, column {at['col']}: {at['description']}"
        raise UserError(f"cannot read as {dialect}: {where}") from error
    except SqlglotError as error:
        raise UserError(f"cannot read as {dialect}: {str(error).splitlines()[0]}") from error
    finally:
        logger.setLevel(level)


def _create(statement: exp.Create, reading: _Reading) -> None:
    """Read the columns and constraints of one CREATE TABLE that lists columns."""
    if not isinstance(statement.this, exp.Schema):
        return
    name = _name(statement.this.this)
    reading.tables[name] = []
    for part in statement.this.expressions:
        if isinstance(part, exp.ColumnDef):
            _column(name, part, reading)
        else:
            _constraints(name, part, reading)
    comment = statement.find(exp.SchemaCommentProperty)
    if comment:
        reading.describe(name, "", comment.name)


def _column(table: str, column: exp.ColumnDef, reading: _Reading) -> None:
    """Read one column with the constraints that stand in its own line."""
    reading.tables[table].append(Field(column.name, column.kind.sql(reading.dialect) if column.kind else ""))
    for constraint in column.constraints:
        if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
            reading.add_primary(table, [column.name])
        elif isinstance(constraint.kind, exp.Reference):
            reading.foreign.append((table, (column.name,), constraint.kind))
        elif isinstance(constraint.kind, exp.CommentColumnConstraint):
            reading.describe(table, column.name, constraint.kind.name)


def _constraints(table: str, part: exp.Expr, reading: _Reading) -> None:
    """Read the primary and foreign keys of a table that stand apart from its columns."""
    for key in part.find_all(exp.PrimaryKey, exp.ForeignKey):
        found = (named.find(exp.Identifier) for named in key.expressions)
        names = tuple(identifier.name for identifier in found if identifier)
        if isinstance(key, exp.ForeignKey):
            reading.foreign.append((table, names, key.args["reference"]))
        else:
            reading.add_primary(table, names)


def _comment(statement: exp.Comment, reading: _Reading) -> None:
    """Read COMMENT ON TABLE and COMMENT ON COLUMN."""
    if statement.args["kind"] == "TABLE":
        reading.describe(_name(statement.this), "", statement.expression.name)
    elif statement.args["kind"] == "COLUMN":
        *owner, column = (part.name for part in statement.this.parts)
        reading.describe(_joined(owner), column, statement.expression.name)


def _entities(reading: _Reading) -> Iterator[Entity]:
    """The tables in their order, with the keys and descriptions that were read for them."""
    for name, fields in reading.tables.items():
        table = name.casefold()
        primary = {column.casefold() for column in reading.primary.get(table, ())}
        told = (
            replace(column, primary=key in primary, description=reading.described.get((table, key), ""))
            for column in fields
            for key in (column.name.casefold(),)
        )
        yield Entity(name, tuple(told), description=reading.described.get((table, ""), ""))


def _relation(
    catalog: Catalog, reading: _Reading, source: str, fields: tuple[str, ...], reference: exp.Reference
) -> Relation | None:
    """A foreign key; one that names no target columns means the target's primary key."""
    target = reference.this
    named = [part.name for part in target.expressions] if isinstance(target, exp.Schema) else []
    table = _name(target.this if isinstance(target, exp.Schema) else target)
    targets = named or reading.primary.get(table.casefold(), [])
    return foreign_key(catalog, source, fields, table, targets, origin="declared")


def _name(table: exp.Table) -> str:
    return _joined([part.name for part in table.parts])


def _joined(parts: Sequence[str]) -> str:
    """The name of a table, which keeps its schema unless that is the default one.

    >>> _joined(["public", "orders"]), _joined(["sales", "orders"])
    ('orders', 'sales.orders')
    """
    return ".".join((*(part for part in parts[:-1] if part.casefold() not in DEFAULT_SCHEMAS), parts[-1]))
