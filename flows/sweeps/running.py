"""``sweep run``: the runs of a sweep one after the other, within its budget, whatever fails among them."""

import sys
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from flows.evaluate import execute
from flows.portions import Portion
from flows.runners import Runner
from flows.server import prefect_server
from flows.sweeps import record
from flows.sweeps.estimate import plan_of
from flows.sweeps.failures import failed_cells
from flows.sweeps.grid import Asked, Sweep
from flows.sweeps.ledger import Ledger, Turn
from flows.sweeps.meter import Meter
from flows.sweeps.progress import answered, told_of
from flows.sweeps.reading import read
from flows.sweeps.record import Run
from flows.sweeps.serving import serving
from schemas.errors import UserError
from storage.layout import Store

DONE, FAILED, OUT_OF_BUDGET = 0, 1, 3
LEVELS = ("entity", "field", "query")


def run_sweep(
    file: Path, storage: Path, runner: Runner | None = None, portion: Portion | None = None, *, retry: bool = False
) -> int:
    """Run a sweep file: what is finished is skipped, what failed is tried again, and nothing ends the others.

    0: all is done. 1: a cell failed, or a run could not be made. 3: the budget is spent. The same call goes on.
    With ``retry`` runs are tried again, too, of which only some questions failed for what may pass.
    """
    sweep = read(file, storage)
    runs = record.planned(sweep, storage)
    chosen = runner or sweep.runner
    chosen.check()
    record.write(sweep, storage, runs)
    course = Course(sweep, storage, runs, chosen, portion, retry=retry)
    with course.ledger.kept():
        course.run()
        course.ledger.told.reason = course.meter.reason
    return course.report()


class Course:
    """One invocation on its way through the runs."""

    def __init__(
        self,
        sweep: Sweep,
        storage: Path,
        runs: Sequence[Run],
        runner: Runner,
        portion: Portion | None,
        *,
        retry: bool,
    ) -> None:
        self.sweep, self.storage, self.runs, self.runner, self.portion = sweep, storage, runs, runner, portion
        self.store = Store(storage)
        self.ledger = Ledger(storage, sweep.name, str(portion or ""))
        self.meter = Meter(sweep, storage, [run.name for run in runs], self.ledger)
        self.told: dict[str, str] = {}
        self.again = self._failed_before(retry)

    def run(self) -> None:
        """Run all that is to do, model by model."""
        todo = [run for run in self.runs if run.name in self.again or not self._finished(run)]
        before = f"{len(self.runs) - len(todo)} finished before"
        print(f"sweep {self.sweep.name}: {len(self.runs)} runs, {before}", flush=True)
        models = {model.name: model for model in self.sweep.models}
        if todo and not self.meter.stop():
            with prefect_server(self.storage):
                for name, group in groupby(todo, key=lambda run: run.model):
                    self._model(models.get(name), list(group))

    def report(self) -> int:
        """Print the leaderboard of all runs, what failed, and what was spent; the exit status."""
        from flows.reports import print_leaderboard

        there = set(self.store.runs())
        names = [run.name for run in self.runs if run.name in there]
        if names:
            print_leaderboard(self.store, names, levels=LEVELS, required=False)
        failed = failed_cells(self.store, names)
        for each in failed:
            print(each, file=sys.stderr)
        if self.told or any(each.whole and each.mendable for each in failed):
            print("what failed is tried again by the same command", file=sys.stderr)
        if any(each.whole and not each.mendable for each in failed):
            print("where no answer can be read another try would read the same stored replies", file=sys.stderr)
        print(self.meter.described())
        if self.meter.reason:
            print(f"stopped: {self.meter.reason}; with more of it the same command goes on", file=sys.stderr)
            return OUT_OF_BUDGET
        return FAILED if self.told or any(each.whole for each in failed) else DONE

    def _failed_before(self, retry: bool) -> set[str]:
        """The finished runs that are worth another try; a portion retries none, for others may be at work."""
        if self.portion:
            return set()
        finished = [run.name for run in self.runs if self._finished(run)]
        failed = failed_cells(self.store, finished)
        return {each.run for each in failed if each.mendable and (each.whole or retry)}

    def _finished(self, run: Run) -> bool:
        return told_of(self.store, run).get("status") == "done"

    def _model(self, model: Asked | None, runs: Sequence[Run]) -> None:
        """The runs of one model, whose servers live as long as these where they are ours to start."""
        if self.meter.stop():
            return
        try:
            with serving(model, self.storage) as endpoints:
                for run in runs:
                    if not self.meter.stop():
                        self._guarded(run, model, endpoints)
        except UserError as error:
            now = time.time()
            for run in runs:
                self.told[run.name] = str(error)
                self.ledger.told.turns.append(Turn(run.name, now, ended=now, status="failed", reason=str(error)))
            print(f"{', '.join(run.name for run in runs)}: {error}", file=sys.stderr)

    def _guarded(self, run: Run, model: Asked | None, endpoints: tuple[str, ...]) -> None:
        """One run; whatever goes wrong is told, and the next one follows."""
        try:
            done = 0 if run.name in self.again else answered(self.store, run)
            with self.ledger.turn(run.name, done) as turn:
                self._one(run, model, endpoints, turn)
        except UserError as error:
            self._tell(run, str(error))
        except Exception as error:
            self._tell(run, f"{type(error).__name__}: {error}")

    def _tell(self, run: Run, reason: str) -> None:
        self.told[run.name] = reason
        print(f"{run.name}: {reason}", file=sys.stderr)

    def _one(self, run: Run, model: Asked | None, endpoints: tuple[str, ...], turn: Turn) -> None:
        plan = plan_of(self.sweep, self.storage, run, model, endpoints)
        again = run.name in self.again
        missing = len(plan.cells if again else plan.missing())
        place = f"run {self.runs.index(run) + 1} of {len(self.runs)}"
        print(f"{place}: {run.name}, {missing} of {len(plan.cells)} shards to do", flush=True)
        plan.toolbox.check()
        if again:
            self.ledger.told.erased += self.meter.of(run.name)
        status = execute(
            plan, runner=self.runner, retry=again, report=False, portion=self.portion, stop=self.meter.stop
        )
        turn.status = {DONE: "done", OUT_OF_BUDGET: "stopped"}.get(status, "failed")
        turn.reason = self.meter.reason if status == OUT_OF_BUDGET else ""
        if status == FAILED and not self._finished(run):
            self.told[run.name] = turn.reason = "some shards failed"
