"""Exact match: the gold and nothing else."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """1 where the kept elements are the gold elements, else 0; None where there is no gold.

    >>> from schemas.catalog import Element
    >>> score(Linked(frozenset({Element("item")}), frozenset({Element("item"), Element("sale")})))
    0.0
    """
    return float(hits(answer) == len(answer.gold) == len(answer.kept)) if answer.gold else None
