"""Every linker against its fixture and against what all linkers promise."""

from types import SimpleNamespace

import pytest

from schemas.catalog import Catalog
from schemas.errors import Failure, UserError
from schemas.records import Question
from schemas.tools import Tools
from tasks import plugins
from tasks.labels import linker, needs, options, parse
from tests.linking import CASES, Case, catalog, minilm, noted, read, spacy_tagger

FIXTURES = {path.stem: read(path) for path in sorted(CASES.glob("*.jsonl"))}
ALL = [
    pytest.param(case, id=f"{case.linker} {case.catalog} {at}")
    for name in FIXTURES
    for at, case in enumerate(FIXTURES[name])
]


@pytest.fixture(autouse=True)
def graphs_have_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graph catalogs can be shown to a model even where the language plug-in for them is not there yet."""
    if "cypher" not in plugins.names("languages"):
        known = plugins.language
        text = SimpleNamespace(render=lambda graph: "\n".join(map(str, graph.relations)))
        monkeypatch.setattr(plugins, "language", lambda dialect: text if dialect == "cypher" else known(dialect))


def ask(case: Case, *, with_gold: bool = True) -> tuple[Catalog, Tools]:
    needed = needs(case.linker)
    tools = case.tools(
        minilm() if "embedder" in needed else None,
        spacy_tagger() if "tagger" in needed else None,
    )
    return linker(case.linker)(case.asked(with_gold=with_gold), catalog(case.catalog), tools), tools


@pytest.mark.parametrize("case", ALL)
def test_a_linker_keeps_what_its_fixture_says(case: Case) -> None:
    if case.failure:
        with pytest.raises(Failure) as failed:
            ask(case)
        assert failed.value.status == case.failure
        return
    kept, tools = ask(case)
    assert kept.elements == case.expected()
    for kind, values in (case.notes or {}).items():
        assert noted(tools, kind) == values
    assert tools.model.replies == []  # type: ignore[union-attr]
    if kept.elements == catalog(case.catalog).elements and "fallback" in (case.notes or {}):
        assert kept is catalog(case.catalog)


@pytest.mark.parametrize("case", [param for param in ALL if not param.values[0].failure])
def test_a_linker_keeps_its_promises(case: Case) -> None:
    whole = catalog(case.catalog)
    before = repr(whole)
    kept, tools = ask(case)
    assert kept.elements <= whole.elements
    assert whole.keep(kept.elements) == kept
    assert repr(whole) == before
    again, tools_again = ask(case)
    assert (again, tools_again.notes) == (kept, tools.notes)
    if "oracle" not in case.linker:
        blind, blind_tools = ask(case, with_gold=False)
        assert (blind, blind_tools.notes) == (kept, tools.notes)


@pytest.mark.parametrize("name", plugins.names("linkers"))
def test_a_linker_is_documented_and_tried(name: str) -> None:
    module = plugins.load("linkers", name)
    assert module.__doc__
    assert module.link.__doc__
    hints = module.link.__annotations__
    assert [hints[key] for key in ("question", "catalog", "tools", "return")] == [Question, Catalog, Tools, Catalog]
    for key, option in options(name).items():
        assert parse(f"{name}({key}={'none' if option.default is None else option.default})")[0].options == ()
    cases = FIXTURES[name]
    assert any(case.catalog == "film" for case in cases), "no case over a graph"
    assert any(case.catalog == "single" for case in cases), "no case over a single table"
    assert any(not case.question for case in cases), "no case with an empty question"


@pytest.mark.parametrize("name", plugins.names("linkers"))
def test_a_linker_says_which_tool_it_lacks(name: str) -> None:
    asked = Question("cases", "1", "orchard", "Which grower sells most?")
    if not needs(name):
        assert name == "oracle" or linker(name)(asked, catalog("orchard"), Tools()).entities
        return
    with pytest.raises(UserError, match=r"--model|pip install"):
        linker(name)(asked, catalog("orchard"), Tools())


def test_linkers_compose_from_left_to_right() -> None:
    case = Case("oracle(level=entity) > exact_match", "orchard", "How many kilos?", gold=("harvest:from", "Order:from"))
    kept, _ = ask(case)
    assert [entity.name for entity in kept.entities] == ["harvest"]
