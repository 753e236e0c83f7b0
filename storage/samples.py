"""Some rows of a table: its first ones where that is all, else rows from all over it, the same ones every time."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from schemas.errors import Failure
from schemas.tools import Database, Rows


class Sample(NamedTuple):
    """Rows of a table, and whether they are all that it has."""

    rows: Rows
    whole: bool


def sample(table: str, database: Database, rows: int) -> Sample:
    """At most so many rows of a table; raise Failure where it cannot be read in time.

    The database's own row limit must be no less. Where the table has more, SQLite gives every n-th row by its rowid,
    DuckDB a reservoir, PostgreSQL a Bernoulli sample; a view or a table without rowids gives its first rows.
    """
    engine = database.engine.split()[0]
    name = _quoted(table, dotted=engine != "sqlite")
    first = database.run(f"SELECT * FROM {name} LIMIT {rows + 1}")
    if len(first.rows) <= rows and not first.truncated:
        return Sample(first, whole=True)
    try:
        for query in SPREAD[engine](name, database, rows):
            spread = database.run(query)
            if len(spread.rows) > rows // 2:
                return Sample(spread, whole=False)
    except Failure:
        pass
    return Sample(Rows(first.columns, first.rows[:rows], truncated=True), whole=False)


def _sqlite(name: str, database: Database, rows: int) -> Iterator[str]:
    ((low, high),) = database.run(f"SELECT min(rowid), max(rowid) FROM {name}").rows
    if low is not None:
        chosen = ", ".join(str(low + step * (high - low) // max(1, rows - 1)) for step in range(rows))
        yield f"SELECT * FROM {name} WHERE rowid IN ({chosen})"


def _duckdb(name: str, database: Database, rows: int) -> Iterator[str]:
    yield f"SELECT * FROM {name} USING SAMPLE reservoir({rows} ROWS) REPEATABLE (1)"


def _postgres(name: str, database: Database, rows: int) -> Iterator[str]:
    literal = name.replace("'", "''")
    ((known,),) = database.run(f"SELECT reltuples::bigint FROM pg_class WHERE oid = '{literal}'::regclass").rows
    if known > 0:
        share = min(100.0, 110.0 * rows / known)
        yield f"SELECT * FROM {name} TABLESAMPLE BERNOULLI ({share:.6f}) REPEATABLE (1) LIMIT {rows}"


SPREAD: dict[str, Callable[[str, Database, int], Iterator[str]]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgresql": _postgres,
}


def _quoted(name: str, *, dotted: bool) -> str:
    """A table's name for a query; a dot stands between schema and table where the engine has schemas."""
    parts = name.split(".") if dotted else [name]
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
