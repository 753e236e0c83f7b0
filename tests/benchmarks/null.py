"""How often each test of ``compare`` finds a difference where there is none, and where there is one, in made answers.

Two linkers answer the questions of 20 databases of 6 to 150 questions right or wrong. Questions differ in difficulty,
which both linkers share, and databases in how well they suit both and each linker, so that answers in one database are
alike and so are their differences.

Run: python -m tests.benchmarks.null [--pairs 2000] [--databases 20] [--seed 2026]
"""

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from storage.comparisons import Comparison, compare

LEVEL = 0.05
SIZES = (6, 150)
SHARED, OWN, QUESTION = 0.7, 0.4, 1.0

Answers = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def made(pairs: int, databases: int, seed: int, better: float = 0.0) -> Iterator[Answers]:
    """Answers of A, answers of B, and databases, a pair of linkers at a time; ``better`` adds to B's log-odds."""
    random = np.random.default_rng(seed)
    for _ in range(pairs):
        sizes = np.exp(random.uniform(*np.log(SIZES), databases)).astype(int)
        database = np.repeat(np.arange(databases), sizes)
        suits = 1.0 + random.normal(0, SHARED, databases)[database] + random.normal(0, QUESTION, len(database))
        first, second = (
            suits + random.normal(0, OWN, databases)[database] + more for more in (-better / 2, better / 2)
        )
        yield (
            *((random.random(len(suits)) < 1 / (1 + np.exp(-odds))).astype(float) for odds in (first, second)),
            database,
        )


def rejections(pairs: int, databases: int, seed: int, better: float = 0.0) -> tuple[Counter[str], list[Comparison]]:
    """How many pairs each test tells apart, and the comparisons."""
    counts: Counter[str] = Counter()
    found = [compare(*answers) for answers in made(pairs, databases, seed, better)]
    for one in found:
        counts["sign flip"] += one.p is not None and one.p <= LEVEL
        counts["interval"] += one.low is not None and not one.low <= 0 <= (one.high or 0)
        counts["bootstrap"] += one.bootstrap_low is not None and not one.bootstrap_low <= 0 <= (one.bootstrap_high or 0)
        counts["McNemar"] += one.mcnemar is not None and one.mcnemar <= LEVEL
    return counts, found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--databases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    for better in (0.0, 0.54):
        counts, found = rejections(given.pairs, given.databases, given.seed, better)
        shown = ", ".join(f"{name} {count / given.pairs:.1%}" for name, count in counts.items())
        could = float(np.median([one.detectable for one in found if one.detectable is not None] or [np.nan]))
        mean = float(np.mean([one.difference for one in found]))
        print(f"true difference {100 * mean:.2f}, could show {100 * could:.2f} (median): rejected by {shown}")
