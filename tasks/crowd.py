"""The threads that ask a model: one crowd a model in a process, which works shard by shard.

Where each shard has threads of its own, shards that begin together end together, and a server stands idle while they
are written and others begin. Here the oldest shard ends first, and those behind it keep the server full.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

from tasks.toolbox import Toolbox

Item = TypeVar("Item")
Result = TypeVar("Result")
_in_order = threading.Lock()


def ask_all(ask: Callable[[Item], Result], items: Sequence[Item], toolbox: Toolbox) -> list[Result]:
    """Ask a toolbox's model about all items, begun in their order and after those of earlier calls.

    Answers stand in the items' order.

    There are a quarter more threads than calls in flight, so that a server is kept full by some while others read
    what it said. Raises what the first item raised; those that have not begun by then are left out.
    """
    futures: list[Future[Result]] = []
    try:
        with _in_order:
            crowd = _crowd(os.getpid(), toolbox.model, toolbox.endpoints, toolbox.in_flight)
            futures.extend(crowd.submit(ask, item) for item in items)
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


@lru_cache(maxsize=16)
def _crowd(process: int, model: str, endpoints: tuple[str, ...], in_flight: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(in_flight + in_flight // 4 + 1, thread_name_prefix="question")
