"""Options that linkers share: bounds, read where labels are parsed, and whether the evidence counts as question."""

from dataclasses import dataclass
from math import inf
from typing import Annotated

from schemas.records import Question


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


def asked(question: Question, evidence: bool) -> str:
    """The question's text, with its evidence if that is to be read too."""
    return f"{question.text}\n{question.evidence}" if evidence and question.evidence else question.text
