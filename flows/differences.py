"""Every metric of pairs of linkers compared, and what must be said with that."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from schemas.errors import UserError, unknown
from storage.comparisons import Comparison, holm
from storage.pairs import Pairs, Side, apart, paired

if TYPE_CHECKING:
    import duckdb

LINKING = ("recall", "precision", "f1", "f6", "exact_match", "strict_recall", "kept")
EXECUTED = ("ex_bird", "ex_test_suite", "ex_bag", "ex_ordered", "execution_match", "ex_bag_unordered_columns")
SHOWN = {"entity": LINKING, "field": LINKING, "query": (*EXECUTED, "google_bleu")}
FEW = 10


class Difference(NamedTuple):
    """One metric of two sides on the same questions, and its p adjusted for all that is reported beside it."""

    a: Side
    b: Side
    pairs: Pairs
    found: Comparison
    holm: float | None


class Report(NamedTuple):
    """All differences, and what must be said with them, a line each."""

    differences: list[Difference]
    cautions: list[str]


def differences(
    connection: "duckdb.DuckDBPyConnection",
    sides: Sequence[tuple[Side, Side]],
    levels: Sequence[str],
    metrics: Sequence[str] = (),
    by: str = "",
) -> Report:
    """Compare each pair of sides in each metric of each level, benchmark and slice."""
    asked = {level: list(metrics or SHOWN[level]) for level in levels}
    if metrics:
        _check(connection, metrics, levels)
    rows = [
        (a, b, each, each.compare())
        for a, b in sides
        for level in levels
        for each in _ordered(paired(connection, a, b, levels=[level], metrics=asked[level], by=by), asked[level])
    ]
    if not rows:
        more = f"; nor do {len(sides) - 1} more pairs" if len(sides) > 1 else ""
        raise UserError(_nothing(connection, *sides[0], levels) + more)
    adjusted = iter(holm([one.p for *_, one in rows if one.p is not None]))
    found = [Difference(*row, None if row[3].p is None else next(adjusted)) for row in rows]
    cautions = (*_left_out(connection, sides, levels), *_changed(connection, sides), *_few(found))
    return Report(found, list(dict.fromkeys(cautions)))


def _ordered(found: Sequence[Pairs], metrics: Sequence[str]) -> list[Pairs]:
    return sorted(found, key=lambda each: (each.benchmark, each.slice, metrics.index(each.metric)))


def _check(connection: "duckdb.DuckDBPyConnection", metrics: Sequence[str], levels: Sequence[str]) -> None:
    query = "SELECT DISTINCT metric FROM scores WHERE list_contains($levels, level)"
    known = [name for (name,) in connection.execute(query, {"levels": list(levels)}).fetchall()]
    for metric in metrics:
        if metric not in known:
            raise unknown("metric", metric, known)


def _nothing(connection: "duckdb.DuckDBPyConnection", a: Side, b: Side, levels: Sequence[str]) -> str:
    parts = apart(connection, a, b, levels)
    told = [f"{each.benchmark} {each.level}: {each.only_a} and {each.only_b} of their own" for each in parts]
    return f"{a} and {b} share no scored question ({', '.join(told) or 'no scores at these levels'})"


def _left_out(
    connection: "duckdb.DuckDBPyConnection", sides: Sequence[tuple[Side, Side]], levels: Sequence[str]
) -> Iterator[str]:
    for a, b in sides:
        for each in apart(connection, a, b, levels):
            if each.only_a or each.only_b:
                yield (
                    f"{each.benchmark}, {each.level}: {each.both} questions are compared; left out are {each.only_a}"
                    f" that only {a} has and {each.only_b} that only {b} has"
                )


def _changed(connection: "duckdb.DuckDBPyConnection", sides: Sequence[tuple[Side, Side]]) -> Iterator[str]:
    rows = connection.execute("SELECT name, configuration FROM runs").fetchall()
    told = {name: json.loads(text or "{}").get("benchmarks", {}) for name, text in rows}
    for first, second in dict.fromkeys((a.run, b.run) for a, b in sides):
        for name in told[first].keys() & told[second].keys():
            if told[first][name] != told[second][name]:
                yield f"{name} was read from other files or corrections in {second} than in {first}: golds may differ"


def _few(found: Sequence[Difference]) -> Iterator[str]:
    for (benchmark, part), each in groupby(found, key=lambda each: (each.pairs.benchmark, each.pairs.slice)):
        one = next(each)
        where = f"{benchmark}, {part}" if part else benchmark
        if one.pairs.cluster == "question":
            yield f"{where}: one database only, so that questions are taken as independent"
        elif one.found.clusters < FEW:
            least = f"p cannot be below {2 / 2**one.found.clusters:.2g}"
            yield f"{where}: only {one.found.clusters} databases: {least}, and intervals are rough or missing"
