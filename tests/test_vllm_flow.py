"""SchemaGraphSQL and EviLink through the whole flow, against a real vLLM server with a real small model."""

import json
import re
import sqlite3
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from schemas.records import Linking, Note
from storage import parquet
from tests.conftest import Cli
from tests.data import need
from tests.vllm_cpu import REAL

LINKERS = (
    "schemagraphsql(style=compact, max_tokens=64)",
    "schemagraphsql(configuration=1-1, answer=json, style=compact, max_tokens=64)",
)
STATUSES = {"ok", "fallback", "parse_error", "truncated", "empty"}


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/metrics") as answer:
        found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", answer.read().decode(), re.MULTILINE)
    return sum(map(float, found))


@pytest.mark.slow
def test_two_configurations_on_spider(cli: Cli, tmp_path: Path, vllm_real_server: str) -> None:
    """Slow: a real server takes a minute to start and answers 40 requests on a CPU."""
    spider = need("spider")
    assert cli("prepare", "spider", "--from", str(spider)).returncode == 0
    words = ("--benchmarks", "spider", "--linkers", ",".join(LINKERS), "--run", "real", "--limit", "20")
    done = cli("evaluate", *words, "--endpoint", vllm_real_server, "--call-timeout", "200", prefect=True)
    assert "Traceback" not in done.stderr, done.stderr
    found = parquet.read(tmp_path / "runs" / "real" / "linkings.parquet", Linking)
    assert len(found) == 40
    assert {linking.status for linking in found} <= STATUSES
    assert all(linking.calls == 1 and linking.model == REAL for linking in found)
    assert all(linking.prompt_tokens > 100 and 0 < linking.completion_tokens <= 64 for linking in found)
    guided = [linking for linking in found if linking.linker == LINKERS[1]]
    assert sum(linking.status in ("ok", "fallback") for linking in guided) >= 15
    hits = metric(vllm_real_server, "vllm:prefix_cache_hits_total")
    assert hits > 0
    assert hits / metric(vllm_real_server, "vllm:prefix_cache_queries_total") > 0.1
    assert sum(linking.cached_tokens for linking in found) > 0


@pytest.mark.slow
def test_evilink_on_the_demo(cli: Cli, tmp_path: Path, vllm_real_server: str) -> None:
    """Slow: some forty calls of a real model on a CPU. Native tool calls and JSON in the text, one run."""
    options = "hypotheses=2, elicitation=n, turns=2, recovery_turns=1, max_tokens=64, budget=8192"
    linkers = ",".join(f"evilink({options}, protocol={name})" for name in ("native", "json"))
    assert cli("prepare", "demo").returncode == 0
    words = ("--benchmarks", "demo", "--linkers", linkers, "--run", "voted", "--limit", "2")
    done = cli("evaluate", *words, "--endpoint", vllm_real_server, "--call-timeout", "200", prefect=True)
    assert "Traceback" not in done.stderr, done.stderr
    found = parquet.read(tmp_path / "runs" / "voted" / "linkings.parquet", Linking)
    assert len(found) == 4
    assert {linking.status for linking in found} <= STATUSES
    assert all(linking.calls >= 2 and linking.model == REAL for linking in found)
    assert all(linking.kept for linking in found if linking.status in ("ok", "fallback"))
    notes = parquet.read(tmp_path / "runs" / "voted" / "notes.parquet", Note)
    for linking in found:
        own = [note for note in notes if (note.question, note.linker) == (linking.question, linking.linker)]
        stages = [json.loads(note.value) for note in own if note.kind == "stage"]
        assert sum(stage["calls"] for stage in stages) == linking.calls, stages
        assert sum(stage["prompt_tokens"] for stage in stages) == linking.prompt_tokens
        if linking.status == "ok":
            last = {(note.entity, note.field): note.kind for note in own if note.kind in ("kept", "dropped")}
            assert {(one.entity, one.field) for one in linking.kept} == {key for key in last if last[key] == "kept"}
    label = found[0].linker
    for study in ("votes", "stages", "hypotheses"):
        told = cli("study", study, "voted", "--linker", label)
        assert told.returncode == 0, told.stderr
        assert "2 questions" in told.stdout


@pytest.mark.slow
def test_evilink_on_ones_own_database(cli: Cli, tmp_path: Path, vllm_real_server: str) -> None:
    """Slow: it needs the server of this module. What was kept, why, and what it cost is printed.

    A model of this size now names the table and now does not; each time that has to be told.
    """
    database = tmp_path / "own.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript("CREATE TABLE grower (id INTEGER PRIMARY KEY, village TEXT, born INTEGER);")
        connection.execute("INSERT INTO grower VALUES (1, 'Lorch', 1971)")
        connection.commit()
    label = "evilink(hypotheses=2, elicitation=n, protocol=json, turns=2, recovery=false, max_tokens=64, budget=8192)"
    told = cli(
        *("link", "In which village lives grower 1?", "--database", str(database), "--linker", label),
        *("--endpoint", vllm_real_server, "--call-timeout", "200"),
    )
    assert "Traceback" not in told.stderr, told.stderr
    assert "stage: stage hypotheses" in told.stdout, told.stderr
    assert re.search(r"and \d+ calls of SmolLM2-135M-Instruct: [\d.]+ s, \d+ prompt tokens", told.stdout), told.stdout
    if told.returncode == 1:
        assert "parse_error: no selection of any hypothesis could be read" in told.stdout + told.stderr
        return
    assert told.returncode == 0, told.stderr
    assert re.search(r"kept 1 tables, \d columns", told.stdout), told.stdout
    reasons = {"vote: grower", "fallback: no hypothesis selects a table"}
    assert len([reason for reason in reasons if reason in told.stdout]) == 1, told.stdout
    assert ("stage: stage refine" in told.stdout) == ("vote: grower" in told.stdout)
