"""What recall cost: tokens, seconds and money beside the metrics that they bought."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from flows.answers import print_frame
from schemas.errors import UserError
from storage.layout import Store
from storage.prices import DEFAULT
from storage.sql import sql
from storage.warehouse import connect

BOUGHT = """
SELECT run, benchmark, linker,
       100 * avg(value) FILTER (level = 'entity' AND metric = 'recall') AS table_recall,
       100 * avg(value) FILTER (level = 'entity' AND metric = 'precision') AS table_precision,
       100 * avg(value) FILTER (level = 'field' AND metric = 'strict_recall') AS column_srr,
       100 * avg(value) FILTER (level = 'query' AND metric = 'ex_bird') AS ex_bird
FROM scores GROUP BY ALL"""


def costs(store: Store, runs: Sequence[str], prices: Path | None = None) -> pl.DataFrame:
    """One row a run, benchmark, linker and stage with totals, spreads, money, and the metrics beside them."""
    connection = connect(store, runs, prices or DEFAULT, views=("costs", "scores"))
    query = f"""WITH spending AS ({sql("spending")}), bought AS ({BOUGHT})
                FROM spending LEFT JOIN bought USING (run, benchmark, linker) ORDER BY run, benchmark, linker, stage"""
    frame: pl.DataFrame = connection.sql(query).pl()
    return frame


def print_costs(store: Store, runs: Sequence[str], prices: Path | None, form: str) -> None:
    """Print the costs; money is missing where the model has no price."""
    frame = costs(store, runs, prices)
    if frame.is_empty():
        raise UserError(f"{store.root}: there are no linkings; make a run with: python -m flows evaluate")
    if form in ("csv", "json"):
        print_frame(frame, form)
        return
    print_frame(narrow(frame), form)


def narrow(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that fit a terminal, rounded; money per thousand questions."""
    per_thousand = 1000 / pl.col("questions")
    several = [pl.col("run")] if frame["run"].n_unique() > 1 else []
    return frame.select(
        *several,
        "linker",
        "stage",
        pl.col("questions").alias("n"),
        pl.col("table_recall").round(2).alias("recall"),
        pl.col("table_precision").round(2).alias("precision"),
        pl.col("ex_bird").round(2).alias("EX"),
        "calls",
        pl.col("tokens_a_question").round(0).alias("tokens/q"),
        pl.col("cached_tokens").alias("cached"),
        pl.col("own_ms_median").round(2).alias("own ms"),
        pl.col("model_seconds_a_question").round(2).alias("model s/q"),
        (pl.col("money") * per_thousand).round(4).alias("$/1k q"),
        (pl.col("machine_money") * per_thousand).round(6).alias("machine $/1k q"),
    )
