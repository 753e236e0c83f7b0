"""Generate: ask a model for the query of every question of a shard, over what a linker kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from schemas.catalog import Catalog
from schemas.errors import Failure, UserError
from schemas.records import Linking, Note, Query, Question
from schemas.tools import Message, Remark, Request
from storage import benchmarks, parquet
from tasks import plugins
from tasks.crowd import ask_all
from tasks.toolbox import Metered, Toolbox

LINKED = ("ok", "fallback")
PROMPTED = ("join", "layout", "patterns")


@dataclass(frozen=True)
class Generator:
    """How a query is asked for: the catalog's layout, its example values, join conditions, and sampling.

    A ``style`` that a catalog's language has not means the first that it has.
    """

    style: str = "ddl"
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
    notes: dict[str, list[Note]] = {}
    for note in parquet.read(job.notes, Note):
        if note.kind in PROMPTED:
            notes.setdefault(note.question, []).append(note)

    def ask(linking: Linking) -> Query:
        metered = job.toolbox.open(linking.database, linking.repetition)
        question = questions[linking.question]
        return generate(question, linking, notes.get(linking.question, []), job, metered)

    queries = ask_all(ask, parquet.read(job.linkings, Linking), job.toolbox)
    return parquet.write(job.queries, Query, queries)


def generate(question: Question, linking: Linking, notes: list[Note], job: GenerateJob, metered: Metered) -> Query:
    """Ask for one question's query; whatever goes wrong becomes a status and a reason."""
    key = (linking.benchmark, linking.database, linking.question, linking.linker, job.generator.label)
    query = Query(*key, repetition=linking.repetition)
    if linking.status not in LINKED:
        return replace(query, status=linking.status, reason=f"not linked: {linking.reason}")
    try:
        query = replace(query, query=_ask(question, linking, notes, job, metered))
    except Failure as failure:
        query = replace(query, status=failure.status, reason=failure.reason)
    except UserError:
        raise
    except Exception as error:
        query = replace(query, status="generator_error", reason=f"{type(error).__name__}: {error}")
    return replace(query, seconds=metered.seconds(), **metered.usage())


def shown(catalog: Catalog, linking: Linking, notes: Sequence[Note | Remark]) -> Catalog:
    """What a linker kept of a catalog, as the linker wants it shown.

    Linkers say in notes what their kept elements do not: ``layout`` base leaves values out, ``patterns`` names those of
    a graph that are meant.
    """
    kept = catalog.keep(linking.kept)
    told = {note.kind: note.value for note in notes}
    if told.get("layout") == "base":
        kept = kept.without_values()
    if "patterns" in told:
        meant = set(json.loads(told["patterns"]))
        kept = replace(kept, relations=tuple(relation for relation in kept.relations if str(relation) in meant))
    return kept


def render(catalog: Catalog, style: str, examples: int | None = None) -> str:
    """A catalog as text in a style of its language; one that its language has not means the first that it has."""
    language = plugins.language(catalog.dialect)
    chosen = style if style in language.STYLES else language.STYLES[0]
    options = {} if examples is None else {"examples": examples}
    text: str = language.render(catalog, style=chosen, **options)
    return text


def prompt(
    question: Question, catalog: Catalog, linking: Linking, notes: Sequence[Note | Remark], generator: Generator
) -> tuple[Message, ...]:
    """What a model is asked for one question over the linked catalog, with its join conditions if they are noted."""
    schema = render(shown(catalog, linking, notes), generator.style, generator.examples)
    joins = [note.value for note in notes if note.kind == "join"] if generator.joins else []
    messages: tuple[Message, ...] = plugins.language(catalog.dialect).messages(question, catalog, schema, joins)
    return messages


def _ask(question: Question, linking: Linking, notes: list[Note], job: GenerateJob, metered: Metered) -> str:
    """The cleaned query that the model answers."""
    catalog = benchmarks.catalog(job.benchmark, linking.database)
    request = Request(
        messages=prompt(question, catalog, linking, notes, job.generator),
        temperature=job.generator.temperature,
        max_tokens=job.generator.max_tokens,
    )
    choice = metered.tools.need_model().reply(request).choices[0]
    statement: str = plugins.language(catalog.dialect).clean(choice.text)
    if choice.finish_reason == "length":
        raise Failure("truncated", f"the answer was cut at {request.max_tokens} tokens")
    if not statement:
        raise Failure("empty", f"no statement in the answer {choice.text[:80]!r}")
    return statement
