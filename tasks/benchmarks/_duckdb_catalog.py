"""The catalog of a DuckDB file."""

from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Entity, Field
from schemas.errors import UserError
from tasks.benchmarks._declared import SAMPLED_ROWS, example_values, existing, foreign_key, quoted, with_tables

COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database() ORDER BY table_oid, column_index
"""
TABLES = """
SELECT schema_name, table_name, comment FROM duckdb_tables()
WHERE comment IS NOT NULL AND database_name = current_database()
"""
KEYS = """
SELECT constraint_type, schema_name, table_name, constraint_column_names, referenced_table, referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
ORDER BY table_oid, constraint_index
"""


def duckdb_catalog(path: Path, database: str, examples: int = 3) -> Catalog:
    """The catalog of a DuckDB file, opened read-only; a table outside the schema ``main`` is called ``schema.table``.

    Views that cannot be read, faults and foreign keys are treated as in ``sqlite_catalog``.
    """
    import duckdb

    existing(path, "DuckDB")
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            connection.execute("SET enable_external_access = false")
            catalog = _introspect(connection, database, examples)
    except duckdb.Error as error:
        raise UserError(f"cannot read {path} as a DuckDB database: {str(error).splitlines()[0]}") from error
    return with_tables(catalog, f"{path}: ")


def _introspect(connection: Any, database: str, examples: int) -> Catalog:
    columns = connection.execute(COLUMNS).fetchall()
    described = {_name(schema, table): comment for schema, table, comment in connection.execute(TABLES).fetchall()}
    keys = connection.execute(KEYS).fetchall()
    primary = {(_name(row[1], row[2]), name) for row in keys if row[0] == "PRIMARY KEY" for name in row[3]}
    entities = []
    for (schema, table), group in groupby(columns, key=lambda row: (row[0], row[1])):
        values, name = _values(connection, f"{quoted(schema)}.{quoted(table)}", examples), _name(schema, table)
        if values is not None:
            fields = (
                Field(column, type_, comment or "", (name, column) in primary, values.get(at, ()))
                for at, (_, _, column, type_, comment) in enumerate(group)
            )
            entities.append(Entity(name, tuple(fields), description=described.get(name, "")))
    catalog = Catalog(database, tuple(entities), dialect="duckdb")
    relations = (
        foreign_key(catalog, _name(schema, table), fields, _name(schema, target), target_fields, origin="database")
        for kind, schema, table, fields, target, target_fields in keys
        if kind == "FOREIGN KEY"
    )
    return replace(catalog, relations=tuple(relation for relation in relations if relation))


def _values(connection: Any, table: str, examples: int) -> dict[int, tuple[str, ...]] | None:
    """The example values of a table's columns; None where it cannot be read."""
    import duckdb

    try:
        rows = connection.execute(f"SELECT * FROM {table} LIMIT {SAMPLED_ROWS if examples else 0}").fetchall()
    except duckdb.Error:
        return None
    return example_values(rows, examples)


def _name(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"
