"""Rows as lines of JSON, exact in every value, and a digest that does not mind their order."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from types import NoneType
from typing import Any
from uuid import UUID

NAN = float("nan")
PLAIN = frozenset({NoneType, bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID})
SIMPLE = PLAIN - {float, Decimal}
READ: dict[str, Callable[[Any], Any]] = {
    "bytes": b64decode,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda parts: timedelta(*parts),
    "Decimal": Decimal,
    "UUID": UUID,
}


def plain(value: Any) -> Any:
    """A value that can be compared, hashed and written: containers are tuples, every NaN the same, odd types text.

    >>> plain([1, {"b": 2, "a": [3]}])
    (1, (('a', (3,)), ('b', 2)))
    """
    if type(value) in PLAIN:
        return NAN if value != value else value  # noqa: PLR0124
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return tuple(sorted(((str(key), plain(item)) for key, item in value.items()), key=str))
    return bytes(value) if isinstance(value, bytearray | memoryview) else str(value)


def plain_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row of plain values."""
    return row if SIMPLE.issuperset(map(type, row)) else tuple(map(plain, row))


def to_lines(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """One line of JSON a row.

    >>> list(to_lines([(1, 2.5, None, b"\\0")]))
    ['[1,2.5,null,{"bytes":"AA=="}]']
    """
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_tagged).encode
    return map(write, rows)


def from_lines(lines: Iterable[str]) -> tuple[tuple[Any, ...], ...]:
    """The rows of such lines.

    >>> from_lines(['[1,2.5,null,{"bytes":"AA=="}]'])
    ((1, 2.5, None, b'\\x00'),)
    """
    read = json.JSONDecoder(object_hook=_untagged, parse_constant=_constant).decode
    return tuple(_frozen(read(line)) for line in lines)


def digest(rows: Iterable[tuple[Any, ...]]) -> str:
    """The same text for the same bag of rows, whatever their order; 1 and 1.0 are the same number.

    >>> digest([(1, "a"), (2, "b")]) == digest([(2.0, "b"), (1, "a")])
    True
    >>> digest([(1,)]) == digest([(1,), (1,)])
    False
    """
    total = 0
    for line in to_lines(tuple(map(_number, row)) for row in rows):
        total += int.from_bytes(blake2b(line.encode(), digest_size=16).digest(), "big")
    return f"{total % (1 << 128):032x}"


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _tagged(value: Any) -> dict[str, Any]:
    kind = type(value).__name__
    if isinstance(value, bytes):
        return {kind: b64encode(value).decode("ascii")}
    if isinstance(value, timedelta):
        return {kind: [value.days, value.seconds, value.microseconds]}
    return {kind: value.isoformat() if isinstance(value, date | time) else str(value)}


def _untagged(tagged: dict[str, Any]) -> Any:
    ((kind, value),) = tagged.items()
    return READ[kind](value)


def _constant(name: str) -> float:
    return NAN if name == "NaN" else float(name)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
