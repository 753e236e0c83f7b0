"""The threads that ask a model: one crowd in a process, which works shard by shard.

Where each shard has threads of its own, shards that begin together end together, and a server stands idle while they
are written and others begin. Here the oldest shard ends first, and those behind it keep the server full.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
_in_order = threading.Lock()


def ask_all(ask: Callable[[Item], Result], items: Sequence[Item], in_flight: int) -> list[Result]:
    """Ask about all items, begun in their order and after those of earlier calls; answers stand in the items' order.

    There are a quarter more threads than calls in flight, so that a server is kept full by some while others read
    what it said. Raises what the first item raised; those that have not begun by then are left out.
    """
    with _in_order:
        futures = [_crowd(os.getpid(), in_flight).submit(ask, item) for item in items]
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


@lru_cache(maxsize=16)
def _crowd(process: int, in_flight: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(in_flight + in_flight // 4 + 1, thread_name_prefix="question")
