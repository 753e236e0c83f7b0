"""The studies of EviLink, on a run of scripted hypotheses whose figures can be counted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from flows.studies import _evilink as evilink
from flows.studies.hypotheses import replay, votes_of
from schemas.catalog import Element
from schemas.records import Linking, Note, Question, Reference
from schemas.tools import Tools
from storage import parquet
from storage.files import write_json
from storage.layout import Store
from tasks.labels import linker
from tasks.link import link_question
from tests.conftest import Cli, shop
from tests.evilink import Rules

LABEL = "evilink(hypotheses=3)"
GOLD = (
    Reference("customer", "", ("from",)),
    Reference("customer", "name", ("output",)),
    Reference("customer", "id", ("join",)),
    Reference("Order", "", ("from",)),
    Reference("Order", "customer_id", ("join",)),
    Reference("Order", "id", ("filter",)),
)
BALLOTS = (
    (["customer", "Order"], ["customer.name", "customer.id", "Order.customer_id"]),
    (["customer"], ["customer.name", "customer.city"]),
    (["customer", "line"], ["customer.name", "customer.id", "line.price"]),
)
DISCARD = {"items": ["customer.city"], "reason": "the city is a text about where one lives, the sum is over prices"}
MISTAKE = {"items": ["customer.id"], "reason": "the id is an integer that numbers customers and sums up nothing"}


def rules() -> list[dict[str, Any]]:
    ways = [{"path": f"way {number}"} for number in (1, 2, 3)]
    made: list[dict[str, Any]] = [{"stage": "hypotheses", "reply": {"hypotheses": ways}, "tokens": 400}]
    for number, (tables, fields) in enumerate(BALLOTS, 1):
        made.append({"stage": "tables", "when": f"way {number}", "reply": {"selected_tables": tables}, "tokens": 500})
        made.append({"stage": "fields", "when": f"way {number}", "reply": {"selected_fields": fields}, "tokens": 300})
    calls = [{"tool": "discard", "arguments": given} for given in (DISCARD, MISTAKE)]
    calls += [{"tool": "discard", "arguments": {"items": ["line"], "reason": "not needed"}}]
    made.append({"stage": "refine", "calls": [*calls, {"tool": "keep", "arguments": {"items": ["Order.id"]}}]})
    return [*made, {"stage": "refine", "reply": "Done."}]


class Asked:
    """A question's tools with a scripted model, as the flow opens them."""

    def __init__(self, model: Rules) -> None:
        self.tools = Tools(model=model)
        self.repetition = 0

    def seconds(self) -> float:
        return 0.0

    def usage(self) -> dict[str, Any]:
        return {"calls": 9}


@pytest.fixture
def recorded(tmp_path: Path, tiny: Path) -> Store:
    """A run of EviLink on three databases of the tiny benchmark, one question each; the last one's model fails."""
    questions = [
        Question("tiny", name, name, "Which customer paid most?", gold=GOLD, gold_level="field", gold_status="ok")
        for name in ("north", "south", "west")
    ]
    parquet.write(tiny / "questions.parquet", Question, questions)
    linkings: list[Linking] = []
    notes: list[Note] = []
    for question in questions:
        made = rules() if question.id != "west" else [{"failure": "timeout"}]
        asked: Any = Asked(Rules(made))
        linking, noted = link_question(question, shop(question.database), linker(LABEL), LABEL, asked)
        linkings.append(linking)
        notes += noted
    run = tmp_path / "runs" / "voted"
    parquet.write(run / "linkings.parquet", Linking, linkings)
    parquet.write(run / "notes.parquet", Note, notes)
    write_json(run / "run.json", {"name": "voted", "status": "done", "configuration": {}})
    return Store(tmp_path)


def test_steps_are_read_from_the_notes(recorded: Store) -> None:
    record = evilink.read(recorded, "voted", "", "field")[0]
    names = {step: {str(one) for one in kept} for step, kept in record.steps.items()}
    voted = {"customer.name", "customer.id", "customer.city", "Order.customer_id", "line.price"}
    assert names["after vote"] == voted
    assert names["after discards"] == voted - {"customer.city", "customer.id"}
    assert names["after refinement"] == names["after recovery"] == names["after discards"] | {"Order.id"}
    assert {str(one) for one in record.dropped} == {"customer.city", "customer.id"}
    assert record.missed_by_all == [Element("Order", "id")]


def test_stages(cli: Cli, recorded: Store) -> None:
    told = cli("study", "stages", "voted")
    assert told.returncode == 0, told.stderr
    lines = {line.split("  ")[0]: line for line in told.stdout.splitlines()}
    assert "3 questions, of which 1 failed and 0 kept the whole catalog" in told.stdout
    assert lines["after vote"].split()[2] == "50.00", "3 of 4 twice, and a failure"
    assert lines["after discards"].split()[2] == "33.33"
    assert lines["after recovery"].split()[2] == "50.00"
    assert "discards: 4, of gold 2, precision 50.00 [50.0, 50.0]; refused for their reason: 2" in told.stdout
    assert lines["tables"].split() == ["tables", "2.0", "1000.0", "20.0", "a", "question"][:4]
    assert 'tool calls: {"discard": 6, "keep": 2}' in told.stdout
    assert 'refine ended: {"done": 2}' in told.stdout


def test_votes(cli: Cli, recorded: Store) -> None:
    told = cli("study", "votes", "voted", "--list")
    assert told.returncode == 0, told.stderr
    table = {
        line.split()[0]: line.split()[1:4]
        for line in told.stdout.splitlines()
        if line[:1].isdigit() or line[:4] == "none"
    }
    assert table["1.00"] == ["2", "2", "100.00"]
    assert table["0.67"] == ["2", "2", "100.00"]
    assert table["0.33"] == ["6", "2", "33.33"]
    assert table["none"] == ["4", "2", "50.00"]
    assert (
        "required = unanimous misses gold in 100.00 [100.0, 100.0] % of questions, 75.00 [75.0, 75.0] %" in told.stdout
    )
    assert "missed by every hypothesis: 2 gold elements of 2 questions" in told.stdout
    assert "  filter, its table was named: 2, kept in the end 2" in told.stdout
    assert "  north  Order.id  filter, its table was named" in told.stdout
    tables = cli("study", "votes", "voted", "--level", "entity").stdout
    assert "missed by every hypothesis: 0 gold elements" in tables


def test_hypotheses_are_replayed_from_the_largest_run(cli: Cli, recorded: Store) -> None:
    told = cli("study", "hypotheses", "voted", "--counts", "1,2,3,5")
    assert told.returncode == 0, told.stderr
    lines = {line.split()[0]: line.split() for line in told.stdout.splitlines() if line[:1].isdigit()}
    assert lines["1"][1] == "50.00", "3, 1 and 2 of 4"
    assert lines["2"][1] == "66.67", "pairs hold 3, 3 and 2 of 4"
    assert lines["3"][1] == "75.00"
    assert lines["3"][-1] == str(410 + 3 * (510 + 310))
    assert "5   not recorded: run evilink(hypotheses=5)" in told.stdout
    wrong = cli("study", "hypotheses", "voted", "--counts", "many")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_a_replay_of_all_hypotheses_is_the_vote(recorded: Store) -> None:
    record = evilink.read(recorded, "voted", LABEL, "field")[0]
    working, required = votes_of(record, frozenset({1, 2, 3}))
    assert working == record.steps["after vote"]
    assert required == {one for one, vote in record.votes.items() if vote.share == 1}
    assert replay(record, 3).kept == len(working)


def test_a_hypothesis_that_abstains_is_left_out_of_the_replay(recorded: Store) -> None:
    record = evilink.read(recorded, "voted", "", "field")[0]
    record.abstained.append({"hypothesis": 2, "all": False, "tables": [], "fields": ["customer"]})
    _, required = votes_of(record, frozenset({1, 2}))
    assert required == {Element("customer", "name"), Element("customer", "id")}
    record.abstained.append({"hypothesis": 3, "all": True, "tables": [], "fields": []})
    assert votes_of(record, frozenset({3}))[0] == record.everything


def test_a_run_without_evilink_says_so(cli: Cli, recorded: Store) -> None:
    refused = cli("study", "votes", "voted", "--linker", "full")
    assert refused.returncode == 2
    assert f"unknown linker of run 'voted': name one with --linker, 'full'; there are: {LABEL}" in refused.stderr
    unknown = cli("study", "stages", "vote")
    assert unknown.stderr == "unknown run 'vote'; did you mean 'voted'? there are: voted\n"


def test_show_tells_the_story(cli: Cli, recorded: Store) -> None:
    story = cli("show", "north")
    assert story.returncode == 0, story.stderr
    for text in (
        'hypothesis: number 1, hypothesis {"path":"way 1"}',
        "vote: customer(name) [1, 2, 3] 1.00",
        "dropped: customer.city stage refine, reason the city is a text",
        "kept: Order.id stage refine",
        "tool_call: stage refine, turn 1, tool discard",
        "stage: stage hypotheses, calls 1, prompt_tokens 400",
    ):
        assert text in story.stdout, text


def test_notes_are_queryable(cli: Cli, recorded: Store) -> None:
    query = """SELECT json_extract_string(value, '$.stage') AS stage, count(*) AS n FROM notes
               WHERE kind = 'dropped' AND field <> '' GROUP BY ALL"""
    assert json.loads(cli("query", query, "--format", "json").stdout or "[]") == [{"stage": "refine", "n": 4}]
