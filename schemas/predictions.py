"""What somebody else's system answered to one question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prediction:
    """A published query, or published names of elements as they were written (None where only a query is).

    ``whole`` tells that the names are of entities which are kept with all their fields.
    """

    query: str = ""
    names: tuple[str, ...] | None = None
    whole: bool = False
