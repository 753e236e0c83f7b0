"""Precision: how much of what is kept is gold."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The share |P∩G|/|P| of kept elements that are gold: 0 where nothing is kept, None where there is no gold.

    >>> from schemas.catalog import Element
    >>> score(Linked(frozenset({Element("item")}), frozenset({Element("item"), Element("sale")})))
    0.5
    >>> score(Linked(frozenset({Element("item")}), frozenset()))
    0.0
    """
    if not answer.gold:
        return None
    return hits(answer) / len(answer.kept) if answer.kept else 0.0
