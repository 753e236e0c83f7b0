"""A folder of one's own: what is read from it, and how every fault of it is named."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.__main__ import main
from schemas.errors import Faults
from storage.files import read_json
from tasks.benchmarks import own
from tasks.benchmarks._folder import KEYS

SHOP = "CREATE TABLE town(name TEXT PRIMARY KEY); CREATE TABLE sale(id INTEGER PRIMARY KEY, town TEXT REFERENCES town)"


def sqlite_file(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP)
    return path


def ask(folder: Path, *lines: object) -> None:
    texts = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    (folder / "questions.jsonl").write_text("\n".join(texts), encoding="utf-8")


def faults(folder: Path) -> list[str]:
    """The faults of both readings without the folder's name."""
    found: list[str] = []
    for read in (own.questions, own.catalogs):
        try:
            read(folder, "all")
        except Faults as error:
            found += [fault.replace(f"{folder}/", "") for fault in error.faults]
    return found


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """One database of each kind, and two questions."""
    sqlite_file(tmp_path / "shop.SQLITE3")
    with duckdb.connect(str(tmp_path / "ware.duckdb")) as connection:
        connection.execute("CREATE TABLE item(id INTEGER PRIMARY KEY)")
    (tmp_path / "plan.sql").write_text(
        "-- dialect: Postgres\nCREATE TABLE job (id serial PRIMARY KEY, at timestamptz);"
    )
    (tmp_path / "notes.txt").write_text("not a database")
    (tmp_path / "old.db").mkdir()
    ask(
        tmp_path,
        {"id": 7, "database": "shop", "question": "Where do we sell?", "query": "SELECT town FROM sale"},
        "",
        {"database": "plan", "question": "Wann?", "evidence": "at = Zeit", "difficulty": "simple", "sql": None},
    )
    return tmp_path


def test_a_folder_of_all_kinds(mixed: Path) -> None:
    first, second = own.questions(mixed, "all")
    assert (first.benchmark, first.id, first.database, first.text) == ("own", "7", "shop", "Where do we sell?")
    assert (first.gold_query, first.gold_status, first.evidence) == ("SELECT town FROM sale", "none", "")
    assert (second.id, second.gold_query, second.evidence, second.difficulty) == ("3", "", "at = Zeit", "simple")
    catalogs = {catalog.database: catalog for catalog in own.catalogs(mixed, "all")}
    assert {name: catalog.dialect for name, catalog in catalogs.items()} == {
        "plan": "postgres",
        "shop": "sqlite",
        "ware": "duckdb",
    }
    assert [str(relation) for relation in catalogs["shop"].relations] == ["sale(town) -> town(name)"]
    assert own.databases(mixed, "all") == {"shop": mixed / "shop.SQLITE3", "ware": mixed / "ware.duckdb"}
    assert [path.name for path in own.files(mixed, "all")] == [
        "questions.jsonl",
        "plan.sql",
        "shop.SQLITE3",
        "ware.duckdb",
    ]


def test_the_only_database_need_not_be_named(tmp_path: Path) -> None:
    sqlite_file(tmp_path / "shop.db")
    (tmp_path / "questions.jsonl").write_bytes(b'\xef\xbb\xbf{"question": "Where to?\xe2\x80\xa8Or from?"}\r\n')
    (question,) = own.questions(tmp_path, "all")
    assert (question.database, question.id, question.text) == ("shop", "1", "Where to?\u2028Or from?")


def test_every_fault_is_named_with_its_line(mixed: Path) -> None:
    ask(
        mixed,
        '{"question": "cut off',
        ["no object"],
        {"database": "shop", "qestion": "?"},
        {"database": "shop"},
        {"database": "shop", "question": "  "},
        {"question": "Which?"},
        {"database": "shopp", "question": "Which?"},
        {"database": "shop", "question": "Which?", "evidence": ["a"]},
        {"database": "shop", "question": "Which?", "sql": "SELECT 1", "query": "SELECT 1"},
        {"id": "a", "database": "shop", "question": "Which?"},
        {"id": "a", "database": "shop", "question": "Which else?"},
        {"id": True, "database": "shop", "question": "Which?"},
        '{"database": "shop", "question": "Which \\ud83d?"}',
        f'{{"id": {"9" * 5000}}}',
    )
    (mixed / "shop.sql").write_text(SHOP)
    (mixed / "broken.sqlite").write_text("no database")
    (mixed / "plan.sql").write_text("-- dialect: postgress\nCREATE TABLE job (id serial)")
    assert [fault.partition("; there are")[0].partition("? there are")[0] for fault in faults(mixed)] == [
        "questions.jsonl: line 1: broken JSON at column 14: Unterminated string starting at",
        'questions.jsonl: line 2: not an object: a line looks like {"question": "…"}',
        "questions.jsonl: line 3: unknown field 'qestion'; did you mean 'question'",
        "questions.jsonl: line 4: no 'question' in it",
        "questions.jsonl: line 5: no 'question' in it",
        "questions.jsonl: line 6: no 'database' in it",
        "questions.jsonl: line 7: unknown database 'shopp'; did you mean 'shop'",
        "questions.jsonl: line 8: 'evidence' is [\"a\"], not a text",
        "questions.jsonl: line 9: both 'sql' and 'query': they mean the same, leave one out",
        "questions.jsonl: line 11: id 'a' is that of line 10 already",
        "questions.jsonl: line 12: 'id' is true, not a text",
        "questions.jsonl: line 13: 'question' has half of a character in it: \"Which \\ud83d?\"",
        "questions.jsonl: line 14: broken JSON",
        "cannot read broken.sqlite as a SQLite database: file is not a database",
        "plan.sql: unknown dialect 'postgress'; did you mean 'postgres'",
        f"{mixed}: database 'shop' is there 2 times (shop.SQLITE3, shop.sql); rename or remove some",
    ]


def test_an_empty_folder_says_what_belongs_there(tmp_path: Path) -> None:
    missing, empty = faults(tmp_path)
    assert missing.startswith('questions.jsonl: no such file; write one line a question, such as {"question": ')
    assert empty == (
        f"{tmp_path}: no databases in it; put files there that are called one of "
        "*.sqlite, *.sqlite3, *.db, *.duckdb, *.sql, *.graph.json, *.cypher"
    )


def test_a_questions_file_that_is_empty_or_no_text(tmp_path: Path) -> None:
    sqlite_file(tmp_path / "shop.db")
    ask(tmp_path, "", "  ")
    (fault,) = faults(tmp_path)
    assert fault.startswith("questions.jsonl: no questions in it; write one line a question")
    (tmp_path / "questions.jsonl").write_bytes(b'{"question": "\xff"}')
    assert faults(tmp_path) == ["questions.jsonl: not UTF-8 text at byte 14"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(JSON.map(json.dumps) | st.text(st.characters(blacklist_categories=["Cs"]), max_size=20), max_size=5))
def test_any_lines_give_questions_or_faults(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    if not folder.exists():
        folder.mkdir()
        sqlite_file(folder / "shop.db")
    text = "\n".join(lines)
    (folder / "questions.jsonl").write_text(text, encoding="utf-8", newline="")
    written = [number for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = faults(folder)
    assert all("\n" not in fault for fault in found)
    if not found:
        questions = own.questions(folder, "all")
        assert len(questions) == len(written)
        assert all(question.text.strip() and question.database == "shop" for question in questions)


def test_prepare_ingests_a_folder(mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage = tmp_path / "storage"
    words = ["prepare", "own", "--from", str(mixed), "--as", "mine", "--storage", str(storage)]
    assert main(words) == 0
    assert "mine: 2 questions, 3 databases" in capsys.readouterr().out
    described = read_json(storage / "benchmarks" / "mine" / "benchmark.json")
    assert described["gold"] == {"ok": 1, "none": 1}
    assert described["databases"] == {"shop": str(mixed / "shop.SQLITE3"), "ware": str(mixed / "ware.duckdb")}
    ask(mixed, {"database": "shpo", "question": "Where?"})
    assert main([*words[:-1], str(tmp_path / "other")]) == 2
    assert "line 1: unknown database 'shpo'; did you mean 'shop'?" in capsys.readouterr().err
    assert not (tmp_path / "other" / "benchmarks").exists()


def test_prepare_without_a_folder_says_how_to_name_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prepare", "own", "--storage", str(tmp_path)]) == 2
    assert "name the folder of its files with --from DIR" in capsys.readouterr().err


def test_a_graph_lies_beside_tables(tmp_path: Path) -> None:
    sqlite_file(tmp_path / "shop.sqlite")
    nodes = [{"id": 1, "labels": ["Town"], "props": {"name": "Ulm"}}, {"id": 2, "labels": ["Fair"], "props": {}}]
    edges = [{"s": 2, "e": 1, "type": "HELD_IN", "props": {"days": 3}}]
    (tmp_path / "fairs.graph.json").write_text(json.dumps({"nodes": nodes, "rels": edges}))
    ask(tmp_path, {"question": "Where?", "database": "fairs", "cypher": "MATCH (t:Town) RETURN t.name"})
    found = {catalog.database: catalog.dialect for catalog in own.catalogs(tmp_path, "all")}
    assert found == {"fairs": "cypher", "shop": "sqlite"}
    assert own.databases(tmp_path, "all")["fairs"].name == "fairs.graph.json"
    assert main(["prepare", "own", "--from", str(tmp_path), "--storage", str(tmp_path / "results")]) == 0
    assert read_json(tmp_path / "results" / "benchmarks" / "own" / "benchmark.json")["gold"] == {"ok": 1}


def test_two_gold_queries_of_one_question_are_one_too_many(tmp_path: Path) -> None:
    sqlite_file(tmp_path / "shop.sqlite")
    ask(tmp_path, {"question": "Where?", "sql": "SELECT 1", "cypher": "RETURN 1"})
    assert faults(tmp_path) == ["questions.jsonl: line 1: both 'sql' and 'cypher': they mean the same, leave one out"]
