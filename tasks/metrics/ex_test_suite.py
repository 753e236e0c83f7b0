"""Execution accuracy as Spider's test-suite evaluation has it (Zhong, Yu, Klein: "Semantic Evaluation for Text-to-SQL
with Distilled Test Suites", 2020), literals as predicted (plug_value off), on the one database at hand.
"""

import re

from schemas.answers import Executed
from tasks.metrics._rows import equal_but_for_columns, words

ANSWER = Executed
LANGUAGES = ("sql",)
SPLIT_SIGNS = re.compile(r"([<>!]) =")
THIS_YEAR = re.compile(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", re.IGNORECASE)


def rewrite(query: str) -> str:
    """The query that is run instead, of gold and prediction alike: no DISTINCT (keep_distinct off), signs mended.

    The words are dropped wherever they stand, in aggregates and subqueries as well, as the official script does.

    >>> rewrite("SELECT count(DISTINCT a) FROM t WHERE b > = 'distinct'")
    "SELECT count( a) FROM t WHERE b >= 'distinct'"
    """
    mended = THIS_YEAR.sub("2020", SPLIT_SIGNS.sub(r"\1=", query))
    if "distinct" not in mended.casefold():
        return mended
    return "".join(word for word in words(mended) if word.casefold() != "distinct")


def ordered(query: str) -> bool:
    """Whether order counts: the gold query says ORDER BY anywhere, be it in a subquery."""
    return "order by" in " ".join(query.casefold().split())


def score(answer: Executed) -> float | None:
    """1 where some order of the columns makes both answers the same bag of rows, or the same sequence if ordered.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a", "b"), ((1, "x"), (2, "y"))), Rows(("b", "a"), (("y", 2), ("x", 1))), ordered=False))
    1.0
    """
    return float(equal_but_for_columns(answer.gold.rows, answer.predicted.rows, answer.ordered))
