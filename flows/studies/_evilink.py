"""What the studies of EviLink read: for every question its gold, its votes, and what was kept after each step."""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schemas.catalog import Catalog, Element
from schemas.records import Level, Linking, Note, Question
from storage.intervals import Interval, cluster_bootstrap

if TYPE_CHECKING:
    from storage.layout import Store

STEPS = ("after vote", "after discards", "after refinement", "after recovery")
Key = tuple[str, str, int]


@dataclass(frozen=True)
class Voted:
    """The hypotheses that name an element and the share of votes; None where every hypothesis abstains."""

    hypotheses: frozenset[int]
    share: float | None


@dataclass
class Record:
    """One linked question at one level; where the benchmark counts shards as one table, elements are representatives.

    ``steps`` has what would be kept after each of ``STEPS``; a linking that failed kept nothing anywhere, one that fell
    back the whole catalog everywhere. ``missed_by_all`` are the gold elements without any vote, ``unfolded`` the same
    elements as they are declared.
    """

    question: Question
    linking: Linking
    catalog: Catalog
    gold: frozenset[Element]
    everything: frozenset[Element]
    votes: dict[Element, Voted] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()
    steps: dict[str, frozenset[Element]] = field(default_factory=dict)
    dropped: frozenset[Element] = frozenset()
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    abstained: list[dict[str, Any]] = field(default_factory=list)
    folding: Mapping[str, str] = field(default_factory=dict)

    @property
    def voted(self) -> bool:
        """Whether votes were counted: the linking neither failed nor fell back."""
        return self.linking.status == "ok"

    @property
    def missed_by_all(self) -> list[Element]:
        """The gold elements that no hypothesis names."""
        return sorted(one for one in self.gold if one not in self.votes or not self.votes[one].hypotheses)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that the studies of EviLink share."""
    parser.add_argument("run", metavar="RUN", help="a run of evilink on a benchmark with gold")
    parser.add_argument("--linker", default="", metavar="LABEL", help="which, where the run has several of evilink")
    parser.add_argument("--level", choices=["entity", "field"], default="field", help="tables or columns (field)")


def read(store: "Store", run: str, linker: str, level: Level) -> list[Record]:
    """The records of one linker's questions whose gold is known at a level; a UserError where there is none."""
    from schemas.errors import UserError, unknown
    from storage import benchmarks, parquet
    from tasks.labels import label, parse

    if run not in store.runs():
        raise unknown("run", run, store.runs())
    linkings = parquet.read(store.run(run) / "linkings.parquet", Linking)
    labels = sorted({each.linker for each in linkings if "evilink" in each.linker})
    wanted = label(parse(linker)) if linker else (labels[0] if len(labels) == 1 else "")
    if wanted not in labels:
        raise unknown(f"linker of run {run!r}: name one with --linker,", wanted, labels)
    notes = _by_question(parquet.read(store.run(run) / "notes.parquet", Note), wanted)
    questions: dict[str, dict[str, Question]] = {}
    found = []
    for linking in (each for each in linkings if each.linker == wanted):
        folder = store.benchmark(linking.benchmark)
        if linking.benchmark not in questions:
            questions[linking.benchmark] = {one.id: one for one in benchmarks.questions(folder)}
        question = questions[linking.benchmark][linking.question]
        if question.gold_status == "ok" and question.gold_level in (level, "field"):
            catalog = benchmarks.catalog(folder, linking.database)
            folding = benchmarks.representatives(folder, linking.database)
            own = notes.get((linking.benchmark, linking.question, linking.repetition), [])
            found.append(record(question, linking, catalog, own, level, folding))
    if not found:
        raise UserError(f"run {run!r} has no question of {wanted!r} whose gold is known at level {level}")
    return found


def _by_question(notes: Iterable[Note], linker: str) -> dict[Key, list[Note]]:
    found: dict[Key, list[Note]] = {}
    for note in notes:
        if note.linker == linker:
            found.setdefault((note.benchmark, note.question, note.repetition), []).append(note)
    return found


def record(
    question: Question, linking: Linking, catalog: Catalog, notes: list[Note], level: Level, folding: Mapping[str, str]
) -> Record:
    """Read one question's notes."""

    def folded(elements: Iterable[Element]) -> frozenset[Element]:
        return frozenset(
            Element(folding.get(one.entity, one.entity), one.field)
            for one in elements
            if bool(one.field) == (level == "field")
        )

    made = Record(
        question,
        linking,
        catalog,
        folded(ref.element for ref in question.gold),
        folded(catalog.elements),
        folding=folding,
    )
    votes = {Element(note.entity, note.field): note for note in notes if note.kind == "vote"}
    made.tables = frozenset(one.entity for one, note in votes.items() if note.value != "[]" and not one.field)
    for one, note in votes.items():
        for element in folded([one]):
            made.votes[element] = _joined(made.votes.get(element), Voted(frozenset(json.loads(note.value)), note.share))
    made.stages = {value["stage"]: value for value in _values(notes, "stage")}
    made.calls, made.abstained = _values(notes, "tool_call"), _values(notes, "abstained")
    _steps(made, notes, votes, folded)
    return made


def _steps(made: Record, notes: list[Note], votes: Mapping[Element, Note], folded: Any) -> None:
    """What was kept after each step: the decisions of a stage are taken in their order."""
    kept = set(votes) if made.voted else set(made.linking.kept)
    decided = [note for note in notes if note.kind in ("kept", "dropped")] if made.voted else []
    stage_of = {id(note): json.loads(note.value)["stage"] for note in decided}
    dropped = {Element(note.entity, note.field) for note in decided if note.kind == "dropped"}
    made.dropped = folded(dropped)
    made.steps["after vote"] = folded(kept)
    made.steps["after discards"] = folded(kept - _last(decided, "dropped"))
    for note in decided:
        if stage_of[id(note)] == "refine":
            element = Element(note.entity, note.field)
            kept = kept | {element} if note.kind == "kept" else kept - {element}
    made.steps["after refinement"] = folded(kept)
    made.steps["after recovery"] = folded(made.linking.kept)


def _last(decided: list[Note], kind: str) -> set[Element]:
    """The elements whose last decision is of a kind."""
    latest = {Element(note.entity, note.field): note.kind for note in decided}
    return {element for element, last in latest.items() if last == kind}


def _joined(known: Voted | None, other: Voted) -> Voted:
    """The votes on two shards of one table as one."""
    if known is None:
        return other
    shares = [one.share for one in (known, other) if one.share is not None]
    return Voted(known.hypotheses | other.hypotheses, max(shares, default=None))


def _values(notes: Iterable[Note], kind: str) -> list[dict[str, Any]]:
    return [json.loads(note.value) for note in notes if note.kind == kind]


def mean(records: Iterable[Record], value: Any) -> Interval:
    """The mean of a value of records, None left out, with its interval over databases."""
    return ratio(records, lambda one: (value(one) or 0.0, 0 if value(one) is None else 1))


def ratio(records: Iterable[Record], pair: Any) -> Interval:
    """A pooled ratio of two sums over records, with its interval over databases."""
    sums: dict[str, tuple[float, float]] = {}
    for one in records:
        above, below = pair(one)
        total = sums.get(one.question.database, (0.0, 0.0))
        sums[one.question.database] = (total[0] + above, total[1] + below)
    return cluster_bootstrap([above for above, _ in sums.values()], [below for _, below in sums.values()])


def recall(gold: frozenset[Element], kept: frozenset[Element]) -> float | None:
    """|P∩G| / |G|; None without gold."""
    return len(gold & kept) / len(gold) if gold else None


def precision(gold: frozenset[Element], kept: frozenset[Element]) -> float | None:
    """|P∩G| / |P|; 0 where nothing is kept, None without gold."""
    return None if not gold else len(gold & kept) / len(kept) if kept else 0.0


def percent(value: Interval) -> str:
    """A percentage with its interval."""
    if value.mean != value.mean:
        return "–"
    bounds = "" if value.low is None or value.high is None else f" [{value.low * 100:.1f}, {value.high * 100:.1f}]"
    return f"{value.mean * 100:.2f}{bounds}"


def counted(records: list[Record]) -> str:
    """How many questions there are, and how many of them failed or fell back."""
    failed = sum(one.linking.status not in ("ok", "fallback") for one in records)
    whole = sum(one.linking.status == "fallback" for one in records)
    return f"{len(records)} questions, of which {failed} failed and {whole} kept the whole catalog"
