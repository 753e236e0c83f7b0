"""Error bars: the bootstrap over clusters of questions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 2000


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
    total, count = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
    if count.sum() == 0:
        return Interval(float("nan"), None, None)
    mean = float(total.sum() / count.sum())
    if len(total) < 2:
        return Interval(mean, None, None)
    draws = np.random.default_rng(seed).multinomial(len(total), np.full(len(total), 1 / len(total)), size=resamples)
    drawn = draws @ count
    ratios = (draws @ total)[drawn > 0] / drawn[drawn > 0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return Interval(mean, float(low), float(high))
