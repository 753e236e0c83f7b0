"""Both answers are empty: the other execution metrics then agree for want of rows, not for their sense."""

from schemas.answers import Executed

ANSWER = Executed


def score(answer: Executed) -> float | None:
    """1 where neither query gave a row, else 0: a flag beside the execution metrics, not a success.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ()), Rows(("a", "b"), ()), ordered=False))
    1.0
    """
    return float(not answer.gold.rows and not answer.predicted.rows)
