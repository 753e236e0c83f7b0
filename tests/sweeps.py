"""What tests of sweeps share: cells that run in this thread, and sweep files of one model behind a stub."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from flows.plan import Plan
from flows.portions import Portion
from flows.sweeps import meter, running
from storage.runs import close_run, compact
from tasks.execute import execute_shard
from tasks.generate import generate_shard
from tasks.link import link_shard
from tasks.score import score_shard
from tests.stub_server import Stub

PAID = """
SELECT coalesce(sum(calls), 0)::INT AS calls, coalesce(sum(calls - cached_calls), 0)::INT AS new,
       coalesce(sum(prompt_tokens * (calls - cached_calls) / calls), 0) AS prompt,
       coalesce(sum(completion_tokens * (calls - cached_calls) / calls), 0) AS completion
FROM costs WHERE calls > 0"""


def without_prefect(
    plan: Plan,
    *,
    runner: object = None,
    retry: bool = False,
    report: bool = True,
    portion: Portion | None = None,
    stop: Callable[[], str] = lambda: "",
) -> int:
    """What ``flows.evaluate.execute`` does, in this thread: real steps, no flow around them."""
    plan.begin(retry=retry)
    for cell in plan.missing() if portion is None else portion.of(plan, plan.missing()):
        if reason := stop():
            close_run(plan.run, {"status": "stopped", "reason": reason})
            return 3
        link_shard(cell.link)
        if cell.generate:
            generate_shard(cell.generate)
        if cell.execute:
            execute_shard(cell.execute)
        score_shard(cell.score)
    if not plan.missing():
        compact(plan.run)
        close_run(plan.run, {"status": "done"})
    return 0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run cells without a Prefect server, which takes seconds to start, and read the meter before each."""
    monkeypatch.setattr(meter, "REST", 0.0)
    monkeypatch.setattr(running, "execute", without_prefect)
    monkeypatch.setattr(running, "prefect_server", nullcontext)


def written(storage: Path, name: str, linkers: list[Any], stub: Stub, **more: Any) -> Path:
    """A sweep file of one model behind the stub."""
    told = {"name": name, "benchmarks": ["tiny"], "linkers": linkers, **more}
    lines = [f"{key} = {toml(value)}" for key, value in told.items()]
    model = ["[[models]]", 'name = "stub"', f'endpoints = ["{stub.url}"]']
    prices = ["[prices.models.stub]", "prompt = 1.0", "completion = 2.0"]
    path = storage / f"{name}.toml"
    path.write_text("\n".join([*lines, *model, *prices]))
    return path


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)
