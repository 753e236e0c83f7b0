"""Execution accuracy as BIRD has it (Li et al., "Can LLM Already Serve as A Database Interface?", 2023)."""

from schemas.answers import Executed

ANSWER = Executed


def score(answer: Executed) -> float | None:
    """1 where both queries gave the same set of rows: order and duplicates do not count, the order of columns does.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ((1,), (2,))), Rows(("b",), ((2,), (1.0,), (1,))), ordered=True))
    1.0
    >>> score(Executed(Rows(("a",), ((1,),)), Rows(("a",), (("1",),)), ordered=False))
    0.0
    """
    return float(set(answer.gold.rows) == set(answer.predicted.rows))
