"""Published results hold ids, names and figures, and no text of a benchmark, of its contents or of a model."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.__main__ import main
from schemas.catalog import Catalog, Element, Statistic
from schemas.records import Linking, Note, Query, Question, Score
from storage import benchmarks, parquet
from storage.files import read_json, write_json
from tests.conftest import shop

SECRET = "Paid by Zoë Quiñones"
KEY = ("tiny", "north", "north-1", "voter")


@pytest.fixture
def foreign(tiny: Path) -> Path:
    """The tiny benchmark as somebody else's, with a secret wherever a text can stand."""
    catalog = shop("north")
    field = replace(
        catalog.entities[0].fields[1], description=SECRET, examples=(SECRET,), statistics=(Statistic("max", SECRET),)
    )
    entity = replace(catalog.entities[0], description=SECRET, fields=(field,))
    parquet.write(
        tiny / "catalogs.parquet", Catalog, [replace(catalog, description=SECRET, entities=(entity,)), shop("south")]
    )
    questions = [
        replace(one, text=SECRET, evidence=SECRET, gold_query=SECRET, gold_reason=SECRET)
        for one in benchmarks.questions(tiny)
        if one.database != "west"
    ]
    parquet.write(tiny / "questions.parquet", Question, questions)
    write_json(tiny / "benchmark.json", {**read_json(tiny / "benchmark.json"), "plugin": "bird", "root": SECRET})
    return tiny


def run(storage: Path, name: str, question: str = "north-1") -> None:
    """A finished run of one question whose notes, reason and query tell the secret."""
    key = ("tiny", question.partition("-")[0], question, "voter")
    values = [
        ("hypothesis", json.dumps({"number": 1, "hypothesis": SECRET}), None),
        ("vote", "[1, 2]", 0.5),
        ("kept", json.dumps({"stage": "refine", "reason": SECRET}), None),
        (
            "tool_call",
            json.dumps({"stage": "refine", "turn": 1, "tool": "keep", "arguments": SECRET, "result": SECRET}),
            1,
        ),
        ("probe", SECRET, None),
    ]
    notes = [Note(*key, 0, at, kind, "customer", "", value, share) for at, (kind, value, share) in enumerate(values)]
    folder = storage / "runs" / name
    kept = (Element("customer"), Element("customer", "name"))
    parquet.write(folder / "linkings.parquet", Linking, [Linking(*key, status="ok", reason=SECRET, kept=kept)])
    parquet.write(folder / "notes.parquet", Note, notes)
    parquet.write(folder / "queries.parquet", Query, [Query(*key, "ddl", query=SECRET, reason=SECRET)])
    parquet.write(folder / "scores.parquet", Score, [Score(*key, 0, "entity", "recall", 1.0)])
    write_json(folder / "run.json", {"name": name, "status": "done", "configuration": {"benchmarks": {"tiny": "0"}}})


def bytes_below(folder: Path) -> bytes:
    """Everything that is published, as it can be read: Parquet rows and files."""
    found = b""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            found += str(pq.read_table(path).to_pylist()).encode()
        elif path.is_file():
            found += path.read_bytes()
    return found


def test_no_text_leaves_and_every_figure_does(foreign: Path, tmp_path: Path) -> None:
    run(tmp_path, "one")
    assert SECRET.encode() in bytes_below(tmp_path)
    shared = tmp_path / "shared"
    assert main(["publish", "one", "--storage", str(tmp_path), "--to", str(shared)]) == 0
    told = bytes_below(shared)
    assert b"Zo" not in told
    assert b"Qui" not in told
    notes = parquet.read(shared / "runs" / "one" / "notes.parquet", Note)
    assert [(note.kind, note.value) for note in notes] == [
        ("vote", "[1, 2]"),
        ("kept", '{"stage": "refine"}'),
        ("tool_call", '{"stage": "refine", "turn": 1, "tool": "keep"}'),
    ]
    catalog = benchmarks.catalog(shared / "benchmarks" / "tiny", "north")
    assert catalog.elements == {Element("customer"), Element("customer", "name")}
    assert [one.id for one in benchmarks.questions(shared / "benchmarks" / "tiny")] == ["north-1"]


def test_a_second_run_adds_its_questions(foreign: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    for name, question in (("one", "south-2"), ("two", "north-1")):
        run(tmp_path, name, question)
        assert main(["publish", name, "--storage", str(tmp_path), "--to", str(shared)]) == 0
    assert [one.id for one in benchmarks.questions(shared / "benchmarks" / "tiny")] == ["north-1", "south-2"]
    assert set(benchmarks.databases(shared / "benchmarks" / "tiny")) == {"north", "south"}


def test_texts_are_kept_of_ones_own_data_only(
    foreign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "one")
    words = ["publish", "one", "--texts", "--storage", str(tmp_path), "--to", str(tmp_path / "shared")]
    assert main(words) == 2
    assert "--texts would publish the texts of tiny: only demo, own may" in capsys.readouterr().err
    assert not (tmp_path / "shared").exists()
    write_json(foreign / "benchmark.json", {**read_json(foreign / "benchmark.json"), "plugin": "own"})
    assert main(words) == 0
    assert SECRET in parquet.read(tmp_path / "shared" / "runs" / "one" / "queries.parquet", Query)[0].query


def test_what_is_published_is_not_asked_again(
    foreign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "one")
    shared = str(tmp_path / "shared")
    assert main(["publish", "one", "--storage", str(tmp_path), "--to", shared]) == 0
    assert main(["evaluate", "--benchmarks", "tiny", "--linkers", "full", "--storage", shared, "--dry-run"]) == 2
    assert "lies here without its texts" in capsys.readouterr().err
