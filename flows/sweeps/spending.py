"""What a sweep has spent: the calls that were paid, by the rows of its runs; replies from our disk cost nothing."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UserError
from schemas.records import Linking, Query
from storage import parquet
from storage.layout import Store
from storage.prices import Prices
from storage.runs import shard_files

if TYPE_CHECKING:
    from flows.sweeps.ledger import Invocation

DATASETS = {"linkings": Linking, "queries": Query}


@dataclass(frozen=True)
class Spent:
    """Calls of one model that were paid, with their tokens and seconds."""

    model: str
    calls: float = 0.0
    prompt: float = 0.0
    cached: float = 0.0
    completion: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> float:
        """All tokens together."""
        return self.prompt + self.completion


@dataclass(frozen=True)
class Total:
    """Money (None where a model has no price), tokens, hours, and calls."""

    money: float | None
    tokens: float
    hours: float
    calls: float


def spent_in(path: Path, record: type) -> list[Spent]:
    """What the rows of one file were paid for; of a row that was partly read from disk, the calls' share."""
    import polars as pl

    frame = pl.from_arrow(parquet.read_table(path, record))
    assert isinstance(frame, pl.DataFrame)
    share = (pl.col("calls") - pl.col("cached_calls")) / pl.col("calls")
    columns = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "model_seconds")
    sums = [(pl.col(name) * share).sum() for name in columns]
    found = frame.filter(pl.col("calls") > 0).group_by("model").agg(*sums).sort("model")
    return [Spent(*row) for row in found.rows()]


@dataclass
class Counter:
    """Reads what runs spent; a shard's file never changes, so that it is read once."""

    storage: Path
    known: dict[tuple[Path, int], list[Spent]] = field(default_factory=dict)

    def of(self, runs: Iterable[str]) -> list[Spent]:
        """What some runs spent so far."""
        found: list[Spent] = []
        for run in runs:
            folder = Store(self.storage).run(run)
            for dataset, record in DATASETS.items():
                for path in shard_files(folder, dataset):
                    with suppress(UserError, OSError):
                        found += self._read(path, record)
        return found

    def _read(self, path: Path, record: type) -> list[Spent]:
        compacted = path.parent.parent.name == "runs"
        key = (path, path.stat().st_size if compacted else 0)
        if key not in self.known:
            self.known[key] = spent_in(path, record)
        return self.known[key]


def total(spent: Sequence[Spent], prices: Prices, invocations: "Sequence[Invocation]") -> Total:
    """All that a sweep took: its runs' rows, what was erased by retries, and the hours of its invocations."""
    listed = [*spent, *(each for invocation in invocations for each in invocation.erased)]
    costs = [_money(each, prices) for each in listed]
    money = None if None in costs else sum(cost for cost in costs if cost is not None)
    hours = sum(invocation.seconds for invocation in invocations) / 3600
    return Total(money, sum(each.tokens for each in listed), hours, sum(each.calls for each in listed))


def _money(spent: Spent, prices: Prices) -> float | None:
    price = prices.of(spent.model)
    return price.money(spent.prompt, spent.cached, spent.completion, spent.seconds) if price else None
