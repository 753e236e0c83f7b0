"""Wall time of executing the published Spider predictions; run with: python -m tests.benchmarks.execution.

The official test-suite script takes about 7 s a file on one core. Ours counts the start of its workers, and with
``cold`` the gold queries as well.
"""

import argparse
import resource
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from schemas.records import Execution, Question
from storage import parquet
from storage.workers import Pool
from tasks.execute import LIMITS, Bench
from tasks.judge import warm_up
from tests.execution import PREDICTIONS, predicted, spider


def used() -> float:
    """The processor time of this process and of its ended workers until now."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def seconds(folder: Path, name: str, workers: int) -> tuple[float, float]:
    """The wall and the processor time of one file from start of the workers to written Parquet."""
    questions = parquet.read(folder / "questions.parquet", Question)
    queries = predicted(name, questions)
    start, before = time.perf_counter(), used()
    with Pool(workers, warm_up=warm_up) as pool:
        bench = Bench(folder, pool, LIMITS)
        by_id = {question.id: question for question in questions}
        parquet.write(folder / "executions.parquet", Execution, bench.execute(queries, by_id))
    return time.perf_counter() - start, used() - before


def main() -> None:
    """Print the median and the range of some runs for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = spider(Path(temporary))
        print(f"{arguments.runs} runs, {arguments.workers} workers, 972 questions; seconds: median (lowest to highest)")
        for name in PREDICTIONS:
            for kind in ("cold", "warm"):
                took = []
                for _ in range(arguments.runs):
                    if kind == "cold":
                        shutil.rmtree(folder / "gold", ignore_errors=True)
                    took.append(seconds(folder, name, arguments.workers))
                walls, processor = zip(*took, strict=True)
                figures = f"{statistics.median(walls):5.2f} ({min(walls):.2f} to {max(walls):.2f})"
                print(f"{name:15} {kind}  {figures}, processor {statistics.median(processor):.2f}", flush=True)


if __name__ == "__main__":
    main()
