"""Execution-based exact match of Text2Cypher (arXiv 2505.05118): both answers as text, in one order and format.

The paper gives no format. Here a row is its values in the order of the columns, names left out, as compact JSON: keys
sorted, numbers without a trailing ``.0``; the rows are sorted as text, whatever ORDER BY says, duplicates kept.
"""

import json
from collections.abc import Sequence
from typing import Any

from schemas.answers import Executed

ANSWER = Executed
LANGUAGES = ("cypher",)


def score(answer: Executed) -> float | None:
    """1 where both answers are the same text: the order of rows does not count, that of columns does.

    >>> from schemas.tools import Rows
    >>> score(Executed(Rows(("a",), ((1,), (2,))), Rows(("b",), ((2.0,), (1,))), ordered=True))
    1.0
    >>> score(Executed(Rows(("a",), ((1, "x"),)), Rows(("a",), (("x", 1),)), ordered=False))
    0.0
    """
    return float(text(answer.gold.rows) == text(answer.predicted.rows))


def text(rows: Sequence[Sequence[Any]]) -> str:
    r"""An answer as text, a row a line.

    >>> text([("b", 2.0), ("a", None)])
    '["a",null]\n["b",2]'
    """
    return "\n".join(sorted(json.dumps(_plain(row), default=str, separators=(",", ":")) for row in rows))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
