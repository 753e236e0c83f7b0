"""Execution accuracy with duplicates whatever the order of columns: values compared as values, not as text."""

from schemas.answers import Executed
from tasks.metrics._rows import equal_but_for_columns

ANSWER = Executed
LANGUAGES = ("cypher",)


def score(answer: Executed) -> float | None:
    """1 where some order of the columns makes both answers the same bag of rows; the order of rows does not count.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ((1, "x"), (2, "y"))), Rows(("a",), (("y", 2), ("x", 1))), ordered=True))
    1.0
    >>> score(Executed(Rows(("a",), ((1,), (1,))), Rows(("a",), ((1,),)), ordered=False))
    0.0
    """
    return float(equal_but_for_columns(answer.gold.rows, answer.predicted.rows, ordered=False))
