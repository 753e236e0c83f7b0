"""Check gold: run a gold query against itself, in its own order of rows and in another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.answers import Executed
from schemas.errors import Failure
from schemas.tools import Rows
from storage.databases import dialect
from storage.engines.limits import Limits
from tasks.judge import execution_metrics, ordered, rewritten, timed
from tasks.metrics._rows import equal_bags, words

DIGITS = 9


@dataclass(frozen=True, slots=True)
class Checked:
    """How a gold query ended and took, what the metrics give it against itself, and what differed between runs.

    ``again`` has the metrics' lowest values over runs in the engine's own order, ``turned`` those of a run in which
    the engine is asked for another order wherever the query leaves it open. ``again_differs`` and ``turned_differs``
    say ``rows``, ``order`` (of a query that asks for one: ties), ``digits`` (of floats), or nothing.
    """

    status: str
    reason: str = ""
    seconds: float = 0.0
    rows: int = 0
    again: Mapping[str, float] = field(default_factory=dict)
    turned: Mapping[str, float] = field(default_factory=dict)
    again_differs: str = ""
    turned_differs: str = ""


def check_gold(address: str, limits: Limits, query: str, times: int) -> Checked:
    """Run a gold query so many times, then once with the open order turned; the first failure decides its status.

    No engine of graphs turns an open order: there the last run is one more of the same.
    """
    language = dialect(address)
    try:
        plain = _runs(address, limits, query, times)
        runs = {query: plain}
        for metric in execution_metrics(language):
            text = rewritten(metric, query)
            runs[text] = runs.get(text) or _runs(address, limits, text, times)
    except Failure as failure:
        status = "gold_timeout" if failure.status == "timeout" else "gold_error"
        return Checked(status, f"{failure.status}: {failure.reason}")
    values: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for metric, module in execution_metrics(language).items():
        text = rewritten(metric, query)
        first = runs[text][0][0]
        scores = [module.score(Executed(first, rows, ordered(metric, text, language))) for rows, _ in runs[text]]
        values[False][metric], values[True][metric] = min(scores[:-1]), scores[-1]
    first, *more = (rows for rows, _ in plain)
    differing = [difference(first, rows, ordered("", query, language)) for rows in more]
    return Checked(
        "ok",
        seconds=plain[0][1],
        rows=len(first.rows),
        again=values[False],
        turned=values[True],
        again_differs=next(filter(None, differing[:-1]), ""),
        turned_differs=differing[-1],
    )


def _runs(address: str, limits: Limits, query: str, times: int) -> Sequence[tuple[Rows, float]]:
    plain = [timed(address, limits, query)[:2] for _ in range(times)]
    if dialect(address) == "cypher":
        return [*plain, timed(address, limits, query)[:2]]
    reverse = replace(limits, reverse=True)
    try:
        return [*plain, timed(address, reverse, ties_turned(query))[:2]]
    except Failure as failure:
        if failure.status != "query_error":
            raise
    return [*plain, timed(address, reverse, query)[:2]]


def ties_turned(query: str) -> str:
    """The query with one more key in each ORDER BY but those of windows: ``open_order()``, which SQLite has for this.

    Set operations and other engines refuse it.

    >>> ties_turned("SELECT a FROM t ORDER BY b DESC LIMIT 1;")
    'SELECT a FROM t ORDER BY b DESC , open_order() LIMIT 1;'
    """
    turned: list[str] = []
    levels = [Level()]
    for word in (*words(query), ""):
        level, sign = levels[-1], word.casefold()
        if level.sorting and sign in (")", "limit", ";", ""):
            turned.append(", open_order() ")
            level.sorting = False
        turned.append(word)
        if sign == "(":
            levels.append(Level(window=level.last == "over"))
        elif sign == ")" and len(levels) > 1:
            levels.pop()
        elif not word.isspace() and not word.startswith(("--", "/*")):
            level.sorting |= (level.last, sign, level.window) == ("order", "by", False)
            level.last = sign
    return "".join(turned)


@dataclass(slots=True)
class Level:
    """What has been read of a query inside one pair of parentheses."""

    last: str = ""
    sorting: bool = False
    window: bool = False


def difference(first: Rows, second: Rows, counts: bool) -> str:
    """What tells two answers of the same query apart; ``counts`` says that the query asks for an order.

    >>> difference(Rows(("a",), ((1,), (2,))), Rows(("a",), ((2,), (1,))), counts=True)
    'order'
    """
    if first.rows == second.rows or (not counts and equal_bags(first.rows, second.rows)):
        return ""
    if equal_bags(first.rows, second.rows):
        return "order"
    return "digits" if equal_bags(_rounded(first), _rounded(second)) else "rows"


def _rounded(rows: Rows) -> list[tuple[Any, ...]]:
    return [
        tuple(float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for value in row) for row in rows.rows
    ]
