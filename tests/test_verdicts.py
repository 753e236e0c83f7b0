"""Published predictions, executed, against what the official scripts say of them question by question."""

import csv
from pathlib import Path

import pytest

from schemas.records import Execution, Query, Question
from storage import parquet
from tasks.execute import ExecuteJob, execute_shard
from tests.execution import PREDICTIONS, predicted, spider, verdicts

TOTALS = {"dail_sql_gpt4": (83.23, 81.07), "c3": (82.72, 79.01), "codes_15b": (84.88, 82.82)}
OURS = {"test_suite": "ex_test_suite", "bird": "ex_bird"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return spider(tmp_path_factory.mktemp("spider"))


def explained(name: str) -> dict[tuple[str, str], str]:
    """The differences that are known, by question and metric, with their reason."""
    with (Path(__file__).parent / "cases" / "verdict_differences.csv").open(encoding="utf-8", newline="") as file:
        return {(row["index"], row["metric"]): row["reason"] for row in csv.DictReader(file) if row["file"] == name}


@pytest.mark.slow
@pytest.mark.parametrize("name", PREDICTIONS)
def test_verdicts_are_those_of_the_official_scripts(folder: Path, name: str) -> None:
    """Slow: some 1,500 queries a file run on real databases."""
    questions = parquet.read(folder / "questions.parquet", Question)
    queries = parquet.write(folder / f"{name}.parquet", Query, predicted(name, questions))
    written = execute_shard(
        ExecuteJob(folder / "questions.parquet", folder, queries, folder / f"{name}-executed.parquet")
    )
    executions = parquet.read(written, Execution)
    official, found = verdicts(name), {}
    for execution in executions:
        assert execution.gold_status == "ok"
        assert (execution.status != "ok") == bool(official[execution.question]["error"]), execution
        values = {verdict.metric: verdict.value for verdict in execution.verdicts}
        found |= {(execution.question, theirs): values[ours] for theirs, ours in OURS.items()}
    differing = {(index, metric) for (index, metric), value in found.items() if value != int(official[index][metric])}
    assert len(found) == 972 * 2
    assert differing == set(explained(name))
    totals = [sum(found[key] or 0 for key in found if key[1] == metric) / 9.72 for metric in OURS]
    assert totals == pytest.approx(TOTALS[name], abs=0.005)
