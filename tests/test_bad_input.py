"""What people get wrong, and what disks do: one line that says what, where and what to do, and nothing half-written."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import Cli


def told(done: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    """The command ended with a status and one line per fault that holds these words."""
    assert done.returncode == status, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(disk: Path) -> None:
    """Leave no room on a file system."""
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 1024)


def test_a_full_disk_is_one_line_and_leaves_no_half_file(cli: Cli, small_disk: Path) -> None:
    done = cli("prepare", "demo", "--storage", str(small_disk))
    assert done.returncode in (0, 2)
    fill(small_disk)
    done = cli("prepare", "demo", "--fresh", "--storage", str(small_disk))
    told(done, 2, "No space left on device")
    assert done.stderr.count("\n") == 1
    assert not list(small_disk.rglob("*.tmp"))


def test_a_run_on_a_full_disk_tells_and_goes_on_when_there_is_room(cli: Cli, tiny: Path, small_disk: Path) -> None:
    (small_disk / "benchmarks").symlink_to(tiny.parent)
    fill(small_disk)
    words = ("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "cramped", "--storage", str(small_disk))
    told(cli(*words, prefect=True), 2, "No space left on device")
    (small_disk / "filler").unlink()
    done = cli(*words, prefect=True)
    assert done.returncode == 0, done.stderr
    assert (small_disk / "runs" / "cramped" / "scores.parquet").exists()


def test_a_read_only_folder_is_named(cli: Cli, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    told(cli("prepare", "demo", "--storage", str(small_disk / "results")), 2, "Read-only file system", "results")


def test_a_storage_folder_that_is_a_file_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told(cli("prepare", "demo", "--storage", str(tmp_path / "file")), 2, "file", "Not a directory")


def test_a_broken_database_is_named(cli: Cli, tmp_path: Path) -> None:
    broken = tmp_path / "shop.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 2000)
    done = cli("link", "How many?", "--database", str(broken), "--linker", "full")
    told(done, 2, "shop.sqlite")
    assert done.stderr.count("\n") == 1


def test_a_missing_database_is_named(cli: Cli, tmp_path: Path) -> None:
    told(cli("link", "How many?", "--database", str(tmp_path / "shp.sqlite")), 2, "no such database", "shp.sqlite")


def test_a_corrupt_result_is_named_and_says_what_to_do(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    words = ("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "one")
    assert cli(*words, prefect=True).returncode == 0
    shutil.copytree(tmp_path / "runs" / "one", tmp_path / "runs" / "a")
    scores = tmp_path / "runs" / "one" / "scores.parquet"
    scores.write_bytes(scores.read_bytes()[:100])
    done = cli("leaderboard", "one")
    told(done, 2, "scores.parquet")
    assert done.stderr.count("\n") == 1
    for command in ("leaderboard", "compare"):
        done = cli(command, "a", "one")
        told(done, 2, "one/scores.parquet", "remove that run")
        assert done.stderr.count("\n") == 1


def test_a_broken_run_file_is_named_and_hides_no_other_run(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "runs" / "one").mkdir(parents=True)
    for text, reason in (('{"name": ', "broken JSON at line 1"), ("[1]", "not an object in JSON")):
        (tmp_path / "runs" / "one" / "run.json").write_text(text)
        done = cli("runs")
        told(done, 0, f"run.json: {reason}")
        assert done.stderr.count("\n") == 1
        assert "broken" in done.stdout


@pytest.mark.parametrize("name", ["..", "a/b", "../../x", "a\\b"])
def test_a_run_lies_among_the_runs(cli: Cli, tiny: Path, tmp_path: Path, name: str) -> None:
    before = set(tmp_path.rglob("*"))
    done = cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", name)
    told(done, 2, f"a run cannot be named {name!r}")
    assert set(tmp_path.rglob("*")) == before


def test_a_run_that_is_being_written_is_not_written_twice(cli: Cli, tiny: Path, tmp_path: Path) -> None:
    from storage.runs import exclusive

    with exclusive(tmp_path / "runs" / "one"):
        done = cli("evaluate", "--benchmarks", "tiny", "--linkers", "full", "--run", "one")
    told(done, 2, "another process is writing this run")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("prepare", "brid"), "unknown benchmark 'brid'; did you mean 'bird'?"),
        (("prepare", "bird", "--from", "/nowhere"), "/nowhere"),
        (("prepare", "demo", "--part", "tran"), "'tran'"),
        (("show", "x"), "unknown question id 'x'"),
        (("query", "SELECT * FROM scors"), "scors"),
        (("study", "oracle-endpoints", "brd"), "unknown prepared benchmark 'brd'"),
        (("link", "How many?", "--database", "x.sqlite", "--linker", "similarty"), "did you mean 'similarity'?"),
    ],
)
def test_words_that_do_not_exist(cli: Cli, words: tuple[str, ...], hint: str) -> None:
    done = cli(*words)
    told(done, 2, hint)
    assert done.stderr.count("\n") == 1
