"""The linking metrics against their definitions, computed again from counts."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.answers import Linked
from schemas.catalog import Element
from tasks import plugins

LINKING = ("precision", "recall", "f1", "f6", "exact_match", "strict_recall", "kept", "gold", "hits")
elements = st.frozensets(st.sampled_from([Element(name) for name in "abcdef"]))


def scores(gold: frozenset[Element], kept: frozenset[Element]) -> dict[str, float | None]:
    return {name: plugins.load("metrics", name).score(Linked(gold, kept)) for name in LINKING}


def test_they_judge_linked_elements() -> None:
    assert {plugins.load("metrics", name).ANSWER for name in LINKING} == {Linked}


@settings(deadline=None)
@given(elements, elements)
def test_they_are_what_the_definitions_say(gold: frozenset[Element], kept: frozenset[Element]) -> None:
    found = scores(gold, kept)
    both = len(gold & kept)
    assert (found["kept"], found["gold"]) == (len(kept), len(gold))
    if not gold:
        assert {found[name] for name in LINKING if name not in ("kept", "gold")} == {None}
        return
    p, r = both / len(kept) if kept else 0.0, both / len(gold)
    assert found["hits"] == both
    assert (found["precision"], found["recall"]) == (p, r)
    assert math.isclose(found["f1"] or 0.0, 2 * p * r / (p + r) if both else 0.0)
    assert math.isclose(found["f6"] or 0.0, 37 * p * r / (36 * p + r) if both else 0.0)
    assert found["exact_match"] == float(gold == kept)
    assert found["strict_recall"] == float(gold <= kept)


@pytest.mark.parametrize(
    ("gold", "kept", "expected"),
    [
        ("sale", "", {"precision": 0, "recall": 0, "f1": 0, "f6": 0, "exact_match": 0, "strict_recall": 0, "hits": 0}),
        (
            "sale",
            "Sale",
            {"precision": 1, "recall": 1, "f1": 1, "f6": 1, "exact_match": 1, "strict_recall": 1, "hits": 1},
        ),
        (
            "sale item",
            "SALE shop",
            {"precision": 0.5, "recall": 0.5, "f1": 0.5, "f6": 0.5, "exact_match": 0, "hits": 1},
        ),
        ("sale", "sale shop item stall", {"precision": 0.25, "recall": 1, "f6": 37 / 40, "strict_recall": 1}),
        ("", "", {"precision": None, "exact_match": None, "strict_recall": None, "hits": None, "kept": 0, "gold": 0}),
        ("", "sale", {"precision": None, "recall": None, "exact_match": None, "hits": None, "kept": 1, "gold": 0}),
    ],
)
def test_edge_cases_are_decided(gold: str, kept: str, expected: dict[str, float | None]) -> None:
    found = scores(frozenset(map(Element, gold.split())), frozenset(map(Element, kept.split())))
    assert {name: found[name] for name in expected} == expected


def test_a_field_is_not_its_entity() -> None:
    found = scores(
        frozenset({Element("sale", "id"), Element("item", "id")}), frozenset({Element("Sale", "ID"), Element("sale")})
    )
    assert (found["hits"], found["precision"], found["recall"]) == (1, 0.5, 0.5)
