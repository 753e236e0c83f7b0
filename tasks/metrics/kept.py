"""Size kept: how much is handed on, and the denominator of the micro precision NSP."""

from schemas.answers import Linked

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The number |P| of kept elements, 0 where nothing is kept.

    >>> score(Linked(frozenset(), frozenset()))
    0.0
    """
    return float(len(answer.kept))
