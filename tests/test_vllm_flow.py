"""SchemaGraphSQL as published, through the whole flow, against a real vLLM server with a real small model."""

import re
import urllib.request
from pathlib import Path

import pytest

from schemas.records import Linking
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
