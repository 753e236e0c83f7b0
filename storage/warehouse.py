"""The results as a database: DuckDB views over all runs, and the reports that are made of them."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from schemas.arrow import arrow_schema, to_table
from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from storage.inventory import Inventory, data_files, quoted, run_facts
from storage.layout import Store
from storage.leaderboards import leaderboard
from storage.prices import DEFAULT, Price, Prices, read_prices
from storage.runs import RECORDS
from storage.sql import sql

__all__ = ["connect", "first_line", "leaderboard", "named", "select", "sql"]

FACTS = ("name", "hash", "created", "finished", "status", "commit", "flow_run", "configuration", "packages")
VIEWS = (*RECORDS, "questions", "catalogs", "costs", "runs")


def connect(
    store: Store, runs: Sequence[str] = (), prices: Path = DEFAULT, *, views: Collection[str] = VIEWS
) -> duckdb.DuckDBPyConnection:
    """Open the views over some or all runs: every dataset, ``questions``, ``catalogs``, ``costs`` and ``runs``.

    ``views`` are those that are needed; the others are not made. The connection reads below the storage only, and
    writes nowhere.
    """
    inventory = Inventory(store.root)
    connection = duckdb.connect()
    inventory.open(connection)
    wanted = {*views, *(("linkings", "queries") if "costs" in views else ())}
    if not wanted.isdisjoint((*RECORDS, "runs")) or runs:
        _add_runs(connection, inventory, wanted, runs)
    for name, record in (("questions", Question), ("catalogs", Catalog)):
        if name in wanted:
            files = sorted(file for file in inventory.benchmark_files() if file.endswith(f"/{name}.parquet"))
            _view(connection, name, record, [f"{inventory.address}/{file}" for file in files])
    if "costs" in wanted:
        _add_costs(connection, read_prices(prices))
    connection.execute("SET lock_configuration = true")
    return connection


def named(query: str) -> Collection[str]:
    """The views that a query may read: those whose names stand in it; all of them where it has none."""
    words = set(re.findall(r"\w+", query.lower()))
    return words.intersection(VIEWS) or VIEWS


def _add_runs(
    connection: duckdb.DuckDBPyConnection, inventory: Inventory, wanted: Collection[str], names: Sequence[str]
) -> None:
    """Create the wanted views over the runs' datasets, and the table ``runs``."""
    chosen = inventory.runs(names)
    folder = f"{inventory.address}/runs/"
    found = {run: data_files(files) for run, files in chosen.items()}
    for dataset, record in RECORDS.items():
        if dataset in wanted:
            files = [f"{folder}{run}/{file}" for run, sets in found.items() for file in sets.get(dataset, ())]
            _view(connection, dataset, record, files, folder)
    if "runs" in wanted:
        facts = run_facts(inventory, list(chosen))
        columns = ", ".join(f"unnest(${name}::VARCHAR[]) AS {name}" for name in FACTS)
        connection.execute(f"CREATE TABLE runs AS SELECT {columns}", {name: _texts(facts, name) for name in FACTS})


def _texts(facts: Sequence[Mapping[str, Any]], name: str) -> list[str | None]:
    """One fact of every run, as JSON text where it is not a text."""
    values = (about.get(name) for about in facts)
    return [value if isinstance(value, str | None) else json.dumps(value) for value in values]


def _add_costs(connection: duckdb.DuckDBPyConnection, prices: Prices) -> None:
    """Create the view ``costs`` and the tables of prices that it reads."""
    connection.register("price_rows", to_table(Price, prices.models))
    connection.execute("CREATE TABLE prices AS SELECT * FROM price_rows")
    connection.unregister("price_rows")
    connection.execute("CREATE TABLE machine AS SELECT $hour::DOUBLE AS machine_hour", {"hour": prices.machine_hour})
    connection.execute(sql("costs"))


def _view(
    connection: duckdb.DuckDBPyConnection, name: str, record: type, files: Sequence[str], folder: str = ""
) -> None:
    """Create one view over Parquet files, or an empty table of the same columns where there are none.

    ``folder`` is what the files' names have before the run's; a condition on ``run`` then chooses among the files.
    """
    run = f"split_part(substr(filename, {len(folder) + 1}), '/', 1) AS run, " if folder else ""
    if files:
        listed = ", ".join(map(quoted, files))
        rows = f"SELECT {run}* EXCLUDE (filename) FROM read_parquet([{listed}], filename = true)"
        try:
            connection.execute(f"CREATE VIEW {name} AS {rows}")
        except duckdb.Error as error:
            raise UserError(f"cannot read {name}: {first_line(error)}") from error
        return
    schema = arrow_schema(record)
    columns = pa.schema([pa.field("run", pa.string()), *schema]) if run else schema
    connection.register("nothing", pa.Table.from_batches([], columns))
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM nothing")
    connection.unregister("nothing")


def first_line(error: Exception) -> str:
    """The first line of a DuckDB error, without its class."""
    return re.sub(r"^[A-Za-z ]+ Error: ", "", str(error).splitlines()[0])


def select(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """Run one read-only statement of a person's; anything else, or a mistake, is a UserError."""
    try:
        statements = duckdb.extract_statements(query)
        kinds = [statement.type for statement in statements]
        if kinds not in ([duckdb.StatementType.SELECT], [duckdb.StatementType.EXPLAIN]):
            raise UserError(f"only one SELECT is run here, not {query!r}")
        relation = connection.sql(query)
    except duckdb.Error as error:
        raise UserError(f"the query fails: {' '.join(str(error).split())}") from error
    if relation is None:
        raise UserError(f"only one SELECT is run here, not {query!r}")
    return relation
