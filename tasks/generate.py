"""Generate: ask a model for the query of every question of a shard, over what a linker kept."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal

from schemas.errors import Failure, UserError
from schemas.records import Linking, Note, Query, Question
from schemas.tools import Request
from storage import benchmarks, parquet
from tasks import plugins
from tasks.link import THREADS
from tasks.toolbox import Metered, Toolbox

LINKED = ("ok", "fallback")


@dataclass(frozen=True)
class Generator:
    """How a query is asked for: the catalog's layout, its example values, join conditions, and sampling."""

    style: Literal["ddl", "compact"] = "ddl"
    examples: int = 2
    joins: bool = True
    temperature: float = 0.0
    max_tokens: int = 512

    @property
    def label(self) -> str:
        """The layout, and what differs from the defaults.

        >>> Generator(style="compact", examples=0).label
        'compact(examples=0)'
        """
        changed = [field for field in fields(self)[1:] if getattr(self, field.name) != field.default]
        shown = ", ".join(f"{field.name}={getattr(self, field.name)}" for field in changed)
        return f"{self.style}({shown})" if shown else self.style


@dataclass(frozen=True)
class GenerateJob:
    """One shard's questions and linkings, how to ask, and where the queries go."""

    shard: Path
    benchmark: Path
    linkings: Path
    notes: Path
    generator: Generator
    toolbox: Toolbox
    queries: Path


def generate_shard(job: GenerateJob) -> Path:
    """Ask for every question's query and write them; a question that was not linked is not asked."""
    questions = {question.id: question for question in parquet.read(job.shard, Question)}
    joins: dict[str, list[str]] = {}
    for note in parquet.read(job.notes, Note):
        if note.kind == "join" and job.generator.joins:
            joins.setdefault(note.question, []).append(note.value)

    def ask(linking: Linking) -> Query:
        metered = job.toolbox.open(linking.database, linking.repetition)
        question = questions[linking.question]
        return generate(question, linking, joins.get(linking.question, []), job, metered)

    with ThreadPoolExecutor(THREADS, thread_name_prefix="query") as pool:
        queries = list(pool.map(ask, parquet.read(job.linkings, Linking)))
    return parquet.write(job.queries, Query, queries)


def generate(question: Question, linking: Linking, joins: list[str], job: GenerateJob, metered: Metered) -> Query:
    """Ask for one question's query; whatever goes wrong becomes a status and a reason."""
    start = time.perf_counter()
    key = (linking.benchmark, linking.database, linking.question, linking.linker, job.generator.label)
    query = Query(*key, repetition=linking.repetition)
    if linking.status not in LINKED:
        return replace(query, status=linking.status, reason=f"not linked: {linking.reason}")
    try:
        query = replace(query, query=_ask(question, linking, joins, job, metered))
    except Failure as failure:
        query = replace(query, status=failure.status, reason=failure.reason)
    except UserError:
        raise
    except Exception as error:
        query = replace(query, status="generator_error", reason=f"{type(error).__name__}: {error}")
    took = time.perf_counter() - start - metered.waited
    return replace(query, seconds=max(0.0, took), **metered.usage())


def _ask(question: Question, linking: Linking, joins: list[str], job: GenerateJob, metered: Metered) -> str:
    """The cleaned query that the model answers."""
    catalog = benchmarks.catalog(job.benchmark, linking.database).keep(linking.kept)
    language = plugins.language(catalog.dialect)
    schema = language.render(catalog, style=job.generator.style, examples=job.generator.examples)
    request = Request(
        messages=language.messages(question, catalog, schema, joins),
        temperature=job.generator.temperature,
        max_tokens=job.generator.max_tokens,
    )
    choice = metered.tools.need_model().reply(request).choices[0]
    statement: str = language.clean(choice.text)
    if choice.finish_reason == "length":
        raise Failure("truncated", f"the answer was cut at {request.max_tokens} tokens")
    if not statement:
        raise Failure("empty", f"no statement in the answer {choice.text[:80]!r}")
    return statement
