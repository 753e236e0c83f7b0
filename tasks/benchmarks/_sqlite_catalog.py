"""Catalogs of database files and of DDL texts: what they declare, and a few example values."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Entity, Field, Origin, Relation
from schemas.errors import UserError
from storage.files import read_text
from tasks.benchmarks._declared import SAMPLED_ROWS, example_values, existing, foreign_key, quoted, with_tables
from tasks.benchmarks._duckdb_catalog import duckdb_catalog
from tasks.benchmarks._parsed_ddl import parsed_ddl

__all__ = ["connect", "ddl_catalog", "duckdb_catalog", "file_catalog", "introspect", "sqlite_catalog"]

STEPS = 5_000_000
DIALECT = re.compile(r"\s*--\s*dialect:\s*(\w+)", re.IGNORECASE)


def file_catalog(path: Path, database: str) -> Catalog:
    """The catalog of a DDL text (``*.sql``), a graph, a DuckDB file (told by suffix or first bytes) or a SQLite file.

    A DDL text is SQLite's unless its first line says otherwise: ``-- dialect: postgres``. A graph is a ``*.json`` or
    ``*.cypher`` file.
    """
    if path.suffix.lower() in (".json", ".cypher"):
        from tasks.benchmarks._graph_catalog import graph_file_catalog

        return graph_file_catalog(path, database)
    if path.suffix.lower() == ".sql":
        text = read_text(path)
        told = DIALECT.match(text)
        try:
            return ddl_catalog(text, database, told[1].lower() if told else "sqlite")
        except UserError as error:
            raise UserError(f"{path}: {error}") from error
    return (duckdb_catalog if is_duckdb(path) else sqlite_catalog)(path, database)


def is_duckdb(path: Path) -> bool:
    """Whether a file says by its suffix or by its first bytes that it is DuckDB's."""
    if path.suffix.lower() in (".duckdb", ".ddb"):
        return True
    with suppress(OSError), path.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"
    return False


def sqlite_catalog(path: Path, database: str, examples: int = 3) -> Catalog:
    """The catalog of a SQLite file, opened read-only: tables and views in the order of their creation.

    A view is an entity without keys; a view or virtual table that cannot be read (its tables or its module are gone)
    is left out, as no query can use it. A foreign key whose target does not exist is left out too.
    A file that is missing, broken, empty or no database is a UserError.
    """
    try:
        with closing(connect(path)) as connection:
            catalog = introspect(connection, database, examples)
    except sqlite3.Error as error:
        raise UserError(f"cannot read {path} as a SQLite database: {error}") from error
    return with_tables(catalog, f"{path}: ")


def connect(path: Path) -> sqlite3.Connection:
    """Open a SQLite file read-only, immutable unless a write-ahead log with changes lies beside it."""
    existing(path, "SQLite")
    log = path.with_name(f"{path.name}-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{immutable}", uri=True)


def introspect(
    connection: sqlite3.Connection, database: str, examples: int = 3, origin: Origin = "database"
) -> Catalog:
    """The catalog of an open SQLite database; raises sqlite3.Error where it cannot be read."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.set_progress_handler(lambda: 1, STEPS)
    listed = connection.execute(
        "SELECT s.name FROM sqlite_schema s JOIN pragma_table_list l ON l.name = s.name AND l.schema = 'main'"
        " WHERE l.type <> 'shadow' ORDER BY s.rowid"
    ).fetchall()
    names = [name for (name,) in listed if not name.lower().startswith("sqlite_")]
    entities = [entity for name in names if (entity := _entity(connection, name, examples))]
    catalog = Catalog(database, tuple(entities))
    relations = (
        relation for entity in entities for relation in _foreign_keys(connection, entity.name, catalog, origin)
    )
    return replace(catalog, relations=tuple(relations))


def _entity(connection: sqlite3.Connection, name: str, examples: int) -> Entity | None:
    """One table or view with its visible columns, generated ones included; None where it cannot be read."""
    try:
        columns = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        shown = [(column[1], column[2], bool(column[5])) for column in columns if column[6] != 1]
        values = example_values(_sample(connection, name, [column[0] for column in shown], examples), examples)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            return None
        raise
    fields = (Field(field, type_, "", key, values.get(at, ())) for at, (field, type_, key) in enumerate(shown))
    return Entity(name, tuple(fields))


def _sample(connection: sqlite3.Connection, name: str, fields: Sequence[str], examples: int) -> list[Sequence[Any]]:
    """A table's first rows; none from a view that takes too many steps to give them."""
    columns = ", ".join(map(quoted, fields))
    limit = SAMPLED_ROWS if examples else 0
    try:
        return connection.execute(f"SELECT {columns} FROM {quoted(name)} LIMIT {limit}").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return []
        raise


def _foreign_keys(connection: sqlite3.Connection, table: str, catalog: Catalog, origin: Origin) -> Iterator[Relation]:
    """A table's foreign keys in declared order; one that names no target columns means the target's primary key."""
    rows = connection.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
    for _, group in groupby(sorted(rows, key=lambda row: (-row[0], row[1])), key=lambda row: row[0]):
        key = list(group)
        target, fields, targets = key[0][2], [row[3] for row in key], [row[4] for row in key]
        if None in targets:
            primary = "SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk"
            targets = [name for (name,) in connection.execute(primary, (target,))]
        relation = foreign_key(catalog, table, fields, target, targets, origin=origin)
        if relation:
            yield relation


def ddl_catalog(text: str, database: str, dialect: str = "sqlite") -> Catalog:
    """The catalog of a DDL text: executed in memory for SQLite, parsed for any other dialect of sqlglot.

    Rows that a SQLite text inserts give example values. A statement that cannot be read is a UserError with its line.
    """
    if dialect != "sqlite":
        return with_tables(parsed_ddl(text, database, dialect))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.set_authorizer(_rights)
        for line, statement in statements(text):
            try:
                connection.executescript(statement)
            except sqlite3.Error as error:
                advice = "for other than SQLite's DDL name the dialect in the first line: -- dialect: postgres"
                raise UserError(f"cannot run the statement at line {line}: {error}; {advice}") from error
        return with_tables(introspect(connection, database, origin="declared"))


def statements(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a SQLite text, each with the number of its first line; statements of one line stay together.

    >>> list(statements("CREATE TABLE a(b);\\n\\nDROP TABLE a;"))
    [(1, 'CREATE TABLE a(b);\\n'), (3, '\\nDROP TABLE a;')]
    """
    begun, pending = 1, ""
    for number, line in enumerate(StringIO(text), 1):
        begun = number if not pending.strip() else begun
        pending += line
        if ";" in line and sqlite3.complete_statement(pending):
            yield begun, pending
            pending = ""
    if pending.strip():
        yield begun, pending


def _rights(action: int, *_: str | None) -> int:
    """No other files; transactions, which dumps begin and commit, mean nothing here."""
    if action in (sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT):
        return sqlite3.SQLITE_IGNORE
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK
