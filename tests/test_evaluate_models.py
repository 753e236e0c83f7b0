"""The whole line with a model behind it: a server that fails, hangs and talks junk, and one that is asked only once."""

import json
from collections import Counter
from pathlib import Path

import pytest

from schemas.records import Linking, Query
from storage import parquet
from tests.conftest import Cli
from tests.stub_server import Stub, running

ANSWER = ("--text", "src=customer, dst=line")


def evaluate(cli: Cli, stub: Stub, linkers: str, *words: str) -> int:
    told = cli(
        "evaluate",
        "--benchmarks",
        "tiny",
        "--linkers",
        linkers,
        "--run",
        "asked",
        "--endpoint",
        stub.url,
        *words,
        prefect=True,
    )
    assert "Traceback" not in told.stderr, told.stderr
    return told.returncode


def linkings(folder: Path) -> list[Linking]:
    return parquet.read(folder / "runs" / "asked" / "linkings.parquet", Linking)


def test_endpoints_by_a_model_are_linked_and_what_they_took_is_known(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    with running(*ANSWER) as stub:
        assert evaluate(cli, stub, "schemagraphsql") == 0
        assert len(stub.texts()) == 21
    found = linkings(tmp_path)
    assert {linking.status for linking in found} == {"ok"}
    assert {len({element.entity for element in linking.kept}) for linking in found} == {3}
    assert {(linking.calls, linking.prompt_tokens, linking.cached_tokens) for linking in found} == {(1, 100, 90)}
    assert all(linking.model == "stub" for linking in found)


def test_configurations_that_ask_the_same_share_the_reply(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    several = ("force-union", "force-longest", "n-n", "no-union")
    labels = ",".join(f"schemagraphsql(configuration={name}, pick=first)" for name in several)
    with running(*ANSWER) as stub:
        assert evaluate(cli, stub, labels) == 0
        assert len(stub.texts()) == 21
    cached = Counter(linking.cached_calls for linking in linkings(tmp_path))
    assert cached == {0: 21, 1: 63}


def test_a_finished_run_that_is_retried_makes_no_call(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    with running(*ANSWER) as stub:
        assert evaluate(cli, stub, "schemagraphsql", "--repeat", "2") == 0
        assert len(stub.texts()) == 42
        before = (tmp_path / "runs" / "asked" / "scores.parquet").read_bytes()
        assert evaluate(cli, stub, "schemagraphsql", "--repeat", "2", "--retry") == 0
        assert len(stub.texts()) == 42
        assert (tmp_path / "runs" / "asked" / "scores.parquet").read_bytes() == before
        assert evaluate(cli, stub, "schemagraphsql", "--repeat", "2", "--fresh") == 0
        assert len(stub.texts()) == 84
    assert Counter(linking.repetition for linking in linkings(tmp_path)) == {0: 21, 1: 21}


def test_generated_queries_are_rows_with_what_they_took(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    with running("--text", "```sql\nSELECT name FROM customer;\n```") as stub:
        assert evaluate(cli, stub, "full", "--generate") == 0
        prompts = stub.texts()
    queries = parquet.read(tmp_path / "runs" / "asked" / "queries.parquet", Query)
    assert {query.query for query in queries} == {"SELECT name FROM customer"}
    assert {(query.status, query.generator, query.calls) for query in queries} == {("ok", "ddl", 1)}
    assert all(prompt.splitlines()[-1].startswith("Question: Which customer") for prompt in prompts)


def test_a_server_that_fails_hangs_and_talks_junk_ends_no_run(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    faults = ("--fail", "0.10", "--hang", "0.02", "--junk", "0.10", "--seed", "5")
    with running(*ANSWER, *faults) as stub:
        assert evaluate(cli, stub, "schemagraphsql", "--repeat", "5", "--call-timeout", "3") in (0, 1)
        outcomes = stub.state()["counts"]
    assert outcomes["junk"] > 0
    found = linkings(tmp_path)
    assert len(found) == 5 * 21
    statuses = Counter(linking.status for linking in found)
    assert statuses["ok"] > 60
    assert set(statuses) <= {"ok", "model_error", "timeout", "empty", "parse_error"}
    assert all(linking.reason for linking in found if linking.status != "ok")
    board = json.loads(cli("leaderboard", "asked", "--format", "json").stdout)
    assert {line["failed"] for line in board} == {105 - statuses["ok"]}
    assert {line["questions"] for line in board} == {105}


def test_a_dead_server_is_told_before_anything_runs(cli: Cli, tiny: Path) -> None:
    done = cli(
        "evaluate",
        "--benchmarks",
        "tiny",
        "--linkers",
        "schemagraphsql",
        "--endpoint",
        "http://127.0.0.1:9/v1",
        prefect=True,
    )
    assert done.returncode in (1, 2)
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("secret", ["sk-very-secret-key"])
def test_keys_are_written_nowhere(cli: Cli, tiny: Path, tmp_path: Path, secret: str) -> None:
    with running(*ANSWER, "--key", secret) as stub:
        done = cli(
            "evaluate", "--benchmarks", "tiny", "--linkers", "schemagraphsql", "--run", "asked", "--endpoint", stub.url,
            prefect=True, SCHEMALINK_API_KEY=secret,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if secret.encode() in path.read_bytes()]
    assert secret not in done.stdout + done.stderr
