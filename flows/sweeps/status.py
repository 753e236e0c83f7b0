"""``sweep status``: what is done, running, failed and stopped, and at what rate, from what is on disk alone."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from flows.answers import print_frame
from flows.sweeps import record
from flows.sweeps.failures import Failed, failed_cells
from flows.sweeps.grid import WITHOUT_MODEL
from flows.sweeps.ledger import Invocation, invocations
from flows.sweeps.planning import dollars, duration
from flows.sweeps.progress import Progress, pace, progress, told_of
from flows.sweeps.reading import read
from flows.sweeps.record import Record, Run
from flows.sweeps.spending import Spent, total
from schemas.errors import UserError
from storage.layout import Store
from storage.prices import Prices
from storage.warehouse import connect

TRIES = 3
SPENT = """
SELECT run, linker, model, sum(calls - cached_calls)::DOUBLE, sum(prompt_tokens * share)::DOUBLE,
       sum(cached_tokens * share)::DOUBLE, sum(completion_tokens * share)::DOUBLE, sum(model_seconds * share)::DOUBLE
FROM (SELECT *, (calls - cached_calls) / calls AS share FROM costs WHERE calls > 0)
GROUP BY run, linker, model"""


@dataclass(frozen=True)
class Cell:
    """One cell as it stands: its state, what is done, how fast, and what it took; ``left`` is in seconds."""

    run: str
    model: str
    benchmark: str
    linker: str
    state: str
    shards_done: int
    shards: int
    questions_done: int
    questions: int
    failed: int
    rate: float | None
    tokens: float
    money: float | None
    left: float | None
    reason: str = ""


def print_status(wanted: str, storage: Path, form: str = "table") -> None:
    """Print how a sweep stands, by its name or file; without either, the only one there is."""
    import polars as pl

    told = record.load(storage, _name(wanted, storage))
    at_work = invocations(storage, told.name)
    found = cells(told, storage, at_work)
    if form in ("json", "csv"):
        print_frame(pl.DataFrame([asdict(each) for each in found], infer_schema_length=None), form)
        return
    states = [each.state for each in found]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    print(f"sweep {told.name}: {len(found)} cells: {counts}")
    print_frame(pl.DataFrame([_shown(each) for each in found]), form)
    for line in _lines(told, found, at_work):
        print(line)


def _name(wanted: str, storage: Path) -> str:
    there = record.names(storage)
    if wanted.endswith(".toml"):
        return read(Path(wanted), storage).name
    if wanted:
        return wanted
    if len(there) == 1:
        return there[0]
    raise UserError(f"name a sweep: {', '.join(there)}" if there else f"{storage}: there are no sweeps")


def cells(told: Record, storage: Path, at_work: Sequence[Invocation]) -> list[Cell]:
    """All cells of a sweep in the order in which they run."""
    store = Store(storage)
    names = [run.name for run in told.runs]
    failed = {(each.run, each.linker): each for each in failed_cells(store, names)}
    spent = _spent(store, names)
    return [cell for run in told.runs for cell in _of_run(store, run, told.prices, at_work, failed, spent)]


def _of_run(
    store: Store,
    run: Run,
    prices: Prices,
    at_work: Sequence[Invocation],
    failed: dict[tuple[str, str], Failed],
    spent: dict[tuple[str, str], list[Spent]],
) -> Iterator[Cell]:
    stands = progress(store, run)
    moving = pace(run, sum(each.questions_done for each in stands.values()), at_work)
    status = told_of(store, run).get("status", "")
    for linker, each in stands.items():
        fault = failed.get((run.name, linker))
        state = _state(each, moving.running, status, fault, moving.last.status if moving.last else "")
        paid = spent.get((run.name, linker), [])
        sums = total(paid, prices, [])
        share = moving.rate * each.questions / sum(one.questions for one in stands.values()) if moving.rate else None
        missing = each.questions - each.questions_done
        reason = fault.reason if fault and state == "failed" else ""
        yield Cell(
            run=run.name,
            model=run.model,
            benchmark=run.benchmark,
            linker=linker,
            state=state,
            **asdict(each),
            failed=fault.failed if fault else 0,
            rate=share,
            tokens=sums.tokens,
            money=sums.money,
            left=missing / share if missing and share else (None if missing else 0.0),
            reason=reason or (moving.last.reason if moving.last and state in ("failed", "stopped") else ""),
        )


def _state(each: Progress, running: bool, status: str, fault: Failed | None, last: str) -> str:
    if each.shards_done == each.shards:
        return "failed" if fault and fault.whole else "done"
    if running:
        return "running"
    if "failed" in (status, last):
        return "failed"
    if last == "done" and not status:
        return "waiting"
    return "stopped" if status or last else "waiting"


def _spent(store: Store, runs: Sequence[str]) -> dict[tuple[str, str], list[Spent]]:
    """What cells were paid for; a run that is compacted while it is read is read again."""
    there = set(store.runs())
    chosen = [run for run in runs if run in there]
    for tried in range(TRIES if chosen else 0):
        try:
            rows = connect(store, chosen, views=("costs",)).execute(SPENT).fetchall()
        except (duckdb.Error, UserError):
            if tried == TRIES - 1:
                raise
            continue
        found: dict[tuple[str, str], list[Spent]] = {}
        for run, linker, *rest in rows:
            found.setdefault((run, linker), []).append(Spent(*rest))
        return found
    return {}


def _shown(each: Cell) -> dict[str, Any]:
    return {
        "model": each.model or WITHOUT_MODEL,
        "benchmark": each.benchmark,
        "linker": each.linker,
        "state": each.state,
        "shards": f"{each.shards_done}/{each.shards}",
        "questions": f"{each.questions_done:,}/{each.questions:,}",
        "failed": f"{each.failed:,}" if each.failed else "",
        "a second": f"{each.rate:,.2g}" if each.rate else "",
        "tokens": f"{each.tokens:,.0f}",
        "$": dollars(each.money),
        "left": "" if each.left == 0 else "?" if each.left is None else duration(each.left),
    }


def _lines(told: Record, found: Sequence[Cell], at_work: Sequence[Invocation]) -> Iterator[str]:
    """What failed and why, who is at work, and what was spent."""
    reasons = dict.fromkeys((each.run, each.linker, each.reason) for each in found if each.reason)
    yield from (f"{run}: {linker}: {reason}" for run, linker, reason in reasons)
    for each in at_work:
        if each.alive:
            now = next((turn.run for turn in each.turns if not turn.ended), "between runs")
            portion = f", shards {each.portion}" if each.portion else ""
            yield f"at work: {each.host}, process {each.process}{portion}, for {duration(each.seconds)}: {now}"
    erased = total([], told.prices, at_work)
    costs = [each.money for each in found] + [erased.money]
    money = None if None in costs else sum(cost for cost in costs if cost is not None)
    tokens = erased.tokens + sum(each.tokens for each in found)
    limits = [f"{limit:,g} {what}" for what, limit in told.budget.items() if limit is not None]
    of = f" of a budget of {', '.join(limits)}" if limits else ""
    yield f"spent: ${dollars(money)}, {tokens:,.0f} tokens, {erased.hours:,.3g} hours{of}"
