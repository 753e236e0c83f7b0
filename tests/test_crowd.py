import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tasks.crowd import ask_all
from tasks.slots import Slots
from tasks.toolbox import Toolbox


def test_a_slot_goes_to_those_who_wait_in_the_order_in_which_they_came() -> None:
    slots, served = Slots(1), list[int]()

    def turn(number: int) -> None:
        with slots:
            served.append(number)

    with ThreadPoolExecutor(20) as pool, slots:
        for number in range(20):
            pool.submit(turn, number)
            while len(slots._waiting) <= number:
                time.sleep(0.001)
    assert served == list(range(20))


def test_no_more_threads_have_a_slot_than_there_are() -> None:
    slots, lock = Slots(3), threading.Lock()
    inside, most = 0, 0

    def turn(_: int) -> None:
        nonlocal inside, most
        with slots:
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.002)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(turn, range(100)))
    assert (inside, most) == (0, 3)


def test_a_slot_is_given_back_by_who_fails() -> None:
    slots = Slots(1)
    for _ in range(3):
        with pytest.raises(KeyError), slots:
            raise KeyError
    with slots:
        pass


def test_a_shard_is_begun_when_all_of_those_before_it_has_begun() -> None:
    begun: list[int] = []
    first, gate = threading.Event(), threading.Event()

    def ask(number: int) -> int:
        first.set()
        gate.wait(10)
        begun.append(number)
        time.sleep(0.01)
        return -number

    def shard(start: int) -> list[int]:
        return ask_all(ask, range(start, start + 40), Toolbox(Path(), in_flight=8))

    with ThreadPoolExecutor(2) as pool:
        shards = [pool.submit(shard, 0)]
        assert first.wait(10)
        shards.append(pool.submit(shard, 100))
        time.sleep(0.1)
        gate.set()
        assert shards[0].result() == [-number for number in range(40)]
        assert shards[1].result() == [-number for number in range(100, 140)]
    threads = 8 + 8 // 4 + 1
    assert begun.index(100) > 40 - threads


def test_a_shard_that_fails_begins_no_more_and_leaves_nothing_under_way() -> None:
    under_way: set[int] = set()
    begun: list[int] = []

    def ask(number: int) -> None:
        begun.append(number)
        under_way.add(number)
        time.sleep(0.05)
        under_way.discard(number)
        if number == 1:
            raise KeyError(number)

    with pytest.raises(KeyError):
        ask_all(ask, range(100), Toolbox(Path(), in_flight=3))
    assert under_way == set()
    assert len(begun) < 100
