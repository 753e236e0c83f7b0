"""Link: ask one linker about the questions of one shard, and keep what it kept, noted and took."""

from dataclasses import dataclass
from pathlib import Path

from schemas.catalog import Catalog
from schemas.errors import Failure, UserError
from schemas.records import Linking, Note, Question
from storage import benchmarks, parquet
from tasks.crowd import ask_all
from tasks.evidence import open_evidence
from tasks.labels import Link, linker, needs
from tasks.toolbox import Metered, Toolbox


@dataclass(frozen=True)
class LinkJob:
    """One linker, one shard: paths, options and where the results go; it travels to any worker."""

    shard: Path
    benchmark: Path
    linker: str
    repetition: int
    toolbox: Toolbox
    linkings: Path
    notes: Path


def link_shard(job: LinkJob) -> Path:
    """Link a shard's questions and write its notes, then its linkings; the latter file says that it is done."""
    questions = parquet.read(job.shard, Question)
    link = linker(job.linker)
    database = questions[0].database
    catalog = benchmarks.catalog(job.benchmark, database)
    evidence = open_evidence(catalog, benchmarks.address(job.benchmark, database), job.benchmark)

    def ask(question: Question) -> tuple[Linking, list[Note]]:
        metered = job.toolbox.open(question.database, job.repetition, question.text)
        metered.tools.evidence = evidence
        return link_question(question, catalog, link, job.linker, metered)

    if job.toolbox.has_model and "model" in needs(job.linker):
        answers = ask_all(ask, questions, job.toolbox)
    else:
        answers = [ask(question) for question in questions]
    parquet.write(job.notes, Note, [note for _, notes in answers for note in notes])
    return parquet.write(job.linkings, Linking, [linking for linking, _ in answers])


def link_question(
    question: Question, catalog: Catalog, link: Link, label: str, metered: Metered
) -> tuple[Linking, list[Note]]:
    """Link one question; whatever goes wrong becomes a status and a reason, and nothing is kept."""
    status, reason, kept = "ok", "", Catalog(catalog.database)
    try:
        kept = link(question, catalog, metered.tools)
    except Failure as failure:
        status, reason = failure.status, failure.reason
    except UserError:
        raise
    except Exception as error:
        status, reason = "linker_error", f"{type(error).__name__}: {error}"
    seconds = metered.seconds()
    if status == "ok" and any(note.kind == "fallback" for note in metered.tools.notes):
        status = "fallback"
    linking = Linking(
        benchmark=question.benchmark,
        database=question.database,
        question=question.id,
        linker=label,
        repetition=metered.repetition,
        status=status,
        reason=reason,
        kept=tuple(sorted(kept.elements)),
        seconds=seconds,
        **metered.usage(),
    )
    return linking, _notes(linking, metered)


def _notes(linking: Linking, metered: Metered) -> list[Note]:
    """The linker's remarks as rows, in the order in which they were made."""
    return [
        Note(
            linking.benchmark,
            linking.database,
            linking.question,
            linking.linker,
            linking.repetition,
            position,
            remark.kind,
            remark.element.entity if remark.element else "",
            remark.element.field if remark.element else "",
            remark.value,
            remark.share,
        )
        for position, remark in enumerate(metered.tools.notes)
    ]
