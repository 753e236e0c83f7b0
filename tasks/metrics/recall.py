"""Recall: how much of the gold is kept."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The share |P∩G|/|G| of gold elements that are kept; None where there is no gold.

    >>> from schemas.catalog import Element
    >>> score(Linked(frozenset({Element("item"), Element("sale")}), frozenset({Element("item")})))
    0.5
    """
    return hits(answer) / len(answer.gold) if answer.gold else None
