"""The names inside semi-structured columns, which Spider 2 only publishes as sample values."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

STRUCTURED = ("VARIANT", "ARRAY", "OBJECT")
MOST = 40
DEEPEST = 4


def parts_of(kind: str, values: Iterable[Any]) -> str:
    """The names inside the values of a semi-structured column as a line of its description; else nothing.

    >>> parts_of("VARIANT", ['[{"page": {"path": "/", "title": "x"}, "at": 1}]', None])
    'Parts: page.path, page.title, at.'
    """
    if kind.upper() not in STRUCTURED:
        return ""
    names = dict.fromkeys(name for value in values for name in _names(_parsed(value), "", DEEPEST))
    shown = ", ".join(islice(names, MOST))
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"Parts: {shown}{more}." if names else ""


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None


def _names(value: Any, path: str, depth: int) -> Iterator[str]:
    """The paths to what is no object, each once for every place."""
    if isinstance(value, list):
        for item in value:
            yield from _names(item, path, depth)
    elif isinstance(value, dict) and value and depth:
        for name, inner in value.items():
            yield from _names(inner, f"{path}.{name}" if path else name, depth - 1)
    elif path:
        yield path
