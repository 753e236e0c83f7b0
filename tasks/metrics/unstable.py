"""The gold or the predicted query cuts rows that it does not order: its execution metrics may differ between runs."""

from schemas.answers import Written
from tasks.metrics._cypher import is_unstable

ANSWER = Written
LANGUAGES = ("cypher",)


def score(answer: Written) -> float | None:
    """1 where either query has a LIMIT or SKIP without an ORDER BY, else 0: a flag, not a success.

    >>> score(Written("MATCH (n) RETURN n ORDER BY n.x LIMIT 1", "MATCH (n) RETURN n LIMIT 1"))
    1.0
    """
    return float(is_unstable(answer.gold) or is_unstable(answer.predicted))
