"""No request of EviLink exceeds the model's context, and every table is shown in exactly one chunk."""

import json
from collections import Counter
from functools import cache

import pytest

from schemas.catalog import Catalog, Element, Entity, Field
from schemas.records import Question
from schemas.tools import Request, Tools
from tasks.linkers import evilink
from tasks.linkers._evilink_chunks import outline, whole
from tasks.linkers._evilink_tokens import cut, estimate
from tests.data import need
from tests.evilink import Greedy, kinds, shown_elements, stage_of

CONTEXT = 32_768


@cache
def tokens_of(text: str) -> int:
    quicktok = pytest.importorskip("quicktok", reason="needs quicktok-v1, a tokenizer")
    return len(quicktok.get_encoding("qwen3").encode(text))


def size(request: Request) -> int:
    """The tokens of a request as Qwen's template writes it, the room for the answer included."""
    messages = (
        8
        + sum(map(tokens_of, message.content.split("\n\n")))
        + 2 * message.content.count("\n\n")
        + sum(tokens_of(call.name + call.arguments) + 24 for call in message.tool_calls)
        for message in request.messages
    )
    tools = 150 + sum(tokens_of(json.dumps(tool)) for tool in request.tools) if request.tools else 0
    return sum(messages) + tools + request.max_tokens


@cache
def snow() -> tuple[dict[str, Question], dict[str, Catalog]]:
    """Every database with the longest of its questions."""
    root = need("spider2")
    from tasks.benchmarks import spider2

    longest: dict[str, Question] = {}
    for question in spider2.questions(root, "snow"):
        known = longest.get(question.database)
        if known is None or len(question.evidence + question.text) > len(known.evidence + known.text):
            longest[question.database] = question
    return longest, {catalog.database: catalog for catalog in spider2.catalogs(root, "snow")}


@pytest.mark.slow
def test_no_request_exceeds_the_context_on_any_snow_database(capsys: pytest.CaptureFixture[str]) -> None:
    """Slow: 522,268 columns are rendered, estimated, selected, and counted by a tokenizer."""
    questions, catalogs = snow()
    calls: dict[str, Counter[str]] = {}
    largest: tuple[int, str, str] = (0, "", "")
    for database, catalog in catalogs.items():
        asked = questions.get(database) or Question("snow", "none", database, "How many rows are there?")
        model = Greedy(catalog)
        evilink.link(asked, catalog, Tools(model=model), budget=CONTEXT)
        calls[database] = model.stages
        largest = max(largest, *((size(request), database, stage_of(request)) for request in model.requests))
    assert len(calls) == 152
    assert largest[0] <= CONTEXT, largest
    assert largest[0] > CONTEXT // 2, "the budget is left unused"
    totals = {database: stages.total() for database, stages in calls.items()}
    first = {database: stages["hypotheses"] + stages["tables"] for database, stages in calls.items()}
    with capsys.disabled():
        most = ", ".join(f"{name} {dict(calls[name])}" for name in sorted(totals, key=totals.__getitem__)[-3:])
        middle = sorted(totals.values())[len(totals) // 2], sorted(first.values())[len(first) // 2]
        print(f"\ncalls a question at {CONTEXT} tokens: median {middle[0]} ({middle[1]} before fields), most: {most}")
        print(f"largest request: {largest}")


@pytest.mark.slow
@pytest.mark.parametrize("database", ["FEC", "GA360", "EBI_CHEMBL"])
def test_every_table_and_column_is_shown_once(database: str) -> None:
    """Slow: reads the catalog of a database of hundreds of tables."""
    catalog = snow()[1][database]
    chunks = whole(catalog, "names", 20_000)
    seen = Counter(name for chunk in chunks for name in chunk.tables)
    assert set(seen) == {entity.name for entity in catalog.entities}
    assert max(seen.values()) == 1
    columns: Counter[Element] = Counter()
    for chunk in chunks:
        for name, fields in shown_elements(catalog, chunk.text).items():
            columns.update(Element(name, field) for field in fields)
    assert set(columns) == {element for element in catalog.elements if element.field}
    assert max(columns.values()) == 1


@pytest.mark.parametrize("limit", [120, 400, 3000])
def test_a_wide_table_is_split_by_columns_and_nothing_is_lost(limit: int) -> None:
    wide = Entity("wide", tuple(Field(f"measure_{number}", "NUMBER") for number in range(300)))
    catalog = Catalog("w", (Entity("first", (Field("id"),)), wide, Entity("last", (Field("id"),))))
    chunks = whole(catalog, "facts", limit)
    assert all(estimate(chunk.text) <= limit + 8 for chunk in chunks)
    shown = Counter(element for chunk in chunks for element in chunk.fields())
    assert set(shown) == {element for element in catalog.elements if element.field}
    assert max(shown.values()) == 1
    assert sum("first" in chunk.tables for chunk in chunks) == sum("last" in chunk.tables for chunk in chunks) == 1
    assert all("wide [columns" in chunk.text for chunk in chunks if len(chunks) > 1 and "wide" in chunk.tables)


def test_families_are_shown_once_under_a_name_for_all() -> None:
    days = [Entity(f"LOG_{day}", (Field("AT", "DATE"), Field("USER", "TEXT"))) for day in range(20240101, 20240120)]
    catalog = Catalog("logs", (*days, Entity("USERS", (Field("ID"),))))
    (chunk,) = whole(catalog, "names", 4000)
    assert chunk.text.splitlines() == [
        "LOG_* (19 tables of the same columns: LOG_20240101, LOG_20240102, LOG_20240103, LOG_20240104, …, "
        "LOG_20240116, LOG_20240117, LOG_20240118, LOG_20240119): AT, USER",
        "USERS: ID",
    ]
    assert chunk.tables == {entity.name for entity in catalog.entities}


def test_a_large_catalog_is_asked_about_in_chunks_that_all_questions_share() -> None:
    tables = tuple(
        Entity(f"{letter}{letter}_facts", tuple(Field(f"{letter}_field_{n}") for n in range(200)))
        for letter in "abcdefgh"
    )
    catalog = Catalog("many", tables)
    prefixes = []
    for text in ("How many a?", "Which b have c? " * 40):
        model = Greedy(catalog)
        evilink.link(Question("t", "q", "many", text, "hint " * 500), catalog, Tools(model=model), budget=4096)
        assert max(size(request) for request in model.requests) <= 4096
        assert model.stages["hypotheses"] == 1, "the outline fits"
        assert model.stages["tables"] % 4 == 0
        shown = {
            request.messages[1].content.partition("\n\n")[0]
            for request in model.requests
            if stage_of(request) == "tables"
        }
        prefixes.append(shown)
    assert prefixes[0] == prefixes[1]
    assert len(prefixes[0]) > 1


def test_an_outline_that_does_not_fit_is_asked_about_in_parts() -> None:
    tables = tuple(
        Entity(f"{one}{two}_{three}x", (Field("id"),))
        for one in "abcdefghij"
        for two in "abcdefghij"
        for three in "abc"
    )
    catalog = Catalog("many", tables)
    assert len(outline(catalog, 600)) > 1
    model = Greedy(catalog)
    tools = Tools(model=model)
    evilink.link(Question("t", "q", "many", "How many?"), catalog, tools, budget=4096, refine=False, recovery=False)
    (stage, *_), ways = kinds(tools.notes, "stage"), kinds(tools.notes, "hypothesis")
    assert json.loads(stage.value)["chunks"] == model.stages["hypotheses"]
    assert len(ways) == 4


def test_a_cut_text_fits_and_says_so() -> None:
    text = "SELECT count(*) FROM orders WHERE day = '2024-01-31'; " * 50
    for tokens in (20, 100, 400):
        assert estimate(cut(text, tokens)) <= tokens + 2
        assert cut(text, tokens).endswith(" [cut]")
    assert cut("short", 20) == "short"
