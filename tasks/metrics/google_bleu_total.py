"""N-grams of the query that has more of them: the denominator of the corpus's Google-BLEU."""

from schemas.answers import Written
from tasks.metrics._ngrams import matches_and_total

ANSWER = Written
LANGUAGES = ("cypher",)


def score(answer: Written) -> float | None:
    """The number of n-grams of the longer query; None where there is no gold.

    >>> score(Written("RETURN 1", "RETURN"))
    3.0
    """
    return float(matches_and_total(answer)[1]) if answer.gold.strip() else None
