"""Size of the gold: the denominator of the micro recall NSR."""

from schemas.answers import Linked

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The number |G| of gold elements, 0 where there is no gold.

    >>> score(Linked(frozenset(), frozenset()))
    0.0
    """
    return float(len(answer.gold))
