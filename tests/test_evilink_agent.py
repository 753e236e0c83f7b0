"""EviLink's second stage: tools, refusals, limits and protocols against cases, and agents without and with fault."""

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import Catalog, Element, Entity, Field
from schemas.errors import Failure
from schemas.evidence import Profile
from schemas.families import family_of
from schemas.records import Question
from schemas.tools import Rows, Tools
from tasks.labels import linker
from tests.data import need
from tests.evilink import Adversary, Perfect, Rules, kinds, stage_of
from tests.linking import address, catalog

CASES = Path(__file__).parent / "cases" / "evilink" / "agent.jsonl"
ASKED = Question("cases", "1", "orchard", "How many kilos did which grower pick?")
BALLOTS = [
    (["grower", "orchard"], ["grower.id", "grower.full_name", "orchard.hectares"]),
    (["grower"], ["grower.id", "grower.full_name", "grower.village"]),
]
WORKING = {"grower", "grower.id", "grower.full_name", "grower.village", "orchard", "orchard.hectares"}


@dataclass(frozen=True)
class Case:
    """What the agent says turn by turn, what its calls are answered, and what is dropped, or kept ``more``.

    A turn is a list of calls (name and arguments, as an object or raw text), a text, or a whole rule. ``answers`` are
    parts of the results in their order, ``said`` of any result, ``told`` of what follows an answer without calls;
    ``gone`` was dropped and kept again.
    """

    why: str
    turns: list[Any]
    answers: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    recovery: list[Any] = field(default_factory=list)
    options: str = ""
    evidence: bool = False
    ended: dict[str, int] | None = None
    failure: str = ""

    def rules(self) -> list[dict[str, Any]]:
        rules: list[dict[str, Any]] = [
            {"stage": "hypotheses", "reply": {"hypotheses": [{"path": "way 1"}, {"path": "way 2"}]}}
        ]
        for number, (tables, fields) in enumerate(BALLOTS, 1):
            rules.append({"stage": "tables", "when": f"way {number}", "reply": {"selected_tables": tables}})
            rules.append({"stage": "fields", "when": f"way {number}", "reply": {"selected_fields": fields}})
        rules += [{"stage": "refine", **turn_rule(turn)} for turn in self.turns]
        return rules + [{"stage": "recovery", **turn_rule(turn)} for turn in self.recovery]


def turn_rule(turn: Any) -> dict[str, Any]:
    if isinstance(turn, str | dict):
        return {"reply": turn} if isinstance(turn, str) else turn
    calls = [
        {"tool": name, **({"raw": given} if isinstance(given, str) else {"arguments": given})} for name, given in turn
    ]
    return {"calls": calls}


class Villages:
    """Evidence about a small grower table."""

    source = "two rows of a table"

    def profile(self, element: Element) -> Profile | None:
        if element != Element("grower", "village"):
            return None
        return Profile("grower", "village", "database", 2, True, 0.0, 2, "Bingen", "Lorch", samples=("Lorch", "Bingen"))

    def probe(self, query: str) -> Rows:
        if "nothing" in query:
            raise Failure("query_error", "no such column: nothing")
        return Rows(("village",), (("Lorch",), ("Bingen",)))


def read() -> list[Case]:
    return [Case(**json.loads(line)) for line in CASES.read_text().splitlines()]


def ask(case: Case) -> tuple[Catalog, Tools, Rules]:
    model = Rules(case.rules())
    tools = Tools(model=model, evidence=Villages() if case.evidence else None)
    options = ", ".join(
        filter(None, ["hypotheses=2", "" if "recovery" in case.options else "recovery=false", case.options])
    )
    return linker(f"evilink({options})")(ASKED, catalog("orchard"), tools), tools, model


@pytest.mark.parametrize("case", read(), ids=lambda case: case.why)
def test_the_agent(case: Case) -> None:
    if case.failure:
        with pytest.raises(Failure) as failed:
            ask(case)
        assert failed.value.status == case.failure
        return
    kept, tools, model = ask(case)
    results = [json.loads(note.value)["result"] for note in kinds(tools.notes, "tool_call")]
    if case.answers:
        assert "\n".join(results)
        at = 0
        for answer in case.answers:
            at = next((place for place in range(at, len(results)) if answer in results[place]), -1)
            assert at >= 0, (answer, results)
    else:
        assert results == []
    assert all(any(one in result for result in results) for one in case.said)
    expected = {address(name) for name in (WORKING - set(case.dropped)) | set(case.more)}
    assert kept.elements == expected
    dropped = {note.element for note in kinds(tools.notes, "dropped")}
    assert dropped == {address(name) for name in (*case.dropped, *case.gone)}
    assert {note.element for note in kinds(tools.notes, "kept")} >= kept.elements
    assert model.rules == []
    if case.ended is not None:
        stages = {json.loads(note.value)["stage"]: json.loads(note.value) for note in kinds(tools.notes, "stage")}
        assert stages["refine"]["ended"] == case.ended
    told = "\n".join(message.content for message in model.requests[-1].messages)
    assert all(text in told for text in case.told)


@pytest.mark.parametrize("case", [case for case in read() if not case.failure], ids=lambda case: case.why)
def test_a_conversation_grows_at_its_end_only(case: Case) -> None:
    _, _, model = ask(case)
    for stage in ("refine", "recovery"):
        turns = [request.messages for request in model.requests if stage_of(request) == stage]
        for before, after in pairwise(turns):
            assert after[: len(before)] == before
            assert len(after) > len(before)
        for request in (one for one in model.requests if stage_of(one) == stage):
            assert bool(request.tools) == ("protocol=json" not in case.options)
            assert (request.schema is None) == bool(request.tools)
            asked = [call.id for message in request.messages for call in message.tool_calls]
            answered = [message.tool_call_id for message in request.messages if message.role == "tool"]
            assert asked == answered


def test_nothing_uncertain_asks_no_agent() -> None:
    case = Case("unanimous", [])
    rules = [rule for rule in case.rules() if rule["stage"] == "hypotheses"]
    rules += [{"stage": "tables", "reply": '{"selected_tables":["grower"]}', "always": True}]
    rules += [{"stage": "fields", "reply": '{"selected_fields":["grower.id"]}', "always": True}]
    model = Rules(rules)
    kept = linker("evilink(hypotheses=2, recovery=false)")(ASKED, catalog("orchard"), Tools(model=model))
    assert kept.elements == {Element("grower"), Element("grower", "id")}
    assert {stage_of(request) for request in model.requests} == {"hypotheses", "tables", "fields"}


LOGS = Catalog(
    "logs",
    tuple(Entity(f"LOG_{day}", (Field("AT", "DATE"), Field("WHO", "TEXT"))) for day in (20240101, 20240102, 20240103)),
)


def spread(option: str, item: str) -> set[str]:
    rules = [
        {"stage": "hypotheses", "reply": {"hypotheses": [{"path": "way 1"}, {"path": "way 2"}]}},
        {"stage": "tables", "when": "way 1", "reply": {"selected_tables": ["LOG_20240101", "LOG_20240102"]}},
        {"stage": "tables", "when": "way 2", "reply": {"selected_tables": ["LOG_20240101"]}},
        {"stage": "fields", "reply": {"selected_fields": ["LOG_20240101.AT"]}, "always": True},
        {"stage": "refine", "calls": [{"tool": "keep", "arguments": {"items": [item]}}]},
        {"stage": "refine", "reply": "Done."},
    ]
    tools = Tools(model=Rules(rules))
    label = f"evilink(hypotheses=2, recovery=false, spread={option})"
    return {str(element) for element in linker(label)(ASKED, LOGS, tools).elements}


@pytest.mark.parametrize(
    ("option", "item", "more"),
    [
        ("working", "LOG_20240101.WHO", {"LOG_20240101.WHO", "LOG_20240102.WHO"}),
        ("family", "LOG_20240101.WHO", {f"LOG_2024010{n}{end}" for n in (1, 2, 3) for end in ("", ".WHO")}),
        ("off", "LOG_20240101.WHO", {"LOG_20240101.WHO"}),
        ("family", "LOG_20240103", {"LOG_20240103", "LOG_20240103.AT", "LOG_20240103.WHO"}),
        ("off", "LOG_*.WHO", {f"LOG_2024010{n}{end}" for n in (1, 2, 3) for end in ("", ".WHO")}),
    ],
)
def test_a_kept_field_spreads_to_isomorphic_tables_and_a_kept_table_does_not(
    option: str, item: str, more: set[str]
) -> None:
    assert len(family_of(LOGS)) == 3
    assert spread(option, item) == {"LOG_20240101", "LOG_20240101.AT", "LOG_20240102"} | more


@cache
def snow() -> list[tuple[Question, Catalog]]:
    root = need("spider2")
    from tasks.benchmarks import spider2

    catalogs = {one.database: one for one in spider2.catalogs(root, "snow")}
    asked = [one for one in spider2.questions(root, "snow") if one.gold_level == "field" and one.gold_status == "ok"]
    return [(question, catalogs[question.database]) for question in asked]


def hidden(question: Question) -> frozenset[str]:
    """A gold table that no hypothesis will name, where there are several."""
    tables = sorted(element.entity for element in question.gold_elements("entity"))
    return frozenset(tables[-1:]) if len(tables) > 1 else frozenset()


@pytest.mark.slow
def test_a_perfect_agent_loses_nothing_on_snow() -> None:
    """Slow: reads all of Spider2-Snow. That every gold field survives proves that no step loses elements by itself."""
    dropped = recovered = 0
    total = 0.0
    assert len(snow()) == 120
    for question, known in snow():
        gold = frozenset(reference.element for reference in question.gold)
        model = Perfect(known, gold=gold, hidden=hidden(question))
        tools = Tools(model=model)
        kept = linker("evilink")(question, known, tools)
        assert gold <= kept.elements, question.id
        discarded = {note.element for note in kinds(tools.notes, "dropped")}
        assert not discarded & gold
        dropped += len(discarded)
        recovered += len(model.recovered)
        total += len(kept.elements) / len(known.elements)
    assert total < 60, "on the mean of 120 questions, half of the catalog was kept"
    assert dropped > 200, "the noise is hardly discarded: stage 2 was not tried"
    assert recovered > 100, "nothing was hidden: recovery was not tried"


BAD = (
    "probably not needed",
    "{item} is not mentioned in the question",
    "The {item} is irrelevant to what is asked",
    "we don't need {item} for this",
    "{item} seems useless here",
    "the question only asks about other things than {item}",
    "{item} is unlikely to be used in the query",
    "nobody asked for {item}",
    "{item} {item}",
    "",
)


@pytest.mark.slow
def test_an_adversary_with_bad_reasons_loses_nothing_on_snow() -> None:
    """Slow: reads all of Spider2-Snow."""
    refused: Counter[str] = Counter()
    for question, known in snow():
        gold = frozenset(reference.element for reference in question.gold)
        tools = Tools(model=Adversary(known, gold=gold, reasons=BAD))
        kept = linker("evilink(recovery=false)")(question, known, tools)
        votes = kinds(tools.notes, "vote")
        assert {note.element for note in votes} == kept.elements, question.id
        assert not kinds(tools.notes, "dropped")
        for note in kinds(tools.notes, "tool_call"):
            refused[json.loads(note.value)["result"].split(":")[0]] += 1
    assert refused["refused"] > 1000
    assert set(refused) <= {"refused", "error"}


def test_an_adversary_with_plausible_reasons_loses_nothing_that_is_required() -> None:
    known = catalog("orchard")
    gold = frozenset({Element("harvest", "kilos"), Element("harvest", "variety_id"), Element("harvest")})
    reasons = ("{item} stores facts of growers, orchards, harvests, varieties, kilos and ids in text apart from sums",)
    tools = Tools(model=Adversary(known, gold=gold, reasons=reasons))
    kept = linker("evilink(recovery=false, discards=uncertain)")(ASKED, known, tools)
    required = {note.element for note in kinds(tools.notes, "vote") if note.share == 1}
    assert required
    assert required <= kept.elements
    assert kinds(tools.notes, "dropped"), "the reasons were good enough to discard something"
