"""Google-BLEU as Hugging Face ``evaluate`` has it: GLEU of orders 1 to 4, mteval-v13a words (arXiv 1609.08144).

The figure of a corpus is not the mean of its sentences: the leaderboard pools ``google_bleu_matches`` over
``google_bleu_total``; this file's values are those of single questions, for slices.
"""

from schemas.answers import Written
from tasks.metrics._ngrams import matches_and_total

ANSWER = Written
LANGUAGES = ("cypher",)


def score(answer: Written) -> float | None:
    """The lower of precision and recall of n-grams; 0 where nothing was written, None where there is no gold.

    >>> score(Written("MATCH (n) RETURN n", "MATCH (n) RETURN n")), score(Written("MATCH (n) RETURN n", ""))
    (1.0, 0.0)
    """
    matches, total = matches_and_total(answer)
    return matches / total if answer.gold.strip() else None
