"""Adopt: turn somebody else's published predictions into linkings like those of our own runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.catalog import Catalog, Element
from schemas.errors import Failure, UserError
from schemas.predictions import Prediction
from schemas.records import Linking, Note, Query, Question
from storage import benchmarks
from tasks import plugins
from tasks.linkers._names import fields


@dataclass(frozen=True)
class Adopted:
    """One question with what was adopted for it: the linking, its made-up names, and the query where there is one."""

    question: Question
    linking: Linking
    notes: tuple[Note, ...]
    query: Query | None


def adopt(folder: Path, form: str, path: Path, name: str) -> list[Adopted]:
    """Read a file of predictions for a benchmark: one for every question, in the benchmark's order."""
    predictions = plugins.load("formats", form).predictions(path)
    questions = benchmarks.questions(folder)
    if len(predictions) != len(questions):
        counts = f"{len(predictions)} predictions for the {len(questions)} questions of {folder.name}"
        raise UserError(f"{path}: {counts}: they are paired by position, so this is not that benchmark's file")
    pairs = zip(questions, predictions, strict=True)
    return [_adopt(question, benchmarks.catalog(folder, question.database), said, name) for question, said in pairs]


def _adopt(question: Question, catalog: Catalog, said: Prediction, name: str) -> Adopted:
    status, reason = "ok", ""
    kept: tuple[Element, ...] = ()
    unknown: tuple[str, ...] = ()
    try:
        kept, unknown = _elements(catalog, said)
    except Failure as failure:
        status, reason = failure.status, failure.reason
    elements = {*kept, *(Element(element.entity) for element in kept)}
    key = (question.benchmark, question.database, question.id, name)
    linking = Linking(*key, status=status, reason=reason, kept=tuple(sorted(elements)))
    notes = tuple(Note(*key, 0, at, "made_up", value=each) for at, each in enumerate(unknown))
    query = Query(*key, "published", query=said.query) if said.names is None else None
    return Adopted(question, linking, notes, query)


def _elements(catalog: Catalog, said: Prediction) -> tuple[tuple[Element, ...], tuple[str, ...]]:
    """The elements that a prediction names or that its query references, and the names the catalog lacks."""
    if said.names is not None:
        named = fields(catalog, said.names)
        found = catalog.keep_whole(each.entity for each in named.found).elements if said.whole else named.found
        return tuple(found), tuple(named.made_up)
    if not said.query:
        raise Failure("empty", "a blank line")
    referenced = plugins.language(catalog.dialect).referenced(said.query, catalog)
    return tuple(reference.element for reference in referenced.references), referenced.unknown


def counts(adopted: list[Adopted]) -> Iterator[str]:
    """What a person should know of the file: how many are unreadable, blank, or name what does not exist."""
    read = [each for each in adopted if each.linking.status == "ok"]
    yield f"{len(read)} of {len(adopted)} read"
    for status in sorted({each.linking.status for each in adopted} - {"ok"}):
        yield f"{status}: {sum(each.linking.status == status for each in adopted)}"
    made_up = [each for each in adopted if each.notes]
    names = sum(len(each.notes) for each in made_up)
    yield f"made-up names: {names} in {len(made_up)} questions"
