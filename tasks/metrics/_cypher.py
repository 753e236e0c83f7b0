"""What can be read off a Cypher query's words without parsing it."""

import re
from functools import lru_cache

NOISE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|//[^\n]*|/\*.*?\*/""", re.DOTALL)
PROJECTION = re.compile(r"(?<!STARTS )(?<!ENDS )\b(?:WITH|RETURN)\b")
CUT = re.compile(r"(?<![.:$])\b(?:LIMIT|SKIP|OFFSET)\b")
INNER = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)")


@lru_cache(maxsize=4096)
def bare(query: str) -> str:
    """The query in capitals without comments, literals in quotes and quoted names, one blank between words.

    >>> bare("RETURN 'limit' // LIMIT 1")
    'RETURN _'
    """
    return " ".join(NOISE.sub(lambda found: " " if found[0][0] == "/" else "_", query).upper().split())


def asks_for_order(query: str) -> bool:
    """Whether the rows have an order: the last RETURN has an ORDER BY of its own, and there is no UNION.

    >>> asks_for_order("MATCH (a)--(b) RETURN a ORDER BY a.x"), asks_for_order("WITH 1 AS x ORDER BY x RETURN x")
    (True, False)
    """
    text = bare(query)
    while (shorter := INNER.sub("", text)) != text:
        text = shorter
    return "ORDER BY" in text.rpartition("RETURN")[2] and " UNION " not in text


def is_unstable(query: str) -> bool:
    """Whether some WITH or RETURN cuts its rows with LIMIT or SKIP and does not order them.

    >>> is_unstable("MATCH (n) RETURN n LIMIT 3"), is_unstable("MATCH (n) WITH n ORDER BY n.x LIMIT 3 RETURN n")
    (True, False)
    """
    for clause in PROJECTION.split(bare(query))[1:]:
        cut = CUT.search(clause)
        if cut and "ORDER BY" not in clause[: cut.start()]:
            return True
    return False
