"""F6: recall weighted six times, SchemaGraphSQL's headline; read it beside precision, the full schema scores high."""

from schemas.answers import Linked
from tasks.metrics._linked import hits

ANSWER = Linked


def score(answer: Linked) -> float | None:
    """The weighted mean 37PR/(36P+R) = 37|P∩G|/(36|G|+|P|), 0 where nothing gold is kept; None where there is no gold.

    >>> from schemas.catalog import Element
    >>> round(score(Linked(frozenset({Element("item")}), frozenset({Element("item"), Element("sale")}))), 4)
    0.9737
    """
    return 37 * hits(answer) / (36 * len(answer.gold) + len(answer.kept)) if answer.gold else None
