"""Judge: run a gold or a predicted query where its rows stay, and say what the metrics make of them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from schemas.answers import Executed
from schemas.errors import Failure
from schemas.tools import Rows
from storage.engines.limits import Limits
from storage.gold import Gold, read_rows, write_gold
from storage.isolation import kept_open
from storage.rows import digest
from storage.workers import GRACE, allow
from tasks import plugins
from tasks.metrics import _cypher
from tasks.metrics._rows import asks_for_order

COMPARE_SECONDS = 30.0


@cache
def execution_metrics(language: str = "sql") -> Mapping[str, ModuleType]:
    """The metrics that judge executed queries of a language, by name."""
    return plugins.metrics(Executed, language)


def warm_up() -> None:
    """Import in a new worker what its first query would wait for."""
    execution_metrics()


def rewritten(metric: str, query: str) -> str:
    """The query as a metric wants it run: its own ``rewrite(query)``, if it has one; no metric wants it as it is."""
    rewrite = getattr(plugins.load("metrics", metric), "rewrite", None) if metric else None
    return str(rewrite(query)) if rewrite else query


def ordered(metric: str, gold: str, language: str = "sql") -> bool:
    """Whether order counts for a metric: its own ``ordered(query)``, else whether the gold query asks for an order."""
    asks = _cypher.asks_for_order if language == "cypher" else asks_for_order
    own = getattr(plugins.load("metrics", metric), "ordered", asks) if metric else asks
    return bool(own(gold))


@dataclass(frozen=True, slots=True)
class Trial:
    """A predicted query, as some metrics want it run, with each one's gold result and whether its order counts."""

    address: str
    query: str
    golds: tuple[tuple[str, Path, bool], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a trial gave: rows as count and digest, the query's seconds, the engine, and the metrics' values."""

    rows: int
    digest: str
    seconds: float
    engine: str
    values: Mapping[str, float | None]


def timed(address: str, limits: Limits, query: str) -> tuple[Rows, float, str]:
    """A query's rows, its seconds and the engine; the process ends if the engine does not keep to the limit."""
    database = kept_open(address, limits)
    allow(limits.seconds + GRACE)
    start = time.perf_counter()
    rows = database.run(query)
    seconds = time.perf_counter() - start
    allow(COMPARE_SECONDS)
    return rows, seconds, database.engine


def judge(trial: Trial, limits: Limits) -> Judged:
    """Run a predicted query and compare it with its gold results; a failing query is a Failure."""
    predicted, seconds, engine = timed(trial.address, limits, trial.query)
    golds = {path: read_rows(path) for path in {path for _, path, _ in trial.golds}}
    values = {
        metric: plugins.load("metrics", metric).score(Executed(golds[path], predicted, counts))
        for metric, path, counts in trial.golds
    }
    return Judged(len(predicted.rows), digest(predicted.rows), seconds, engine, values)


def run_gold(address: str, limits: Limits, query: str, path: Path) -> Gold:
    """Run a gold query and keep its result, or how it failed."""
    try:
        rows, seconds, _ = timed(address, limits, query)
    except Failure as failure:
        return keep_failed_gold(path, limits, failure)
    held = Gold("ok", "", len(rows.rows), seconds, limits.seconds, limits.rows, limits.size)
    return write_gold(path, held, rows)


def keep_failed_gold(path: Path, limits: Limits, failure: Failure) -> Gold:
    """Remember that a gold query failed, but not that its process crashed: another try may end otherwise."""
    status = {"timeout": "gold_timeout", "unsupported": "gold_unsupported"}.get(failure.status, "gold_error")
    held = Gold(status, f"{failure.status}: {failure.reason}", 0, 0.0, limits.seconds, limits.rows, limits.size)
    return held if failure.status == "crashed" else write_gold(path, held)
