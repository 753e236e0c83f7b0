"""Leaderboards: every metric of every run and linker as a mean with its interval."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np

from schemas.errors import unknown
from storage.intervals import Interval, Matrix, cluster_bootstraps
from storage.inventory import quoted
from storage.sql import sql

LEVELS = ("entity", "field", "query")
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
NAMES = ("run", "benchmark", "linker", "slice")
Row = dict[str, Any]
Group = tuple[str, ...]


class Sums(NamedTuple):
    """One metric of one group (level, run, benchmark, linker, slice): sums and numbers of its values, by cluster."""

    group: Group
    metric: str
    totals: Matrix
    counts: Matrix


def leaderboard(connection: duckdb.DuckDBPyConnection, *, level: str = "entity", by: str = "") -> list[Row]:
    """One row a run, benchmark, linker and slice of one level; see ``leaderboards``."""
    return leaderboards(connection, [level], by=by)[level]


def leaderboards(
    connection: duckdb.DuckDBPyConnection, levels: Sequence[str] = LEVELS, *, by: str = ""
) -> dict[str, list[Row]]:
    """Every metric of every run and linker as a mean with its interval: one row a run, benchmark, linker and slice.

    ``levels`` are of ``entity``, ``field`` and ``query``; ``by`` slices by ``difficulty``, ``database``,
    ``gold_tables``, or by ``stability``: whether LIMIT without ORDER BY leaves the rows open.
    A row maps each metric to an Interval; macro means, and the pooled ratios ``nsr``, ``nsp``, ``google_bleu``.
    Clusters are databases; where a run has scores of one database only, they are questions.
    """
    if by not in SLICES:
        raise unknown("slice", by, [name for name in SLICES if name])
    groups: dict[Group, list[Sums]] = defaultdict(list)
    for each in sorted(_sums(connection, levels, by), key=lambda each: (each.group, each.metric)):
        groups[each.group].append(each)
    statistics = [each for sums in groups.values() for each in _statistics(sums)]
    rows: dict[Group, Row] = {group: dict(zip(NAMES, group[1:], strict=True)) for group in groups}
    for group, sums in groups.items():
        rows[group]["n"] = max(int(each.counts.sum()) for each in sums)
    for each, interval in zip(statistics, _intervals(statistics), strict=True):
        rows[each.group][each.metric] = interval
    return {level: [row for group, row in rows.items() if group[0] == level] for level in levels}


def _sums(connection: duckdb.DuckDBPyConnection, levels: Sequence[str], by: str) -> Iterator[Sums]:
    """The sums by database, or by question where a run's scores are of one database only."""
    asked = f"s.level IN ({', '.join(map(quoted, levels))})" if set(levels) < set(LEVELS) else "true"
    found = list(_read(connection, by, "s.database", asked))
    databases: dict[Group, set[str]] = defaultdict(set)
    for sums, ends in found:
        databases[sums.group[1:3]].update(ends)
    single = sorted(key for key, names in databases.items() if len(names) == 1)
    yield from (sums for sums, _ in found if len(databases[sums.group[1:3]]) > 1)
    if single:
        pairs = ", ".join(f"({quoted(run)}, {quoted(benchmark)})" for run, benchmark in single)
        runs = ", ".join(sorted({quoted(run) for run, _ in single}))
        where = f"{asked} AND s.run IN ({runs}) AND (s.run, s.benchmark) IN ({pairs})"
        yield from (sums for sums, _ in _read(connection, by, "s.question", where))


def _read(
    connection: duckdb.DuckDBPyConnection, by: str, cluster: str, where: str
) -> Iterator[tuple[Sums, tuple[str, str]]]:
    """The sums of every group and metric, and the names of its first and its last cluster."""
    slice_sql, alias = SLICES[by]
    query = sql("clusters").format(slice=slice_sql, join=JOINS[alias], cluster=cluster, where=where)
    columns = [column.combine_chunks() for column in connection.sql(query).to_arrow_table().columns]
    *keys, metrics, totals, counts, first, last = columns
    groups = zip(*(key.to_pylist() for key in keys), strict=True)
    values = zip(groups, metrics.to_pylist(), _arrays(totals), _arrays(counts), strict=True)
    ends = zip(first.to_pylist(), last.to_pylist(), strict=True)
    return zip((Sums(*each) for each in values), ends, strict=True)


def _arrays(lists: Any) -> list[Matrix]:
    """The lists of an Arrow column as arrays."""
    ends = np.cumsum(np.from_dlpack(lists.value_lengths()))
    return np.split(np.from_dlpack(lists.flatten()).astype(float), ends[:-1]) if len(ends) else []


def _statistics(sums: Sequence[Sums]) -> Iterator[Sums]:
    """The metrics of one group, and the pooled ratios of those that count."""
    yield from sums
    known = {each.metric: each for each in sums}
    for name, (upper, lower) in MICRO.items():
        if upper in known and lower in known:
            yield Sums(sums[0].group, name, known[upper].totals, known[lower].totals)


def _intervals(statistics: Sequence[Sums]) -> list[Interval]:
    """The interval of each statistic; those over equally many clusters are computed together."""
    sizes: dict[int, list[int]] = defaultdict(list)
    for at, each in enumerate(statistics):
        sizes[len(each.totals)].append(at)
    found: dict[int, Interval] = {}
    for places in sizes.values():
        chosen = [statistics[at] for at in places]
        matrices = np.stack([each.totals for each in chosen]), np.stack([each.counts for each in chosen])
        found.update(zip(places, cluster_bootstraps(*matrices), strict=True))
    return [found[at] for at in range(len(statistics))]
