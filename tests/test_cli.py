"""The command line starts fast, and links one question without Prefect."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Cli

PROBE = """
import sys
HEAVY = set("prefect torch polars rich httpx".split())
from flows.__main__ import main
status = main(sys.argv[1:])
print("imported:", sorted({name.split(".")[0] for name in sys.modules} & HEAVY))
sys.exit(status)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
               CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), amount REAL);
               CREATE TABLE weather (day TEXT, rain REAL);
               INSERT INTO customer VALUES (1, 'Ada', 'Lyon');"""
        )
    connection.close()
    return path


def probe(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROBE, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def test_help_imports_nothing_that_takes_time() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "flows", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "evaluate" in done.stdout
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "flows" in imported
    assert not imported & {"numpy", "duckdb", "pyarrow", "polars", "prefect", "rich", "networkx", "sqlglot", "torch"}


def test_one_question_is_linked_without_prefect(shop: Path) -> None:
    done = probe("link", "Which customer spent most?", "--database", str(shop), "--linker", "exact_match")
    assert done.returncode == 0, done.stderr
    assert "customer(city, id, name)" in done.stdout
    assert "weather" not in done.stdout
    assert "imported: []" in done.stdout


def test_what_is_kept_can_be_printed_for_a_prompt(cli: Cli, shop: Path) -> None:
    done = cli("link", "Which customer?", "--database", str(shop), "--linker", "exact_match", "--show", "ddl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("CREATE TABLE customer")
    sqlite3.connect(":memory:").executescript(done.stdout)


def test_join_paths_are_told(cli: Cli, shop: Path) -> None:
    linker = "schemagraphsql(endpoints=similarity, top=1)"
    done = cli("link", "amount of each sale", "--database", str(shop), "--linker", linker)
    assert done.returncode == 0, done.stderr
    assert "sale(amount, customer_id, id)" in done.stdout
    assert "took" in done.stdout


def test_a_linker_without_its_tool_says_how_to_get_it(cli: Cli, shop: Path) -> None:
    done = cli("link", "Which customer?", "--database", str(shop), "--linker", "llm_tables")
    assert done.returncode == 2
    assert "--model embedded or --endpoint URL" in done.stderr


def test_an_overview_lists_every_command_and_bad_ones_suggest(cli: Cli) -> None:
    done = subprocess.run([sys.executable, "-m", "flows"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "prepare" in done.stdout
    wrong = subprocess.run(
        [sys.executable, "-m", "flows", "evalute"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "did you mean 'evaluate'?" in wrong.stderr
