"""What is known of a field's contents, beyond its name, type and description."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Counted:
    """A value as text, and in how many of the rows looked at it stands."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Bin:
    """A bar of a histogram: how many numbers lie from ``low`` up to ``high``, the last bar's ``high`` included."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Profile:
    """One field's contents in the rows that were looked at; None stands for what the source cannot tell.

    ``source``: a ``database``, or the rows ``published`` with a benchmark. ``rows`` is how many were looked at (0 where
    that is not known) and ``whole`` whether they are all that there are; counts, shares and ranges are of those rows.
    ``minimum`` and ``maximum`` are text in the value's own order; ``mean``, ``median``, ``deviation`` and ``histogram``
    are of numbers.
    """

    entity: str
    field: str
    source: Literal["database", "published"]
    rows: int
    whole: bool
    null_share: float | None = None
    distinct: int | None = None
    minimum: str | None = None
    maximum: str | None = None
    mean: float | None = None
    median: float | None = None
    deviation: float | None = None
    samples: tuple[str, ...] = ()
    top: tuple[Counted, ...] = ()
    histogram: tuple[Bin, ...] = ()
