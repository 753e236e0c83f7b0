"""The values of one field summed up: nulls, distinct values, range, moments, histogram, most frequent values."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np

from schemas.evidence import Bin, Counted, Profile

SAMPLES = 5
TOP = 10
BINS = 10
LONGEST = 100


def summary(entity: str, field: str, values: Sequence[Any], *, whole: bool) -> Profile:
    """The profile of a field from the values in the rows that were looked at.

    Numbers are those that the database stores as numbers. A value of more than ``LONGEST`` characters is cut; bytes
    are counted but never shown. Most frequent values are only told where any value stands twice.

    >>> profile = summary("item", "price", [2, None, 4, 2], whole=True)
    >>> profile.null_share, profile.distinct, profile.minimum, profile.maximum, profile.median, profile.top[0]
    (0.25, 2, '2', '4', 2.0, Counted(value='2', count=2))
    """
    present = [value for value in values if value is not None]
    counts = Counter(present)
    least, most = _range(counts)
    numbers = _numbers(present)
    return Profile(
        entity,
        field,
        "database",
        len(values),
        whole,
        null_share=1 - len(present) / len(values) if values else None,
        distinct=len(counts),
        minimum=least,
        maximum=most,
        mean=float(numbers.mean()) if numbers.size else None,
        median=float(np.median(numbers)) if numbers.size else None,
        deviation=float(numbers.std()) if numbers.size else None,
        samples=tuple(dict.fromkeys(text for value in counts if (text := shown(value))))[:SAMPLES],
        top=_top(counts),
        histogram=_histogram(numbers),
    )


def shown(value: Any) -> str:
    """A value as one short line; nothing for bytes and blanks."""
    text = "" if isinstance(value, bytes) else " ".join(str(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _range(counts: Counter[Any]) -> tuple[str | None, str | None]:
    """The least and the greatest value; None where values of different kinds, or bytes, have no order."""
    kinds = {_kind(value) for value in counts}
    if len(kinds) != 1 or None in kinds:
        return None, None
    ordered = [value for value in counts if value == value]  # noqa: PLR0124
    return (shown(min(ordered)), shown(max(ordered))) if ordered else (None, None)


def _kind(value: Any) -> type | None:
    if isinstance(value, int | float | Decimal):
        return float
    return next((kind for kind in (str, datetime, date, time) if isinstance(value, kind)), None)


def _numbers(present: Sequence[Any]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """The values as numbers if all are, but for those that are not finite; else none."""
    if any(_kind(value) is not float or isinstance(value, bool) for value in present):
        return np.empty(0)
    numbers = np.array([float(value) for value in present if abs(value) < 1e300], np.float64)
    return numbers[np.isfinite(numbers)]


def _top(counts: Counter[Any]) -> tuple[Counted, ...]:
    if max(counts.values(), default=0) < 2:
        return ()
    texts: Counter[str] = Counter()
    for value, count in counts.items():
        if text := shown(value):
            texts[text] += count
    ordered = sorted(texts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Counted(text, count) for text, count in ordered[:TOP])


def _histogram(numbers: "np.ndarray[Any, np.dtype[np.float64]]") -> tuple[Bin, ...]:
    """Bars of equal width over the range of the numbers; none where they are all the same."""
    if numbers.size == 0 or numbers.min() == numbers.max():
        return ()
    heights, edges = np.histogram(numbers, bins=BINS)
    return tuple(
        Bin(float(low), float(high), int(count)) for low, high, count in zip(edges, edges[1:], heights, strict=False)
    )
