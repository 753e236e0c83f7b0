"""Tell one question's story: what was asked, what is gold, what each linker kept, missed and added, and how."""

import argparse
import json
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from flows.arguments import listed
from schemas.catalog import Element
from schemas.records import Linking, Note, Question

if TYPE_CHECKING:
    from storage.layout import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("question", metavar="QUESTION", help="a question's id")
    parser.add_argument("--benchmark", default="", help="where several benchmarks have that id")
    parser.add_argument("--runs", type=listed, default=[], metavar="RUN,…", help="only these runs (all)")
    parser.add_argument("--linkers", default="", metavar="LABEL,…", help="only these linkers (all)")


def main(arguments: argparse.Namespace) -> int:
    """Print the question and what every linker of the chosen runs did with it."""
    from storage.layout import Store
    from tasks.labels import split

    store = Store(arguments.storage)
    question = find_question(store, arguments.question, arguments.benchmark)
    print("\n".join(about(question)))
    wanted = set(split(arguments.linkers))
    stories = [
        story for story in read_stories(store, question, arguments.runs) if not wanted or story[1].linker in wanted
    ]
    if not stories:
        print("\nno run has linked this question")
    for run, linking, notes in stories:
        print("\n" + "\n".join(tell(run, question, linking, notes)))
    return 0


def find_question(store: "Store", name: str, benchmark: str) -> Question:
    """The question of that id; an unknown or ambiguous one answers with what exists."""
    from schemas.errors import UserError, unknown
    from storage import benchmarks

    names = [benchmark] if benchmark else store.benchmarks()
    questions = [question for each in names for question in benchmarks.questions(store.benchmark(each))]
    found = [question for question in questions if question.id == name]
    if not found:
        raise unknown("question id", name, (question.id for question in questions))
    if len(found) > 1:
        among = ", ".join(question.benchmark for question in found)
        raise UserError(f"question id {name!r} is in several benchmarks ({among}): name one with --benchmark")
    return found[0]


def read_stories(store: "Store", question: Question, runs: list[str]) -> list[tuple[str, Linking, list[Note]]]:
    """Every linking of the question with its notes, by run and linker."""
    from schemas.arrow import arrow_schema, from_table
    from storage.warehouse import connect

    connection: Any = connect(store, runs, views=("linkings", "notes"))
    key = {"benchmark": question.benchmark, "question": question.id}

    def fetch(dataset: str, record: type, order: str) -> list[tuple[str, Any]]:
        where = f"FROM {dataset} WHERE benchmark = $benchmark AND question = $question ORDER BY {order}"
        table = connection.sql(f"SELECT * {where}", params=key).to_arrow_table()
        records: list[Any] = from_table(record, table.select(arrow_schema(record).names))
        return list(zip(table["run"].to_pylist(), records, strict=True))

    notes = fetch("notes", Note, "run, linker, repetition, position")
    return [
        (
            run,
            linking,
            [
                note
                for at, note in notes
                if (at, note.linker, note.repetition) == (run, linking.linker, linking.repetition)
            ],
        )
        for run, linking in fetch("linkings", Linking, "run, linker, repetition")
    ]


def about(question: Question) -> list[str]:
    """The question, its evidence, its gold query and gold elements."""
    lines = [f"{question.benchmark} {question.id}  database {question.database}  {question.difficulty}".rstrip()]
    lines += [f"question  {question.text}"]
    lines += [f"evidence  {question.evidence}"] if question.evidence else []
    lines += [f"gold      {' '.join(question.gold_query.split())}"] if question.gold_query else []
    if question.gold_status != "ok":
        lines.append(f"gold elements: {question.gold_status} {question.gold_reason}".rstrip())
    lines += [f"  {name}" for name in grouped(ref.element for ref in question.gold)]
    return lines


def tell(run: str, question: Question, linking: Linking, notes: list[Note]) -> list[str]:
    """What one linker kept, missed and added, and the notes it left."""
    repetition = f" #{linking.repetition}" if linking.repetition else ""
    lines = [f"{run}  {linking.linker}{repetition}: {linking.status} {linking.reason}".rstrip()]
    kept = set(linking.kept)
    lines.append(f"  kept {len({e.entity for e in kept})} tables, {sum(bool(e.field) for e in kept)} columns")
    lines += [f"    {name}" for name in grouped(kept)]
    if question.gold_status == "ok":
        gold = {ref.element for ref in question.gold}
        if missed := gold - kept:
            lines.append(f"  missed: {', '.join(map(str, sorted(missed)))}")
        extra = sorted({e.entity for e in kept} - {e.entity for e in gold})
        lines += [f"  extra tables: {', '.join(extra)}"] if extra else []
    lines += [f"  {line}" for line in remarks(notes)]
    return [*lines, f"  {cost(linking)}"]


def remarks(notes: Iterable[Note]) -> list[str]:
    """Notes as lines in their order; of those of one kind that follow each other, what says the same is one line.

    Values that are JSON objects are written as words; long ones are cut.
    """
    told: list[str] = []
    for kind, run in groupby(notes, key=lambda note: note.kind):
        alike: dict[tuple[str, float | None], list[Note]] = {}
        for note in run:
            alike.setdefault((note.value, note.share), []).append(note)
        for (value, share), same in alike.items():
            elements = [Element(note.entity, note.field) for note in same if note.entity]
            names = str(elements[0]) if len(elements) == 1 else ", ".join(grouped(elements)).replace("()", "")
            said = " ".join(filter(None, [names, worded(value), "" if share is None else f"{share:.2f}"]))
            told += [f"{kind}: {said}"] * (1 if names else len(same))
    return told


def worded(value: str, most: int = 600) -> str:
    """A note's value for people: the parts of a JSON object by name, on one line."""
    if value.startswith("{"):
        try:
            parts = json.loads(value).items()
            value = ", ".join(f"{name} {part if isinstance(part, str) else json.dumps(part)}" for name, part in parts)
        except ValueError:
            pass
    plain = " ".join(value.split())
    return plain if len(plain) <= most else plain[:most] + "…"


def cost(linking: Linking) -> str:
    """What a linking took, in words."""
    own = f"{linking.seconds * 1000:.1f} ms"
    if not linking.calls:
        return f"took {own}, no model call"
    prompt = f"{linking.prompt_tokens} prompt tokens ({linking.cached_tokens} of them cached)"
    tokens = f"{prompt}, {linking.completion_tokens} completion tokens"
    return f"took {own} and {linking.calls} calls of {linking.model}: {linking.model_seconds:.1f} s, {tokens}"


def grouped(elements: Iterable[Element], most: int = 12) -> list[str]:
    """Elements by entity, one line each, long lists cut with their count."""
    fields: dict[str, list[str]] = {}
    for element in sorted(elements):
        fields.setdefault(element.entity, []).extend([element.field] if element.field else [])
    lines = []
    for entity, names in fields.items():
        more = f", … {len(names) - most} more" if len(names) > most else ""
        lines.append(f"{entity}({', '.join(names[:most])}{more})")
    return lines
