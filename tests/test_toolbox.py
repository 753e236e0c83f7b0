"""What one question's tools count: calls, tokens, and the linker's own time."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from schemas.errors import Failure
from schemas.tools import Choice, Message, Reply, Request
from tasks.completions import Unusable
from tasks.toolbox import LazyEmbedder, Metered, Toolbox

REQUEST = Request((Message("user", "Which?"),))


class Slow:
    """A model that takes a fifth of a second, and can fail after it was paid."""

    name = "slow"

    def __init__(self) -> None:
        self.asked: list[tuple[Request, str]] = []
        self.unusable = False

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        self.asked.append((request, affinity))
        time.sleep(0.2)
        reply = Reply((Choice("a"),), "slow", prompt_tokens=10, cached_tokens=4, completion_tokens=2, seconds=0.2)
        if self.unusable:
            raise Unusable("truncated", "cut", reply)
        return reply


def test_own_time_is_processor_time_without_the_calls() -> None:
    metered = Metered(Slow(), LazyEmbedder("none", ""), "shop", 2)
    for _ in range(2):
        metered.reply(REQUEST)
    assert 0 <= metered.seconds() < 0.05
    before = metered.seconds()
    start = time.thread_time()
    while time.thread_time() - start < 0.2:
        pass
    assert 0.2 <= metered.seconds() - before < 0.3


def test_calls_of_several_threads_are_all_counted() -> None:
    metered = Metered(Slow(), LazyEmbedder("none", ""), "shop", 2)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: metered.reply(REQUEST), range(4)))
    usage = metered.usage()
    assert (usage["calls"], usage["prompt_tokens"], usage["completion_tokens"]) == (4, 40, 8)
    assert usage["model_seconds"] == pytest.approx(0.8)


def test_calls_carry_the_repetition_and_go_to_their_database() -> None:
    model = Slow()
    Metered(model, LazyEmbedder("none", ""), "shop", 2).reply(REQUEST)
    [(request, affinity)] = model.asked
    assert (request.repetition, affinity) == (2, "shop")


def test_a_reply_that_cannot_be_used_is_paid_all_the_same() -> None:
    model = Slow()
    model.unusable = True
    metered = Metered(model, LazyEmbedder("none", ""), "shop", 0)
    with pytest.raises(Failure):
        metered.reply(REQUEST)
    assert metered.usage()["prompt_tokens"] == 10


def test_a_label_names_hosts_without_credentials() -> None:
    box = Toolbox(Path("results"), endpoints=("http://user:secret@gpu1:8000/v1", "https://gpu2/v1"))
    assert box.label == "gpu1:8000,gpu2:https"
