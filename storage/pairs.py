"""Two linkers' values on the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import duckdb

from schemas.errors import unknown
from storage.comparisons import Comparison, compare
from storage.leaderboards import JOINS, SLICES
from storage.sql import sql


class Side(NamedTuple):
    """One linker in one run."""

    run: str
    linker: str

    def __str__(self) -> str:
        return f"{self.run}:{self.linker}"


@dataclass(frozen=True)
class Pairs:
    """One metric's values of two linkers on the same questions of one benchmark, or of a slice of them."""

    benchmark: str
    level: str
    metric: str
    slice: str
    questions: tuple[str, ...]
    repetitions: tuple[int, ...]
    databases: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]

    @property
    def cluster(self) -> str:
        """What counts as a whole: a database, or a question where all are of one database."""
        return "database" if len(set(self.databases)) > 1 else "question"

    def compare(self) -> Comparison:
        """B against A."""
        return compare(self.a, self.b, self.databases if self.cluster == "database" else self.questions)

    def flipped(self, rise: bool) -> list[str]:
        """The questions that B has more of than A (``rise``), or less; ``ID#1`` is a question's second repetition."""
        pairs = zip(self.questions, self.repetitions, self.a, self.b, strict=True)
        return [f"{name}#{at}" if at else name for name, at, a, b in pairs if a != b and (b > a) == rise]


class Apart(NamedTuple):
    """How many questions of one benchmark and level both linkers were scored on, and how many only one of them."""

    benchmark: str
    level: str
    both: int
    only_a: int
    only_b: int


def paired(
    connection: duckdb.DuckDBPyConnection,
    a: Side,
    b: Side,
    *,
    levels: Sequence[str],
    metrics: Sequence[str],
    by: str = "",
) -> list[Pairs]:
    """The values of two linkers on the questions and repetitions that both have; ``by`` slices them."""
    if by not in SLICES:
        raise unknown("slice", by, [name for name in SLICES if name])
    sliced, alias = SLICES[by]
    query = sql("pairs").format(slice=sliced, join=JOINS[alias])
    asked = {**_sides(a, b), "levels": list(levels), "metrics": list(metrics)}
    rows = connection.execute(query, asked).fetchall()
    return [Pairs(*row[:4], *map(tuple, row[4:])) for row in rows]


def apart(connection: duckdb.DuckDBPyConnection, a: Side, b: Side, levels: Sequence[str]) -> list[Apart]:
    """How many questions two linkers share, by benchmark and level."""
    rows = connection.execute(sql("apart"), {**_sides(a, b), "levels": list(levels)}).fetchall()
    return [Apart(*row) for row in rows]


def _sides(a: Side, b: Side) -> dict[str, str]:
    return {"run_a": a.run, "linker_a": a.linker, "run_b": b.run, "linker_b": b.linker}
