"""The meter of a sweep: what all its invocations have spent, against its budget."""

import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from flows.sweeps.grid import Sweep
from flows.sweeps.ledger import Invocation, Ledger, invocations
from flows.sweeps.spending import Counter, Spent, Total, total

REST, LONGEST = 5.0, 30.0


class Meter:
    """Reads the disk at most a sixth of the time; ``reason`` says which limit was reached, once one was."""

    def __init__(self, sweep: Sweep, storage: Path, runs: Sequence[str], ledger: Ledger) -> None:
        self.sweep = sweep
        self.storage = storage
        self.runs = runs
        self.ledger = ledger
        self.reason = ""
        self._counter = Counter(storage)
        self._next = 0.0
        import_module("polars")

    def of(self, run: str) -> list[Spent]:
        """What one run's rows say that it spent."""
        return self._counter.of([run])

    def total(self) -> Total:
        """All that the sweep took so far, this invocation up to now."""
        own = self.ledger.told
        own.at = time.time()
        others = [each for each in invocations(self.storage, self.sweep.name) if not _same(each, own)]
        return total(self._counter.of(self.runs), self.sweep.prices, [*others, own])

    def stop(self) -> str:
        """Why to stop, or nothing."""
        budget = self.sweep.budget
        if self.reason or (budget.money, budget.tokens, budget.hours) == (None, None, None):
            return self.reason
        start = time.monotonic()
        if start < self._next:
            return ""
        spent = self.total()
        self._next = time.monotonic() + min(LONGEST, REST * (time.monotonic() - start))
        for what, limit, used, shape in (
            ("money", budget.money, spent.money or 0.0, "${:,.4g}"),
            ("tokens", budget.tokens, spent.tokens, "{:,.0f}"),
            ("hours", budget.hours, spent.hours, "{:,.3g}"),
        ):
            if limit is not None and used >= limit:
                self.reason = f"the budget is spent: {shape.format(used)} of {shape.format(limit)} {what}"
        return self.reason

    def described(self) -> str:
        """What was spent and what is left, in a line."""
        spent, budget = self.total(), self.sweep.budget
        money = "an unknown sum (no price)" if spent.money is None else f"${spent.money:,.4g}"
        parts = [
            f"{money}{_left(budget.money, spent.money or 0.0, '${:,.4g}')}",
            f"{spent.tokens:,.0f} tokens{_left(budget.tokens, spent.tokens, '{:,.0f}')}",
            f"{spent.hours:,.3g} hours{_left(budget.hours, spent.hours, '{:,.3g}')}",
        ]
        return f"spent: {', '.join(parts)}, in {spent.calls:,.0f} calls"


def _left(limit: float | None, used: float, shape: str) -> str:
    return "" if limit is None else f" ({shape.format(max(0.0, limit - used))} left)"


def _same(one: Invocation, other: Invocation) -> bool:
    return (one.host, one.process, one.started) == (other.host, other.process, other.started)
