"""Ingesting: whole or not at all, gold resolved once, corrections laid over, and ``prepare`` on the command line."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from flows.__main__ import main
from schemas.catalog import Catalog, Element
from schemas.errors import Faults, UserError
from schemas.records import Question
from storage import parquet
from storage.files import read_json, sha256
from storage.layout import Store
from tasks import ingest as step
from tasks import plugins
from tasks.benchmarks import bird
from tasks.download import Download
from tasks.ingest import Source, ingest, is_current
from tests import published
from tests.data import need
from tests.test_download import Behaviour, packed, serving


def ingested(store: Store, root: Path, corrections: Path | None = None, *, fresh: bool = False) -> Path:
    return ingest("bird", root, "dev", store, "small", corrections, any_length=True, fresh=fresh)


def questions(folder: Path) -> dict[str, Question]:
    return {question.id: question for question in parquet.read(folder / "questions.parquet", Question)}


def corrections(path: Path, *lines: Mapping[str, Any] | str) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "storage")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return published.bird(tmp_path / "bird", database_file=True)


def test_gold_elements_are_resolved_and_named_after_the_ingested_benchmark(store: Store, root: Path) -> None:
    first = questions(ingested(store, root))["0"]
    assert (first.benchmark, first.gold_status, first.gold_level) == ("small", "ok", "field")
    assert first.gold_elements("entity") == {Element("book"), Element("branch")}
    assert first.gold_elements("field") == {
        Element("book", "title"),
        Element("book", "kept_at"),
        Element("branch", "code"),
        Element("branch", "town"),
    }


def test_the_description_identifies_the_files(store: Store, root: Path) -> None:
    folder = ingested(store, root)
    described = read_json(folder / "benchmark.json")
    database = root / "dev_databases" / "library" / "library.sqlite"
    assert store.benchmarks() == ["small"]
    assert described["files"] == {
        str(path.relative_to(root)): sha256(path) for path in (root / "dev.json", root / "dev_tables.json", database)
    }
    assert described["databases"] == {"library": str(database)}
    assert (described["plugin"], described["part"], described["root"]) == ("bird", "dev", str(root))
    assert (described["questions"], described["gold"]) == (3, {"ok": 3})
    assert described["remarks"][0] == "library: only in the database file: loan.rowcode"
    assert parquet.read(folder / "catalogs.parquet", Catalog) == bird.catalogs(root, "dev")


def test_each_catalog_can_be_read_without_the_others(store: Store, tmp_path: Path) -> None:
    root = published.bird(tmp_path)
    published.write(root / "dev_tables.json", [published.tables(), published.tables("archive")])
    with pq.ParquetFile(ingested(store, root) / "catalogs.parquet") as file:
        assert file.num_row_groups == 2


def test_gold_that_cannot_be_read_is_a_status_and_no_gold(store: Store, root: Path) -> None:
    items = published.questions()
    items[0]["SQL"] = "SELEC title FROM book"
    items[1]["SQL"] = "SELECT borrower FROM loan"
    items[2]["SQL"] = ""
    published.write(root / "dev.json", items)
    found = questions(ingested(store, root))
    assert [found[name].gold_status for name in "012"] == ["parse_error", "unknown_element", "none"]
    assert "borrower" in found["1"].gold_reason
    assert all((question.gold, question.gold_level) == ((), "none") for question in found.values())


def test_unchanged_input_is_left_alone_and_any_change_is_ingested(store: Store, root: Path, tmp_path: Path) -> None:
    folder = ingested(store, root)
    before = (folder / "questions.parquet").stat()
    ingested(store, root)
    assert (folder / "questions.parquet").stat() == before
    ingested(store, root, fresh=True)
    assert (folder / "questions.parquet").stat().st_ino != before.st_ino
    published.write(root / "dev.json", published.questions()[:2])
    assert list(questions(ingested(store, root))) == ["0", "1"]
    file = corrections(tmp_path / "c.jsonl", {"id": "1", "exclude": "doubtful"})
    assert not is_current(Source("bird", root, "dev", file, True), store, "small")
    ingested(store, root, file)
    assert is_current(Source("bird", root, "dev", file, True), store, "small")
    assert not is_current(Source("bird", root, "dev", None, True), store, "small")


def test_another_version_of_the_code_ingests_again(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingested(store, root)
    source = Source("bird", root, "dev", None, True)
    assert is_current(source, store, "small")
    monkeypatch.setattr(step, "_code", lambda: "another")
    assert not is_current(source, store, "small")


def test_the_same_input_gives_the_same_bytes(store: Store, root: Path) -> None:
    first = {path.name: path.read_bytes() for path in ingested(store, root).iterdir()}
    again = {path.name: path.read_bytes() for path in ingested(store, root, fresh=True).iterdir()}
    assert first == again
    assert set(first) == {"questions.parquet", "catalogs.parquet", "benchmark.json"}


def test_faults_leave_the_ingested_benchmark_as_it_was(store: Store, root: Path) -> None:
    folder = ingested(store, root)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (root / "dev.json").write_text("[{")
    (root / "dev_tables.json").unlink()
    with pytest.raises(Faults) as caught:
        ingested(store, root)
    assert len(caught.value.faults) == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_failure_half_way_leaves_nothing_new(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, value: object) -> None:
        raise UserError(f"cannot write {path}: No space left on device")

    monkeypatch.setattr(step, "write_json", full)
    with pytest.raises(UserError, match="No space left"):
        ingested(store, root)
    assert store.benchmarks() == []
    assert [path for path in store.root.rglob("*") if path.is_file()] == []


def test_a_swap_that_fails_brings_the_old_folder_back(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ingested(store, root)
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target == folder and not self.name.endswith("-old"):
            raise OSError(39, "Directory not empty")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(UserError, match=r"cannot write .*small: Directory not empty"):
        ingested(store, root, fresh=True)
    assert len(questions(folder)) == 3


def test_a_storage_folder_that_cannot_be_written_is_one_line(store: Store, root: Path) -> None:
    store.root.mkdir()
    (store.root / "benchmarks").write_text("in the way")
    with pytest.raises(UserError, match=r"^cannot write .*$"):
        ingested(store, root)


def test_corrections_change_queries_texts_and_exclude(store: Store, root: Path, tmp_path: Path) -> None:
    file = corrections(
        tmp_path / "c.jsonl",
        {"id": "0", "sql": "SELECT town FROM branch", "question": "Which towns?", "evidence": "all"},
        "",
        {"id": "2", "exclude": "shelf 4 is ambiguous"},
    )
    folder = ingested(store, root, file)
    found, described = questions(folder), read_json(folder / "benchmark.json")
    assert found["0"].gold_elements("field") == {Element("branch", "town")}
    assert (found["0"].text, found["0"].evidence) == ("Which towns?", "all")
    assert (found["2"].gold_status, found["2"].gold_reason) == ("excluded", "shelf 4 is ambiguous")
    assert found["2"].gold == ()
    assert described["gold"] == {"ok": 2, "excluded": 1}
    assert (described["changed"], described["excluded"], described["corrections"]) == (1, 1, sha256(file))


def test_every_fault_of_a_corrections_file_is_named(store: Store, root: Path, tmp_path: Path) -> None:
    file = corrections(
        tmp_path / "c.jsonl",
        {"id": "7", "exclude": "no such"},
        {"id": "0", "sq": "SELECT 1"},
        '{"id": "0"',
        {"id": "0"},
        {"id": "1", "exclude": "why", "sql": "SELECT 1"},
        {"id": "1", "sql": " "},
        ["id"],
        {"id": "2", "evidence": ""},
        {"id": "2", "exclude": "twice"},
        {"id": 1, "exclude": "a number"},
    )
    with pytest.raises(Faults) as caught:
        ingested(store, root, file)
    assert caught.value.faults == (
        "line 1: unknown question id '7'; there are: 0, 1, 2",
        "line 2: unknown field 'sq'; did you mean 'sql'? there are: evidence, exclude, id, question, sql",
        "line 3: broken JSON at column 11: Expecting ',' delimiter",
        "line 4: needs either 'exclude', or some of 'sql', 'question' and 'evidence'",
        "line 5: needs either 'exclude', or some of 'sql', 'question' and 'evidence'",
        "line 6: 'sql' is not a text with something in it",
        "line 7: not an object with an 'id'",
        "line 9: id '2' is corrected twice",
        "line 10: 'id' is not a text with something in it",
    )
    assert store.benchmarks() == []


@pytest.mark.parametrize("name", plugins.names("benchmarks"))
def test_every_benchmark_has_what_ingesting_asks_of_it(name: str) -> None:
    module = plugins.load("benchmarks", name)
    assert module.PARTS
    assert set(module.DOWNLOADS) <= set(module.PARTS)
    assert all(callable(getattr(module, verb)) for verb in ("files", "questions", "catalogs", "databases"))


def test_prepare_tells_what_it_found_and_then_that_nothing_changed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = published.questions()
    items[1]["SQL"] = "SELECT borrower FROM loan"
    published.write(root / "dev.json", items)
    words = ["prepare", "bird", "--from", str(root), "--any-length", "--as", "small", "--storage", str(tmp_path / "s")]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("small: 3 questions, 1 databases -> ")
    assert lines[1:5] == [
        "  entities   3 tables with 12 fields",
        "  relations  3 declared, 1 database",
        "  gold       2 ok, 1 unknown_element",
        "    unknown_element: question 1 (library): no borrower",
    ]
    assert lines[5].startswith("  remark ")
    assert main(words) == 0
    assert capsys.readouterr().out == "small: nothing has changed, nothing to do (--fresh ingests again)\n"
    assert main([*words, "--fresh"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["birt"], "unknown benchmark 'birt'; did you mean 'bird'?"),
        (["bird", "--part", "dve"], "unknown part of bird 'dve'; did you mean 'dev'? there are: dev, mini_dev"),
        (["bird", "--from", "no-such-folder"], "no-such-folder: name the folder of the published files with --from"),
        (["bird", "--as", "a/b"], "--as 'a/b' is not a file name"),
        (["bird", "--corrections", "none.jsonl"], "cannot read "),
    ],
)
def test_prepare_answers_a_mistake_in_one_line(
    words: list[str], message: str, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = words if "--from" in words else [*words, "--from", str(root)]
    assert main(["prepare", *given, "--any-length", "--storage", str(tmp_path / "s")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_prepare_fetches_what_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"dev_2031/dev.json": published.questions(), "dev_2031/dev_tables.json": [published.tables()]}
    behaviour = Behaviour(packed({name: json.dumps(value).encode() for name, value in files.items()}))
    storage = tmp_path / "storage"
    with serving(behaviour) as url:
        monkeypatch.setattr(bird, "DOWNLOADS", {"dev": (Download(url, "dev.zip"),)})
        assert main(["prepare", "bird", "--any-length", "--storage", str(storage)]) == 0
    described = read_json(storage / "benchmarks" / "bird" / "benchmark.json")
    assert described["root"] == str(storage / "downloads" / "bird" / "dev" / "dev_2031")
    assert "bird: 3 questions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("plugin", "part", "count", "catalogs"),
    [("bird", "dev", 1534, 11), ("bird", "mini_dev", 500, 11), ("spider", "dev", 1034, 20)],
)
def test_no_published_gold_query_is_left_unread(
    plugin: str, part: str, count: int, catalogs: int, store: Store
) -> None:
    folder = ingest(plugin, need(plugin), part, store, f"{plugin}-{part}")
    found = parquet.read(folder / "questions.parquet", Question)
    assert Counter(question.gold_status for question in found) == {"ok": count}
    assert len(parquet.read(folder / "catalogs.parquet", Catalog)) == catalogs
    assert all(question.gold_elements("entity") for question in found)
