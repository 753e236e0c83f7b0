"""What the linking metrics count."""

from collections.abc import Iterable

from schemas.answers import Linked
from schemas.catalog import Element


def hits(answer: Linked) -> int:
    """The number of gold elements that are kept, names compared without regard to case.

    >>> hits(Linked(frozenset({Element("item"), Element("sale")}), frozenset({Element("Sale")})))
    1
    """
    same = answer.gold & answer.kept
    missed = answer.gold - same
    respelled = _folded(missed) & _folded(answer.kept - same) if missed else ()
    return len(same) + len(respelled)


def _folded(elements: Iterable[Element]) -> set[tuple[str, str]]:
    return {(element.entity.casefold(), element.field.casefold()) for element in elements}
