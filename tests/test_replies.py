import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.errors import UserError
from schemas.tools import Choice, Reply, ToolCall
from storage.pruning import prune, usage
from storage.replies import Replies, request_key

ROOT = Path(__file__).parents[1]
FULL = Reply(
    choices=(
        Choice(
            "src=A, dst=B", "thought", "length", (ToolCall("1", "look", '{"t": "é"}'),), (("A", -0.25), ("B", -1.5))
        ),
        Choice("second"),
    ),
    model="qwen",
    engine="vllm 0.32.0",
    prompt_tokens=4600,
    cached_tokens=4500,
    completion_tokens=14,
    seconds=1.25,
)


def key(value: object) -> str:
    return request_key({"value": value})


def small(text: str) -> Reply:
    return Reply((Choice(text),), "m")


def test_a_reply_comes_back_whole_from_another_opening(tmp_path: Path) -> None:
    Replies(tmp_path).put(key(1), FULL)
    again = Replies(tmp_path)
    assert again.get(key(1)) == FULL
    assert again.get(key(2)) is None
    assert len(again) == 1


def test_equal_requests_have_equal_keys_and_others_do_not() -> None:
    assert key({"a": 1, "b": [1, "x"]}) == key({"b": [1, "x"], "a": 1})
    assert len({key(1), key("1"), key(1.0), key([1]), key("é"), key("e")}) == 6


def test_the_newest_reply_counts_in_whatever_order_segments_are_read(tmp_path: Path) -> None:
    early, late = Replies(tmp_path), Replies(tmp_path)
    late.put(key(1), small("first"))
    early.put(key(2), small("other"))
    late.put(key(3), small("third"))
    early.put(key(1), small("second"))
    assert [Replies(tmp_path).get(key(1)), early.get(key(1))] == [small("second")] * 2
    late.put(key(1), small("last"))
    assert Replies(tmp_path).get(key(1)) == small("last")


def test_since_hides_what_was_stored_before(tmp_path: Path) -> None:
    replies = Replies(tmp_path)
    replies.put(key(1), small("old"))
    begin = time.time()
    assert replies.get(key(1), since=begin) is None
    replies.put(key(1), small("new"))
    assert replies.get(key(1), since=begin) == small("new")


def test_another_process_sees_a_reply_within_a_second(tmp_path: Path) -> None:
    reader = Replies(tmp_path)
    assert reader.get(key(1)) is None
    code = (
        "import sys; from pathlib import Path; from tests.test_replies import *;"
        "Replies(Path(sys.argv[1])).put(key(1), small('theirs'))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=True)
    deadline = time.monotonic() + 3
    while reader.get(key(1)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert reader.get(key(1)) == small("theirs")


def test_many_threads_write_and_read(tmp_path: Path) -> None:
    replies = Replies(tmp_path)

    def both(number: int) -> bool:
        replies.put(key(number), small(f"é{number}" * 50))
        return replies.get(key(number)) == small(f"é{number}" * 50)

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(both, range(2000)))
    assert len(Replies(tmp_path)) == 2000
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def _write(folder: str, start: int) -> None:
    replies = Replies(Path(folder))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: replies.put(key(number), small(str(number))), range(start, start + 300)))


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path), start)) for start in (0, 150, 300)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    replies = Replies(tmp_path)
    assert [replies.get(key(number)) for number in range(600)] == [small(str(number)) for number in range(600)]


def test_a_writer_that_is_killed_loses_nothing_it_had_stored(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.test_replies import *; replies = Replies(Path(sys.argv[1]))\n"
        "for number in range(10**6): replies.put(key(number), small(str(number))); print(number, flush=True)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        last = 0
        for stored in writer.stdout:
            last = int(stored)
            if last == 500:
                os.kill(writer.pid, signal.SIGKILL)
    replies = Replies(tmp_path)
    assert last >= 500
    assert all(replies.get(key(number)) == small(str(number)) for number in range(last + 1))


def test_torn_and_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    first = Replies(tmp_path)
    first.put(key(1), small("one"))
    first.put(key(2), small("two"))
    first.close()
    (segment,) = tmp_path.glob("*.jsonl")
    whole = segment.read_bytes()
    lines = whole.splitlines(keepends=True)
    (tmp_path / "19990101T000000-1-aa.jsonl").write_bytes(b'{"key":"zz\n\n\xff\xfe junk\n' + lines[1][:90])
    torn = Replies(tmp_path)
    assert torn.get(key(1)) == small("one")
    assert len(torn) == 2
    segment.write_bytes(lines[0] + lines[1][:100])
    assert Replies(tmp_path).get(key(2)) is None
    changed = lines[1].replace(b'"choices"', b'"chioces"')
    segment.write_bytes(lines[0] + changed)
    assert Replies(tmp_path).get(key(2)) is None


def test_a_line_that_is_completed_later_is_found(tmp_path: Path) -> None:
    first = Replies(tmp_path / "a")
    first.put(key(1), small("one"))
    (segment,) = (tmp_path / "a").glob("*.jsonl")
    whole = segment.read_bytes()
    target = tmp_path / "b" / "20260101T000000-1-aa.jsonl"
    target.parent.mkdir()
    target.write_bytes(whole[:60])
    reader = Replies(tmp_path / "b")
    assert reader.get(key(1)) is None
    target.write_bytes(whole)
    assert len(reader) == 1
    assert reader.get(key(1)) == small("one")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
def test_a_full_disk_is_told_with_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = Replies(tmp_path)
    replies.put(key(1), small("one"))
    full = os.open("/dev/full", os.O_WRONLY)
    process, file, segment = replies._own
    replies._own = (process, full, segment)
    with pytest.raises(UserError, match=r"cannot write .*\.jsonl: No space left on device"):
        replies.put(key(2), small("two"))
    replies._own = (process, file, segment)
    replies.put(key(3), small("three"))
    assert Replies(tmp_path).get(key(3)) == small("three")
    os.close(full)


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("in the way")
    with pytest.raises(UserError, match="cannot write"):
        Replies(tmp_path / "m").put(key(1), small("one"))


def test_usage_counts_distinct_replies_by_model(tmp_path: Path) -> None:
    begin = time.time()
    for name, count in (("a", 3), ("b", 1)):
        replies = Replies(tmp_path / name)
        for number in range(count):
            replies.put(key(number), replace(small("x" * 100), model=f"model {name}"))
        replies.put(key(0), replace(small("again"), model=f"model {name}"))
    first, second = usage(tmp_path)
    assert (first.model, first.replies, first.segments) == ("model a", 3, 1)
    assert (second.model, second.replies) == ("model b", 1)
    assert first.bytes == sum(path.stat().st_size for path in (tmp_path / "a").iterdir())
    assert begin - 1 < first.oldest <= first.newest <= time.time()
    assert usage(tmp_path / "nowhere") == []


def test_pruning_drops_the_old_and_the_overwritten_and_joins_segments(tmp_path: Path) -> None:
    old, new = Replies(tmp_path), Replies(tmp_path)
    old.put(key(1), small("old"))
    old.put(key(2), small("overwritten"))
    between = time.time()
    new.put(key(2), small("two"))
    new.put(key(3), small("three"))
    reader = Replies(tmp_path)
    assert reader.get(key(2)) == small("two")
    old.close()
    new.close()
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    planned = prune(tmp_path, between, dry_run=True)
    assert (planned.expired, planned.stale, planned.in_use) == (1, 1, 0)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == size
    assert prune(tmp_path, between) == planned
    assert len(list(tmp_path.iterdir())) == 1
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == size - planned.bytes
    assert [reader.get(key(number)) for number in (1, 2, 3)] == [None, small("two"), small("three")]
    assert prune(tmp_path, time.time() + 1).expired == 2
    assert list(tmp_path.iterdir()) == []


def test_pruning_leaves_a_living_writer_alone(tmp_path: Path) -> None:
    done, living = Replies(tmp_path), Replies(tmp_path)
    done.put(key(1), small("one"))
    done.close()
    living.put(key(2), small("two"))
    pruned = prune(tmp_path, time.time() + 1)
    assert (pruned.expired, pruned.in_use) == (1, 1)
    living.put(key(3), small("three"))
    assert [Replies(tmp_path).get(key(number)) for number in (1, 2, 3)] == [None, small("two"), small("three")]


def test_lines_are_json_that_other_tools_read(tmp_path: Path) -> None:
    Replies(tmp_path).put(key(1), FULL)
    (segment,) = tmp_path.glob("*.jsonl")
    entry = json.loads(segment.read_text())
    assert entry["key"] == key(1)
    assert abs(entry["at"] - time.time()) < 60
    assert entry["reply"]["completion_tokens"] == 14


FORK = """
import os, sys
from tests.test_replies import *
replies = Replies(Path(sys.argv[1]))
replies.put(key(1), small("parent"))
child = os.fork()
replies.put(key(2 + bool(child)), small("either"))
sys.exit(os.waitpid(child, 0)[1] if child else 0)
"""


def test_a_forked_child_writes_a_segment_of_its_own(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORK, str(tmp_path)], cwd=ROOT, check=True)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    assert [Replies(tmp_path).get(key(number)) for number in (1, 2, 3)] == [small("parent"), *[small("either")] * 2]
