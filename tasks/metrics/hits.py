"""Gold elements kept: the numerator of the micro figures NSR and NSP."""

from schemas.answers import Linked
from tasks.metrics import _linked

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The number |P∩G| of gold elements that are kept; None where there is no gold, so that pooling can leave it out.

    >>> from schemas.catalog import Element
    >>> score(Linked(frozenset({Element("item")}), frozenset({Element("Item"), Element("sale")})))
    1.0
    """
    return float(_linked.hits(answer)) if answer.gold else None
