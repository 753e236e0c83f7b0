"""Token counts: exact where the reference tokenizer is known, with the conversation's template, labelled as offline."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from schemas.tools import Message
from tasks.tokens import TEMPLATES, open_tokenizer

PROMPT = (Message("system", "Answer in Cypher."), Message("user", "How many towns?"))


def test_counts_of_plain_texts() -> None:
    llama, qwen = open_tokenizer("llama3"), open_tokenizer("qwen3")
    assert [llama.text(text) for text in ("", "hello", "hello world", "MATCH (n) RETURN n")] == [0, 1, 2, 6]
    assert qwen.text("hello world") == 2


def test_a_special_token_in_a_text_is_only_text() -> None:
    assert open_tokenizer("llama3").text("<|eot_id|>") > 1
    assert open_tokenizer("qwen3").text("<|im_end|>") > 1


def test_the_template_is_counted() -> None:
    llama = open_tokenizer("llama3")
    inside = sum(llama.text(message.content) for message in PROMPT)
    roles = sum(llama.text(role) for role in ("system", "user", "assistant"))
    special = 1 + 2 * 3 + 2
    breaks = 3 * llama.text("\n\n")
    assert llama.prompt(PROMPT) == inside + roles + special + breaks
    qwen = open_tokenizer("qwen3")
    assert qwen.prompt(PROMPT) == qwen.text("Answer in Cypher.") + qwen.text("How many towns?") + 3 + 3 + 2 + 3 + 2


def test_labels_say_that_counts_are_estimates() -> None:
    for name in TEMPLATES:
        assert open_tokenizer(name).label.startswith(f"{name}, offline (quicktok ")


def test_an_unknown_tokenizer_names_those_there_are() -> None:
    with pytest.raises(UserError, match="unknown tokenizer 'lama3'; did you mean 'llama3'"):
        open_tokenizer("lama3")


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    open_tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, "quicktok", None)
    with pytest.raises(
        UserError, match=r"needs the package quicktok-v1; install it with: pip install -e '\.\[tokens\]'"
    ):
        open_tokenizer("llama3")


@given(st.text(max_size=80), st.text(max_size=80))
def test_more_text_is_never_fewer_tokens_than_its_template(first: str, second: str) -> None:
    llama = open_tokenizer("llama3")
    empty = llama.prompt((Message("system", ""), Message("user", "")))
    assert llama.prompt((Message("system", first), Message("user", second))) >= empty - 2
