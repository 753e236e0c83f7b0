"""Strict recall: nothing gold is missing; its mean is the strict recall rate, SRR."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """1 where every gold element is kept, else 0; None where there is no gold.

    >>> from schemas.catalog import Element
    >>> score(Linked(frozenset({Element("item")}), frozenset({Element("item"), Element("sale")})))
    1.0
    """
    return float(hits(answer) == len(answer.gold)) if answer.gold else None
