"""Labels: read, checked against the linkers' signatures, written in one way, and run."""

from inspect import Parameter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UserError
from tasks import labels, plugins
from tasks.labels import Stage, label, needs, parse, split

WORDS = st.text(max_size=12)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("full", "full"),
        ("full()", "full"),
        (" full ( ) ", "full"),
        ("exact-match", "exact_match"),
        ("random(size=3)", "random"),
        ("random(seed=7,size=3)", "random(seed=7)"),
        ("random( seed = 7 , size = 4 )", "random(size=4, seed=7)"),
        ("schemagraphsql(top=2, endpoints=similarity)", "schemagraphsql(endpoints=similarity, top=2)"),
        ("schemagraphsql(configuration=force-union)", "schemagraphsql"),
        ("schemagraphsql(temperature=0.20)", "schemagraphsql"),
        ("schemagraphsql(temperature=1)", "schemagraphsql(temperature=1.0)"),
        ("schemagraphsql(repair=yes)", "schemagraphsql(repair=true)"),
        ("schemagraphsql(pick=none)", "schemagraphsql"),
        ("schemagraphsql(filters='where+order')", "schemagraphsql(filters=where+order)"),
        ("similarity(threshold=.5, top=none)", "similarity(top=none, threshold=0.5)"),
        ("similarity>exact_match( rule = plural )", "similarity > exact_match(rule=plural)"),
    ],
)
def test_a_label_has_one_spelling(text: str, canonical: str) -> None:
    assert label(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ful", "unknown linker 'ful'; did you mean 'full'? there are: "),
        ("", "cannot read '' in linker ''"),
        ("full > ", "cannot read '' in linker 'full > '"),
        ("full full", "cannot read 'full full'"),
        ("full(", "cannot read 'full(': a parenthesis is not closed or not opened"),
        ("full)", "a parenthesis is not closed"),
        ("random(size='3)", "a quote is not closed"),
        ("full(size=3)", "unknown option of linker 'full' 'size'; there are: none"),
        ("random(sise=3)", "unknown option of linker 'random' 'sise'; did you mean 'size'? there are: seed, size"),
        ("random(3)", "cannot read option '3' of linker 'random': write option=value"),
        ("random(size=1, size=2)", "option 'size' of linker 'random' is given twice"),
        ("random(size=0)", "option size of linker 'random' is '0', must be a whole number at least 1"),
        ("random(size=two)", "must be a whole number at least 1"),
        ("random(size=)", "option size of linker 'random' is ''"),
        ("similarity(threshold=2)", "must be a number between -1 and 1 or none"),
        ("similarity(threshold=nan)", "must be a number between -1 and 1 or none"),
        ("schemagraphsql(repair=maybe)", "option repair of linker 'schemagraphsql' is 'maybe', must be true or false"),
        ("schemagraphsql(configuration=n-m)", "'n-m'; did you mean 'n-n'? there are: 1-1, 1-n, "),
        ("schemagraphsql(pick=modle)", "did you mean 'model'? there are: first, model"),
        ("schemagraphsql(tools=x)", "unknown option of linker 'schemagraphsql' 'tools'"),
    ],
)
def test_a_wrong_label_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


@settings(deadline=None)
@given(st.text(alphabet="full random(size=3,)>'\"_-. \n", max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        canonical = label(parse(text))
    except UserError:
        return
    assert label(parse(canonical)) == canonical


def test_lists_are_split_at_their_outer_commas() -> None:
    text = "full,random(size=3), schemagraphsql(endpoints=oracle, configuration=1-n) > exact_match,,"
    assert split(text) == [
        "full",
        "random(size=3)",
        "schemagraphsql(endpoints=oracle, configuration=1-n) > exact_match",
    ]
    assert split("") == []
    with pytest.raises(UserError, match="parenthesis"):
        split("full,random(size=3")


def test_what_a_linker_needs_depends_on_its_options() -> None:
    wanted = {
        "full": set(),
        "dense": {"embedder"},
        "schemagraphsql": {"model"},
        "schemagraphsql(endpoints=oracle)": set(),
        "schemagraphsql(endpoints=similarity, configuration=n-n)": {"embedder"},
        "schemagraphsql(endpoints=similarity, configuration=n-n, pick=model)": {"embedder", "model"},
        "schemagraphsql(endpoints=oracle, pick=model)": set(),
        "schemagraphsql(endpoints=oracle, joins=both)": {"model"},
        "similarity > llm_tables": {"embedder", "model"},
    }
    assert {text: set(needs(text)) for text in wanted} == wanted


class Plug:
    """A stand-in for a linker whose one option is text."""

    @staticmethod
    def link(question: object, catalog: object, tools: object, *, word: str = "") -> object:
        return word


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=12))
def test_text_survives_its_own_label(word: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugins, "names", lambda family: ("plug",))
        patch.setattr(plugins, "load", lambda family, name: Plug)
        labels.options.cache_clear()
        stage = Stage("plug", (("word", word),) if word else ())
        assert parse(str(stage)) == (stage,)
        assert labels.options("plug")["word"].kind is Parameter.KEYWORD_ONLY
    labels.options.cache_clear()
