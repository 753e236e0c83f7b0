"""F1: precision and recall in balance."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The harmonic mean 2PR/(P+R) = 2|P∩G|/(|P|+|G|), 0 where nothing gold is kept; None where there is no gold.

    >>> from schemas.catalog import Element
    >>> round(score(Linked(frozenset({Element("item")}), frozenset({Element("item"), Element("sale")}))), 4)
    0.6667
    """
    return 2 * hits(answer) / (len(answer.kept) + len(answer.gold)) if answer.gold else None
