"""The graph step against networkx's enumeration in one run: python -m tests.benchmarks.graph

For every question of BIRD dev with endpoints read from gold, the union of shortest paths is timed as the linker finds
it, on the graph that it keeps for a catalog, first with no distance known, then again; beside it, the union of
``networkx.all_shortest_paths`` over the same graph. Then a dense random graph (1,000 tables, 100,000 foreign keys), and
a layered one of as many edges, on which enumeration does not end and is stopped.
"""

import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise, product
from statistics import median
from types import FrameType

import networkx as nx

from schemas.catalog import Catalog, Entity, Field, Relation
from tasks import plugins
from tasks.linkers._endpoints import from_gold
from tasks.linkers._graph import JoinGraph
from tasks.linkers._joins import declared
from tests.data import DATA

Pair = tuple[str, str]
PATIENCE = 10.0


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def enumerated(graph: nx.Graph, pairs: Sequence[Pair]) -> set[str]:
    kept: set[str] = set()
    for source, target in pairs:
        if nx.has_path(graph, source, target):
            for path in nx.all_shortest_paths(graph, source, target):
                kept.update(path)
    return kept


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def bird() -> list[tuple[JoinGraph, list[Pair]]]:
    """The graph and the pairs of endpoints of every question of BIRD dev."""
    root = DATA / "bird"
    benchmark, sql = plugins.load("benchmarks", "bird"), plugins.language("sqlite")
    catalogs = {catalog.database: catalog for catalog in benchmark.catalogs(root, "dev")}
    steps = []
    for question in benchmark.questions(root, "dev"):
        catalog = catalogs[question.database]
        known = replace(question, gold=sql.referenced(question.gold_query, catalog).references, gold_level="field")
        ends = from_gold(known, catalog, "where")
        steps.append((declared(catalog, "paper").graph, list(product(ends.sources, ends.destinations))))
    return steps


def dense(tables: int = 1000, keys: int = 100_000) -> Catalog:
    drawn = random.Random(7)
    names = [f"t{number}" for number in range(tables)]
    pairs: set[Pair] = set()
    while len(pairs) < keys:
        one, other = sorted(drawn.sample(names, 2))
        pairs.add((one, other))
    return of_pairs("dense", names, sorted(pairs))


def layered(layers: int = 10, wide: int = 105) -> Catalog:
    """Layers of tables, each joined to all of the next: some 10^18 shortest paths between the two ends."""
    names = [[f"t{layer}_{place}" for place in range(wide)] for layer in range(layers)]
    pairs = [(one, other) for here, there in pairwise(names) for one in here for other in there]
    pairs += [("first", name) for name in names[0]] + [(name, "last") for name in names[-1]]
    return of_pairs("layered", ["first", "last", *(name for layer in names for name in layer)], pairs)


def of_pairs(database: str, names: Sequence[str], pairs: Sequence[Pair]) -> Catalog:
    keys = tuple(Relation(one, other, ("id",), ("id",)) for one, other in pairs)
    return Catalog(database, tuple(Entity(name, (Field("id"),)) for name in names), keys)


def report(name: str, times: Sequence[float]) -> None:
    high = sorted(times)[int(0.99 * len(times))]
    print(f"{name:<44}median {median(times):.4f} ms  p99 {high:.4f} ms  max {max(times):.4f} ms")


def on_bird() -> None:
    steps = bird()
    print(f"BIRD dev, {len(steps)} questions, {sum(len(pairs) for _, pairs in steps)} pairs of endpoints")
    first = [milliseconds(lambda graph=graph, pairs=pairs: graph.union(pairs)) for graph, pairs in steps]
    again = [milliseconds(lambda graph=graph, pairs=pairs: graph.union(pairs)) for graph, pairs in steps]
    theirs = [milliseconds(lambda graph=graph, pairs=pairs: enumerated(graph.graph, pairs)) for graph, pairs in steps]
    report("two distance maps, none known at first", first)
    report("two distance maps, known", again)
    report("networkx.all_shortest_paths", theirs)
    assert all(graph.union(pairs)[0] == enumerated(graph.graph, pairs) for graph, pairs in steps)


def on_large(catalog: Catalog, pair: Pair) -> None:
    built = milliseconds(lambda: declared(catalog, "off"))
    graph = declared(catalog, "off").graph
    edges = graph.graph.number_of_edges()
    print(f"{catalog.database}: {len(catalog.entities)} tables, {edges} edges, graph built once in {built:.0f} ms")
    taken = milliseconds(lambda: graph.union([pair]))
    print(f"{'two distance maps, none known':<44}{taken:.2f} ms, {len(graph.union([pair])[0])} tables kept")
    try:
        with limit(PATIENCE):
            taken = milliseconds(lambda: enumerated(graph.graph, [pair]))
        print(f"{'networkx.all_shortest_paths':<44}{taken:.2f} ms")
    except TimeoutError:
        print(f"{'networkx.all_shortest_paths':<44}stopped after {PATIENCE:.0f} s without an end")


if __name__ == "__main__":
    on_bird()
    on_large(dense(), ("t0", "t999"))
    on_large(layered(), ("first", "last"))
