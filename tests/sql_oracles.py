"""Readers of SQL other than ours: SQLite's authorizer, DuckDB's binder, and the qualification pass of sqlglot."""

import sqlite3
from collections.abc import Iterable

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from schemas.catalog import Catalog, Element
from schemas.records import Referenced


def folded(elements: Iterable[Element]) -> set[str]:
    """Elements as text without case: the form in which readers are compared."""
    return {str(element).casefold() for element in elements}


def ours(found: Referenced) -> set[str]:
    return folded(reference.element for reference in found.references)


def sqlite_reads(connection: sqlite3.Connection, query: str) -> set[str]:
    """The tables and columns that SQLite asks its authorizer for when it compiles a query; nothing is run.

    A table of which it reads no column, as for COUNT(*), is asked for with an empty column.
    """
    tables = {row[0].casefold() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    elements: set[Element] = set()

    def ask(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table and table.casefold() in tables:
            elements.update((Element(table), Element(table, column or "")))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(ask)
    try:
        connection.execute(f"EXPLAIN {query}")
    finally:
        connection.set_authorizer(None)
    return folded(elements)


def duckdb_binds(ddl: str, query: str, dialect: str) -> None:
    """Let DuckDB bind a query, both carried over from their dialect; raises what it or the transpiler objects to."""
    with duckdb.connect() as connection:
        for statement in sqlglot.transpile(ddl, read=dialect, write="duckdb"):
            table = sqlglot.parse_one(statement, read="duckdb").find(exp.Table)
            assert table is not None
            *path, _ = [part.sql("duckdb") for part in table.parts]
            if len(path) == 2:
                connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {path[0]}")
            if path:
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {'.'.join(path)}")
            connection.execute(statement)
            if len(path) == 2:
                connection.execute(f"USE {'.'.join(path)}")
        connection.execute("EXPLAIN " + sqlglot.transpile(query, read=dialect, write="duckdb")[0])


def nested_schema(catalog: Catalog) -> MappingSchema:
    """A catalog as sqlglot's schema, all names in lower case where the dialect ignores case."""
    mapping: dict[str, object] = {}
    lower = catalog.dialect == "sqlite"
    for entity in catalog.entities:
        *path, name = [entity.name] if lower else entity.name.split(".")
        place = mapping
        for part in path:
            place = place.setdefault(part, {})  # type: ignore[assignment]
        columns = {field.name.lower() if lower else field.name: field.type or "text" for field in entity.fields}
        place[name.lower() if lower else name] = columns
    return MappingSchema(mapping, dialect=catalog.dialect, normalize=False)


def qualify_reads(query: str, dialect: str, schema: MappingSchema) -> set[str]:
    """The tables and columns of a query after sqlglot's ``qualify``, which raises OptimizeError where it cannot."""
    elements: set[Element] = set()
    for scope in traverse_scope(qualify(sqlglot.parse_one(query, read=dialect), schema=schema, dialect=dialect)):
        for _, source in scope.selected_sources.values():
            if isinstance(source, exp.Table):
                elements.add(Element(_path(source)))
        for column in scope.columns:
            table = _source(column.table, scope)
            if isinstance(table, exp.Table):
                elements.add(Element(_path(table), column.name))
    return folded(elements)


def _source(alias: str, scope: Scope | None) -> exp.Expr | Scope | None:
    while scope is not None:
        if found := scope.selected_sources.get(alias):
            return found[1]
        scope = scope.parent
    return None


def _path(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)
