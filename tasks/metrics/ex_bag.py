"""Execution accuracy with duplicates: the same rows equally often."""

from schemas.answers import Executed
from tasks.metrics._rows import equal_bags

ANSWER = Executed


def score(answer: Executed) -> float | None:
    """1 where both queries gave the same bag of rows: the order of rows does not count, that of columns does.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ((1,), (2,))), Rows(("b",), ((2,), (1,), (1,))), ordered=True))
    0.0
    """
    return float(equal_bags(answer.gold.rows, answer.predicted.rows))
