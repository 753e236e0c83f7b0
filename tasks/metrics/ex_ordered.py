"""Execution accuracy with order: where the gold query sorts, the rows stand in its order."""

from schemas.answers import Executed
from tasks.metrics._rows import equal_bags

ANSWER = Executed


def score(answer: Executed) -> float | None:
    """1 where the rows are equal in order, if the outermost gold query has an ORDER BY; otherwise as bags.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ((1,), (2,))), Rows(("b",), ((2,), (1,))), ordered=True))
    0.0
    >>> score(Executed(Rows(("a",), ((1,), (2,))), Rows(("b",), ((2,), (1,))), ordered=False))
    1.0
    """
    if answer.ordered:
        return float(answer.gold.rows == answer.predicted.rows)
    return float(equal_bags(answer.gold.rows, answer.predicted.rows))
