"""Annotations that bound a linker's options, read where labels are parsed."""

from dataclasses import dataclass
from math import inf
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Between:
    """The smallest and the largest number that an option takes."""

    low: float
    high: float = inf

    def __str__(self) -> str:
        return f"at least {self.low}" if self.high == inf else f"between {self.low} and {self.high}"


Count = Annotated[int, Between(1)]
Cosine = Annotated[float, Between(-1, 1)]
Temperature = Annotated[float, Between(0, 2)]
