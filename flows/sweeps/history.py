"""What earlier runs measured: calls and tokens of a question, seconds of a call, by linker, model and benchmark."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from storage.layout import Store
from storage.warehouse import connect

Stage = Literal["link", "generate"]
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
        connection = connect(store)
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
        """The nearest measurement of how much a model says, and how fast it is."""
        return self._nearest(
            stage,
            (
                ({"linker": linker, "model": model, "benchmark": benchmark}, "this linker, model and benchmark"),
                ({"linker": linker, "model": model}, "this linker and model on other benchmarks"),
                ({"model": model, "benchmark": benchmark}, "other linkers with this model and benchmark"),
                ({"model": model}, "other linkers and benchmarks with this model"),
            ),
        )

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


KEYS = ("stage", "model", "benchmark", "linker")
