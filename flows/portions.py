"""A part of a run for one of several processes: every n-th shard."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UserError
from storage.runs import Busy, exclusive

if TYPE_CHECKING:
    from flows.plan import Cell, Plan

PATIENCE = 90.0


@dataclass(frozen=True)
class Portion:
    """The ``index``-th of ``count`` portions, counted from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.index}/{self.count}"

    def of(self, plan: "Plan", cells: "list[Cell]") -> "list[Cell]":
        """Those of the cells whose shards fall to this portion; all linkers of a shard stay together."""
        ours = {part.path for part, _ in plan.shards[self.index - 1 :: self.count]}
        return [cell for cell in cells if cell.shard.path in ours]


def portion(text: str) -> Portion | None:
    """Read ``i/n``; nothing means all.

    >>> portion("2/4")
    Portion(index=2, count=4)
    """
    if not text:
        return None
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise UserError(f"--shard {text!r} is not i/n with i from 1 to n, such as 1/4")
    return Portion(int(index), int(count))


@contextmanager
def held(run: Path, *, shared: bool = False, patience: float = 0.0) -> Iterator[None]:
    """Hold a run's folder as ``exclusive`` does, waiting so many seconds for others to let go."""
    end = time.monotonic() + patience
    while True:
        holding = exclusive(run, shared=shared)
        try:
            holding.__enter__()
            break
        except Busy:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
    try:
        yield
    finally:
        holding.__exit__(None, None, None)
