"""What Cypher queries reference: the fixture, the published gold queries, and hostile texts."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.catalog import Catalog, Entity, Field, Relation
from schemas.errors import Failure
from tasks.languages.cypher import referenced
from tests.cypher_cases import CASES, Case, catalog

LABELS = (
    "",
    ":Gardener",
    ":Plot",
    ":Crop|Tool",
    ":Shed",
    "x:Tool {label: 'a'}",
    "g:Gardener",
    "p:Plot WHERE p.size > 1",
)
HOPS = ("-[:TENDS]->", "<-[:BORROWED]-", "-[r]-", "-->", "-[:KNOWS*1..3]-", "-[k:GROWS|BESIDE {rows: 2}]->")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.schema}: {case.title}")
def test_fixture(case: Case) -> None:
    if case.failure:
        with pytest.raises(Failure, match=f"(?s)parse_error.*{case.failure}"):
            referenced(case.query, catalog(case.schema))
        return
    found = referenced(case.query, catalog(case.schema))
    entities = [(ref.entity, frozenset(ref.roles) - {"from"}) for ref in found.references if not ref.field]
    fields = {str(ref.element): frozenset(ref.roles) for ref in found.references if ref.field}
    assert (entities, fields, list(found.unknown)) == (case.entities, case.fields, case.unknown)
    assert all("from" in ref.roles for ref in found.references if not ref.field)


def test_the_fixture_is_large_enough() -> None:
    assert len(CASES) >= 140
    assert len({(case.schema, case.title) for case in CASES}) == len(CASES)
    assert len({case.query for case in CASES}) == len(CASES)
    assert Counter(bool(case.failure) for case in CASES)[True] >= 12


def test_a_label_and_a_type_of_the_very_same_name_are_one_address() -> None:
    order = Entity("Order", (Field("number"),), "node")
    placed = Entity("Order", (Field("day"),), "relationship")
    both = Catalog(
        "shop", (Entity("Shop", (), "node"), order, placed), (Relation("Shop", "Order", via="Order"),), "cypher"
    )
    found = referenced("MATCH (:Shop)-[x:Order]->(o:Order) RETURN x.day, o.number", both)
    assert [str(ref.element) for ref in found.references] == ["Shop", "Order", "Order.day", "Order.number"]
    kept = both.keep(ref.element for ref in found.references)
    assert {(entity.kind, entity.fields) for entity in kept.entities if entity.name == "Order"} == {
        ("node", order.fields),
        ("relationship", placed.fields),
    }


@given(
    start=st.sampled_from(LABELS),
    steps=st.lists(st.tuples(st.sampled_from(HOPS), st.sampled_from(LABELS)), max_size=3),
    reverse=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_every_reference_is_an_element_of_the_catalog(start: str, steps: list[tuple[str, str]], reverse: bool) -> None:
    path = f"({start})" + "".join(f"{hop}({label})" for hop, label in steps)
    garden = catalog("allotments")
    query = f"MATCH path = {path} RETURN [n IN nodes(path) | n.name] AS names, path"
    query = f"MATCH (first) WITH first {query} ORDER BY first.season" if reverse else query
    try:
        found = referenced(query, garden)
    except Failure:
        return
    assert {ref.element for ref in found.references} <= garden.elements
    named = {ref.entity for ref in found.references if not ref.field}
    assert {ref.entity for ref in found.references} == named
    assert all(ref.roles for ref in found.references)


@given(st.text(alphabet="MATCHRETURNWHE ()[]{}-<>:.,;'`|&!%*$gx1=", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_is_a_failure(text: str) -> None:
    status, told = outcome(text)
    assert status in ("ok", "parse_error")
    assert told
    assert "\n" not in told


def outcome(text: str) -> tuple[str, str]:
    try:
        found = referenced(text, catalog("allotments"))
    except Failure as failure:
        return failure.status, failure.reason
    return "ok", " ".join([*(str(ref.element) for ref in found.references), *found.unknown])


@pytest.mark.parametrize("depth", [50, 5000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    query = f"MATCH (g:Gardener) WHERE {'(' * depth}g.name = 'a'{')' * depth} RETURN g.name"
    if depth < 100:
        assert referenced(query, catalog("allotments")).unknown == ()
    else:
        with pytest.raises(Failure, match="parse_error"):
            referenced(query, catalog("allotments"))
