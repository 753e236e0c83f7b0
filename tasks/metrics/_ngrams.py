"""N-grams of texts as Google-BLEU counts them (Wu et al., "Google's Neural Machine Translation System", 2016)."""

import re
from collections import Counter
from functools import lru_cache
from string import punctuation

from schemas.answers import Written

ORDERS = (1, 2, 3, 4)
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
ALONE = "".join(sorted(set(punctuation) - set(".,-'")))
SIGNS = re.compile(f"([ {re.escape(ALONE)}])")


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text as mteval-v13a cuts them, case kept.

    Every ASCII sign stands alone, save the apostrophe, a point or comma between digits, and a dash not after a digit.

    >>> tokens("RETURN n.age >= 1.5, 'a-b'")
    ('RETURN', 'n', '.', 'age', '>', '=', '1.5', ',', "'a-b'")
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in ENTITIES:
        text = text.replace(entity, sign)
    text = SIGNS.sub(r" \1 ", f" {text} ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return tuple(re.sub(r"([0-9])(-)", r"\1 \2 ", text).split())


@lru_cache(maxsize=4096)
def ngrams(text: str) -> Counter[tuple[str, ...]]:
    """How often each sequence of one to four words occurs."""
    words = tokens(text)
    return Counter(words[at : at + order] for order in ORDERS for at in range(len(words) - order + 1))


@lru_cache(maxsize=4096)
def matches_and_total(answer: Written) -> tuple[int, int]:
    """The n-grams that both texts share, and those of the text that has more.

    >>> matches_and_total(Written("RETURN 1", "RETURN 2"))
    (1, 3)
    """
    gold, predicted = ngrams(answer.gold), ngrams(answer.predicted)
    return (gold & predicted).total(), max(gold.total(), predicted.total())
