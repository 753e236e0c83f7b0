"""What the flow itself costs, and how full it keeps a server; both on a made benchmark, through a real Prefect server.

Run: python -m tests.benchmarks.pipeline orchestration [--questions 1534] [--databases 11] [--times 3]
     python -m tests.benchmarks.pipeline server [--questions 4000] [--databases 20] [--in-flight 256] [--latency 1.0]
       [--replicas 1] [--runner dask --workers 2]
"""

import argparse
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from flows.plan import Plan, make_plan
from flows.runners import Runner
from flows.server import prefect_server
from schemas.catalog import Catalog
from schemas.records import Linking, Question
from storage import parquet
from storage.files import write_json
from storage.runs import compact
from tasks.link import link_shard
from tasks.score import score_shard
from tasks.shard import Selection
from tasks.toolbox import Toolbox
from tests.conftest import asked, shop
from tests.stub_server import Stub, running

LINKERS = ("full", "random", "exact_match", "schemagraphsql(endpoints=oracle)")


def made(storage: Path, questions: int, databases: int) -> None:
    """Ingest a benchmark of so many questions over so many databases."""
    folder = storage / "benchmarks" / "tiny"
    names = [f"database_{at:02d}" for at in range(databases)]
    asks = [asked(names[at % databases], at) for at in range(questions)]
    parquet.write(folder / "catalogs.parquet", Catalog, [shop(name) for name in names])
    parquet.write(folder / "questions.parquet", Question, asks)
    write_json(folder / "benchmark.json", {"name": "tiny", "plugin": "own", "part": "all", "files": {"x": "0"}})


def planned(toolbox: Toolbox, run: str, linkers: Sequence[str]) -> Plan:
    """A plan whose run has been begun."""
    plan = make_plan(
        storage=toolbox.storage,
        run=run,
        names=["tiny"],
        linkers=linkers,
        selection=Selection(),
        repetitions=1,
        toolbox=toolbox,
    )
    plan.begin(retry=False)
    return plan


def orchestration(storage: Path, times: int) -> str:
    """The flow's wall time without linking and scoring: what Prefect and the pipeline add."""
    from flows.pipeline import evaluate

    added = []
    for at in range(times):
        plan = planned(Toolbox(storage), f"flow-{at}", LINKERS)
        start = time.perf_counter()
        assert evaluate(plan, plan.missing(), Runner(workers=4)).failures == ()
        compact(plan.run)
        flow = time.perf_counter() - start
        alone = planned(Toolbox(storage), f"alone-{at}", LINKERS)
        start = time.perf_counter()
        for cell in alone.cells:
            link_shard(cell.link)
            score_shard(cell.score)
        added.append((flow, time.perf_counter() - start))
        shutil.rmtree(plan.run)
    flow, work = (statistics.median(values) for values in zip(*added, strict=True))
    return f"{len(plan.cells)} shards: flow {flow:.2f} s, linking and scoring {work:.2f} s, added {flow - work:.2f} s"


def server(storage: Path, toolbox: Toolbox, stubs: Sequence[Stub], runner: Runner, latency: float) -> str:
    """Calls a second through the whole pipeline, replies written, against stubs that answer after their latency."""
    from flows.pipeline import evaluate

    plan = planned(toolbox, "server", ["schemagraphsql"])
    questions = sum(part.questions for part, _ in plan.shards)
    watched: list[tuple[float, list[int], list[int]]] = []
    done = threading.Event()
    watcher = threading.Thread(target=watch, args=(stubs, watched, done))
    watcher.start()
    start, cpu = time.perf_counter(), time.process_time()
    try:
        outcome = evaluate(plan, plan.missing(), runner)
    finally:
        done.set()
        watcher.join()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    assert outcome.failures == ()
    compact(plan.run)
    linked = parquet.read(plan.run / "linkings.parquet", Linking)
    assert sum(linking.calls for linking in linked) == questions
    assert {linking.status for linking in linked} == {"ok"}
    begun = max((at for at, calls, _ in watched if sum(calls) == 0), default=start)
    ended, answered = next((at, sum(calls)) for at, calls, _ in watched if sum(calls) >= 0.95 * questions)
    rate = answered / (ended - begun)
    busy = [active for _, calls, active in watched if 0.1 * questions < sum(calls) < 0.8 * questions]
    full = [sum(each) / len(busy) * len(stubs) / toolbox.in_flight for each in zip(*busy, strict=True)]
    return (
        f"{rate:.1f} calls/s sustained, {rate * latency / toolbox.in_flight:.1%} of what is possible; each replica "
        f"{', '.join(f'{share:.1%}' for share in full)} full while a tenth to four fifths were answered; "
        f"{questions / seconds:.1f} calls/s over the whole flow of "
        f"{seconds:.1f} s; latency {latency} s, {1000 * cpu / questions:.2f} ms of this process's CPU a question"
    )


def watch(stubs: Sequence[Stub], seen: list[tuple[float, list[int], list[int]]], done: threading.Event) -> None:
    """Look four times a second at how many calls every stub has answered, and how many it has under way."""
    while True:
        states = [stub.state() for stub in stubs]
        active = [state["active"] for state in states]
        answered = [sum(state["counts"].values()) - state["active"] for state in states]
        seen.append((time.perf_counter(), answered, active))
        if done.wait(0.25):
            return


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["orchestration", "server"])
    parser.add_argument("--questions", type=int)
    parser.add_argument("--databases", type=int)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--runner", default="threads")
    parser.add_argument("--workers", type=int, default=0)
    given = parser.parse_args()
    asks = given.questions or {"orchestration": 1534, "server": 4000}[given.what]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        made(place, asks, given.databases or {"orchestration": 11, "server": 20}[given.what])
        with prefect_server(place):
            if given.what == "orchestration":
                print(orchestration(place, given.times))
            else:
                with ExitStack() as stack:
                    options = ("--latency", str(given.latency), "--quiet", "--text", "src=customer, dst=line")
                    stubs = [stack.enter_context(running(*options)) for _ in range(given.replicas)]
                    urls = tuple(stub.url for stub in stubs)
                    toolbox = Toolbox(place, endpoints=urls, in_flight=given.in_flight)
                    runner = Runner(given.runner, workers=given.workers)
                    print(server(place, toolbox, stubs, runner, given.latency))
