"""Cells that failed: every question of a linker in a finished run, and whether another try may mend that."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.layout import Store
from storage.warehouse import connect

MENDABLE = ("model_error", "timeout", "context_overflow", "linker_error", "generator_error")
QUERY = """
SELECT run, linker, '{stage}', count(*)::INT, count(*) FILTER (status NOT IN ('ok', 'fallback'))::INT AS failed,
       count(*) FILTER (status IN {mendable})::INT AS mendable,
       coalesce(mode(status || ': ' || reason) FILTER (status NOT IN ('ok', 'fallback')), '')
FROM {dataset} GROUP BY run, linker HAVING failed > 0 ORDER BY run, linker"""


@dataclass(frozen=True)
class Failed:
    """The failed questions of a linker in one run and stage; ``mendable`` ones failed for what may pass."""

    run: str
    linker: str
    stage: str
    asked: int
    failed: int
    mendable: int
    reason: str

    @property
    def whole(self) -> bool:
        """Whether the cell failed: none of its questions succeeded."""
        return self.failed == self.asked

    def __str__(self) -> str:
        stage = "queries" if self.stage == "generate" else "questions"
        return f"{self.run}: {self.linker}: {self.failed} of {self.asked} {stage} failed, most often {self.reason}"


def failed_cells(store: Store, runs: Sequence[str]) -> list[Failed]:
    """What failed in those of the runs that exist."""
    there = set(store.runs())
    chosen = [run for run in runs if run in there]
    if not chosen:
        return []
    connection = connect(store, chosen, views=("linkings", "queries"))
    found = []
    for stage, dataset in (("link", "linkings"), ("generate", "queries")):
        query = QUERY.format(stage=stage, dataset=dataset, mendable=MENDABLE)
        found += [Failed(*row) for row in connection.execute(query).fetchall()]
    return found
