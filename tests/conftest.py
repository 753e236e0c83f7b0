"""What tests share: a Prefect server, the command line, and a small ingested benchmark."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.server import QUIET, prefect_server
from schemas.catalog import Catalog, Entity, Field, Relation
from schemas.records import Question, Reference
from storage import parquet
from storage.files import write_json
from tests.vllm_cpu import vllm_real_server, vllm_server  # noqa: F401

ROOT = Path(__file__).parents[1]
Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def prefect_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Prefect server of the tests' own."""
    home = tmp_path_factory.mktemp("prefect")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        for name in QUIET:
            patch.delenv(name, raising=False)
        patch.setenv("PREFECT_HOME", str(home))
        with prefect_server(home) as url:
            yield url


@pytest.fixture
def cli(tmp_path: Path, request: pytest.FixtureRequest) -> Cli:
    """Run ``python -m flows`` as people do, with its storage in the test's folder."""

    def run(command: str, *words: str, prefect: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
        stored = [] if "--storage" in words else ["--storage", str(tmp_path)]
        api = {"PREFECT_API_URL": request.getfixturevalue("prefect_api")} if prefect else {}
        return subprocess.run(
            [sys.executable, "-m", "flows", command, *words, *stored],
            cwd=ROOT,
            env={**os.environ, **api, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def shop(database: str) -> Catalog:
    """Three tables, of which the middle one joins the outer two."""
    customer = Entity("customer", (Field("id", "INTEGER", primary=True), Field("name", "TEXT"), Field("city", "TEXT")))
    order = Entity("Order", (Field("id", "INTEGER", primary=True), Field("customer_id", "INTEGER")))
    line = Entity("line", (Field("order_id", "INTEGER"), Field("price", "REAL")))
    relations = (
        Relation("Order", "customer", ("customer_id",), ("id",)),
        Relation("line", "Order", ("order_id",), ("id",)),
    )
    return Catalog(database, (customer, order, line), relations)


def asked(database: str, number: int) -> Question:
    """A question whose gold uses the tables ``customer`` and ``line``, or ``customer`` alone."""
    gold = [Reference("customer", "", ("from",)), Reference("customer", "name", ("output",))]
    gold += [Reference("line", "", ("from",)), Reference("line", "price", ("filter",))] if number % 2 else []
    return Question(
        benchmark="tiny",
        id=f"{database}-{number}",
        database=database,
        text=f"Which customer of city {number} in the {database} paid most?",
        difficulty=("simple", "challenging")[number % 2],
        gold_query="SELECT name FROM customer",
        gold=tuple(gold),
        gold_level="field",
        gold_status="ok",
    )


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """An ingested benchmark ``tiny`` of three databases with seven questions each, below the test's folder."""
    folder = tmp_path / "benchmarks" / "tiny"
    databases = ["north", "south", "west"]
    parquet.write(folder / "catalogs.parquet", Catalog, [shop(name) for name in databases])
    parquet.write(folder / "questions.parquet", Question, [asked(name, at) for name in databases for at in range(7)])
    write_json(folder / "benchmark.json", {"name": "tiny", "plugin": "own", "part": "all", "files": {"x": "0"}})
    return folder


STARTING = frozenset(
    [
        "test_check_gold",
        "test_claims",
        "test_databases",
        "test_embedded",
        "test_embedders",
        "test_evidence",
        "test_execute",
        "test_fleet",
        "test_graph_engines",
        "test_hostile_queries",
        "test_models",
        "test_ner",
        "test_neo4j_engine",
        "test_places",
        "test_serve",
        "test_sql_published",
        "test_stores",
        "test_verdicts",
        "test_benchmark_text2cypher",
        "test_ingest",
        "test_metrics_cypher",
    ]
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep ``make check`` quick: what starts a command line, a server, workers or an engine, or reads whole benchmarks.

    All of that is slow in the sense of the marker, a second here and there that adds up to minutes.
    """
    for item in items:
        if {"cli", "prefect_api"} & set(getattr(item, "fixturenames", ())) or item.path.stem in STARTING:
            item.add_marker(pytest.mark.slow)


def run_here(cli: Cli, *words: str, **environment: str) -> str:
    """What a command prints that must end well."""
    ended = cli(*words, **environment)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
