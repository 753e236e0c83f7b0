"""Error bars: the bootstrap over clusters of questions."""

from functools import lru_cache
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 2000
BOUNDS = (0.025, 0.975)
BATCH = 32  # matrices of so many rows stay in the cache of a processor
Matrix = NDArray[np.float64]


class Interval(NamedTuple):
    """A mean and its 95 % percentile interval; the bounds are None where there are fewer than two clusters."""

    mean: float
    low: float | None
    high: float | None


def cluster_bootstrap(totals: ArrayLike, counts: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """Bootstrap a ratio of sums over clusters: databases are drawn with replacement, each with all its questions.

    ``totals`` and ``counts`` have one number a cluster; the statistic is sum(totals) / sum(counts): a macro mean where
    they are sums and numbers of per-question values, a micro ratio where both are pooled counts.

    >>> cluster_bootstrap([3, 0], [4, 4]).mean
    0.375
    """
    (found,) = cluster_bootstraps([np.asarray(totals)], [np.asarray(counts)], resamples=resamples, seed=seed)
    return found


def cluster_bootstraps(
    totals: ArrayLike, counts: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """The same for many statistics over equally many clusters, one a row: all of them see the same draws."""
    total, count = (np.atleast_2d(np.asarray(values, dtype=float)) for values in (totals, counts))
    if total.shape[1] == 0:
        return [Interval(float("nan"), None, None)] * len(total)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total.sum(axis=1) / count.sum(axis=1)
        means[count.sum(axis=1) == 0] = np.nan
    if total.shape[1] < 2:
        return [Interval(float(mean), None, None) for mean in means]
    found = []
    for at in range(0, len(total), BATCH):
        low, high = _bounds(total[at : at + BATCH], count[at : at + BATCH], _draws(total.shape[1], resamples, seed))
        rows = zip(means[at : at + BATCH].tolist(), low.tolist(), high.tolist(), strict=True)
        found += [Interval(mean, None, None) if isnan(mean) else Interval(mean, low, high) for mean, low, high in rows]
    return found


@lru_cache(maxsize=2)
def _draws(clusters: int, resamples: int, seed: int) -> Matrix:
    """How often each cluster is drawn: one row a cluster, one column a resample."""
    chance = np.random.default_rng(seed)
    draws = chance.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    return np.ascontiguousarray(draws.T, dtype=float)


def _bounds(total: Matrix, count: Matrix, draws: Matrix) -> tuple[Matrix, Matrix]:
    """The bounds of each row's interval; a resample that drew no question is left out."""
    drawn, ratios = count @ draws, total @ draws
    empty = drawn == 0
    drawn[empty] = 1
    ratios /= drawn
    ragged = {row: ratios[row][~empty[row]] for row in np.flatnonzero(empty.any(axis=1) & ~empty.all(axis=1))}
    low, high = np.quantile(ratios, BOUNDS, axis=1, overwrite_input=True)
    for row, left in ragged.items():
        low[row], high[row] = np.quantile(left, BOUNDS)
    return low, high
