"""Score: judge what was kept, and what was executed, question by question."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import get_args

from schemas.answers import Linked, Written
from schemas.catalog import Element
from schemas.records import Execution, Level, Linking, Query, Question, Score
from storage import benchmarks, parquet
from tasks import plugins

DEPTH = {"none": 0, "entity": 1, "field": 2}


@dataclass(frozen=True)
class ScoreJob:
    """One shard's questions, linkings, executions and queries (if any), where their scores go, the benchmark.

    Where the benchmark counts the shards of a table as one, gold and kept are scored by family.
    """

    shard: Path
    linkings: Path
    executions: Path | None
    scores: Path
    benchmark: Path
    queries: Path | None = None


@cache
def linking_metrics() -> Mapping[str, ModuleType]:
    """The metrics that judge a linking, by name."""
    modules = {name: plugins.load("metrics", name) for name in plugins.names("metrics")}
    return {name: module for name, module in modules.items() if module.ANSWER is Linked}


def score_shard(job: ScoreJob) -> Path:
    """Score a shard's linkings at every level at which their gold is known."""
    questions = {question.id: question for question in parquet.read(job.shard, Question)}
    linkings = parquet.read(job.linkings, Linking)
    first = benchmarks.representatives(job.benchmark, linkings[0].database) if linkings else {}
    scores = [score for linking in linkings for score in score_linking(questions[linking.question], linking, first)]
    executions = parquet.read(job.executions, Execution) if job.executions else []
    scores += [score for execution in executions for score in score_execution(execution)]
    queries = parquet.read(job.queries, Query) if job.queries else []
    scores += score_queries(job.benchmark, questions, queries)
    return parquet.write(job.scores, Score, scores)


def score_linking(
    question: Question, linking: Linking, representatives: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Score]:
    """Every linking metric of one question; a failed linking kept nothing, an unknown gold judges nothing.

    Questions without a usable gold (none, excluded, unreadable) have no rows. An entity that has a representative is
    judged as if it were that one, in the gold and in what was kept.
    """
    for depth, level in enumerate(get_args(Level), start=1):
        if question.gold_status != "ok" or DEPTH[question.gold_level] < depth:
            continue
        kept = frozenset(element for element in linking.kept if bool(element.field) == (level == "field"))
        answer = Linked(*(_represented(each, representatives) for each in (question.gold_elements(level), kept)))
        for name, metric in linking_metrics().items():
            yield _score(linking, level, name, metric.score(answer))


def _score(row: Linking | Execution | Query, level: str, metric: str, value: float | None) -> Score:
    return Score(row.benchmark, row.database, row.question, row.linker, row.repetition, level, metric, value)


def _represented(elements: frozenset[Element], representatives: Mapping[str, str]) -> frozenset[Element]:
    if not representatives:
        return elements
    return frozenset(Element(representatives.get(each.entity, each.entity), each.field) for each in elements)


def score_execution(execution: Execution) -> Iterator[Score]:
    """The verdicts of one executed query as scores of the level ``query``."""
    for verdict in execution.verdicts:
        yield _score(execution, "query", verdict.metric, verdict.value)


def score_queries(benchmark: Path, questions: Mapping[str, Question], queries: Iterable[Query]) -> Iterator[Score]:
    """What metrics of text make of generated queries beside the gold ones; a query that failed is empty.

    Questions without a gold query, and excluded ones, have no rows.
    """
    for query in queries:
        question = questions[query.question]
        if not question.gold_query.strip() or question.gold_status == "excluded":
            continue
        language = "cypher" if benchmarks.catalog(benchmark, query.database).dialect == "cypher" else "sql"
        answer = Written(question.gold_query, query.query if query.status == "ok" else "")
        for name, metric in plugins.metrics(Written, language).items():
            yield _score(query, "query", name, metric.score(answer))
