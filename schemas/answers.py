"""What a metric is asked to judge."""

from dataclasses import dataclass

from schemas.catalog import Element
from schemas.tools import Rows


@dataclass(frozen=True, slots=True)
class Linked:
    """The gold and the kept elements of one question at one level; neither holds elements of the other level."""

    gold: frozenset[Element]
    kept: frozenset[Element]


@dataclass(frozen=True, slots=True)
class Written:
    """The gold and the predicted query as texts; what was not written is empty."""

    gold: str
    predicted: str


@dataclass(frozen=True, slots=True)
class Executed:
    """The rows of the gold and of the predicted query; ``ordered`` tells that the gold query asks for an order."""

    gold: Rows
    predicted: Rows
    ordered: bool
