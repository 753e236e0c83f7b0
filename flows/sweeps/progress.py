"""How far the cells of a run are, by the files that are there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.sweeps.ledger import Invocation, Turn
from flows.sweeps.record import Run
from storage.files import read_json
from storage.layout import Store, slug


@dataclass(frozen=True)
class Progress:
    """One linker of one run: shards and questions, repetitions counted, that are done and that there are."""

    shards_done: int
    shards: int
    questions_done: int
    questions: int


def told_of(store: Store, run: Run) -> dict[str, Any]:
    """What ``run.json`` says of a run; nothing where it was not begun."""
    path = store.run(run.name) / "run.json"
    found: dict[str, Any] = read_json(path) if path.exists() else {}
    return found


def progress(store: Store, run: Run) -> dict[str, Progress]:
    """The progress of every linker of a run."""
    folder = store.run(run.name)
    whole = told_of(store, run).get("status") == "done" or (folder / "scores.parquet").exists()
    there = () if whole else (folder / "scores").glob("*/*/*.parquet")
    files = {(path.parent.name, path.name) for path in there}
    found = {}
    for linker in run.linkers:
        keys = [slug(f"{linker} #{number}" if number else linker) for number in range(run.repetitions)]
        sizes = [
            (whole or (key, f"{slug(shard)}.parquet") in files, questions)
            for key in keys
            for shard, questions in run.shards.items()
        ]
        done = [questions for is_done, questions in sizes if is_done]
        found[linker] = Progress(len(done), len(sizes), sum(done), sum(questions for _, questions in sizes))
    return found


def answered(store: Store, run: Run) -> int:
    """The questions that are done in a run."""
    return sum(each.questions_done for each in progress(store, run).values())


@dataclass(frozen=True)
class Pace:
    """A run's turns: whether one is under way, questions a second, and the last turn's outcome."""

    running: bool
    rate: float | None
    last: Turn | None


def pace(run: Run, done: int, invocations: Sequence[Invocation]) -> Pace:
    """How fast a run is, by the turns that its invocations took: the present ones, else all."""
    turns = [(each, turn) for each in invocations for turn in each.turns if turn.run == run.name]
    live = [(each, turn) for each, turn in turns if each.alive and not turn.ended]
    spans = [(turn.started, turn.ended or each.at) for each, turn in live or turns]
    before = min((turn.done_before for _, turn in live), default=0)
    seconds = _covered(spans)
    rate = (done - before) / seconds if seconds and done > before else None
    return Pace(bool(live), rate, turns[-1][1] if turns else None)


def _covered(spans: Sequence[tuple[float, float]]) -> float:
    """The time that intervals cover together.

    >>> _covered([(0, 4), (2, 6), (8, 9)])
    7.0
    """
    covered, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered
