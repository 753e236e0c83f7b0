"""How fast the results answer: ten million scores in one run and in many, and the views over thousands of runs.

Run: python -m tests.benchmarks.warehouse [--scores 10000000] [--runs 2000] [--times 5] [--storage FOLDER]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from flows.reports import boards
from flows.runs import read_runs
from schemas.arrow import arrow_schema
from schemas.records import Linking, Score
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from storage.runs import GROUP
from storage.warehouse import connect, named

DATABASES = 11
QUESTIONS = 1534
LINKED = ("exact_match", "f1", "f6", "gold", "hits", "kept", "precision", "recall", "strict_recall")
WRITTEN = ("both_empty", "ex_bag", "ex_bag_unordered_columns", "ex_bird", "ex_ordered", "ex_test_suite")
COUNTED = ("execution_match", "google_bleu", "google_bleu_matches", "google_bleu_total", "unstable")
METRICS = {"entity": LINKED, "field": LINKED, "query": (*WRITTEN, *COUNTED)}
LEVELS = [(level, metric) for level, metrics in METRICS.items() for metric in metrics]
ASKED = QUESTIONS * len(LEVELS)


def texts(values: list[str], codes: "np.ndarray[tuple[int], np.dtype[np.int32]]") -> pa.Array:
    """A column of texts from their numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values)).cast(pa.string())


def scores(linker: str, repetition: int, chance: np.random.Generator) -> pa.Table:
    """Every score of one linker and repetition on a benchmark of the size of BIRD's."""
    asked = np.repeat(np.arange(QUESTIONS, dtype=np.int32), len(LEVELS))
    measured = np.tile(np.arange(len(LEVELS), dtype=np.int32), QUESTIONS)
    values = chance.random(ASKED).round(3)
    columns = {
        "benchmark": texts(["bird"], np.zeros(ASKED, np.int32)),
        "database": texts([f"database_{at:02d}" for at in range(DATABASES)], asked * DATABASES // QUESTIONS),
        "question": texts([f"bird-{at}" for at in range(QUESTIONS)], asked),
        "linker": texts([linker], np.zeros(ASKED, np.int32)),
        "repetition": pa.array(np.full(ASKED, repetition)),
        "level": texts([level for level, _ in LEVELS], measured),
        "metric": texts([metric for _, metric in LEVELS], measured),
        "value": pa.array(values, mask=values > 0.98),
    }
    return pa.table(columns, schema=arrow_schema(Score))


def linkings(linker: str, repetitions: int) -> Iterator[Linking]:
    """The linkings that belong to the scores, with nothing kept."""
    for repetition in range(repetitions):
        for at in range(QUESTIONS):
            yield Linking("bird", f"database_{at * DATABASES // QUESTIONS:02d}", f"bird-{at}", linker, repetition)


def write_finished(
    store: Store, name: str, made: pa.Table, asked: Iterable[Linking], linkers: Sequence[str], repetitions: int
) -> None:
    """Write one finished run, as compaction leaves it."""
    run = store.run(name)
    parquet.write_table(run / "scores.parquet", made, group=GROUP)
    parquet.write(run / "linkings.parquet", Linking, asked, group=GROUP)
    configuration = {"benchmarks": {"bird": "0" * 16}, "linkers": list(linkers), "repetitions": repetitions}
    facts = {"status": "done", "created": "2026-01-01T00:00:00+00:00", "finished": "2026-01-01T01:00:00+00:00"}
    write_json(run / "run.json", {"name": name, "hash": name, "configuration": configuration, **facts})


def write_run(store: Store, name: str, linkers: Sequence[str], repetitions: int) -> None:
    """Write one finished run of the whole benchmark."""
    chance = np.random.default_rng(int.from_bytes(name.encode()[-7:]))
    made = pa.concat_tables(scores(linker, each, chance) for linker in linkers for each in range(repetitions))
    asked = (each for linker in linkers for each in linkings(linker, repetitions))
    write_finished(store, name, made.combine_chunks(), asked, linkers, repetitions)


def small_run(store: Store, name: str) -> None:
    """Write one finished run of a hundred questions."""
    linker = f"schemagraphsql(k={name[-4:]})"
    made = scores(linker, 0, np.random.default_rng(int(name[-4:])))[: 100 * len(LEVELS)]
    write_finished(store, name, made, list(linkings(linker, 1))[:100], [linker], 1)


def measured(what: str, action: Callable[[], object], times: int) -> None:
    """Print the median and the range of the seconds that an action takes, and of processors; the first is left out.

    On a machine with other work the processors' seconds, over the cores that are free, tell what it would take alone.
    """
    action()
    seconds, processors = [], []
    for _ in range(times):
        start, used = time.perf_counter(), sum(os.times()[:4])
        action()
        seconds.append(time.perf_counter() - start)
        processors.append(sum(os.times()[:4]) - used)
    spread = f"({min(seconds):.2f}–{max(seconds):.2f})"
    median = f"{statistics.median(seconds):6.2f} s {spread:>13}"
    print(f"{what:<58} {median}   processors {statistics.median(processors):5.2f} s", flush=True)


def command(store: Store, *words: str) -> None:
    """Run one command of the product in a process of its own."""
    done = [sys.executable, "-m", "flows", words[0], "--storage", str(store.root), *words[1:]]
    subprocess.run(done, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def peak(store: Store, target: Path) -> str:
    """Write all scores to a file in a process of its own, and tell the most memory that it had."""
    code = "import sys; from flows.__main__ import main; assert main(sys.argv[1:]) == 0; "
    code += "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    words = ["query", "SELECT * FROM scores", "--to", str(target), "--storage", str(store.root)]
    done = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True)
    return (
        f"{target.suffix}: {target.stat().st_size / 1e6:,.0f} MB written, {int(done.stdout) / 1000:,.0f} MB of memory"
    )


def main() -> None:
    """Make what is missing of the data, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scores", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--storage", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        benchmark(given.storage or Path(folder), given.scores, given.runs, given.times)


def benchmark(root: Path, wanted: int, runs: int, times: int) -> None:
    """Measure one large run, the same scores in many runs, and thousands of small runs."""
    one, many, small = (Store(root / name) for name in ("one", "many", "small"))
    parts = max(1, round(wanted / ASKED))
    labels = [f"schemagraphsql(endpoints=llm,k={at})" for at in range(max(1, parts // 5))]
    if not one.runs():
        write_run(one, "large", labels, 5)
    for at in range(0 if many.runs() else parts):
        write_run(many, f"run-{at:04d}", [labels[at % len(labels)]], 1)
    for at in range(0 if small.runs() else runs):
        small_run(small, f"run-{at:04d}")
    for name, store in (("one run", one), (f"{parts} runs", many)):
        measured(f"leaderboard of {name}, three levels", lambda s=store: boards(s, []), times)
        measured("  as a command", lambda s=store: command(s, "leaderboard"), times)
    measured(f"leaderboard of one of {runs} runs", lambda: boards(small, ["run-0001"]), times)
    measured("  as a command", lambda: command(small, "leaderboard", "run-0001"), times)
    measured(f"list of {runs} runs", lambda: read_runs(small), times)
    measured("  as a command", lambda: command(small, "runs", "list", "--format", "csv"), times)
    means = "SELECT run, avg(value) FROM scores"
    for sql in (f"{means} WHERE run = 'run-0001' GROUP BY ALL", f"{means} GROUP BY ALL"):
        measured(sql, lambda q=sql: connect(small, views=named(q)).execute(q).fetchall(), times)
        measured("  as a command", lambda q=sql: command(small, "query", q), times)
    for ending in ("parquet", "csv"):
        print(peak(one, root / f"answer.{ending}"), flush=True)


if __name__ == "__main__":
    main()
