"""Sweep files: what is read from them, and everything that is wrong with one told at once."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from flows.sweeps import reading, record, running, status
from flows.sweeps.estimate import estimates
from flows.sweeps.ledger import Invocation, Turn
from flows.sweeps.reading import read
from schemas.catalog import Catalog
from schemas.errors import Faults, UserError
from schemas.records import Question
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from tasks.benchmarks import demo
from tasks.ingest import ingest
from tests.conftest import ROOT, asked, shop
from tests.sweeps import quick  # noqa: F401

CASES = sorted((ROOT / "tests" / "cases" / "sweeps").glob("*.toml"))
EXAMPLES = sorted((ROOT / "flows" / "sweeps" / "examples").glob("*.toml"))


def expected(case: Path, mark: str) -> list[str]:
    """The lines of a case that begin with a mark."""
    lines = case.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def prepared(storage: Path, name: str, part: str) -> None:
    """A benchmark of one small database under any name."""
    folder = storage / "benchmarks" / name
    parquet.write(folder / "catalogs.parquet", Catalog, [shop("north")])
    parquet.write(folder / "questions.parquet", Question, [asked("north", at) for at in range(3)])
    write_json(folder / "benchmark.json", {"name": name, "plugin": "own", "part": part, "files": {"x": "0"}})


@pytest.mark.parametrize("case", [path for path in CASES if expected(path, "#! ")], ids=lambda path: path.stem)
def test_every_fault_of_a_file_is_told_at_once(case: Path, tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(Faults) as told:
        read(case, tmp_path)
    patterns = [line.replace("[", "[[]") for line in expected(case, "#! ")]
    unmet = [line for line in patterns if not any(fnmatchcase(fault, line) for fault in told.value.faults)]
    surplus = [fault for fault in told.value.faults if not any(fnmatchcase(fault, line) for line in patterns)]
    assert (unmet, surplus) == ([], [])
    assert all(line.startswith(f"{case}: ") for line in str(told.value).splitlines())


@pytest.mark.parametrize("case", [path for path in CASES if expected(path, "#= ")], ids=lambda path: path.stem)
def test_options_are_expanded_to_canonical_labels(case: Path, tiny: Path, tmp_path: Path) -> None:
    assert list(read(case, tmp_path).linkers) == expected(case, "#= ")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_right(example: Path, tmp_path: Path) -> None:
    for name, part in (("demo", "all"), ("bird", "dev"), ("text2cypher", "test_2024v1")):
        prepared(tmp_path, name, part)
    sweep = read(example, tmp_path)
    assert sweep.name == example.stem
    assert record.planned(sweep, tmp_path)


def test_the_examples_are_the_papers_tables(tmp_path: Path) -> None:
    for name, part in (("bird", "dev"), ("text2cypher", "test_2024v1")):
        prepared(tmp_path, name, part)
    seven, formats, hypotheses = (
        read(ROOT / "flows" / "sweeps" / "examples" / f"{name}.toml", tmp_path)
        for name in ("schemagraphsql", "text2cypher", "evilink")
    )
    assert sum(label.startswith("schemagraphsql") for label in seven.linkers) == 7
    assert (len(formats.linkers), len(formats.models)) == (5, 2)
    assert [label for label in hypotheses.linkers if "refine" not in label][:5] == [
        "evilink(hypotheses=1)",
        "evilink(hypotheses=2)",
        "evilink",
        "evilink(hypotheses=6)",
        "evilink(hypotheses=8)",
    ]


def test_broken_toml_and_missing_files_are_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(UserError, match=r"broken\.toml: broken TOML"):
        read(broken, tmp_path)
    with pytest.raises(UserError, match="cannot read"):
        read(tmp_path / "none.toml", tmp_path)


GRID = {"name": "grid", "benchmarks": ["tiny"], "linkers": ["full", "llm_tables"], "repetitions": 2}
MODELS = [{"name": "a", "endpoints": ["localhost:1"]}, {"name": "org/b", "endpoints": ["localhost:2"]}]


def runs(told: dict[str, object], storage: Path) -> list[tuple[str, tuple[str, ...], int]]:
    sweep = reading.checked(told, storage, storage / "grid.toml")
    planned = record.planned(sweep, storage)
    record.write(sweep, storage, planned)
    return [(run.name, run.linkers, run.repetitions) for run in planned]


def test_what_asks_no_model_runs_once_without_one(tiny: Path, tmp_path: Path) -> None:
    assert runs({**GRID, "models": MODELS}, tmp_path) == [
        ("grid-no-model-tiny", ("full",), 1),
        ("grid-a-tiny", ("llm_tables",), 2),
        ("grid-org-b-dee6568f-tiny", ("llm_tables",), 2),
    ]


def test_with_queries_every_linker_asks_every_model(tiny: Path, tmp_path: Path) -> None:
    found = runs({**GRID, "models": MODELS, "generate": True}, tmp_path)
    assert [linkers for _, linkers, _ in found] == [("full", "llm_tables")] * 2


def test_a_grid_that_only_grows_gets_further_runs(tiny: Path, tmp_path: Path) -> None:
    before = runs({**GRID, "models": MODELS[:1]}, tmp_path)
    grown = {**GRID, "models": MODELS, "linkers": ["full", "oracle", "llm_tables"], "budget": {"tokens": 5}}
    assert runs(grown, tmp_path) == [
        before[0],
        ("grid-no-model-tiny-2", ("oracle",), 1),
        before[1],
        ("grid-org-b-dee6568f-tiny", ("llm_tables",), 2),
    ]
    assert runs(grown, tmp_path) == runs(grown, tmp_path)


def test_any_other_change_is_told_with_what_changed(tiny: Path, tmp_path: Path) -> None:
    runs({**GRID, "models": MODELS}, tmp_path)
    changed = {**GRID, "models": MODELS[:1], "linkers": ["llm_tables"], "repetitions": 3}
    changed["benchmarks"] = [{"name": "tiny", "limit": 4}]
    with pytest.raises(UserError) as told:
        runs(changed, tmp_path)
    assert str(told.value) == (
        "sweep 'grid' was another one (limit of benchmark 'tiny' was None, is 4; model 'org/b' is gone; "
        "linker 'full' is gone; repetitions was 2, is 3): give it a new name, or put that back"
    )
    write_json(tiny / "benchmark.json", {"name": "tiny", "plugin": "own", "part": "all", "files": {"x": "1"}})
    with pytest.raises(UserError, match="files of benchmark 'tiny' was"):
        runs({**GRID, "models": MODELS}, tmp_path)


def test_servers_prices_and_budget_may_change(tiny: Path, tmp_path: Path) -> None:
    before = runs({**GRID, "models": MODELS[:1]}, tmp_path)
    moved = [{"name": "a", "serve": {"weights": "org/a"}, "in_flight": 8}]
    prices = {"models": {"a": {"prompt": 1.0}}}
    assert runs({**GRID, "models": moved, "prices": prices, "budget": {"money": 3}, "workers": 2}, tmp_path) == before
    assert record.load(tmp_path, "grid").budget == {"money": 3.0, "tokens": None, "hours": None}


def test_a_removed_run_waits_and_a_broken_record_is_named(tiny: Path, tmp_path: Path) -> None:
    runs({**GRID, "models": MODELS}, tmp_path)
    told = record.load(tmp_path, "grid")
    turn = Turn(told.runs[0].name, 1.0, ended=2.0, status="done")
    finished = Invocation("host", 1, 1.0, 2.0, ended=True, turns=[turn])
    assert {each.state for each in status.cells(told, tmp_path, [finished])} == {"waiting"}
    record.path_of(tmp_path, "grid").write_text("[]")
    with pytest.raises(UserError, match=r"grid\.json: not what sweep run writes"):
        record.load(tmp_path, "grid")


def test_a_name_that_another_run_has_is_refused(tiny: Path, tmp_path: Path) -> None:
    chosen = {"limit": None, "limit_per_database": None, "only": []}
    asked = {"benchmarks": {"tiny": "0"}, "linkers": ["full"], "selection": chosen, "repetitions": 1}
    other = {**asked, "linkers": ["oracle"], "selection": {**chosen, "limit": 3}}
    path = tmp_path / "runs" / "grid-no-model-tiny" / "run.json"
    write_json(path, {"status": "done", "configuration": other})
    with pytest.raises(UserError, match=r"'grid-no-model-tiny' is there already with other linkers, selection: name"):
        runs({**GRID, "models": MODELS}, tmp_path)
    write_json(path, {"status": "done", "configuration": asked})
    assert runs({**GRID, "models": MODELS}, tmp_path)[0] == ("grid-no-model-tiny", ("full",), 1)


@pytest.mark.usefixtures("quick")
def test_the_demo_example_runs_without_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ROOT / "flows" / "sweeps" / "examples" / "demo.toml"
    ingest("demo", demo.make(tmp_path / "downloads"), "all", Store(tmp_path), "demo")
    assert [each.calls for each in estimates(read(file, tmp_path), tmp_path)] == [0] * 6
    assert running.run_sweep(file, tmp_path) == 0
    assert "schemagraphsql(endpoints=" in capsys.readouterr().out
    assert {each.state for each in status.cells(record.load(tmp_path, "demo"), tmp_path, [])} == {"done"}
