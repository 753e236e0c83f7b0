"""SchemaGraphSQL: what it asks, what it finds in common, and its figures with endpoints read from gold."""

from dataclasses import replace
from statistics import fmean

import pytest

from schemas.answers import Linked
from schemas.records import Question
from schemas.tools import Request, Tools
from tasks import plugins
from tasks.labels import linker
from tasks.linkers._discovery import agreement, discover
from tasks.linkers._names import element, entity
from tests.data import need
from tests.linking import catalog
from tests.scripted import Scripted

ASKED = Question("cases", "1", "orchard", "Which village grows red pears?", evidence="red is a colour")
SCHEMA = "CREATE TABLE"


def requests(label: str, *replies: str, question: Question = ASKED, name: str = "orchard") -> list[Request]:
    model = Scripted(replies)
    linker(label)(question, catalog(name), Tools(model=model))
    assert set(model.affinities) == {name}
    return model.requests


def test_configurations_of_the_same_endpoints_ask_the_same_first_question() -> None:
    line = "src=grower, dst=orchard"
    labels = [f"schemagraphsql(configuration={name})" for name in ("n-n", "no-union", "force-longest", "force-union")]
    first = {requests(label, line)[0] for label in labels}
    assert len(first) == 1
    assert requests("schemagraphsql(configuration=1-n)", line)[0] not in first


def test_the_first_question_is_what_the_paper_describes() -> None:
    (request,) = requests("schemagraphsql", "src=grower, dst=grower")
    assert (request.temperature, request.schema, request.n) == (0.2, None, 1)
    system, user = request.messages
    assert (system.role, user.role) == ("system", "user")
    assert SCHEMA in user.content
    assert user.content.endswith("Hint: red is a colour\nQuestion: Which village grows red pears?")
    assert "src=NAME,NAME, dst=NAME,NAME" in user.content
    assert "every source and every destination" in user.content


@pytest.mark.parametrize(
    ("configuration", "told"),
    [
        ("1-1", "exactly one source and exactly one destination"),
        ("1-n", "exactly one source and every destination"),
        ("n-1", "every source and exactly one destination"),
        ("n-n", "every source and every destination"),
    ],
)
def test_the_prompt_tells_how_many_endpoints_there_may_be(configuration: str, told: str) -> None:
    asked = requests(f"schemagraphsql(configuration={configuration})", "src=grower, dst=grower")
    assert told in asked[0].messages[1].content


def test_all_linkers_that_ask_share_a_prefix_over_one_database() -> None:
    other = replace(ASKED, id="2", text="How many trees?", evidence="")
    asked = [
        *requests("schemagraphsql(configuration=n-n)", "src=grower,variety, dst=harvest", "path_id: 1"),
        *requests("schemagraphsql(configuration=1-1)", "src=grower, dst=grower", question=other),
        *requests("llm_tables", "tables=grower"),
        *requests("llm_columns", "columns=grower.id", question=other),
    ]
    text = ["\n".join(message.content for message in request.messages) for request in asked]
    assert len(text) == 5
    shared = text[0].split("\n\nDo not answer")[0]
    assert shared.count(SCHEMA) == len(catalog("orchard").entities)
    assert all(one.startswith(shared) for one in text)


def test_guided_answers_are_of_one_grammar_for_all_databases() -> None:
    answers = '{"sources":[],"destinations":["%s"]}'
    label = "schemagraphsql(answer=json)"
    one, other = (
        requests(label, answers % table, name=name)[0].schema
        for name, table in (("orchard", "grower"), ("gym", "room"))
    )
    assert one == other
    assert one is not None
    assert one["required"] == ["sources", "destinations"]
    assert one["additionalProperties"] is False


def test_the_choice_reads_numbered_candidates() -> None:
    asked = requests("schemagraphsql(configuration=n-n)", "src=grower,variety, dst=harvest", "path_id: 2")
    user = asked[1].messages[1].content
    assert (
        "1: variety - harvest\n2: grower - orchard - harvest\n3: grower, harvest, orchard, variety (all together)"
        in user
    )
    assert "Final Answer: path_id: <ID>" in user
    assert user.endswith(f"Question: {ASKED.text}")


def test_a_repair_grows_the_conversation_at_its_end() -> None:
    first, second = requests("schemagraphsql(repair=true)", "src=sky, dst=grower", "src=grower, dst=grower")
    assert second.messages[: len(first.messages)] == first.messages
    assert [message.role for message in second.messages[2:]] == ["assistant", "user"]
    assert "The schema has no sky.\nIt has: grower, orchard," in second.messages[3].content


def test_joins_are_discovered_by_one_request_a_database_that_shows_no_key() -> None:
    label = "schemagraphsql(joins=discovered)"
    other = replace(ASKED, id="2", text="How many trees?", evidence="")
    one = requests(label, "src=grower, dst=grower", "orchard.grower_id -> grower.id")
    two = requests(label, "src=weather, dst=weather", "NONE", question=other)
    assert one[1] == two[1]
    assert "REFERENCES" in one[0].messages[1].content
    assert "REFERENCES" not in one[1].messages[1].content
    assert "table.column -> table.column" in one[1].messages[1].content


def test_discovered_joins_are_measured_against_hidden_keys() -> None:
    lines = """1. orchard.grower_id -> grower.id
    - `planting`.`orchard_id` → orchard.id
    harvest.variety_id = variety.id
    variety.id -> harvest.variety_id
    "Order"."stall no" references "market stall"."stall no"
    weather.day -> harvest.picked_on
    cloud.id -> weather.day"""
    tools = Tools(model=Scripted([lines]))
    found = discover(catalog("orchard"), tools)
    measured = agreement(found, catalog("orchard").relations)
    assert (measured.agreed, measured.discovered, measured.declared) == (4, 5, 7)
    assert (measured.precision, measured.recall) == (0.8, 4 / 7)
    assert [note.value for note in tools.notes] == ["cloud.id -> weather.day"]
    assert agreement([], []).precision is agreement([], []).recall is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("grower", "grower"),
        (" - `GROWER`; ", "grower"),
        ("2) **grower**", "grower"),
        ("public.grower", "grower"),
        ("orchard.public.[Grower]", "grower"),
        ("MarketStall", "market stall"),
        ("market_stall", "market stall"),
        ("‘market stall’", "market stall"),
        ("grower (people)", "grower"),
        ("orchard.id", "orchard"),
        ("orchard.grower", "grower"),
        ("grower.shoe_size", "grower"),
        ("growers", None),
        ("", None),
        ("None", None),
        ("...", None),
    ],
)
def test_an_entity_is_known_however_it_is_written(written: str, meant: str | None) -> None:
    found = entity(catalog("orchard"), written)
    assert (found and str(found)) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("grower.village", "grower.village"),
        ('"Grower"."VILLAGE"', "grower.village"),
        ("orchard.grower.village", "grower.village"),
        ("`market stall`.`Open (Y/N)`", "market stall.Open (Y/N)"),
        ("market stall.Open (Y/N)", "market stall.Open (Y/N)"),
        ("market_stall.open_y_n", "market stall.Open (Y/N)"),
        ("hectares", "orchard.hectares"),
        ("id", None),
        ("grower", "grower"),
        ("grower.hectares", None),
        ("sky.blue", None),
    ],
)
def test_a_field_is_known_however_it_is_written(written: str, meant: str | None) -> None:
    found = element(catalog("orchard"), written)
    assert (found and str(found)) == meant


def test_oracle_endpoints_on_bird_give_the_measured_figures() -> None:
    """The table of the method's notes: recall, precision, F1, F6, exact match, strict recall; n=1534 (3 s)."""
    root = need("bird", "dev.json").parent
    bird, sql = plugins.load("benchmarks", "bird"), plugins.language("sqlite")
    catalogs = {one.database: one for one in bird.catalogs(root, "dev")}
    questions = [
        replace(one, gold=sql.referenced(one.gold_query, catalogs[one.database]).references, gold_level="field")
        for one in bird.questions(root, "dev")
    ]
    table = {
        "full": (100, 32.92, 46.89, 92.55, 1.04, 100),
        "schemagraphsql(endpoints=oracle)": (95.72, 98.10, 95.93, 95.68, 86.44, 91.07),
        "schemagraphsql(endpoints=oracle, filters=where+order)": (97.80, 98.09, 97.35, 97.74, 90.22, 94.98),
        "schemagraphsql(endpoints=oracle, ids=off)": (95.63, 98.10, 95.88, 95.60, 86.18, 90.81),
        "schemagraphsql(endpoints=oracle, filters=where+order, pairs=all)": (97.82, 97.68, 97.07, 97.73, 89.37, 95.05),
    }
    metrics = [
        plugins.load("metrics", name) for name in ("recall", "precision", "f1", "f6", "exact_match", "strict_recall")
    ]
    for label, expected in table.items():
        link = linker(label)
        kept = [
            {one for one in link(asked, catalogs[asked.database], Tools()).elements if not one.field}
            for asked in questions
        ]
        answers = [
            Linked(asked.gold_elements("entity"), frozenset(mine)) for asked, mine in zip(questions, kept, strict=True)
        ]
        means = [100 * fmean(metric.score(answer) for answer in answers) for metric in metrics]
        assert means == pytest.approx(expected, abs=0.005), label
