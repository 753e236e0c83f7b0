"""Two methods on the same questions: how far apart they are, and whether that could be chance.

Questions of one database are alike, so a database counts as a whole (a cluster). The test flips the signs of whole
databases' differences: where neither method is better, each could as well have been the other's (Fisher's
randomisation; the wild bootstrap with Rademacher weights of Cameron, Gelbach & Miller 2008). Its level holds for few
and unequal databases, where the percentile bootstrap rejects too often (``tests/benchmarks/null.py``). The interval
holds the differences that the same test does not reject: quantiles of the differences over random halves of the
databases (Hartigan 1969), so that it leaves out 0 exactly where p is at most 0.05.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from storage.intervals import cluster_bootstrap

LEVEL, POWER = 0.05, 0.8
FLIPS, ALL_FLIPS_UP_TO = 19_999, 14
AT_ONCE = 1 << 22
EXACT_UP_TO = 1000
Numbers = NDArray[np.float64]


class Comparison(NamedTuple):
    """B against A over pairs of values; what cannot be told of so few clusters is None.

    ``low`` to ``high`` is the test's 95 % interval, ``bootstrap_low`` to ``bootstrap_high`` the paired cluster
    bootstrap's. ``detectable`` is the smallest difference that the test would have found with 80 % power. ``gained``
    (B only) and ``lost`` (A only) count pairs where both are 0 or 1, and ``mcnemar`` is their p; None elsewhere.
    """

    pairs: int
    clusters: int
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    detectable: float | None
    bootstrap_low: float | None
    bootstrap_high: float | None
    gained: int | None
    lost: int | None
    mcnemar: float | None


def compare(a: ArrayLike, b: ArrayLike, clusters: Sequence[Any]) -> Comparison:
    """Compare paired values; ``clusters`` names each pair's database.

    >>> one = compare([0, 0, 1, 0] * 6, [1, 1, 1, 0] * 6, [name for name in "abcdef" for _ in range(4)])
    >>> one.difference, one.p, one.low, one.gained, one.lost, one.mcnemar < 0.001
    (0.5, 0.03125, 0.5, 12, 0, True)
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    _, at = np.unique(np.asarray(clusters), return_inverse=True)
    counts = np.bincount(at).astype(float)
    totals = np.bincount(at, weights=second - first)
    low, high, p = sign_flip(totals, counts)
    booted = cluster_bootstrap(totals, counts)
    gained, lost, exact = None, None, None
    if np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all():
        gained, lost = int((second > first).sum()), int((second < first).sum())
        exact = mcnemar(gained, lost)
    return Comparison(
        pairs=len(first),
        clusters=len(counts),
        a=float(first.mean()),
        b=float(second.mean()),
        difference=float(totals.sum() / counts.sum()),
        low=low,
        high=high,
        p=p,
        detectable=detectable(totals, counts),
        bootstrap_low=booted.low,
        bootstrap_high=booted.high,
        gained=gained,
        lost=lost,
        mcnemar=exact,
    )


def sign_flip(totals: ArrayLike, counts: ArrayLike) -> tuple[float | None, float | None, float | None]:
    """The 95 % interval and the two-sided p of a mean difference, from each cluster's sum and number of differences.

    All flips are tried for up to 14 clusters, 19,999 random ones for more; those that come to the same count half
    (mid-p), the one that was observed in full. Bounds are None where no difference could be rejected: fewer than 6
    clusters.

    >>> sign_flip([3, 2, 2, 1, 4, 3], [10] * 6)
    (0.1, 0.4, 0.03125)
    """
    total, count = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
    if len(total) < 2:
        return None, None, None
    sums = _subset_sums(np.column_stack([total, count]))
    zero = 1e-12 * np.abs(total).sum()
    sums[np.abs(sums[:, 0]) <= zero, 0] = 0.0
    some = sums[:, 1] > 0
    always = int((~some).sum()) + (len(total) > ALL_FLIPS_UP_TO)
    differences = sums[some, 0] / sums[some, 1]
    flips = always + len(differences)
    below, above = int((differences < 0).sum()), int((differences > 0).sum())
    p = min(1.0, 2 * (always + min(below, above) + (len(differences) - below - above) / 2) / flips)
    rejected = LEVEL / 2 * flips - always
    if rejected < 0:
        return None, None, p
    return _end(differences, rejected), -_end(-differences, rejected), p


def _end(differences: Numbers, rejected: float) -> float:
    """The lower end of what is not rejected: all with more than so many differences below, equal ones counted half."""
    rank = math.floor(rejected)
    end = np.partition(differences, rank)[rank]
    below, equal = int((differences < end).sum()), int((differences == end).sum())
    return float(np.nextafter(0.0, 1.0) if end == 0 and below + equal / 2 <= rejected else end)


def _subset_sums(columns: Numbers) -> Numbers:
    """The columns' sums over subsets of the rows: those whose signs a flip turns."""
    packed = _subsets(len(columns))
    step = max(1, AT_ONCE // len(columns))
    parts = (
        np.unpackbits(packed[at : at + step], axis=1, count=len(columns)).astype(float) @ columns
        for at in range(0, len(packed), step)
    )
    return np.concatenate(list(parts))


@lru_cache(maxsize=8)
def _subsets(clusters: int) -> NDArray[np.uint8]:
    """Subsets as packed bits, one a row: all of them where they are few, else random ones, the same ones each time."""
    if clusters <= ALL_FLIPS_UP_TO:
        every = np.arange(2**clusters)[:, None] >> np.arange(clusters)
        return np.packbits((every & 1).astype(np.uint8), axis=1)
    return np.random.default_rng(0).integers(0, 256, (FLIPS, (clusters + 7) // 8), dtype=np.uint8)


def detectable(totals: ArrayLike, counts: ArrayLike) -> float | None:
    """The smallest true difference found at the 5 % level with 80 % power; None where none could be, or none varies.

    (t(0.975) + t(0.8)) · SE with as many degrees of freedom as clusters less one (Bloom 1995, Evaluation Review 19(5));
    SE by the jackknife over G clusters with sums T of n differences each, N in all, D their mean:
    SE² = (G-1)/G · Σ ((T - D·n) / (N - n))² (CV3 in MacKinnon, Nielsen & Webb 2023, Journal of Econometrics 232).
    """
    total, count = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
    clusters = len(total)
    if clusters < 2 or 2 / 2**clusters > LEVEL:
        return None
    left = total - count * (total.sum() / count.sum())
    error = math.sqrt((clusters - 1) / clusters * float(((left / (count.sum() - count)) ** 2).sum()))
    return (student(1 - LEVEL / 2, clusters - 1) + student(POWER, clusters - 1)) * error or None


def student(share: float, freedom: int) -> float:
    """A quantile of Student's t, by the expansion of Abramowitz & Stegun 26.7.5: three digits from 5 degrees on.

    >>> round(student(0.975, 10), 3)
    2.228
    """
    x = NormalDist().inv_cdf(share)
    terms: tuple[float, ...] = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    for power, term in enumerate(terms, 1):
        x += term / float(freedom**power)
    return x


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's two-sided p: exact for up to 1,000 pairs that differ, else chi-squared with continuity correction.

    It takes questions as independent, which those of one database are not.

    >>> mcnemar(9, 1)
    0.021484375
    """
    differ = gained + lost
    if differ > EXACT_UP_TO:
        return math.erfc(max(0, abs(gained - lost) - 1) / math.sqrt(2 * differ))
    tail: int = sum(math.comb(differ, right) for right in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / 2**differ))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in their given order.

    >>> holm([0.04, 0.01, 0.03])
    [0.06, 0.03, 0.06]
    """
    adjusted = [0.0] * len(values)
    reached = 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        reached = max(reached, min(1.0, (len(values) - rank) * values[at]))
        adjusted[at] = reached
    return adjusted
