"""How rows are compared, and what can be read off a query's words without parsing it."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

Row = tuple[Hashable, ...]
Contents = frozenset[tuple[Hashable, int]]
WORDS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]*\] | --[^\n]* | /\*.*?\*/ | \w+ | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)


def words(query: str) -> Iterator[str]:
    """A query's words, literals, quoted names, comments, blanks and signs; together they are the query.

    >>> list(words("SELECT 'a b'"))
    ['SELECT', ' ', "'a b'"]
    """
    return (match[0] for match in WORDS.finditer(query))


@lru_cache(maxsize=1024)
def asks_for_order(query: str) -> bool:
    """Whether the outermost query has an ORDER BY: one outside all parentheses but those around everything.

    >>> asks_for_order("SELECT a FROM (SELECT a FROM t ORDER BY a)"), asks_for_order("(SELECT a FROM t ORDER BY a)")
    (False, True)
    """
    if "order" not in query.casefold():
        return False
    told = [word.casefold() for word in words(query) if not word.isspace() and not word.startswith((";", "--", "/*"))]
    while told[:1] == ["("] and _closing(told) == len(told) - 1:
        told = told[1:-1]
    depth = 0
    for word, following in pairwise(told):
        depth += (word == "(") - (word == ")")
        if depth == 0 and (word, following) == ("order", "by"):
            return True
    return False


def _closing(told: Sequence[str]) -> int:
    """The position of the parenthesis that closes the one at the start; -1 where none does."""
    depth = 0
    for position, word in enumerate(told):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return position
    return -1


def equal_bags(gold: Sequence[Row], predicted: Sequence[Row]) -> bool:
    """Whether both hold the same rows equally often."""
    return len(gold) == len(predicted) and Counter(gold) == Counter(predicted)


def equal_but_for_columns(gold: Sequence[Row], predicted: Sequence[Row], ordered: bool) -> bool:
    """Whether some order of the predicted columns makes the rows equal, as a sequence or as a bag.

    >>> equal_but_for_columns([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], ordered=False)
    True
    >>> equal_but_for_columns([(1, "a"), (2, "b")], [("b", 1), ("a", 2)], ordered=False)
    False
    """
    if len(gold) != len(predicted) or (gold and len(gold[0]) != len(predicted[0])):
        return False
    if gold == predicted or (not ordered and equal_bags(gold, predicted)):
        return True
    columns, candidates = list(zip(*gold, strict=True)), Counter(zip(*predicted, strict=True))
    if ordered:
        return Counter(columns) == candidates
    alike: dict[Contents, list[Row]] = defaultdict(list)
    for candidate in candidates:
        alike[_contents(candidate)].append(candidate)
    columns.sort(key=lambda column: len(set(column)), reverse=True)
    return _assignable([(column, alike[_contents(column)]) for column in columns], candidates)


def _contents(column: Row) -> Contents:
    return frozenset(Counter(column).items())


def _assignable(columns: Sequence[tuple[Row, list[Row]]], left: Counter[Row]) -> bool:
    """Whether each column can have one of its candidates for itself so that the rows are equal as a bag.

    The search goes back where it must; equal candidates are tried once, and the columns that tell most rows apart
    come first, so that little is left to try.
    """
    start = [0] * len(columns[0][0])
    open_choices, taken = [_choices(*columns[0], left, start, start)], list[Row]()
    while open_choices:
        choice = next(open_choices[-1], None)
        if choice is None:
            open_choices.pop()
            left.update(taken[-1:])
            del taken[-1:]
            continue
        candidate, wanted, found = choice
        if len(open_choices) == len(columns):
            return True
        left[candidate] -= 1
        taken.append(candidate)
        open_choices.append(_choices(*columns[len(taken)], left, wanted, found))
    return False


def _choices(
    column: Row, candidates: list[Row], left: Counter[Row], gold: list[int], predicted: list[int]
) -> Iterator[tuple[Row, list[int], list[int]]]:
    """The candidates for a column that keep the bags of row numbers equal, with the rows' new numbers."""
    for candidate in [candidate for candidate in candidates if left[candidate]]:
        numbers: dict[tuple[int, Hashable], int] = {}
        wanted = [numbers.setdefault(pair, len(numbers)) for pair in zip(gold, column, strict=True)]
        found = [numbers.setdefault(pair, len(numbers)) for pair in zip(predicted, candidate, strict=True)]
        if Counter(wanted) == Counter(found):
            yield candidate, wanted, found
