"""What earlier runs measured: calls and tokens of a question, seconds of a call, by linker, model and benchmark."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from storage.layout import Store
from storage.warehouse import connect

Stage = Literal["link", "generate"]
WEIGHT = 10
LOST = "('model_error', 'timeout', 'linker_error', 'generator_error')"
QUERY = """
SELECT '{stage}' AS stage, model, benchmark, linker, count(*)::INT, sum(calls)::DOUBLE, sum(prompt_tokens)::DOUBLE,
       sum(cached_tokens)::DOUBLE, sum(completion_tokens)::DOUBLE, sum(model_seconds)::DOUBLE, sum(seconds)::DOUBLE,
       count(*) FILTER (status IN ('ok', 'fallback'))::INT
FROM {dataset} WHERE status NOT IN {lost} GROUP BY ALL"""


@dataclass(frozen=True)
class Measured:
    """Sums over the questions of one stage, model (nothing where none was asked), benchmark and linker."""

    stage: Stage
    model: str
    benchmark: str
    linker: str
    questions: int
    calls: float
    prompt: float
    cached: float
    completion: float
    seconds: float
    own_seconds: float
    linked: int


class History:
    """All that was measured below a storage folder."""

    def __init__(self, measured: Iterable[Measured]) -> None:
        self.measured = list(measured)

    @classmethod
    def read(cls, store: Store) -> "History":
        """Read the rows of all runs."""
        if not store.runs():
            return cls([])
        connection = connect(store, views=("linkings", "queries"))
        rows = []
        for stage, dataset in (("link", "linkings"), ("generate", "queries")):
            query = QUERY.format(stage=stage, dataset=dataset, lost=LOST)
            rows += connection.execute(query).fetchall()
        return cls(Measured(*row) for row in rows)

    def of(self, stage: Stage, linker: str, model: str, benchmark: str) -> tuple[Measured | None, str]:
        """The nearest measurement of a linker's calls, and which that is in words."""
        return self._nearest(
            stage,
            (
                ({"linker": linker, "model": model, "benchmark": benchmark}, "this linker, model and benchmark"),
                ({"linker": linker, "model": model}, "this linker and model on other benchmarks"),
                ({"linker": linker, "benchmark": benchmark}, "this linker with other models"),
                ({"linker": linker}, "this linker with other models on other benchmarks"),
            ),
        )

    def speaking(self, stage: Stage, linker: str, model: str, benchmark: str) -> tuple[Measured | None, str]:
        """How much a model says in one call, and how fast: the nearest measurement, one of few calls weighed with more.

        Answers are short but for a few that run away: three of them say little, so that they count beside those to
        other linkers as if these were ``WEIGHT`` calls more.
        """
        near, words = self._nearest(
            stage,
            (
                ({"linker": linker, "model": model, "benchmark": benchmark}, "this linker, model and benchmark"),
                ({"linker": linker, "model": model}, "this linker and model on other benchmarks"),
            ),
        )
        others, wider = self._nearest(
            stage,
            (
                ({"model": model, "benchmark": benchmark}, "all linkers with this model and benchmark"),
                ({"model": model}, "all linkers and benchmarks with this model"),
            ),
        )
        if near is None or others is None:
            return others, wider
        few = f", weighed with {others.calls:,.0f} of {wider}" if near.calls / 10 < WEIGHT else ""
        return weighed(near, others), f"{near.calls:,.0f} calls of {words}{few}"

    def _nearest(self, stage: Stage, wanted: tuple[tuple[dict[str, str], str], ...]) -> tuple[Measured | None, str]:
        for match, words in wanted:
            found = [
                each
                for each in self.measured
                if each.stage == stage
                and each.calls
                and all(getattr(each, key) == value for key, value in match.items())
            ]
            if found:
                return summed(found), words
        return None, ""

    def own_seconds(self, linker: str) -> float | None:
        """The processor time of one question of a linker."""
        found = [each for each in self.measured if each.stage == "link" and each.linker == linker]
        questions = sum(each.questions for each in found)
        return sum(each.own_seconds for each in found) / questions if questions else None


def summed(found: list[Measured]) -> Measured:
    """Several measurements as one."""
    first = found[0]
    sums = [sum(getattr(each, name) for each in found) for name in Measured.__dataclass_fields__ if name not in KEYS]
    return Measured(first.stage, first.model, first.benchmark, first.linker, *sums)


def weighed(near: Measured, others: Measured) -> Measured:
    """What one call takes: by the nearer measurement, and by the wider one as if it were ``WEIGHT`` calls more.

    >>> few = Measured("link", "m", "b", "l", 2, 2, 200, 0, 100, 4, 0, 2)
    >>> weighed(few, Measured("link", "m", "b", "l", 50, 50, 5000, 0, 1000, 50, 0, 50)).completion
    25.0
    """
    share = near.calls / (near.calls + WEIGHT)
    sums = {
        name: share * getattr(near, name) / near.calls + (1 - share) * getattr(others, name) / others.calls
        for name in ("prompt", "cached", "completion", "seconds")
    }
    return replace(near, calls=1.0, **sums)


KEYS = ("stage", "model", "benchmark", "linker")
