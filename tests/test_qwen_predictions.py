"""Published predictions of Qwen3-4B for text2cypher-2024v1, executed where there are contents.

All 894 pairs, as people run it: ``python -m flows prepare text2cypher --part test_2024v1 --from DIR`` and
``python -m flows adopt DIR/test_2024v1/qwen3-4b-instruct-2507.json --benchmark text2cypher --format cypher_json
--as qwen3 --seconds 10 [--graphs graphqlite]``. Here: three of the six graphs, 509 pairs.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from schemas.catalog import Catalog
from schemas.records import Execution, Linking, Query, Question
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from storage.warehouse import connect, leaderboard, sql
from tasks import plugins
from tasks.execute import ExecuteJob, execute_shard
from tasks.score import ScoreJob, score_shard
from tests.data import need
from tests.execution import benchmark

pytest.importorskip("graphdblite")
pytest.importorskip("graphqlite")

GRAPHS = ("movies", "northwind", "network")
PUBLISHED = ("text2cypher", "test_2024v1", "qwen3-4b-instruct-2507.json")


@dataclass(frozen=True)
class Results:
    store: Store
    executions: dict[str, dict[str, Execution]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    root = tmp_path_factory.mktemp("qwen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHEMALINK_CACHE", str(root / "cache"))
        yield _results(Store(root))


def _results(store: Store) -> Results:
    path = need(*PUBLISHED)
    items = json.loads(path.read_text(encoding="utf-8"))
    said = plugins.load("formats", "cypher_json").predictions(path)
    at = [number for number, item in enumerate(items) if item["graph"] in GRAPHS]
    questions = [
        Question("t2c", str(n), items[n]["graph"], items[n]["question"], gold_query=items[n]["gold_cypher"]) for n in at
    ]
    files = {name: need("text2cypher", "graphs", f"{name}.json") for name in GRAPHS}
    folder = benchmark(store.root / "benchmarks" / "t2c", files, questions)
    parquet.write(folder / "catalogs.parquet", Catalog, [Catalog(name, dialect="cypher") for name in GRAPHS])
    executions = {engine: _run(store, folder, engine, questions, [said[n].query for n in at]) for engine in ENGINES}
    return Results(store, executions)


ENGINES = ("graphdblite", "graphqlite")


def _run(store: Store, folder: Path, engine: str, questions: list[Question], texts: list[str]) -> dict[str, Execution]:
    run = store.run(engine)
    queries = [
        Query("t2c", question.database, question.id, "qwen3", "published", query=text)
        for question, text in zip(questions, texts, strict=True)
    ]
    parquet.write(run / "queries.parquet", Query, queries)
    parquet.write(run / "linkings.parquet", Linking, [])
    shard, executions = folder / "questions.parquet", run / "executions.parquet"
    execute_shard(ExecuteJob(shard, folder, run / "queries.parquet", executions, 15.0, 2, engine))
    paths = run / "linkings.parquet", executions, run / "scores.parquet"
    score_shard(ScoreJob(shard, *paths, folder, run / "queries.parquet"))
    write_json(run / "run.json", {"name": engine, "status": "done"})
    return {execution.question: execution for execution in parquet.read(executions, Execution)}


def value(execution: Execution, metric: str) -> float | None:
    return {verdict.metric: verdict.value for verdict in execution.verdicts}[metric]


@pytest.mark.slow
def test_figures_of_the_published_predictions(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    """Slow: it executes a thousand queries twice."""
    connection = connect(results.store, ["graphdblite"])
    rows = {row["slice"]: row for row in leaderboard(connection, level="query", by="stability")}
    (row,) = leaderboard(connection, level="query")
    counts = connection.execute(sql("failures").format(dataset="executions")).fetchall()[0]
    with capsys.disabled():
        print(f"\nQwen3-4B on {', '.join(GRAPHS)}: {counts[3]} queries, {counts[6]} unsupported")
        for name, part in {"all": row, **rows}.items():
            print(f"{name}: {part['n']} pairs, Google-BLEU {part['google_bleu']}, match {part['execution_match']}")
    assert 0.30 < row["google_bleu"].mean < 0.36
    assert 0.18 < row["execution_match"].mean < 0.28
    assert row["execution_match"].low < row["execution_match"].mean < row["execution_match"].high
    assert row["ex_bag_unordered_columns"].mean >= row["execution_match"].mean
    assert row["n"] == rows["stable"]["n"] + rows["unstable"]["n"] == 509
    assert 0.1 < rows["unstable"]["n"] / row["n"] < 0.2


@pytest.mark.slow
def test_statuses_are_by_cause_and_the_engine_stands_beside_them(results: Results) -> None:
    """Slow with the fixture."""
    for engine, executions in results.executions.items():
        assert {each.engine.split()[0] for each in executions.values() if each.status == "ok"} == {engine}
        statuses = Counter(each.status for each in executions.values())
        assert 0.7 < statuses["ok"] / len(executions) < 0.85
        assert statuses["query_error"] > statuses["unsupported"] > 5
        assert not statuses["forbidden"]
        unsupported = [each for each in executions.values() if each.status == "unsupported"]
        assert all(value(each, "execution_match") is None for each in unsupported)
        wrong = [each for each in executions.values() if (each.status, each.gold_status) == ("query_error", "ok")]
        assert all(value(each, "execution_match") == 0.0 for each in wrong)


@pytest.mark.slow
def test_the_two_engines_agree(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    """Slow with the fixture."""
    one, other = (results.executions[engine] for engine in ENGINES)
    pairs = [(value(one[each], "execution_match"), value(other[each], "execution_match")) for each in one]
    judged = [pair for pair in pairs if None not in pair]
    agreement = sum(first == second for first, second in judged) / len(judged)
    with capsys.disabled():
        print(f"\n{' and '.join(ENGINES)}: the same verdict for {agreement:.2%} of {len(judged)} judged by both")
    assert len(judged) > 400
    assert agreement > 0.97
