"""How full a server is kept: calls a second through client and cache against a stub that answers after a second.

Run: python -m tests.benchmarks.in_flight [--calls 4000] [--in-flight 256] [--latency 1.0]
"""

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from schemas.tools import Message, Request
from storage.replies import Replies
from tasks.models import open_model
from tests.stub_server import running

SCHEMA = "\n".join(
    f"CREATE TABLE table_{number} (id INTEGER PRIMARY KEY, name TEXT, price REAL);" for number in range(60)
)


def request(number: int) -> Request:
    """A question of its own behind a schema of about 4 KB that 40 questions share."""
    schema = f"-- database {number // 40}\n{SCHEMA}"
    return Request((Message("system", schema), Message("user", f"Question {number}")), temperature=0.2, seed=0)


def measure(calls: int, in_flight: int, latency: float) -> str:
    """Make the calls and tell what was reached."""
    with tempfile.TemporaryDirectory() as folder, running("--latency", str(latency), "--quiet") as stub:
        model = open_model("stub", [stub.url], Path(folder), in_flight=in_flight)
        with ThreadPoolExecutor(in_flight) as pool:
            start, cpu = time.perf_counter(), time.process_time()
            replies = list(
                pool.map(lambda number: model.reply(request(number), affinity=str(number // 40)), range(calls))
            )
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            again = time.perf_counter()
            cached = sum(reply.cached for reply in pool.map(lambda number: model.reply(request(number)), range(calls)))
            again = time.perf_counter() - again
        stored = sum(len(Replies(path)) for path in Path(folder).glob("replies/*"))
        assert (len(replies), stored, cached) == (calls, calls, calls)
        most = stub.state()["most"]
    full = calls * latency / in_flight
    return (
        f"{calls} calls, {in_flight} in flight (most seen {most}), {latency} s each: {calls / seconds:.1f} calls/s, "
        f"{full / seconds:.1%} of what is possible, {1000 * cpu / calls:.2f} ms of CPU a call; "
        f"from the cache: {calls / again:.0f} calls/s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--latency", type=float, default=1.0)
    given = parser.parse_args()
    print(measure(given.calls, given.in_flight, given.latency))
