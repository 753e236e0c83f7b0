"""Runs as a list, and the removal of some: nothing without an explicit word, and nothing else than runs."""

import csv
import io
import json
import re
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows import runs as command
from flows.runs import read_runs
from schemas.errors import UserError
from schemas.records import Linking, Score
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from storage.places import place
from storage.runs import exclusive
from tests.conftest import Cli
from tests.object_store import object_store, objects

RUNS = {
    "old": ("done", "a", 40, 39),
    "failed": ("failed", "b", 5, None),
    "begun": ("begun", "c", 3, None),
    "late": ("done", "a", 2, 1),
    "latest": ("done", "a", 1, 0),
}


def ago(days: float | None) -> str | None:
    return None if days is None else (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")


def made(root: Path) -> Store:
    """Five runs of three configurations, of which two did not come to their end."""
    store = Store(root)
    for name, (status, configuration, created, finished) in RUNS.items():
        run = store.run(name)
        asked = [Linking("tiny", "d", f"q{at}", linker) for linker in ("full", "half") for at in range(4)]
        if status == "done":
            parquet.write(run / "linkings.parquet", Linking, asked)
            parquet.write(run / "scores.parquet", Score, [])
        else:
            parquet.write(store.shard(name, "linkings", "tiny", "full", "d-0"), Linking, asked[:4])
        told = {"benchmarks": {"tiny": "0"}, "linkers": ["full", "half"], "repetitions": 1}
        facts = {"status": status, "created": ago(created), "finished": ago(finished), "hash": configuration}
        write_json(run / "run.json", {"name": name, "configuration": told, **facts})
    (root / "replies").mkdir()
    (root / "replies" / "kept.arrow").write_bytes(b"replies")
    (root / "benchmarks" / "tiny").mkdir(parents=True)
    (root / "benchmarks" / "tiny" / "benchmark.json").write_text("{}")
    return store


def run(store: Store, *words: str) -> int:
    """What ``python -m flows runs`` does with these words."""
    parser = ArgumentParser()
    command.add_arguments(parser)
    arguments = parser.parse_args(words)
    arguments.storage = store.root
    return command.main(arguments)


def test_a_list_tells_what_is_known_of_each_run(cli: Cli, tmp_path: Path) -> None:
    store = made(tmp_path)
    rows = list(csv.DictReader(io.StringIO(cli("runs", "--format", "csv").stdout)))
    assert [row["name"] for row in rows] == list(RUNS)
    assert {row["name"]: row["questions"] for row in rows} == {
        **dict.fromkeys(("old", "late", "latest"), "4"),
        **dict.fromkeys(("failed", "begun"), "2"),
    }
    assert json.loads(rows[0]["linkers"]) == ["full", "half"]
    size = sum(path.stat().st_size for path in store.run("old").rglob("*") if path.is_file())
    assert int(rows[0]["bytes"]) == size > 0
    table = cli("runs", "list", "la*", "--status", "done")
    assert [line.split()[1] for line in table.stdout.splitlines() if "done" in line] == ["late", "latest"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["old"], ["old"]),
        (["la*", "old"], ["old", "late", "latest"]),
        (["--status", "failed,begun"], ["failed", "begun"]),
        (["--older-than", "4"], ["old", "failed"]),
        (["--older-than", "1.5"], ["old", "failed", "begun"]),
        (["--keep", "1"], ["old", "late"]),
        (["--keep", "2"], ["old"]),
        (["--keep", "1", "--older-than", "30"], ["old"]),
        (["latest", "--keep", "1"], []),
    ],
)
def test_only_what_all_conditions_choose_is_removed(
    words: list[str], names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = made(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    freed = {known.name: known.bytes for known in read_runs(store)}
    assert run(store, "prune", *words) == 0
    told = capsys.readouterr().out
    assert re.findall(r"^would remove (\S+)", told, re.MULTILINE) == names
    assert run(store, "prune", *words, "--yes", "--dry-run") == 0
    assert sorted(tmp_path.rglob("*")) == before
    assert run(store, "prune", *words, "--yes") == 0
    assert store.runs() == sorted(set(RUNS) - set(names))
    assert not any(store.run(name).exists() for name in names)
    total = sum(freed[name] for name in names)
    assert names == [] or f"{total / 1000:.1f} kB freed" in capsys.readouterr().out
    assert (tmp_path / "replies" / "kept.arrow").read_bytes() == b"replies"
    assert (tmp_path / "benchmarks" / "tiny" / "benchmark.json").exists()


def test_a_run_that_is_being_written_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made(tmp_path)
    with exclusive(store.run("begun")):
        assert run(store, "prune", "--status", "begun,failed", "--yes") == 1
    told = capsys.readouterr()
    assert "begun: not removed: " in told.err
    assert "another process is writing this run" in told.err
    assert "removed failed" in told.out
    assert set(store.runs()) == set(RUNS) - {"failed"}


def test_what_a_removal_left_is_no_result_and_goes_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(tmp_path)

    def full(folder: Path) -> None:
        raise UserError(f"cannot remove {folder}: interrupted")

    with monkeypatch.context() as patch:
        patch.setattr("storage.files.remove_tree", full)
        assert run(store, "prune", "--older-than", "30", "--yes") == 1
    assert {known.name: known.status for known in read_runs(store)}["old"] == "removed"
    assert not (store.run("old") / "scores.parquet").exists()
    assert run(store, "prune", "--older-than", "30", "--yes") == 0
    assert not store.run("old").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["prune"], "say which runs"),
        (["prune", "oldd"], "unknown run 'oldd'; did you mean 'old'?"),
        (["prune", "x*"], "unknown run 'x*'"),
        (["prune", "--status", "faild"], "unknown status 'faild'; did you mean 'failed'?"),
        (["list", "--yes"], "belong to: python -m flows runs prune"),
    ],
)
def test_a_mistake_is_told_and_removes_nothing(words: list[str], told: str, tmp_path: Path) -> None:
    store = made(tmp_path)
    with pytest.raises(UserError, match=re.escape(told)):
        run(store, *words)
    assert set(store.runs()) == set(RUNS)


def test_a_name_with_brackets_is_a_name_and_a_pattern(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.run("late").rename(store.run("a [x]"))
    found = read_runs(store)
    assert [each.name for each in command.matching(found, ["a [x]"], [])] == ["a [x]"]
    assert [each.name for each in command.matching(found, ["[lo]*"], [])] == ["old", "latest"]


@pytest.mark.parametrize("days", ["nan", "inf", "-1", "1e300", "x"])
def test_days_are_a_number_from_0_on(days: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(made(tmp_path), "prune", "--yes", f"--older-than={days}")
    assert f"{days!r} is not a number of days from 0 on" in capsys.readouterr().err


def test_a_run_whose_time_cannot_be_read_is_not_old(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made(tmp_path)
    path = store.run("old") / "run.json"
    write_json(path, {**json.loads(path.read_text()), "finished": "never"})
    assert run(store, "prune", "--older-than", "30") == 0
    assert capsys.readouterr().out == "no run is to be removed\n"


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff", b""])
def test_a_broken_run_is_told_and_can_be_removed_beside_the_others(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    store = made(tmp_path)
    (store.run("old") / "run.json").write_bytes(content)
    assert run(store, "--format", "csv") == 0
    told = {row["name"]: row["status"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert told == {name: "broken" if name == "old" else status for name, (status, *_) in RUNS.items()}
    assert str(store.run("old") / "run.json") in caplog.text
    assert run(store, "prune", "--status", "broken", "--yes") == 0
    assert "removed old  broken" in capsys.readouterr().out
    assert not store.run("old").exists()
    assert len(read_runs(store)) == len(RUNS) - 1


def test_runs_are_named_with_or_without_the_word_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made(tmp_path)
    told = []
    for words in (("list", "late*"), ("late*",), ("late", "latest")):
        assert run(store, *words, "--format", "csv") == 0
        told.append([row["name"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))])
    assert told == [["late", "latest"]] * 3
    with pytest.raises(UserError, match="unknown run 'lst'"):
        run(store, "lst")


@pytest.mark.slow
def test_runs_of_an_object_store_are_listed_and_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It starts an S3 server."""
    made(tmp_path / "results")
    with object_store() as url:
        remote = Store(place(f"{url}/results"))
        for path in (tmp_path / "results").rglob("*.*"):
            if path.is_file():
                remote.root.joinpath(path.relative_to(tmp_path / "results").as_posix()).write_bytes(path.read_bytes())
        assert read_runs(remote) == read_runs(Store(tmp_path / "results"))
        assert run(remote, "prune", "--keep", "1", "--yes") == 0
        assert re.findall(r"^removed (\S+)", capsys.readouterr().out, re.MULTILINE) == ["old", "late"]
        assert {known.name for known in read_runs(remote)} == {"failed", "begun", "latest"}
        assert not [name for name in objects(f"{url}/results") if "/old/" in name or "/late/" in name]
        assert "replies/kept.arrow" in objects(f"{url}/results")
