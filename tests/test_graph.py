"""The join graph against networkx's own enumeration of shortest paths."""

import gc
import weakref
from collections.abc import Sequence
from itertools import pairwise, product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.catalog import Catalog, Entity, Field, Relation
from tasks.linkers._candidates import CONFIGURATIONS, Candidate, Name, Picker, search
from tasks.linkers._graph import JoinGraph
from tasks.linkers._joins import declared
from tests.linking import catalog

NAMES = "abcdefgh"
Edges = list[tuple[str, str]]
edges = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20)
sides = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


def shortest(links: Edges, source: str, target: str) -> list[tuple[str, ...]]:
    """Every shortest path by networkx; none where the two are disconnected."""
    graph = nx.Graph()
    graph.add_nodes_from(NAMES)
    graph.add_edges_from(link for link in links if link[0] != link[1])
    if not nx.has_path(graph, source, target):
        return []
    return [tuple(path) for path in nx.all_shortest_paths(graph, source, target)]


@settings(deadline=None)
@given(edges, sides, sides)
def test_the_union_is_every_vertex_on_any_enumerated_path(links: Edges, sources: list[str], targets: list[str]) -> None:
    pairs = list(product(sources, targets))
    kept, apart = JoinGraph(NAMES, links).union(pairs)
    enumerated = {pair: shortest(links, *pair) for pair in pairs}
    assert kept == {vertex for paths in enumerated.values() for path in paths for vertex in path}
    assert apart == [pair for pair in pairs if not enumerated[pair]]


@settings(deadline=None)
@given(edges, st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_joins_are_the_steps_of_all_paths(links: Edges, source: str, target: str) -> None:
    steps = {step for path in shortest(links, source, target) for step in pairwise(path)}
    joins = list(JoinGraph(NAMES, links).joins(source, target))
    assert set(joins) == steps
    assert len(joins) == len(steps)


@settings(deadline=None)
@given(edges, st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 4))
def test_paths_are_listed_up_to_the_cap(links: Edges, source: str, target: str, cap: int) -> None:
    graph = JoinGraph(NAMES, links)
    paths, more = graph.paths(source, target, cap)
    enumerated = shortest(links, source, target)
    assert len(paths) == min(cap, len(enumerated))
    assert more == (len(enumerated) > cap)
    assert set(paths) <= set(enumerated)
    if enumerated:
        assert graph.first_path(source, target) == min(enumerated)


def last_of(offered: list[Candidate]) -> Picker:
    """A picker that takes the last candidate and tells what it was offered."""

    def pick(candidates: Sequence[Candidate]) -> Candidate:
        offered.extend(candidates)
        return candidates[-1]

    return pick


@settings(deadline=None)
@given(edges, sides, sides, st.sampled_from(sorted(CONFIGURATIONS)))
def test_every_configuration_chooses_among_the_same_candidates(
    links: Edges, sources: list[str], targets: list[str], name: Name
) -> None:
    pairs = list(product(sources, targets))
    paths = {pair: shortest(links, *pair) for pair in pairs}
    listed = {path for many in paths.values() for path in many}
    united = {vertex for path in listed for vertex in path}
    offered: list[Candidate] = []
    configuration = CONFIGURATIONS[name]
    found = search(JoinGraph(NAMES, links), pairs, configuration, last_of(offered), 1000)
    chosen = found.chosen.tables
    if not listed:
        assert chosen == ()
    elif name == "force-union":
        assert set(chosen) == united
    elif name == "force-longest":
        assert chosen == min(path for path in listed if len(path) == max(map(len, listed)))
    else:
        single = [one.tables for one in offered if not one.union]
        assert single == sorted(single, key=lambda path: (len(path), path))
        assert {min(path, path[::-1]) for path in single or [chosen]} == {min(path, path[::-1]) for path in listed}
        assert found.chosen.union == (configuration.union and all(set(path) != united for path in listed))
    connected = {end for pair, many in paths.items() if many for end in pair}
    assert found.apart == {end for pair in pairs for end in pair} - connected


def test_the_union_of_a_graph_with_too_many_paths_to_list() -> None:
    """Thirty layers of ten tables: 10^30 shortest paths, and the union is all of them."""
    layers = [[f"{layer}-{place}" for place in range(10)] for layer in range(30)]
    links = [(one, other) for here, there in pairwise(layers) for one in here for other in there]
    links += [("start", one) for one in layers[0]] + [(one, "end") for one in layers[-1]]
    graph = JoinGraph(["start", "end", *(name for layer in layers for name in layer)], links)
    assert len(graph.between("start", "end")) == 302
    paths, more = graph.paths("start", "end", 5)
    assert (len(paths), more) == (5, True)
    assert graph.first_path("start", "end") == ("start", *(f"{layer}-0" for layer in range(30)), "end")


def test_one_pair_of_endpoints_may_not_use_up_the_cap() -> None:
    links = [("a", "c"), ("c", "b"), ("a", "d"), ("d", "b"), ("a", "e"), ("e", "b"), ("f", "g")]
    offered: list[Candidate] = []
    found = search(
        JoinGraph(NAMES, links), [("a", "b"), ("f", "g")], CONFIGURATIONS["no-union"], last_of(offered), cap=2
    )
    assert found.capped
    assert {one.tables[0] for one in offered} == {"a", "f"}


def table(name: str, *fields: str) -> Entity:
    return Entity(name, tuple(Field(field) for field in fields))


def key(source: str, field: str, target: str) -> Relation:
    return Relation(source, target, (field,), ("id",))


@pytest.mark.parametrize(
    ("relations", "guessed"),
    [
        ((), {("a", "b"), ("a", "c"), ("b", "c")}),
        ((key("a", "b_id", "b"),), {("a", "b"), ("a", "c"), ("b", "c")}),
        ((key("a", "b_id", "b"), key("a", "c_id", "b")), {("a", "b"), ("a", "c"), ("b", "c")}),
        ((key("a", "b_id", "b"), key("a", "id", "a")), {("a", "b"), ("a", "c"), ("b", "c")}),
        ((key("a", "b_id", "b"), key("c", "id", "a")), set()),
    ],
    ids=["none", "one", "two between the same tables", "one and one to itself", "two"],
)
def test_sparse_schemas_join_by_shared_id_columns(
    relations: tuple[Relation, ...], guessed: set[tuple[str, str]]
) -> None:
    sparse = Catalog(
        "sparse",
        (table("a", "ID", "b_id", "c_id"), table("b", "id"), table("c", "Id", "name"), table("d", "name")),
        relations,
    )
    assert set(declared(sparse, "paper").shared) == guessed
    assert set(declared(sparse, "off").shared) == set()


def test_guessed_joins_are_spelled_as_declared_and_yield_to_known_ones() -> None:
    sparse = Catalog("sparse", (table("a", "ID", "b_id"), table("b", "id"), table("c", "Id")), (key("a", "b_id", "b"),))
    joins = declared(sparse, "paper")
    assert [str(one) for one in joins.of("a", "c")] == ["a(ID) -> c(Id)"]
    assert [str(one) for one in joins.of("b", "a")] == ["a(b_id) -> b(id)"]
    assert joins.of("a", "d") == []


def test_a_graph_is_made_once_for_a_catalog_and_forgotten_with_it() -> None:
    brief = Catalog("brief", (table("a", "id"), table("b", "id")))
    joins = declared(brief, "paper")
    assert declared(brief, "paper") is joins
    assert declared(brief, "off") is not joins
    assert declared(Catalog("brief", brief.entities), "paper") is not joins
    gone = weakref.ref(brief), weakref.ref(joins)
    del brief, joins
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_relationship_types_are_no_vertices() -> None:
    film = declared(catalog("film"), "paper")
    assert sorted(film.graph.graph) == ["Genre", "Movie", "Person", "Studio"]
    assert film.graph.distance("Person", "Genre") == 2
