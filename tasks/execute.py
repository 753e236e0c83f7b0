"""Execute: run one shard's generated queries in workers, judge them by their gold queries, and keep what came of each.

Per-query metrics are verdicts inside an execution: rows never leave the worker that fetched them.
"""

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TypeVar

from schemas.errors import Failure, UserError
from schemas.records import Execution, Query, Question, Verdict
from storage import benchmarks, parquet
from storage.databases import dialect, fingerprint, located, prepare
from storage.engines.limits import Limits
from storage.gold import Gold, fetch_gold, gold_file, read_gold, share_gold
from storage.workers import MARGIN, Pool
from tasks.judge import (
    Judged,
    Trial,
    execution_metrics,
    judge,
    keep_failed_gold,
    ordered,
    rewritten,
    run_gold,
    warm_up,
)

T = TypeVar("T")
U = TypeVar("U")
LIMITS = Limits(seconds=30.0, rows=1_000_000, size=256 << 20)


@dataclass(frozen=True)
class ExecuteJob:
    """A shard's questions and queries, the benchmark's folder, where executions go; 0 ``workers`` are one a core.

    ``graphs`` runs graphs elsewhere than in the default engine: see ``storage.databases.located``.
    """

    shard: Path
    benchmark: Path
    queries: Path
    executions: Path
    seconds: float = LIMITS.seconds
    workers: int = 0
    graphs: str = ""


def execute_shard(job: ExecuteJob) -> Path:
    """Execute a shard's queries and write one Execution each, in their order, with every metric's verdict."""
    queries = parquet.read(job.queries, Query)
    questions = {question.id: question for question in parquet.read(job.shard, Question)}
    if strange := {query.question for query in queries} - set(questions):
        raise UserError(f"{job.queries}: question {min(strange)!r} is not in {job.shard}; generate the queries again")
    bench = Bench(job.benchmark, shared_pool(job.workers), replace(LIMITS, seconds=job.seconds), job.graphs)
    return parquet.write(job.executions, Execution, bench.execute(queries, questions))


_pools: dict[int, Pool] = {}
_pools_lock = Lock()


def shared_pool(workers: int = 0) -> Pool:
    """The workers of this process, started once and ended with it, for all shards that run at the same time."""
    with _pools_lock:
        if workers not in _pools:
            _pools[workers] = Pool(workers, warm_up=warm_up)
            atexit.register(_pools[workers].close)
        return _pools[workers]


def _prepared(address: str) -> str:
    """A database's fingerprint, once what takes longer than a query's limit is done."""
    prepare(address)
    return fingerprint(address)


@dataclass(frozen=True, slots=True)
class Standard:
    """What one metric judges by: the gold query as it wants it run, where its result lies, whether order counts."""

    query: str
    file: Path
    ordered: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """A question's database and its gold, one standard a metric; under the empty name, the gold query as it is."""

    status: str
    address: str
    language: str
    standards: Mapping[str, Standard]


class Bench:
    """A benchmark's databases and gold results, and the workers that run queries on them."""

    def __init__(self, folder: Path, pool: Pool, limits: Limits, graphs: str = "") -> None:
        self.folder = folder
        self.pool = pool
        self.limits = limits
        self.graphs = graphs
        self.addresses: Mapping[str, str] = benchmarks.description(folder)["databases"]
        self.fingerprint = cache(_prepared)
        self.golds: dict[Path, Gold] = {}

    def execute(self, queries: Sequence[Query], questions: Mapping[str, Question]) -> Iterator[Execution]:
        """Run what is missing of the gold queries, then every distinct query, and put the executions together."""
        references = {name: self.reference(questions[name]) for name in dict.fromkeys(q.question for q in queries)}
        self.run_golds(references.values())
        trials = [self._trials(query, references[query.question]) for query in queries]
        distinct = list(dict.fromkeys(trial for some in trials for trial in some.values()))
        outcomes = dict(zip(distinct, self._each(self._try, distinct), strict=True))
        for query, some in zip(queries, trials, strict=True):
            yield self._execution(query, references[query.question], {name: outcomes[some[name]] for name in some})

    def reference(self, question: Question) -> Reference:
        """Where a question's gold results lie, or why it has none."""
        address = located(self.addresses.get(question.database, ""), question.database, self.graphs)
        status = "ok" if address else "no_database"
        if question.gold_status == "excluded" or not question.gold_query.strip():
            status = "excluded" if question.gold_status == "excluded" else "none"
        standards = {}
        language = dialect(address or next(iter(self.addresses.values()), ""))
        for metric in ("", *execution_metrics(language)) if status == "ok" else ():
            query = rewritten(metric, question.gold_query)
            file = gold_file(self.folder, question.database, self.fingerprint(address), query)
            standards[metric] = Standard(query, file, ordered(metric, query, language))
        return Reference(status, address, language, standards)

    def run_golds(self, references: Iterable[Reference]) -> None:
        """Have every gold result at hand: from the disk, or run now and kept there."""
        wanted = {
            standard.file: (reference.address, standard.query)
            for reference in references
            for standard in reference.standards.values()
        }
        self.golds.update(zip(wanted, self._each(self._gold, wanted.items()), strict=True))

    def _each(self, function: Callable[[T], U], items: Iterable[T]) -> list[U]:
        with ThreadPoolExecutor(2 * self.pool.size, thread_name_prefix="query") as threads:
            return list(threads.map(function, items))

    def _gold(self, wanted: tuple[Path, tuple[str, str]]) -> Gold:
        file, (address, query) = wanted
        fetch_gold(self.folder, file)
        held = read_gold(file)
        if held is not None and held.holds(self.limits):
            return held
        try:
            held = self.pool.call(self.limits.seconds + MARGIN, run_gold, address, self.limits, query, file)
        except Failure as failure:
            held = keep_failed_gold(file, self.limits, failure)
        share_gold(self.folder, file)
        return held

    def _trials(self, query: Query, reference: Reference) -> dict[str, Trial]:
        """What to run for each metric; the same text runs once for all metrics that want it."""
        if query.status != "ok" or not reference.address:
            return {}
        texts = {name: rewritten(name, query.query) for name in reference.standards or ("",)}
        usable = {
            metric: standard
            for metric, standard in reference.standards.items()
            if metric and self.golds[standard.file].status == "ok"
        }
        golds = {
            text: tuple((name, gold.file, gold.ordered) for name, gold in usable.items() if texts[name] == text)
            for text in texts.values()
        }
        return {name: Trial(reference.address, text, golds[text]) for name, text in texts.items()}

    def _try(self, trial: Trial) -> Judged | Failure:
        try:
            return self.pool.call(self.limits.seconds + MARGIN, judge, trial, self.limits)
        except Failure as failure:
            return failure

    def _execution(self, query: Query, reference: Reference, outcomes: Mapping[str, Judged | Failure]) -> Execution:
        plain = self.golds[reference.standards[""].file] if reference.standards else Gold(reference.status)
        verdicts = []
        for metric in execution_metrics(reference.language):
            standard, outcome = reference.standards.get(metric), outcomes.get(metric)
            value = outcome.values[metric] if isinstance(outcome, Judged) and metric in outcome.values else 0.0
            judged = plain.status == "ok" and standard is not None and self.golds[standard.file].status == "ok"
            judged = judged and not (isinstance(outcome, Failure) and outcome.status == "unsupported")
            verdicts.append(Verdict(metric, value if judged else None))
        execution = Execution(
            query.benchmark,
            query.database,
            query.question,
            query.linker,
            query.generator,
            query.repetition,
            gold_status=plain.status,
            gold_rows=plain.rows,
            verdicts=tuple(verdicts),
        )
        answer = outcomes.get("", Failure(query.status, query.reason))
        if isinstance(answer, Judged):
            return replace(
                execution, rows=answer.rows, digest=answer.digest, seconds=answer.seconds, engine=answer.engine
            )
        if query.status == "ok" and not reference.address:
            answer = Failure("no_database", f"{query.database} has no file at hand")
        return replace(execution, status=answer.status, reason=answer.reason)
