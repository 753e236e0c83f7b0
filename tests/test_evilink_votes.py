"""EviLink's first stage: hypotheses, selections and votes, against cases."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import Catalog, Element, Entity, Field
from schemas.records import Question
from schemas.tools import Tools
from tasks.labels import linker, needs
from tasks.linkers._evilink_answers import meant
from tasks.linkers._evilink_chunks import whole
from tasks.linkers._evilink_votes import Ballot, count
from tests.evilink import Rules, kinds, stage_of
from tests.linking import address, catalog

CASES = Path(__file__).parent / "cases" / "evilink" / "votes.jsonl"
ASKED = Question("cases", "1", "orchard", "How many kilos did which grower pick?")


@dataclass(frozen=True)
class Case:
    """Every hypothesis's list of tables and of fields (or the text that came instead), and the votes that follow.

    ``again`` are the answers to second attempts, ``cut`` the hypotheses whose fields are cut off.
    """

    why: str
    ballots: list[Any]
    shares: dict[str, float | None]
    by: dict[str, list[int]] = field(default_factory=dict)
    options: str = ""
    again: list[str] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    made_up: list[str] | None = None
    stages: list[str] | None = None

    def rules(self) -> list[dict[str, Any]]:
        ways = [{"path": f"way {number}"} for number in range(1, len(self.ballots) + 1)]
        rules: list[dict[str, Any]] = [
            {"stage": "tables", "when": "That is not the form", "reply": text} for text in self.again
        ]
        rules.append({"stage": "hypotheses", "reply": json.dumps({"hypotheses": ways})})
        for number, (tables, fields) in enumerate(self.ballots, 1):
            for stage, key, listed in (("tables", "selected_tables", tables), ("fields", "selected_fields", fields)):
                if listed is not None:
                    reply = listed if isinstance(listed, str) else json.dumps({key: listed})
                    finish = "length" if stage == "fields" and number in self.cut else "stop"
                    rules.append({"stage": stage, "when": f"way {number}", "reply": reply, "finish_reason": finish})
        return rules


def read() -> list[Case]:
    return [Case(**json.loads(line)) for line in CASES.read_text().splitlines()]


def ask(case: Case) -> tuple[Catalog, Tools, Rules]:
    model = Rules(case.rules())
    tools = Tools(model=model)
    label = f"evilink(hypotheses={len(case.ballots)}, refine=false, recovery=false, {case.options}"
    kept = linker(f"{label.rstrip(', ')})")(ASKED, catalog("orchard"), tools)
    return kept, tools, model


@pytest.mark.parametrize("case", read(), ids=lambda case: case.why)
def test_votes(case: Case) -> None:
    kept, tools, model = ask(case)
    votes = {note.element: note for note in kinds(tools.notes, "vote")}
    assert {str(element): note.share for element, note in votes.items()} == case.shares
    for name, hypotheses in case.by.items():
        assert json.loads(votes[address(name)].value) == hypotheses
    assert kept.elements == set(votes)
    assert model.rules == []
    assert model.affinities == {"orchard"}
    if case.made_up is not None:
        assert [note.value for note in kinds(tools.notes, "made_up")] == case.made_up
    assert [json.loads(note.value)["stage"] for note in kinds(tools.notes, "stage")] == [
        "hypotheses",
        "tables",
        "fields",
    ]


def test_a_threshold_moves_the_border_of_required() -> None:
    shop = Catalog("shop", (Entity("sale", (Field("price"), Field("day"))),))
    ballots = [Ballot(number) for number in (1, 2, 3)]
    for ballot, names in zip(ballots, (["price", "day"], ["price"], ["price"]), strict=True):
        ballot.add(Element("sale", name) for name in names)
    sets = {limit: count(shop, ballots, limit).of(Element("sale", "day")) for limit in (0.3, 0.5, 1.0)}
    assert sets == {0.3: "required", 0.5: "uncertain", 1.0: "uncertain"}
    assert count(shop, ballots, 1.0).of(Element("sale", "price")) == "required"


def test_the_schema_comes_first_and_the_hypothesis_last() -> None:
    _, _, model = ask(next(case for case in read() if len(case.ballots) == 2))
    by_stage: dict[str, list[str]] = {}
    for request in model.requests:
        by_stage.setdefault(stage_of(request), []).append(request.messages[1].content)
        assert request.schema is not None
    (first,), tables = by_stage["hypotheses"], by_stage["tables"]
    schema = first.partition("\n\n")[0]
    assert "grower: id, full_name, village" in schema
    assert all(text.startswith(schema + "\n\n") for text in tables)
    heads = {text.partition("\nHypothesis: ")[0] for text in tables}
    assert len(heads) == 1, "requests differ in their hypothesis alone"
    assert heads.pop().endswith(ASKED.text)


@pytest.mark.parametrize(
    ("how", "replies", "came"),
    [
        ("one", [{"reply": {"hypotheses": [{"path": "a"}, {"path": "b"}, {"path": "c"}]}}], 2),
        ("one", [{"reply": "1. join growers\n2. read stalls"}], 2),
        ("one", [{"reply": '{"hypotheses":[{"path":"a"},{"path":"b', "finish_reason": "length"}], 1),
        ("one", [{"failure": "empty"}], 0),
        ("n", [{"reply": ['{"hypotheses":[{"path":"a"}]}', '{"path":"b"}']}], 2),
        ("n", [{"reply": ['{"hypotheses":[{"path":"a"}]}', ""]}], 1),
        ("calls", [{"reply": '{"hypotheses":[{"path":"a"}]}'}, {"reply": "join growers"}], 2),
    ],
)
def test_hypotheses_are_elicited_in_three_ways(how: str, replies: list[dict[str, Any]], came: int) -> None:
    rules = [{"stage": "hypotheses", **one} for one in replies]
    rules += [
        {"stage": "tables", "reply": '{"selected_tables":["grower"]}', "always": True},
        {"stage": "fields", "reply": '{"selected_fields":["grower.id"]}', "always": True},
    ]
    model = Rules(rules)
    tools = Tools(model=model)
    linker(f"evilink(hypotheses=2, elicitation={how}, refine=false, recovery=false)")(ASKED, catalog("orchard"), tools)
    assert len(kinds(tools.notes, "hypothesis")) == came
    assert bool(kinds(tools.notes, "hypotheses_missing")) == (came < 2)
    asked = [request for request in model.requests if stage_of(request) == "hypotheses"]
    sampled = [(request.temperature, request.n, request.seed) for request in asked]
    assert sampled == {"one": [(0.0, 1, None)], "n": [(0.7, 2, None)], "calls": [(0.7, 1, 0), (0.7, 1, 1)]}[how]
    assert sum(stage_of(request) == "tables" for request in model.requests) == max(1, came)


def test_shards_are_named_by_one_name_or_singly() -> None:
    days = tuple(Entity(f"LOG_{day}", (Field("AT", "DATE"), Field("WHO", "TEXT"))) for day in (20240101, 20240102))
    logs = Catalog("logs", (*days, Entity("USERS", (Field("ID", "TEXT"),))))
    rules = [
        {"stage": "hypotheses", "reply": {"hypotheses": [{"path": "way 1"}, {"path": "way 2"}]}},
        {"stage": "tables", "when": "way 1", "reply": {"selected_tables": ["LOG_*"]}},
        {"stage": "tables", "when": "way 2", "reply": {"selected_tables": ["log_20240102"]}},
        {"stage": "fields", "when": "way 1", "reply": {"selected_fields": ["LOG_*.AT"]}},
        {"stage": "fields", "when": "way 2", "reply": {"selected_fields": ["LOG_20240102.AT"]}},
    ]
    tools = Tools(model=Rules(rules))
    kept = linker("evilink(hypotheses=2, refine=false, recovery=false)")(ASKED, logs, tools)
    shares = {str(note.element): note.share for note in kinds(tools.notes, "vote")}
    assert shares == {"LOG_20240101": 0.5, "LOG_20240101.AT": 0.5, "LOG_20240102": 1.0, "LOG_20240102.AT": 1.0}
    assert len(kept.entities) == 2


def test_families_of_one_pattern_are_told_apart_and_named_together() -> None:
    wide = (Field("AT", "DATE"), Field("WHO", "TEXT"))
    old = [Entity(f"LOG_{day}", wide) for day in (20230101, 20230102)]
    new = [Entity(f"LOG_{day}", (*wide, Field("WHERE", "TEXT"))) for day in (20240101, 20240102)]
    logs = Catalog("logs", (*old, *new))
    (chunk,) = whole(logs, "names", 2000)
    assert [line.split(" ")[0] for line in chunk.text.splitlines()] == ["LOG_*#1", "LOG_*#2"]

    def named(text: str) -> list[str]:
        return [str(element) for element in meant(logs, [text], ()).found]

    assert named("LOG_*#2") == ["LOG_20240101", "LOG_20240102"]
    assert named("log_*") == ["LOG_20230101", "LOG_20230102", "LOG_20240101", "LOG_20240102"]
    assert named("LOG_*.WHERE") == ["LOG_20240101.WHERE", "LOG_20240102.WHERE"]


def test_it_follows_another_linker_and_sees_only_what_that_kept() -> None:
    rules = [
        {"stage": "hypotheses", "reply": {"hypotheses": [{"path": "way 1"}]}},
        {"stage": "tables", "reply": {"selected_tables": ["grower", "harvest"]}},
        {"stage": "fields", "reply": {"selected_fields": ["grower.id"]}},
    ]
    model = Rules(rules)
    tools = Tools(model=model)
    asked = Question("cases", "1", "orchard", "Which village has a grower?")
    kept = linker("exact_match > evilink(hypotheses=1, recovery=false)")(asked, catalog("orchard"), tools)
    assert kept.elements == {Element("grower"), Element("grower", "id")}
    assert [note.value for note in kinds(tools.notes, "made_up")] == ["harvest"]
    assert "harvest" not in model.requests[0].messages[1].content.partition("\n\n")[0]
    assert sorted(needs("similarity(top=10) > evilink")) == ["embedder", "model"]


def test_an_empty_catalog_asks_nothing() -> None:
    tools = Tools(model=Rules([]))
    empty = Catalog("empty")
    assert linker("evilink")(ASKED, empty, tools) is empty
    assert [note.value for note in kinds(tools.notes, "fallback")] == ["no hypothesis selects a table"]
