"""Storage in an object store: a real S3-compatible server, started here; and the process's own memory where fast."""

import os
import pickle
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.__main__ import main
from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Execution, Question, Score
from schemas.tools import Choice, Reply, Rows
from storage import benchmarks, leases, mirrors, parquet
from storage.endpoints import Known, remember, remembered, store, stored
from storage.files import read_json, read_text, whole, write_json, write_text
from storage.gold import Gold, fetch_gold, gold_file, read_gold, read_rows, share_gold, write_gold
from storage.layout import Store, nearby
from storage.places import is_remote, listed, matching, place
from storage.pruning import prune, usage
from storage.replies import Replies, request_key
from storage.runs import Busy, compact, exclusive, open_run, shard_files
from tests.conftest import ROOT, Cli, run_here, shop
from tests.object_store import object_store
from tests.stub_server import running


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_store() as url:
        yield url


@pytest.fixture
def remote(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new folder of the object store, with this machine's cache in the test's folder."""
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    return place(f"{bucket}/{secrets.token_hex(4)}")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    return place(f"memory://tests/{secrets.token_hex(4)}")


def key(value: object) -> str:
    return request_key({"value": value})


def small(text: str) -> Reply:
    return Reply((Choice(text),), "m")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("s4://bucket/x", "unknown storage protocol 's4'; did you mean 's3'? there are: abfs, gs, memory, s3"),
        ("s3:/bucket/x", "'s3:/bucket/x' is neither a folder nor a URL: write s3://BUCKET/FOLDER"),
        ("s3://", "'s3://' names no bucket: give s3://BUCKET/FOLDER"),
        ("s3://key:secret@bucket/x", "a s3:// URL must hold no credentials: set them in the environment"),
        ("abfs://c/x?sig=abc", "a abfs:// URL must hold no credentials: set them in the environment"),
        ("gs://bucket/x", "storage at gs:// needs the package gcsfs: pip install -e '.[gcs]'"),
        (
            "abfs://box@account.dfs.core.windows.net/x",
            "storage at abfs:// needs the package adlfs: pip install -e '.[azure]'",
        ),
    ],
)
def test_a_place_that_cannot_be_is_told_in_one_line(text: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.places.find_spec", lambda name: None if name in ("gcsfs", "adlfs") else object())
    with pytest.raises(UserError) as caught:
        place(text)
    assert str(caught.value) == told


def test_a_folder_is_a_path_and_a_url_travels(bucket: str, tmp_path: Path) -> None:
    assert place(str(tmp_path / "a" / ".." / "b")) == tmp_path.resolve() / "b"
    there = place(f"{bucket}/x/")
    assert str(there) == f"{bucket}/x"
    assert is_remote(there)
    assert pickle.loads(pickle.dumps(there / "y")) == place(f"{bucket}/x/y")


@pytest.mark.parametrize("kind", ["remote", "memory"])
def test_what_fails_on_the_way_leaves_nothing(kind: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(kind) / "a.txt"
    write_text(path, "before")
    with pytest.raises(ZeroDivisionError), whole(path) as temporary:
        temporary.write_text(f"half {1 / 0}")
    assert read_text(path) == "before"
    assert list(listed(path.parent)) == ["a.txt"]


def test_what_the_store_refuses_is_one_line(remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = place("s3://no-such-bucket/x")
    for action, act in {
        "write": lambda: write_text(nowhere / "a", "x"),
        "read": lambda: read_text(nowhere / "a"),
    }.items():
        with pytest.raises(UserError) as caught:
            act()
        assert str(caught.value) == f"cannot {action} s3://no-such-bucket/x/a: The specified bucket does not exist"
    with pytest.raises(UserError, match=r"^cannot read .*/a.json: no such file or folder$"):
        read_json(remote / "a.json")
    with pytest.raises(UserError, match=r"^.*/a.parquet: cannot be read as Parquet \(no such file or folder\)"):
        parquet.read(remote / "a.parquet", Question)
    assert Store(nowhere).runs() == Store(nowhere).benchmarks() == []


def test_a_store_that_is_down_is_one_line(tmp_path: Path) -> None:
    down = {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    ended = subprocess.run(
        [sys.executable, "-m", "flows", "leaderboard", "--storage", "s3://bucket/x"],
        cwd=ROOT,
        env={**os.environ, **down, "SCHEMALINK_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert 'Could not connect to the endpoint URL: "http://127.0.0.1:9/' in ended.stderr


def test_an_ingested_benchmark_is_seen_to_change(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = memory / "benchmarks" / "tiny"
    parquet.write(folder / "catalogs.parquet", Catalog, [shop("a"), shop("b")], group=1)
    write_json(folder / "benchmark.json", {"name": "tiny", "databases": {"a": "/data/a.sqlite"}})
    assert Store(memory).benchmarks() == ["tiny"]
    assert benchmarks.databases(folder) == ["a", "b"]
    assert benchmarks.catalog(folder, "b") is benchmarks.catalog(folder, "b")
    assert benchmarks.address(folder, "a") == "/data/a.sqlite"
    with pytest.raises(UserError, match="no catalog of database 'c'"):
        benchmarks.catalog(folder, "c")
    parquet.write(folder / "catalogs.parquet", Catalog, [shop("c")], group=1)
    monkeypatch.setattr(benchmarks, "BELIEVED_SECONDS", 0.05)
    time.sleep(0.1)
    assert benchmarks.catalog(folder, "c").database == "c"


def test_endpoints_are_found_again(memory: Path) -> None:
    store(memory, "qwen", ["http://a:8000"], "vllm")
    remember(memory, ["http://a:8000"], Known("qwen", "", "vllm 1"))
    assert stored(memory, "") == ["http://a:8000"]
    assert remembered(memory, ["http://a:8000"], "qwen") == Known("qwen", "", "vllm 1")


def test_gold_results_are_kept_here_and_found_by_other_machines(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = gold_file(remote, "shop", "sqlite", "SELECT 1")
    assert not is_remote(file)
    write_gold(file, Gold("ok", rows=1), Rows(("one",), ((1,),)))
    share_gold(remote, file)
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "other"))
    other = gold_file(remote, "shop", "sqlite", "SELECT 1")
    assert other != file
    assert read_gold(other) is None
    fetch_gold(remote, other)
    fetch_gold(remote, gold_file(remote, "shop", "sqlite", "SELECT 2"))
    assert read_rows(other).rows == ((1,),)


@pytest.mark.parametrize("kind", ["remote", "memory", "tmp_path"])
def test_a_run_is_held_by_one_or_shared_by_portions(kind: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(kind) / "runs" / "r"
    with exclusive(run):
        for shared in (False, True):
            with pytest.raises(Busy, match="another process is writing this run"), exclusive(run, shared=shared):
                pass
    with exclusive(run, shared=True), exclusive(run, shared=True), pytest.raises(Busy), exclusive(run):
        pass
    with exclusive(run):
        pass
    if is_remote(run):
        assert listed(run) == {}


def test_who_holds_a_run_in_a_store_is_told(memory: Path) -> None:
    with exclusive(memory), pytest.raises(Busy) as caught, exclusive(memory):
        pass
    assert f"process {os.getpid()} on " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_lease_that_is_not_renewed_is_taken_over(remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process killed with ``kill -9`` holds the run until its lease is old; a living one renews it."""
    monkeypatch.setattr(leases, "STALE_SECONDS", 3.0)
    monkeypatch.setattr(leases, "RENEWAL_SECONDS", 0.5)
    hold = (
        "import sys; from storage.runs import exclusive; from storage.places import place\n"
        "with exclusive(place(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(remote)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"process {holder.pid} on "), exclusive(remote):
            pass
        holder.kill()
    with pytest.raises(Busy), exclusive(remote):
        pass
    time.sleep(4.5)
    with exclusive(remote):
        time.sleep(4.5)
        with pytest.raises(Busy, match=f"process {os.getpid()} on "), exclusive(remote):
            pass


def test_a_store_whose_listing_lacks_ours_takes_nobody_for_dead_by_our_clock(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with exclusive(memory):
        ours = leases.Lease(memory / leases.FOLDER / "alone-ours.json", False)
        monkeypatch.setattr(time, "time", lambda: 4e9)
        assert list(ours.rivals().values()) == [0.0]
        assert ours.rivals()


def test_of_many_that_come_at_once_one_holds_the_run(memory: Path) -> None:
    holding, most, refused = [], [], []
    start = threading.Barrier(6)

    def hold() -> None:
        start.wait()
        try:
            with exclusive(memory):
                holding.append(1)
                most.append(len(holding))
                time.sleep(0.1)
                holding.pop()
        except Busy:
            refused.append(1)

    threads = [threading.Thread(target=hold) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most, default=1) == 1
    assert len(most) + len(refused) == 6


def scores(run: Path, shard: str) -> Score:
    row = Score("tiny", shard, f"{shard}-1", "full", 0, "entity", "f1", 0.5)
    parquet.write(run / "scores" / "tiny" / "full" / f"{shard}.parquet", Score, [row])
    return row


def test_shards_are_compacted_and_a_crash_between_is_harmless(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for root in (tmp_path / "r", remote / "r"):
        rows = [scores(root, name) for name in ("b", "a-1", "a")]
        open_run(root, {"x": 1}, {})
    assert [path.name for path in shard_files(remote / "r", "scores")] == ["a-1.parquet", "a.parquet", "b.parquet"]
    with monkeypatch.context() as patch:
        patch.setattr("storage.runs.remove_tree", lambda folder: 1 / 0 if folder.name == "scores" else None)
        with pytest.raises(ZeroDivisionError):
            compact(remote / "r")
    assert shard_files(remote / "r", "scores") == [remote / "r" / "scores.parquet"]
    for root in (tmp_path / "r", remote / "r"):
        compact(root)
    assert sorted(listed(remote / "r")) == ["run.json", "scores.parquet"]
    assert (remote / "r" / "scores.parquet").read_bytes() == (tmp_path / "r" / "scores.parquet").read_bytes()
    assert parquet.read(remote / "r" / "scores.parquet", Score) == [rows[1], rows[2], rows[0]]
    assert Store(remote).runs() == []


@pytest.fixture
def machines(remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator["list[Replies]"]:
    """The replies of one storage folder, opened by two processes that share no disk."""
    opened = []
    for name in ("first", "second"):
        monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / name))
        opened.append(Replies(remote / "replies" / "m"))
    yield opened
    for replies in opened:
        replies.close()


def test_replies_are_seen_by_another_machine_within_seconds(machines: "list[Replies]") -> None:
    first, second = machines
    assert second.get(key(1)) is None
    first.put(key(1), small("one"))
    second.put(key(2), small("two"))
    end = time.monotonic() + 10
    while time.monotonic() < end and not (second.get(key(1)) and first.get(key(2))):
        time.sleep(0.1)
    assert second.get(key(1)) == small("one")
    assert first.get(key(2)) == small("two")
    assert time.monotonic() < end - 5


def test_a_segment_grows_until_it_is_full(machines: "list[Replies]", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.replies.FULL_BYTES", 1000)
    first, second = machines
    for number in range(12):
        first.put(key(number), small(f"text {number}"))
        if number % 5 == 0:
            first.flush()
            assert second.get(key(number), age=0.0) == small(f"text {number}")
    first.close()
    assert len(second) == 12
    assert 2 <= len(list(second.folder.glob("*.jsonl"))) <= 6
    assert [second.get(key(number)) for number in range(12)] == [small(f"text {number}") for number in range(12)]


def test_what_a_killed_process_did_not_send_is_sent_by_the_next_one(machines: "list[Replies]", remote: Path) -> None:
    other, _ = machines
    write = (
        "import os, sys; from storage import mirrors; mirrors.FLUSH_SECONDS = 60\n"
        "from storage.places import place; from storage.replies import Replies\n"
        "from tests.test_replies import key, small\n"
        "replies = Replies(place(sys.argv[1])); replies.put(key(1), small('paid')); os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", write, str(remote / "replies" / "m")]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -9
    assert other.get(key(1), age=0.0) is None
    again = Replies(remote / "replies" / "m")
    assert again.folder == nearby(remote / "replies" / "m")
    assert again.get(key(1)) == small("paid")
    assert other.get(key(1), age=0.0) == small("paid")


def test_what_is_left_is_sent_when_a_process_ends(machines: "list[Replies]", remote: Path) -> None:
    other, _ = machines
    write = (
        "import sys; from storage import mirrors; mirrors.FLUSH_SECONDS = 60\n"
        "from storage.places import place; from storage.replies import Replies\n"
        "from tests.test_replies import key, small\n"
        "Replies(place(sys.argv[1])).put(key(1), small('paid'))"
    )
    command = [sys.executable, "-c", write, str(remote / "replies" / "m")]
    ended = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert ended.stderr == ""
    assert other.get(key(1)) == small("paid")


def test_processes_of_one_machine_share_a_copy(remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "FLUSH_SECONDS", 60.0)
    first, second = Replies(remote / "replies" / "m"), Replies(remote / "replies" / "m")
    first.put(key(1), small("one"))
    assert second.get(key(1)) == small("one")
    second.put(key(2), small("two"))
    assert first.get(key(2), age=0.0) == small("two")
    assert len(list(first.folder.glob("*.jsonl"))) == 2
    first.flush()
    second.flush()
    assert len(first) == len(second) == 2
    assert len(listed(remote)) == 2


def test_a_copy_that_was_removed_keeps_no_other_from_being_sent(
    memory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mirrors, "FLUSH_SECONDS", 60.0)
    mirror = mirrors.Mirror(memory)
    mirror.local.mkdir(parents=True)
    gone, kept = mirror.local / "gone.jsonl", mirror.local / "kept.jsonl"
    for path in (gone, kept):
        path.write_bytes(b"{}\n")
        mirror.appended(path, 3)
    gone.unlink()
    mirror.flush()
    assert list(listed(memory)) == ["kept.jsonl"]
    assert [record.message for record in caplog.records] == [f"{gone} was removed before it was sent"]
    caplog.clear()
    mirror.flush()
    assert not caplog.records


def test_putting_waits_for_no_store(remote: Path) -> None:
    replies = Replies(remote / "replies" / "m")
    replies.put(key("warm"), small("x"))
    begun = time.monotonic()
    threads = [
        threading.Thread(target=lambda at=at: [replies.put(key((at, n)), small("x" * 500)) for n in range(10)])
        for at in range(100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1000 / (time.monotonic() - begun) > 250
    assert len(replies) == 1001
    replies.close()


def test_old_replies_are_pruned_everywhere(
    machines: "list[Replies]", remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = machines
    first.put(key(1), small("old"))
    first.close()
    between = time.time()
    first.put(key(1), small("new"))
    first.put(key(2), small("other"))
    first.close()
    assert second.get(key(1)) == small("new")
    (used,) = usage(remote / "replies")
    assert (used.folder, used.model, used.replies, used.segments) == (remote / "replies" / "m", "m", 2, 2)
    gone = prune(used.folder)
    assert (gone.expired, gone.stale, gone.in_use) == (0, 0, 2)
    monkeypatch.setattr("storage.pruning.REMOTE_SECONDS", -60.0)
    gone = prune(used.folder, dry_run=True)
    assert (gone.expired, gone.stale, gone.in_use) == (0, 1, 0)
    assert len(listed(remote)) == 2
    prune(used.folder)
    assert len(listed(remote)) == 1
    assert second.get(key(3), age=0.0) is None
    assert [second.get(key(1)), second.get(key(2))] == [small("new"), small("other")]
    assert len(list(second.folder.glob("*.jsonl"))) == 1
    prune(used.folder, before=between + 3600)
    assert listed(remote) == {}
    assert second.get(key(3), age=0.0) is None
    assert second.get(key(1), age=0.0) is None


def test_a_store_that_goes_down_in_the_middle_is_one_line(
    memory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(arguments: object) -> int:
        raise PermissionError("Access Denied")

    monkeypatch.setattr("flows.leaderboard.main", refuse)
    assert main(["leaderboard", "--storage", str(memory)]) == 2
    assert capsys.readouterr().err == f"{memory}: Access Denied; credentials are read from the environment\n"


@pytest.mark.slow
def test_another_machine_pays_for_nothing_again(cli: Cli, remote: Path, tmp_path: Path) -> None:
    """Takes half a minute: the demo is asked by a model's queries on two machines, that is, with two caches."""
    storage = ("--storage", str(remote))
    run_here(cli, "prepare", "demo", *storage)
    words = ("--benchmarks", "demo", "--linkers", "full", "--limit", "20", "--execute", *storage)
    with running("--text", "SELECT 1") as stub:
        for machine in ("cache", "other"):
            cache = {"SCHEMALINK_CACHE": str(tmp_path / machine)}
            ended = cli("evaluate", *words, "--run", machine, "--endpoint", stub.url, prefect=True, **cache)
            assert ended.returncode == 0, ended.stderr
            assert len(stub.texts()) == 20
    runs = [parquet.read(remote / "runs" / name / "executions.parquet", Execution) for name in ("cache", "other")]
    assert [row.verdicts for row in runs[0]] == [row.verdicts for row in runs[1]]
    assert "ok" in {row.status for row in runs[0]}
    gold = matching(remote, "benchmarks/demo/gold/*/*.jsonl")
    assert gold
    assert len(gold) == len(list((tmp_path / "other").glob("places/*/gold/*/*.jsonl")))
    assert [name for name in listed(remote) if name.startswith("claims/")] == []
