import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Failure, UserError
from schemas.tools import Choice, Message, Reply, Request
from storage import claims, heartbeats
from storage.claims import Claims
from storage.heartbeats import Heartbeats
from storage.places import place
from storage.replies import Replies, request_key
from tasks.models import Remembering
from tests.object_store import object_store, objects
from tests.stub_server import Stub, running

ROOT = Path(__file__).parents[1]
ASK = """
import json, sys, time
from concurrent.futures import ThreadPoolExecutor
from schemas.errors import Failure
from schemas.tools import Message, Request
from storage.places import place
from tasks.models import open_model

url, storage, first, last, fresh = sys.argv[1:]
model = open_model("stub", [url], place(storage), since=time.time() if fresh == "fresh" else 0.0)

def ask(number):
    try:
        reply = model.reply(Request((Message("user", f"question {number}"),)))
        return [reply.text, reply.cached]
    except Failure as failure:
        return [failure.status, False]

print("ready", flush=True)
input()
start = time.monotonic()
with ThreadPoolExecutor(64) as pool:
    answers = list(pool.map(ask, range(int(first), int(last))))
print(json.dumps([answers, time.monotonic() - start]), flush=True)
input()
"""


class Asker:
    """Another process that asks questions by number, all at once."""

    def __init__(self, stub: Stub, storage: Path | str, questions: range, fresh: bool = False) -> None:
        numbers = [str(questions.start), str(questions.stop), "fresh" if fresh else ""]
        command = [sys.executable, "-c", ASK, stub.url, str(storage), *numbers]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin
        assert self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        assert self.output.readline() == "ready\n"

    def start(self) -> None:
        self.input.write("\n")
        self.input.flush()

    def answers(self) -> tuple[list[tuple[str, bool]], float]:
        answers, seconds = json.loads(self.output.readline())
        return [(text, cached) for text, cached in answers], seconds

    def end(self) -> None:
        with self.process:
            self.start()
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def sent(stub: Stub) -> Counter[str]:
    return Counter(stub.texts())


def claimed(storage: Path) -> list[Path]:
    return [path for path in storage.rglob("claims/**/*") if path.is_file()]


@pytest.mark.slow
def test_two_processes_send_the_same_requests_once(tmp_path: Path) -> None:
    """Slow: starts processes."""
    with running("--latency", "0.5") as stub:
        askers = [Asker(stub, tmp_path, range(50)) for _ in range(2)]
        for asker in askers:
            asker.start()
        answers = [asker.answers()[0] for asker in askers]
        assert sent(stub) == {f"question {number}": 1 for number in range(50)}
        for told in answers:
            assert [text for text, _ in told] == [f"answer to question {number}" for number in range(50)]
        assert sum(cached for told in answers for _, cached in told) == 50
        for asker in askers:
            asker.end()
    assert claimed(tmp_path) == []


@pytest.mark.slow
def test_many_processes_that_share_some_of_their_requests(tmp_path: Path) -> None:
    """Slow: starts four processes."""
    with running("--latency", "0.2") as stub:
        askers = [Asker(stub, tmp_path, range(at * 40, at * 40 + 120)) for at in range(4)]
        for asker in askers:
            asker.start()
        answers = [asker.answers()[0] for asker in askers]
        assert sent(stub) == {f"question {number}": 1 for number in range(240)}
        assert sum(not cached for told in answers for _, cached in told) == 240
        for asker in askers:
            asker.end()


@pytest.mark.slow
def test_what_a_killed_process_claimed_is_sent_by_the_others_at_once_and_only_once(tmp_path: Path) -> None:
    """Slow: starts processes."""
    with running("--latency", "1.5") as stub:
        killed, *others = [Asker(stub, tmp_path, range(20)) for _ in range(3)]
        killed.start()
        while len(claimed(tmp_path)) < 21:
            time.sleep(0.05)
        for other in others:
            other.start()
        time.sleep(0.5)
        killed.kill()
        for other in others:
            answers, seconds = other.answers()
            assert [text for text, _ in answers] == [f"answer to question {number}" for number in range(20)]
            assert 1.5 < seconds < 6
        assert set(sent(stub).values()) == {2}
        for other in others:
            other.end()
    assert claimed(tmp_path) == []


def test_claims_of_a_silent_machine_are_taken_over_when_they_are_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "STALE_SECONDS", 2.0)
    monkeypatch.setattr(heartbeats, "machine", lambda: "elsewhere")
    Heartbeats(tmp_path / "owners").beat("gone", 7)
    monkeypatch.undo()
    monkeypatch.setattr(heartbeats, "STALE_SECONDS", 2.0)
    for key, owner in (("aa", "gone"), ("bb", "")):
        (tmp_path / key).mkdir()
        (tmp_path / key / key).write_text(owner)
    begun = time.monotonic()
    ours = Claims(tmp_path)
    for key in ("aa", "bb"):
        with ours.turn(key, lambda age: None) as found:
            assert found is None
            assert 2.0 <= time.monotonic() - begun < 5
    ours.close()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_living_owner_is_waited_for_as_long_as_it_renews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "STALE_SECONDS", 1.0)
    monkeypatch.setattr(claims, "RENEWAL_SECONDS", 0.3)
    monkeypatch.setattr(claims, "TICK_SECONDS", 0.1)
    monkeypatch.setattr(claims, "LINGER_SECONDS", 0.5)
    ours, theirs = Claims(tmp_path), Claims(tmp_path)
    stored: list[str] = []
    with ours.turn("aa", lambda age: None), ThreadPoolExecutor(1) as pool:
        begun = time.monotonic()
        waiting = pool.submit(lambda: taken(theirs, "aa", stored))
        time.sleep(3)
        assert not waiting.done()
        stored.append("reply")
        assert waiting.result() == "reply"
        assert time.monotonic() - begun < 4.5
    ours.close()
    theirs.close()


def taken(of: Claims, key: str, stored: list[str]) -> str | None:
    with of.turn(key, lambda age: stored[-1] if stored else None) as found:
        return found


@pytest.mark.slow
def test_processes_share_requests_in_an_object_store() -> None:
    """Slow: starts an object store; its replies are seen by others after a second."""
    with object_store("claims") as url, running("--latency", "0.5") as stub:
        askers = [Asker(stub, f"{url}/results", range(10)) for _ in range(2)]
        for asker in askers:
            asker.start()
        answers = [asker.answers()[0] for asker in askers]
        assert sent(stub) == {f"question {number}": 1 for number in range(10)}
        assert [len(told) for told in answers] == [10, 10]
        for asker in askers:
            asker.end()
        assert [name for name in objects(url) if "claims/" in name] == []


@pytest.mark.slow
def test_after_a_failure_each_sends_its_own(tmp_path: Path) -> None:
    """Slow: starts processes."""
    with running("--latency", "0.3") as stub:
        stub.state("fail")
        askers = [Asker(stub, tmp_path, range(3)) for _ in range(2)]
        for asker in askers:
            asker.start()
        time.sleep(2)
        stub.state("ok")
        assert [text for asker in askers for text, _ in asker.answers()[0]] == [
            f"answer to question {number}" for number in range(3)
        ] * 2
        assert stub.state()["counts"]["200"] == 3
        for asker in askers:
            asker.end()


class Failing:
    name, root, engine = "m", "", ""

    def __init__(self, *outcomes: Exception | str) -> None:
        self.outcomes = list(outcomes)

    def send(self, request: Request, affinity: str = "") -> Reply:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return Reply((Choice(outcome),), "m")


REQUEST = Request((Message("user", "why"),))


@contextmanager
def remembering(folder: Path, *outcomes: Exception | str) -> Iterator[tuple[Remembering, Failing]]:
    sender = Failing(*outcomes)
    of = Claims(folder / "claims")
    yield Remembering(sender, Replies(folder), claims=of), sender
    of.close()


@pytest.mark.parametrize("error", [Failure("timeout", "too long"), KeyError("broken"), UserError("unplugged")])
def test_a_failed_request_leaves_no_claim_and_is_sent_again(
    tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LINGER_SECONDS", 0.5)
    with remembering(tmp_path, error) as (first, _), remembering(tmp_path, "because") as (second, _):
        with pytest.raises(type(error)):
            first.reply(REQUEST)
        begun = time.monotonic()
        assert second.reply(REQUEST).text == "because"
        assert first.reply(REQUEST).cached
        assert time.monotonic() - begun < 1.5


def test_a_reply_that_was_stored_since_the_last_look_is_found_after_the_claim(tmp_path: Path) -> None:
    with remembering(tmp_path, "first") as (first, _), remembering(tmp_path, "second") as (second, sender):
        assert second.replies is not None
        assert second.replies.get(request_key({"another": "key"})) is None
        assert first.reply(REQUEST).text == "first"
        assert second.reply(REQUEST).text == "first"
        assert sender.outcomes == ["second"]


@pytest.mark.slow
def test_a_fresh_asker_ignores_older_replies_and_two_at_the_same_time_share(tmp_path: Path) -> None:
    """Slow: starts processes."""
    with running("--latency", "0.3") as stub:
        earlier = Asker(stub, tmp_path, range(10))
        earlier.start()
        assert [cached for _, cached in earlier.answers()[0]] == [False] * 10
        earlier.end()
        askers = [Asker(stub, tmp_path, range(10), fresh=True) for _ in range(2)]
        for asker in askers:
            asker.start()
        answers = [asker.answers()[0] for asker in askers]
        assert sum(cached for told in answers for _, cached in told) == 10
        assert set(sent(stub).values()) == {2}
        for asker in askers:
            asker.end()


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_sent(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("in the way")
    sender = Failing("never")
    with pytest.raises(UserError, match=r"cannot write .*claims.*owners"):
        Remembering(sender, Replies(tmp_path), claims=Claims(tmp_path / "claims")).reply(REQUEST)
    assert sender.outcomes == ["never"]


def unlinked(path: Path, target: Path) -> bool:
    """A disk that knows no links."""
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize("links", [True, False])
def test_a_claim_is_another_name_of_its_owners_file_where_the_disk_has_those(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(claims, "exclusive_link", unlinked)
    monkeypatch.setattr(claims, "RENEWAL_SECONDS", 1000.0)
    monkeypatch.setattr(Claims, "_sweep", lambda *_: None)
    ours, theirs = Claims(tmp_path), Claims(tmp_path)
    assert ours.take("aa")
    (owner,) = (tmp_path / "owners").iterdir()
    assert (tmp_path / "aa" / "aa").samefile(owner) is links
    assert not theirs.take("aa")
    owner.unlink()
    assert ours.take("bb")
    assert (tmp_path / "bb" / "bb").read_text() == owner.name
    theirs.close()
    ours.close()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
def test_a_full_disk_is_told_and_leaves_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Claims(tmp_path)
    with ours.turn("aa", lambda age: None):
        pass

    def full(path: Path, data: bytes) -> bool:
        path.parent.mkdir(exist_ok=True)
        path.touch(exist_ok=False)
        with Path("/dev/full").open("wb", buffering=0) as file:
            file.write(data)
        return True

    monkeypatch.setattr(claims, "exclusive_create", full)
    monkeypatch.setattr(claims, "exclusive_link", unlinked)
    with (
        pytest.raises(UserError, match=r"cannot write .*/bb: No space left on device"),
        ours.turn("bb", lambda _: None),
    ):
        pass
    monkeypatch.undo()
    with ours.turn("bb", lambda age: None) as found:
        assert found is None
    ours.close()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_claims_and_their_owner_go_when_nothing_is_asked_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "RENEWAL_SECONDS", 0.5)
    monkeypatch.setattr(claims, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(claims, "LINGER_SECONDS", 0.5)
    ours = Claims(tmp_path)
    for key in ("aa", "bb", "aa"):
        with ours.turn(key, lambda age: None):
            assert (tmp_path / key / key).is_file()
    assert {path.name for path in tmp_path.glob("??/*")} == {"aa", "bb"}
    time.sleep(2)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    with ours.turn("aa", lambda age: None) as found:
        assert found is None
        assert len(list((tmp_path / "owners").iterdir())) == 1
    ours.close()


def test_many_threads_take_and_give_up_claims_in_an_object_store() -> None:
    folder = place(f"memory://bucket/{os.getpid()}/claims")
    ours = Claims(folder)
    stored: dict[str, int] = {}

    def ask(number: int) -> str | None:
        key = f"{number:04x}"
        with ours.turn(key, lambda age: f"reply {stored[key]}" if key in stored else None) as found:
            stored.setdefault(key, number)
        return found

    with ThreadPoolExecutor(64) as pool:
        assert set(pool.map(ask, range(300))) == {None}
    assert sum(path.is_file() for path in folder.rglob("*")) == 301
    ours.close()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == []


def test_of_many_that_find_a_dead_owner_one_takes_over(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    sign: dict[str, Any] = {"machine": heartbeats.machine(), "process": int(done.stdout), "beat": 1}
    for number in range(20):
        folder = tmp_path / str(number)
        (folder / "owners").mkdir(parents=True)
        (folder / "owners" / "dead").write_text(f"dead\n{json.dumps(sign)}\n")
        (folder / "aa").mkdir()
        (folder / "aa" / "aa").write_text("dead")
        all_of_them = [Claims(folder) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            took = list(pool.map(lambda each: each.take("aa"), all_of_them))
        assert sum(took) <= 1
        for each in all_of_them:
            each.close()
        assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_claim_that_two_threads_give_up_at_one_time_is_given_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, key = Claims(tmp_path), request_key({})
    assert ours.take(key)
    removing, remove = threading.Event(), claims._remove

    def slowly(files: Sequence[Path]) -> bool:
        removing.set()
        time.sleep(0.3)
        return remove(files)

    monkeypatch.setattr(claims, "_remove", slowly)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(ours._drop, [key])
        assert removing.wait(10)
        assert not ours.take(key)
        ours.close()
        first.result()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
