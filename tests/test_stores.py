"""Every kind of object store that ``--storage`` takes, each on a server started here."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.records import Linking, Question
from storage import parquet
from storage.files import read_json, read_text, remove_tree, sha256, write_json, write_text
from storage.places import exclusive_create, listed, matching, place, subfolders
from tests.conftest import Cli, asked, run_here
from tests.object_store import STORES


@pytest.fixture(scope="module", params=STORES)
def bucket(request: pytest.FixtureRequest) -> Iterator[str]:
    with STORES[request.param]() as url:
        yield url


@pytest.fixture
def remote(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new folder of the store, with this machine's cache in the test's folder."""
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    return place(f"{bucket}/{secrets.token_hex(4)}")


def test_files_come_back_as_they_were_written(remote: Path) -> None:
    write_text(remote / "a.txt", "é\n")
    write_json(remote / "deep" / "b.json", {"z": 1, "a": [2]})
    questions = [asked("shop", number) for number in range(3)]
    parquet.write(remote / "q.parquet", Question, questions)
    assert read_text(remote / "a.txt") == "é\n"
    assert read_json(remote / "deep" / "b.json") == {"z": 1, "a": [2]}
    assert parquet.read(remote / "q.parquet", Question) == questions
    assert sorted(listed(remote)) == ["a.txt", "deep/b.json", "q.parquet"]
    assert [path.name for path in subfolders(remote)] == ["deep"]
    assert matching(remote, "*/*.json") == [remote / "deep" / "b.json"]
    remove_tree(remote / "deep")
    remove_tree(remote / "never")
    assert sorted(listed(remote)) == ["a.txt", "q.parquet"]


def test_parquet_has_the_bytes_that_it_has_on_a_disk(remote: Path, tmp_path: Path) -> None:
    questions = [asked("shop", number) for number in range(50)]
    here, there = (parquet.write(root / "q.parquet", Question, questions, group=7) for root in (tmp_path, remote))
    assert there.read_bytes() == here.read_bytes()
    assert sha256(there) == sha256(here)


def test_one_of_two_creates_a_file(remote: Path, tmp_path: Path) -> None:
    if str(remote).startswith("gs:"):
        pytest.skip("the emulator of gs:// lets everybody create what is there already")
    for root in (remote, place(f"memory://tests/{secrets.token_hex(4)}"), tmp_path):
        assert exclusive_create(root / "claim", b"first")
        assert not exclusive_create(root / "claim", b"second")
        assert (root / "claim").read_bytes() == b"first"


@pytest.mark.slow
def test_a_run_in_a_store_is_the_run_on_a_disk(cli: Cli, remote: Path, tmp_path: Path) -> None:
    """Takes half a minute a store: the demo is prepared and evaluated twice, by the command line."""
    outputs = {}
    for root in (tmp_path / "local", remote):
        storage = ("--storage", str(root))
        run_here(cli, "prepare", "demo", *storage)
        words = ("--benchmarks", "demo", "--linkers", "full,exact_match", "--run", "r", *storage)
        ended = cli("evaluate", *words, prefect=True)
        assert ended.returncode == 0, ended.stderr
        outputs[root] = ended.stdout
        assert "exact_match" in run_here(cli, "leaderboard", *storage)
        again = cli("evaluate", *words, "--dry-run")
        assert " 0 to run" in again.stdout, again.stdout + again.stderr
    assert sorted(listed(remote / "runs" / "r")) == [
        "linkings.parquet",
        "notes.parquet",
        "run.json",
        "scores.parquet",
    ]
    assert outputs[remote] == outputs[tmp_path / "local"]
    for name in ("notes", "scores"):
        there, here = ((root / "runs" / "r" / f"{name}.parquet").read_bytes() for root in (remote, tmp_path / "local"))
        assert there == here
    assert json.dumps(read_json(remote / "runs" / "r" / "run.json")["status"]) == '"done"'
    linkings = [
        parquet.read(root / "runs" / "r" / "linkings.parquet", Linking) for root in (remote, tmp_path / "local")
    ]
    assert [row.kept for row in linkings[0]] == [row.kept for row in linkings[1]]
    for name in ("questions", "catalogs"):
        there, here = (
            (root / "benchmarks" / "demo" / f"{name}.parquet").read_bytes() for root in (remote, tmp_path / "local")
        )
        assert there == here
