"""The results as a database: DuckDB views over all runs, and the reports that are made of them."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from schemas.arrow import arrow_schema, to_table
from schemas.catalog import Catalog
from schemas.errors import UserError, unknown
from schemas.records import Question
from storage.files import read_json
from storage.intervals import Interval, cluster_bootstrap
from storage.layout import Store
from storage.prices import DEFAULT, Price, Prices, read_prices
from storage.runs import RECORDS, shard_files

SLICES = {
    "": ("''", ""),
    "difficulty": ("coalesce(nullif(q.difficulty, ''), 'unknown')", "q"),
    "database": ("s.database", ""),
    "gold_tables": ("len(list_filter(q.gold, lambda r: r.field = ''))::VARCHAR", "q"),
    "stability": ("CASE u.value WHEN 1 THEN 'unstable' WHEN 0 THEN 'stable' ELSE 'unknown' END", "u"),
}
MICRO = {
    "nsr": ("hits", "gold"),
    "nsp": ("hits", "kept"),
    "google_bleu": ("google_bleu_matches", "google_bleu_total"),
}
JOINS = {
    "": "",
    "q": "LEFT JOIN questions q ON q.benchmark = s.benchmark AND q.id = s.question",
    "u": "LEFT JOIN (FROM scores WHERE metric = 'unstable') u"
    " ON (u.run, u.benchmark, u.question, u.linker, u.repetition)"
    " = (s.run, s.benchmark, s.question, s.linker, s.repetition)",
}


@cache
def sql(name: str) -> str:
    """The text of one report's query."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def connect(store: Store, runs: Sequence[str] = (), prices: Path = DEFAULT) -> duckdb.DuckDBPyConnection:
    """Open the views over some or all runs: every dataset, ``questions``, ``catalogs``, ``costs`` and ``runs``.

    The connection reads below the storage folder only, and writes nowhere.
    """
    for name in runs:
        if name not in store.runs():
            raise unknown("run", name, store.runs())
    chosen = [store.run(name) for name in runs or store.runs()]
    connection = duckdb.connect()
    for dataset, record in RECORDS.items():
        files = [file for run in chosen for file in shard_files(run, dataset)]
        _view(connection, dataset, record, files, r"'/runs/([^/]+)/'")
    for dataset, kind in (("questions", Question), ("catalogs", Catalog)):
        files = sorted(store.root.glob(f"benchmarks/*/{dataset}.parquet"))
        _view(connection, dataset, kind, files, "")
    connection.register("run_table", _run_table(chosen))
    connection.execute("CREATE TABLE runs AS SELECT * FROM run_table")
    connection.unregister("run_table")
    _add_costs(connection, read_prices(prices))
    connection.execute(f"SET allowed_directories = ['{_quoted(store.root.resolve())}']")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _add_costs(connection: duckdb.DuckDBPyConnection, prices: Prices) -> None:
    """Create the view ``costs`` and the tables of prices that it reads."""
    connection.register("price_rows", to_table(Price, prices.models))
    connection.execute("CREATE TABLE prices AS SELECT * FROM price_rows")
    connection.unregister("price_rows")
    connection.execute("CREATE TABLE machine AS SELECT $hour::DOUBLE AS machine_hour", {"hour": prices.machine_hour})
    connection.execute(sql("costs"))


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _view(
    connection: duckdb.DuckDBPyConnection, name: str, record: type, files: Sequence[Path], run_pattern: str
) -> None:
    """Create one view over Parquet files, or an empty table of the same columns where there are none."""
    run = f"regexp_extract(filename, {run_pattern}, 1) AS run, " if run_pattern else ""
    if files:
        listed = ", ".join(f"'{_quoted(file.resolve())}'" for file in files)
        columns = f"SELECT {run}* EXCLUDE (filename) FROM read_parquet([{listed}], filename = true)"
        try:
            connection.execute(f"CREATE VIEW {name} AS {columns}")
        except duckdb.Error as error:
            raise UserError(f"cannot read {name}: {first_line(error)}") from error
        return
    schema = arrow_schema(record)
    empty = (pa.schema([pa.field("run", pa.string()), *schema]) if run else schema).empty_table()
    connection.register("nothing", empty)
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM nothing")
    connection.unregister("nothing")


def _run_table(runs: Sequence[Path]) -> pa.Table:
    """One row a run: what its ``run.json`` says, the configuration as JSON text."""
    names = ("name", "hash", "created", "finished", "status", "commit", "flow_run", "configuration", "packages")
    rows = [read_json(run / "run.json") for run in runs]
    table = [{name: row.get(name) for name in names} for row in rows]
    texts = [
        {name: value if isinstance(value, str | None) else json.dumps(value) for name, value in row.items()}
        for row in table
    ]
    return pa.Table.from_pylist(texts, schema=pa.schema([(name, pa.string()) for name in names]))


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


def leaderboard(connection: duckdb.DuckDBPyConnection, *, level: str = "entity", by: str = "") -> list[dict[str, Any]]:
    """Every metric of every run and linker as a mean with its interval: one row a run, benchmark, linker and slice.

    ``level`` is ``entity``, ``field`` or ``query``; ``by`` slices by ``difficulty``, ``database``, ``gold_tables``,
    or by ``stability``: whether LIMIT without ORDER BY leaves the rows open.
    A row maps each metric to an Interval; macro means, and the pooled ratios ``nsr``, ``nsp``, ``google_bleu``.
    """
    if by not in SLICES:
        raise unknown("slice", by, [name for name in SLICES if name])
    slice_sql, alias = SLICES[by]
    query = sql("clusters").format(slice=slice_sql, join=JOINS[alias])
    groups: dict[tuple[str, ...], dict[str, dict[str, tuple[float, int]]]] = {}
    for *key, metric, cluster, total, n in connection.execute(query, {"level": level}).fetchall():
        groups.setdefault(tuple(key), {}).setdefault(metric, {})[cluster] = (total or 0.0, n)
    names = ("run", "benchmark", "linker", "slice")
    return [{**dict(zip(names, key, strict=True)), **_intervals(metrics)} for key, metrics in groups.items()]


def _intervals(metrics: dict[str, dict[str, tuple[float, int]]]) -> dict[str, Interval | int]:
    """Means and pooled ratios of one group from its sums by cluster."""
    found: dict[str, Interval | int] = {"n": max(sum(n for _, n in sums.values()) for sums in metrics.values())}
    for metric, sums in metrics.items():
        found[metric] = cluster_bootstrap([t for t, _ in sums.values()], [n for _, n in sums.values()])
    for name, (upper, lower) in MICRO.items():
        if upper in metrics and lower in metrics:
            pooled = [(metrics[upper][cluster][0], metrics[lower][cluster][0]) for cluster in metrics[upper]]
            found[name] = cluster_bootstrap([top for top, _ in pooled], [bottom for _, bottom in pooled])
    return found
