"""Sweeps from plan to status against a server that counts: what was planned happens, and nothing is paid twice.

Slow: every test starts a server, and links, scores and reports whole sweeps.
"""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.portions import Portion
from flows.sweeps import ledger, running, status
from flows.sweeps.estimate import Estimate, estimates
from flows.sweeps.reading import read
from flows.sweeps.record import load
from flows.sweeps.record import planned as planned_runs
from schemas.catalog import Catalog
from schemas.records import Question
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from storage.places import place
from storage.warehouse import connect
from tests.conftest import asked, shop
from tests.stub_server import Stub, tokens
from tests.stub_server import running as stub_running
from tests.sweeps import PAID, quick, toml, written  # noqa: F401

pytestmark = pytest.mark.slow
ENDPOINTS = ("--text", "src=customer, dst=line", "--count")
CONFIGURATIONS = ["n-n", "no-union", "force-longest", "force-union"]


@pytest.fixture
def stub() -> Iterator[Stub]:
    """A server that names endpoints and counts tokens."""
    with stub_running(*ENDPOINTS) as server:
        yield server


def planned(file: Path, storage: Path) -> list[Estimate]:
    return estimates(read(file, storage), storage)


def happened(storage: Path, sweep: str) -> dict[str, float]:
    runs = [run.name for run in load(storage, sweep).runs]
    return dict(connect(Store(storage), runs).sql(PAID).pl().row(0, named=True))


def close(plan: list[Estimate], told: dict[str, float]) -> None:
    """Calls are those that were planned, tokens within 5 %."""
    assert sum(each.calls for each in plan) == told["calls"]
    assert sum(each.new for each in plan) == told["new"]
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in plan)
    assert tokens == pytest.approx(told["prompt"] + told["completion"], rel=0.05)


FOUR = [{"linker": "schemagraphsql", "configuration": CONFIGURATIONS}]


@pytest.mark.usefixtures("tiny", "quick")
def test_four_configurations_are_planned_and_sent_as_one(tmp_path: Path, stub: Stub) -> None:
    pilot = [{"name": "tiny", "only": ["north-6", "south-6"]}]
    assert running.run_sweep(written(tmp_path, "pilot", FOUR, stub, benchmarks=pilot), tmp_path) == 0
    before = len(stub.texts())
    assert before == 2
    rest = [{"name": "tiny", "only": [f"{name}-{at}" for name in ("north", "south", "west") for at in range(6)]}]
    file = written(tmp_path, "four", FOUR, stub, benchmarks=rest)
    plan = planned(file, tmp_path)
    assert len(stub.texts()) == before
    assert [(each.new, each.shared) for each in plan] == [(18, 0), (0, 18), (0, 18), (0, 18)]
    assert running.run_sweep(file, tmp_path) == 0
    assert len(stub.texts()) == before + 18
    close(plan, happened(tmp_path, "four"))
    assert all("server's own tokenizer" in " ".join(each.basis) for each in plan if each.new)


@pytest.mark.usefixtures("tiny", "quick")
def test_picks_among_paths_are_exact_once_endpoints_are_known(tmp_path: Path) -> None:
    with stub_running("--text", "src=customer, dst=line,Order\npath_id: 1", "--count") as stub:
        assert running.run_sweep(written(tmp_path, "ends", ["schemagraphsql"], stub), tmp_path) == 0
        pilot = [{"name": "tiny", "limit": 3}]
        assert running.run_sweep(written(tmp_path, "pilot", FOUR, stub, benchmarks=pilot), tmp_path) == 0
        file = written(tmp_path, "four", FOUR, stub)
        plan = planned(file, tmp_path)
        assert [(each.calls, each.stored, each.shared) for each in plan] == [
            (42, 24, 0),
            (42, 24, 18),
            (21, 21, 0),
            (21, 21, 0),
        ]
        before = len(stub.texts())
        assert running.run_sweep(file, tmp_path) == 0
        assert happened(tmp_path, "four")["calls"] == sum(each.calls for each in plan)
        sent = [tokens(body["messages"]) for body in stub.state()["log"][before:]]
        assert len(sent) == sum(each.new for each in plan) == 18
        assert sum(sent) == sum(each.prompt_tokens for each in plan)


@pytest.mark.usefixtures("tiny", "quick")
def test_a_pick_is_planned_by_what_was_measured_or_assumed(tmp_path: Path, stub: Stub) -> None:
    plan = planned(written(tmp_path, "four", FOUR, stub), tmp_path)
    assert [each.calls for each in plan] == [31.5, 31.5, 21, 21]
    assert "1.5 calls a question assumed, this linker was not measured" in plan[0].basis
    assert plan[1].prompt_tokens == pytest.approx(plan[0].prompt_tokens / 3)
    assert not any("calls a question" in words for words in plan[3].basis)


@pytest.mark.usefixtures("tiny", "quick")
def test_repetitions_are_planned_as_they_happen(tmp_path: Path) -> None:
    linkers = ["llm_tables", "llm_columns", "full"]
    with stub_running("--text", "tables=customer, columns=customer.name", "--count") as stub:
        pilot = [{"name": "tiny", "limit": 3}]
        assert running.run_sweep(written(tmp_path, "pilot", linkers, stub, benchmarks=pilot), tmp_path) == 0
        file = written(tmp_path, "twice", linkers, stub, repetitions=2)
        plan = planned(file, tmp_path)
        assert [(each.calls, each.stored) for each in plan] == [(0, 0), (42, 3), (42, 3)]
        assert running.run_sweep(file, tmp_path) == 0
        close(plan, happened(tmp_path, "twice"))
        assert len(stub.texts()) == 6 + 78
        assert all(each.shards_done == each.shards and not each.calls for each in planned(file, tmp_path))


@pytest.mark.usefixtures("tiny", "quick")
def test_generated_queries_are_planned_over_what_is_linked(tmp_path: Path) -> None:
    linkers = ["full", "exact_match", "base", "schemagraphsql(endpoints=oracle)"]
    with stub_running("--text", "SELECT name FROM customer", "--count") as stub:
        pilot = [{"name": "tiny", "limit": 3}]
        file = written(tmp_path, "pilot", linkers, stub, benchmarks=pilot, generate=True)
        assert running.run_sweep(file, tmp_path) == 0
        file = written(tmp_path, "queries", linkers, stub, generate=True)
        plan = planned(file, tmp_path)
        assert [each.calls for each in plan] == [21] * 4
        assert sum(each.shared for each in plan) > 0
        assert running.run_sweep(file, tmp_path) == 0
        close(plan, happened(tmp_path, "queries"))


@pytest.mark.usefixtures("tiny", "quick")
def test_a_plan_needs_no_server(tmp_path: Path, stub: Stub) -> None:
    pilot = [{"name": "tiny", "limit": 6}]
    assert running.run_sweep(written(tmp_path, "pilot", ["schemagraphsql"], stub, benchmarks=pilot), tmp_path) == 0
    file = written(tmp_path, "rest", ["schemagraphsql"], stub)
    (reached,) = planned(file, tmp_path)
    stub.process.kill()
    stub.process.wait()
    (each,) = planned(file, tmp_path)
    assert (each.calls, each.stored, each.new) == (21, 6, 15)
    assert any("corrected by 6 stored replies" in words for words in each.basis)
    assert each.prompt_tokens == pytest.approx(reached.prompt_tokens, rel=0.02)
    (never,) = planned(Path(shutil.copy(file, tmp_path / "never.toml")), elsewhere(tmp_path))
    assert (never.calls, never.stored) == (21, 0)
    assert any(words.startswith("no stored reply can be told: no model server answers") for words in never.basis)


def elsewhere(storage: Path) -> Path:
    """Another storage folder with the same benchmark and nothing else."""
    shutil.copytree(storage / "benchmarks", storage / "elsewhere" / "benchmarks")
    return storage / "elsewhere"


@pytest.mark.usefixtures("tiny", "quick")
def test_money_follows_prices_and_tokens(tmp_path: Path, stub: Stub) -> None:
    file = written(tmp_path, "priced", ["schemagraphsql"], stub)
    (each,) = planned(file, tmp_path)
    assert each.money == pytest.approx((each.prompt_tokens + 2 * each.completion_tokens) / 1e6)


@pytest.mark.usefixtures("tiny", "quick")
def test_a_budget_ends_a_sweep_between_shards_and_a_larger_one_goes_on(
    tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    def file(tokens: int) -> Path:
        return written(tmp_path, "poor", ["schemagraphsql"], stub, budget={"tokens": tokens}, workers=1)

    assert running.run_sweep(file(1500), tmp_path) == running.OUT_OF_BUDGET
    sent = len(stub.texts())
    assert sent in (7, 14)
    told = capsys.readouterr()
    assert "the budget is spent" in told.err
    assert "1,500 tokens" in told.err
    assert [each.state for each in status.cells(load(tmp_path, "poor"), tmp_path, [])] == ["stopped"]
    assert running.run_sweep(file(1500), tmp_path) == running.OUT_OF_BUDGET
    assert len(stub.texts()) == sent
    assert running.run_sweep(file(1_000_000), tmp_path) == 0
    assert len(stub.texts()) == 21
    assert "(994," in capsys.readouterr().out


@pytest.mark.usefixtures("tiny", "quick")
def test_money_and_hours_end_a_sweep_too(tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    for name, limit in (("money", 0.001), ("hours", 1e-9)):
        file = written(tmp_path, f"poor-{name}", ["schemagraphsql"], stub, budget={name: limit}, repetitions=2)
        assert running.run_sweep(file, tmp_path) == running.OUT_OF_BUDGET
        assert f"{name}; with more of it the same command goes on" in capsys.readouterr().err
    assert 0 < len(stub.texts()) < 42


@pytest.mark.usefixtures("tiny", "quick")
def test_replies_from_the_cache_cost_nothing(tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert running.run_sweep(written(tmp_path, "rich", ["schemagraphsql"], stub), tmp_path) == 0
    capsys.readouterr()
    file = written(tmp_path, "poor", ["schemagraphsql"], stub, budget={"tokens": 1})
    assert running.run_sweep(file, tmp_path) == 0
    assert "spent: $0, 0 tokens (1 left)" in capsys.readouterr().out
    assert len(stub.texts()) == 21


@pytest.mark.usefixtures("tiny", "quick")
def test_a_failing_cell_stops_no_other_and_is_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stub_running(*ENDPOINTS, "--refuse", "columns=NAME") as stub:
        file = written(tmp_path, "half", ["llm_columns", "schemagraphsql", "full"], stub)
        assert running.run_sweep(file, tmp_path) == 1
        told = capsys.readouterr().err
        assert "llm_columns: 21 of 21 questions failed, most often model_error: HTTP 400: refused" in told
        assert "tried again by the same command" in told
        states = [(each.linker, each.state, each.failed) for each in cells(tmp_path, "half")]
        assert states == [("full", "done", 0), ("llm_columns", "failed", 21), ("schemagraphsql", "done", 0)]
        spent = sum(each.tokens for each in cells(tmp_path, "half"))
        stub.state("accept")
        before = len(stub.texts())
        running.run_sweep(file, tmp_path)
        assert len(stub.texts()) == before + 21
        assert {each.state for each in cells(tmp_path, "half") if each.linker != "llm_columns"} == {"done"}
    (_, again) = ledger.invocations(tmp_path, "half")
    assert [turn.run for turn in again.turns] == ["half-stub-tiny"]
    assert sum(each.tokens for each in again.erased) == pytest.approx(spent)


@pytest.mark.usefixtures("tiny", "quick")
def test_a_server_that_is_down_fails_its_runs_and_no_others(
    tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    down = {"name": "down", "endpoints": ["http://127.0.0.1:9"]}
    up = {"name": "stub", "endpoints": [stub.url]}
    told = {"name": "two", "benchmarks": ["tiny"], "linkers": ["schemagraphsql"], "models": [down, up]}
    file = tmp_path / "two.toml"
    file.write_text("\n".join(f"{key} = {toml(value)}" for key, value in told.items()))
    assert running.run_sweep(file, tmp_path) == 1
    assert "two-down-tiny: no model server answers" in capsys.readouterr().err
    assert [each.state for each in cells(tmp_path, "two")] == ["failed", "done"]


@pytest.mark.usefixtures("tiny", "quick")
def test_servers_that_do_not_start_fail_all_their_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served = {"name": "m", "serve": {"weights": "nothing", "python": str(tmp_path / "none")}}
    told = {"name": "own", "benchmarks": ["tiny"], "linkers": ["llm_tables"], "models": [served]}
    file = tmp_path / "own.toml"
    file.write_text("\n".join(f"{key} = {toml(value)}" for key, value in told.items()))
    plan = planned(file, tmp_path)
    assert "no stored reply can be told: sweep run starts its servers" in plan[0].basis
    assert running.run_sweep(file, tmp_path) == 1
    assert capsys.readouterr().err.startswith("own-m-tiny: ")
    assert [(each.state, bool(each.reason)) for each in cells(tmp_path, "own")] == [("failed", True)]


def cells(storage: Path, sweep: str) -> list[status.Cell]:
    return status.cells(load(storage, sweep), storage, ledger.invocations(storage, sweep))


@pytest.mark.usefixtures("tiny", "quick")
def test_portions_share_the_shards_and_the_last_one_finishes(tmp_path: Path, stub: Stub) -> None:
    file = written(tmp_path, "parts", ["schemagraphsql", "full"], stub)
    assert running.run_sweep(file, tmp_path, portion=Portion(1, 2)) == 0
    assert [(each.state, each.shards_done) for each in cells(tmp_path, "parts")] == [("waiting", 2), ("waiting", 2)]
    assert running.run_sweep(file, tmp_path, portion=Portion(2, 2)) == 0
    assert [(each.state, each.shards_done) for each in cells(tmp_path, "parts")] == [("done", 3), ("done", 3)]
    assert [each.portion for each in ledger.invocations(tmp_path, "parts")] == ["1/2", "2/2"]


@pytest.mark.usefixtures("tiny", "quick")
def test_an_added_linker_is_a_further_run_and_the_others_stay(tmp_path: Path, stub: Stub) -> None:
    assert running.run_sweep(written(tmp_path, "grown", ["full", "schemagraphsql"], stub), tmp_path) == 0
    before = (tmp_path / "runs" / "grown-stub-tiny" / "scores.parquet").stat().st_mtime_ns
    more = ["full", "schemagraphsql", "schemagraphsql(configuration=n-n)"]
    assert running.run_sweep(written(tmp_path, "grown", more, stub), tmp_path) == 0
    assert (tmp_path / "runs" / "grown-stub-tiny" / "scores.parquet").stat().st_mtime_ns == before
    assert [each.run for each in cells(tmp_path, "grown")][1:] == ["grown-stub-tiny", "grown-stub-tiny-2"]


@pytest.mark.usefixtures("tiny", "quick")
def test_status_is_read_from_the_disk_alone(tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert running.run_sweep(written(tmp_path, "told", ["full", "schemagraphsql"], stub), tmp_path) == 0
    capsys.readouterr()
    stub.process.kill()
    status.print_status("", tmp_path)
    told = capsys.readouterr().out
    assert told.startswith("sweep told: 2 cells: 2 done")
    assert "spent: $" in told
    status.print_status("told", tmp_path, "json")
    rows = json.loads(capsys.readouterr().out)
    assert [(row["linker"], row["questions_done"], row["left"]) for row in rows] == [
        ("full", 21, 0.0),
        ("schemagraphsql", 21, 0.0),
    ]
    assert rows[1]["rate"] > 0
    assert rows[1]["tokens"] == happened(tmp_path, "told")["prompt"] + happened(tmp_path, "told")["completion"]
    for form in ("csv", "markdown"):
        status.print_status("told", tmp_path, form)
        assert "schemagraphsql" in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_a_sweep_runs_in_an_object_store(stub: Stub, tmp_path: Path) -> None:
    storage = place(f"memory://bucket/{tmp_path.name}")
    folder = storage / "benchmarks" / "tiny"
    parquet.write(folder / "catalogs.parquet", Catalog, [shop("north"), shop("south")])
    parquet.write(folder / "questions.parquet", Question, [asked(name, 1) for name in ("north", "south")])
    write_json(folder / "benchmark.json", {"name": "tiny", "plugin": "own", "part": "all", "files": {"x": "0"}})
    poor = written(tmp_path, "away", ["full", "schemagraphsql"], stub, budget={"tokens": 100})
    assert [each.new for each in planned(poor, storage)] == [0, 2]
    assert running.run_sweep(poor, storage) == running.OUT_OF_BUDGET
    assert [(each.state, each.shards_done) for each in cells(storage, "away")] == [("done", 2), ("stopped", 1)]
    assert running.run_sweep(written(tmp_path, "away", ["full", "schemagraphsql"], stub), storage) == 0
    assert [each.state for each in cells(storage, "away")] == ["done", "done"]
    assert len(stub.texts()) == 2


@pytest.mark.usefixtures("tiny", "quick")
def test_what_is_finished_is_skipped_at_once(tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "over", ["full", "schemagraphsql"], stub)
    assert running.run_sweep(file, tmp_path) == 0
    stub.process.kill()
    capsys.readouterr()
    sweep = read(file, tmp_path)
    start = time.process_time()
    course = running.Course(sweep, tmp_path, planned_runs(sweep, tmp_path), sweep.runner, None, retry=True)
    course.run()
    assert time.process_time() - start < 1.0
    assert capsys.readouterr().out == "sweep over: 2 runs, 2 finished before\n"
