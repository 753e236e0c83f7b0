"""N-grams shared with the gold query: the numerator of the corpus's Google-BLEU."""

from schemas.answers import Written
from tasks.metrics._ngrams import matches_and_total

ANSWER = Written
LANGUAGES = ("cypher",)


def score(answer: Written) -> float | None:
    """The number of n-grams that both queries have; None where there is no gold.

    >>> score(Written("RETURN 1", "RETURN 1"))
    3.0
    """
    return float(matches_and_total(answer)[0]) if answer.gold.strip() else None
