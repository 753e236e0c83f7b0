import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from schemas.errors import Failure, UserError
from schemas.tools import Message, Request
from tasks.fleet import Fleet, Limits, weight
from tests.stub_server import Stub, running, script

LIMITS = Limits(timeout=2.0, tries=4, pause=0.01, probe=0.05)
DATABASES = [f"database {number}" for number in range(24)]


@pytest.fixture
def stubs() -> Iterator[list[Stub]]:
    with ExitStack() as stack:
        yield [stack.enter_context(running("--latency", "0.02")) for _ in range(3)]


def asked(text: str) -> Request:
    return Request((Message("user", text),))


def homes(fleet: Fleet) -> dict[str, str]:
    return {
        db: max((member.replica.url for member in fleet.members), key=lambda url: weight(db, url)) for db in DATABASES
    }


def eventually(holds: "threading.Event | object", seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def test_the_calls_of_one_database_go_to_one_replica_and_databases_are_spread(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda n: fleet.send(asked(f"{DATABASES[n % 24]}: {n}"), DATABASES[n % 24]), range(480)))
    seen = {stub.url: {text.split(":")[0] for text in stub.texts()} for stub in stubs}
    assert sum(len(databases) for databases in seen.values()) == 24
    assert {db: url for url, dbs in seen.items() for db in dbs} == homes(fleet)
    assert all(len(databases) >= 3 for databases in seen.values())


def test_routing_is_the_same_in_every_process_and_order() -> None:
    assert weight("california_schools", "http://a:8000/v1").hex() == "078a6c9f96cb66d8"


def test_calls_without_an_affinity_go_where_least_is_under_way(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    with ThreadPoolExecutor(30) as pool:
        list(pool.map(lambda n: fleet.send(asked(str(n))), range(300)))
    assert all(60 <= len(stub.texts()) <= 140 for stub in stubs)


def test_a_replica_that_is_killed_loses_no_question_and_moves_no_other_share(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    before = homes(fleet)
    victim = next(stub for stub in stubs if stub.url in before.values())
    answered = threading.Event()

    def ask(number: int) -> int:
        if number == 200:
            victim.process.kill()
            answered.set()
        return len(fleet.send(asked(f"{DATABASES[number % 24]}: {number}"), DATABASES[number % 24]).choices)

    with ThreadPoolExecutor(48) as pool:
        assert list(pool.map(ask, range(960))) == [1] * 960
    assert answered.is_set()
    assert [member.up for member in fleet.members] == [stub is not victim for stub in stubs]
    for stub in stubs:
        own = {text.split(":")[0] for text in stub.texts()} if stub is not victim else set()
        stayed = {db for db, url in before.items() if url == stub.url}
        assert stub is victim or stayed <= own


def test_a_replica_that_comes_back_takes_its_share_again(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    home = homes(fleet)[DATABASES[0]]
    victim = next(stub for stub in stubs if stub.url == home)
    victim.process.kill()
    victim.process.wait()
    for number in range(3):
        fleet.send(asked(f"while down {number}"), DATABASES[0])
    assert [member.up for member in fleet.members].count(False) == 1
    with running("--port", str(victim.port)) as reborn:
        assert eventually(lambda: all(member.up for member in fleet.members))
        fleet.send(asked("home again"), DATABASES[0])
        assert reborn.texts()[-1] == "home again"


def test_a_replica_of_another_version_stays_out(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs[:2]], "stub", LIMITS)
    victim = stubs[0]
    victim.process.kill()
    victim.process.wait()
    for number in range(12):
        fleet.send(asked(str(number)), DATABASES[number])
    with running("--port", str(victim.port), "--version", "2.0") as other:
        time.sleep(1.0)
        assert [member.up for member in fleet.members] == [False, True]
        assert other.texts() == []


def test_a_hung_replica_is_left_after_its_time_limit_and_taken_back_when_it_answers(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", replace(LIMITS, timeout=0.5))
    home = homes(fleet)[DATABASES[0]]
    hung = next(stub for stub in stubs if stub.url == home)
    hung.state("hang")
    start = time.monotonic()
    for number in range(10):
        fleet.send(asked(f"hung {number}"), DATABASES[0])
    assert time.monotonic() - start < 3.0
    assert [member.up for member in fleet.members] == [stub is not hung for stub in stubs]
    time.sleep(0.3)
    assert not all(member.up for member in fleet.members)
    hung.state("ok")
    assert eventually(lambda: all(member.up for member in fleet.members), 10)
    fleet.send(asked("answers again"), DATABASES[0])
    assert hung.texts()[-1] == "answers again"


def test_a_replica_that_fails_now_and_then_keeps_its_share(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    for number in range(60):
        fails = {"status": 500} if number % 5 == 0 else {}
        fleet.send(asked(script(fails, {}, salt=str(number))), DATABASES[number % 24])
    assert all(member.up for member in fleet.members)


def test_a_replica_that_always_fails_is_taken_out(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    broken = next(stub for stub in stubs if stub.url == homes(fleet)[DATABASES[0]])
    broken.state("fail")
    for number in range(10):
        fleet.send(asked(str(number)), DATABASES[0])
    assert [member.up for member in fleet.members] == [stub is not broken for stub in stubs]


def test_a_busy_replica_is_not_taken_for_a_broken_one(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    busy = next(stub for stub in stubs if stub.url == homes(fleet)[DATABASES[0]])
    busy.state("busy")
    for number in range(10):
        fleet.send(asked(str(number)), DATABASES[0])
    assert all(member.up for member in fleet.members)


def test_a_fleet_opens_with_a_replica_down_and_takes_it_when_it_comes(stubs: list[Stub]) -> None:
    late = stubs[0]
    late.process.kill()
    late.process.wait()
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    assert [member.up for member in fleet.members] == [False, True, True]
    with running("--port", str(late.port)):
        assert eventually(lambda: fleet.members[0].up)


def test_when_all_replicas_are_gone_a_question_ends_with_a_status(stubs: list[Stub]) -> None:
    fleet = Fleet([stub.url for stub in stubs], "stub", LIMITS)
    for stub in stubs:
        stub.process.kill()
        stub.process.wait()
    with pytest.raises(Failure, match=r"model_error: no answer from http://.*refused.*\(last of 4 tries\)"):
        fleet.send(asked("anyone?"), DATABASES[0])


def test_replicas_of_different_engines_are_refused() -> None:
    differ = r"the endpoints differ in model or engine: stub stub 1\.0; stub stub 2\.0"
    with running() as old, running("--version", "2.0") as new, pytest.raises(UserError, match=differ):
        Fleet([old.url, new.url])


def test_rendezvous_spreads_evenly_and_moves_only_the_lost_share() -> None:
    urls = [f"http://host{number}:8000/v1" for number in range(4)]
    keys = [f"database {number}" for number in range(2000)]
    home = {key: max(urls, key=lambda url: weight(key, url)) for key in keys}
    assert all(430 <= count <= 570 for count in Counter(home.values()).values())
    fewer = {key: max(urls[:3], key=lambda url: weight(key, url)) for key in keys}
    assert all(fewer[key] == home[key] for key in keys if home[key] != urls[3])
