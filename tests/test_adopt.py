"""Published predictions become runs: ours to score, to count, and to compare with what was published of them."""

import json
from pathlib import Path

import pytest

from schemas.records import Linking, Note
from storage import parquet
from tests.conftest import Cli
from tests.data import need

QUERIES = ["SELECT name FROM customer", "SELECT nam FROM customer", "", "SELEC name", "SELECT 1; SELECT 2"]


def test_queries_are_read_and_what_is_wrong_is_counted(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    lines = [QUERIES[at % len(QUERIES)] for at in range(21)]
    file = tmp_path / "predicted.txt"
    file.write_text("\n".join(f"{line}\tnorth" for line in lines) + "\n")
    done = cli("adopt", str(file), "--benchmark", "tiny", "--format", "sql", "--as", "theirs")
    assert done.returncode == 0, done.stderr
    linkings = parquet.read(tmp_path / "runs" / "theirs" / "linkings.parquet", Linking)
    assert [linking.status for linking in linkings[:5]] == ["ok", "ok", "empty", "parse_error", "parse_error"]
    notes = parquet.read(tmp_path / "runs" / "theirs" / "notes.parquet", Note)
    assert {note.value for note in notes} == {"customer.nam"} or {note.value for note in notes} == {"nam"}
    assert "9 of 21 read; empty: 4; parse_error: 8; made-up names: 4 in 4 questions" in done.stdout


def test_a_file_of_another_length_is_refused(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    file = tmp_path / "predicted.txt"
    file.write_text("SELECT 1\n" * 20)
    refused = cli("adopt", str(file), "--benchmark", "tiny", "--format", "sql", "--as", "theirs")
    assert refused.returncode == 2
    assert "20 predictions for the 21 questions of tiny" in refused.stderr
    assert not (tmp_path / "runs").exists()


def test_an_unknown_format_lists_what_exists(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    refused = cli("adopt", str(tmp_path / "x"), "--benchmark", "tiny", "--format", "rsl_sq", "--as", "theirs")
    assert refused.returncode == 2
    assert (
        "unknown format 'rsl_sq'; did you mean 'rsl_sql'? there are: cypher_json, dts_sql, rsl_sql, sql"
        in refused.stderr
    )


def means(cli: Cli, run: str) -> dict[tuple[str, str], float]:
    board = json.loads(cli("leaderboard", run, "--format", "json").stdout)
    return {(line["level"], line["metric"]): line["mean"] for line in board}


def test_rsl_sql_links_on_bird_have_their_known_figures(cli: Cli) -> None:
    links = need("predictions", "rsl_sql", "bird_dev_gpt-4o", "LLM.json")
    assert cli("prepare", "bird", "--from", str(need("bird"))).returncode == 0
    done = cli("adopt", str(links), "--benchmark", "bird", "--format", "rsl_sql", "--as", "rsl")
    assert done.returncode == 0, done.stderr
    found = means(cli, "rsl")
    known = {"entity": (0.973, 0.912, 0.936), "field": (0.896, 0.751, 0.698)}
    for level, figures in known.items():
        for metric, figure in zip(("recall", "precision", "strict_recall"), figures, strict=True):
            assert found[level, metric] == pytest.approx(figure, abs=0.005), (level, metric)


def test_dts_sql_links_on_spider_have_their_known_figures(cli: Cli) -> None:
    links = need("predictions", "dts_sql", "deepseek_spider_validation_set", "generated_schema_links.csv")
    assert cli("prepare", "spider", "--from", str(need("spider"))).returncode == 0
    assert cli("adopt", str(links), "--benchmark", "spider", "--format", "dts_sql", "--as", "dts").returncode == 0
    found = means(cli, "dts")
    for metric, figure in {"recall": 0.978, "precision": 0.985, "strict_recall": 0.952}.items():
        assert found["entity", metric] == pytest.approx(figure, abs=0.0005), metric
