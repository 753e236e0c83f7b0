"""Which space names are compared in: the embedder and the measure that a linker's options name, and what they cost."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from schemas.catalog import Catalog, Entity
from schemas.errors import UserError
from schemas.records import Question
from schemas.tools import Tools
from tasks.embedders import open_embedder
from tasks.labels import label, linker, needs, parse
from tasks.linkers._rank import Measure, ranked_entities
from tasks.toolbox import Toolbox, check_tools
from tests.linking import catalog, minilm

ASKED = "In which village does the grower live?"
FLAT = np.array([0.6, 0.8, 0, 0], np.float32)
SPREAD = np.array([0.65, 0.4387, 0.4387, 0.4387], np.float32)


class Drawn:
    """An embedder whose rows are drawn by hand: by cosine ``spread`` is nearer to the question."""

    name = "drawn"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        known = {"flat": FLAT, "spread": SPREAD / np.linalg.norm(SPREAD)}
        question = np.array([1, 0, 0, 0], np.float32)
        return np.stack([known.get(text, question) for text in texts])


def tools(tmp_path: Path) -> Tools:
    pytest.importorskip("wordllama", reason="needs the package wordllama")
    minilm()
    return Toolbox(tmp_path).open("orchard", question=ASKED).tools


def test_functions_can_order_differently() -> None:
    drawn = Catalog("drawn", (Entity("flat"), Entity("spread")))
    found = {
        function: [
            (element.entity, value)
            for element, value in ranked_entities("?", drawn, Tools(embedder=Drawn()), "names", measure)
        ]
        for function, measure in {"cosine": Measure(), "manhattan": Measure(function="manhattan")}.items()
    }
    assert found["cosine"] == [("spread", pytest.approx(0.65, abs=2e-3)), ("flat", pytest.approx(0.6))]
    assert [name for name, _ in found["manhattan"]] == ["flat", "spread"]
    assert found["manhattan"][0][1] == pytest.approx(1 - 1.2 / np.sqrt(8), abs=1e-4)


def test_manhattan_of_many_rows_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Measure(against="both", function="manhattan")
    whole = list(ranked_entities(ASKED, catalog("orchard"), Tools(embedder=minilm()), "names", measure))
    monkeypatch.setattr("tasks.linkers._rank.ROWS", 3)
    assert list(ranked_entities(ASKED, catalog("orchard"), Tools(embedder=minilm()), "names", measure)) == whole
    assert -0.42 < min(value for _, value in whole) < max(value for _, value in whole) <= 1


def test_embedders_are_compared_in_one_run(tmp_path: Path) -> None:
    opened = tools(tmp_path)
    question, whole = Question("cases", "1", "orchard", ASKED), catalog("orchard")
    for name in ("similarity", "dense"):
        one, other = (linker(f"{name}(top=1{model})")(question, whole, opened) for model in ("", ", model=wordllama"))
        assert [entity.name for entity in other.entities] == ["grower"], name
        assert {entity.name for entity in one.entities} <= {entity.name for entity in whole.entities}
    ranked = [list(ranked_entities(ASKED, whole, opened, "names", Measure(model=model))) for model in ("", "wordllama")]
    assert ranked[0] != ranked[1]
    own = Tools(embedder=open_embedder("wordllama"))
    assert ranked[1] == list(ranked_entities(ASKED, whole, own, "names"))
    assert ranked[1] == list(ranked_entities(ASKED, whole, own, "names", Measure(model="wordllama")))


def test_an_embedder_that_was_not_opened_is_told() -> None:
    with pytest.raises(UserError, match="asks an embedder: install"):
        list(ranked_entities("?", catalog("orchard"), Tools(embedder=Drawn()), "names", Measure(model="wordllama")))


def test_options_are_in_the_label_and_ask_for_the_embedder() -> None:
    text = "similarity( function=manhattan, model=wordllama, threshold=0.5 )"
    assert label(parse(text)) == "similarity(threshold=0.5, model=wordllama, function=manhattan)"
    assert needs(text) == {"embedder", "embedder:wordllama"}
    assert needs("dense(model=BAAI/bge-small-en)") == {"embedder", "embedder:BAAI/bge-small-en"}
    with pytest.raises(UserError, match="unknown value of option function of linker 'similarity': 'dot'"):
        parse("similarity(function=dot)")


def test_a_wrong_embedder_is_refused_before_anything_runs(tmp_path: Path) -> None:
    tools(tmp_path)
    known = r"unknown embedder 'wordlama'; did you mean 'wordllama'\? there are: "
    with pytest.raises(UserError, match=rf"linker 'similarity\(model=wordlama\)' asks an embedder: {known}"):
        check_tools(["full", "similarity(model=wordlama)"], Toolbox(tmp_path))
    wrong = Toolbox(tmp_path, embedder="wordlama")
    check_tools(["full", "similarity(model=wordllama)"], wrong)
    for name in ("dense", "similarity(model=wordllama) > dense"):
        with pytest.raises(UserError, match=known):
            check_tools([name], wrong)


def test_remembered_words_of_a_question_are_owed(tmp_path: Path) -> None:
    tools(tmp_path)
    text = "Which GROWER of the village owes the most plums?"
    box, question, whole = Toolbox(tmp_path), Question("cases", "1", "orchard", text), catalog("orchard")
    for label_, shared in (("similarity(against=both)", True), ("similarity(against=both, model=wordllama)", False)):
        first, second = (box.open("orchard", question=text) for _ in range(2))
        linker(label_)(question, whole, first.tools)
        linker(label_)(question, whole, second.tools)
        assert second.owed > first.owed
        assert (second.embedder.owed > 0) is shared
        assert second.seconds() >= second.owed
