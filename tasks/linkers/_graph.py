"""The join graph of a catalog: tables or nodes joined by foreign keys or patterns, searched breadth first.

A vertex v lies on a shortest path from s to t if and only if d(s, v) + d(v, t) = d(s, t), so the union of all shortest
paths takes two distance maps and never the paths, of which there may be exponentially many.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

import networkx as nx

from schemas.catalog import Relation

Path = tuple[str, ...]


class JoinGraph:
    """An undirected graph over names; relations that leave the vertices, or join a vertex to itself, are no edges.

    >>> graph = JoinGraph("abcd", [("a", "b"), ("b", "c")])
    >>> sorted(graph.between("a", "c")), graph.between("a", "d")
    (['a', 'b', 'c'], frozenset())
    """

    def __init__(self, vertices: Iterable[str], edges: Iterable[tuple[str, str]]) -> None:
        self.graph = nx.Graph()
        self.graph.add_nodes_from(vertices)
        self.graph.add_edges_from((a, b) for a, b in edges if a != b and a in self.graph and b in self.graph)
        self.distances = lru_cache(maxsize=512)(self._search)

    def _search(self, start: str) -> Mapping[str, int]:
        """The number of joins from a vertex to every vertex that it reaches, itself included."""
        distances: dict[str, int] = nx.single_source_shortest_path_length(self.graph, start)
        return distances

    def distance(self, source: str, target: str) -> int | None:
        """The number of joins between two vertices; None where they are disconnected."""
        return self.distances(source).get(target)

    def between(self, source: str, target: str) -> frozenset[str]:
        """Every vertex on any shortest path between two vertices, both included; none where they are disconnected."""
        here, there = self.distances(source), self.distances(target)
        length = here.get(target)
        if length is None:
            return frozenset()
        return frozenset([vertex for vertex, steps in here.items() if steps + there[vertex] == length])

    def joins(self, source: str, target: str) -> Iterator[tuple[str, str]]:
        """Every edge on any shortest path, each pointing from source to target, nearest to the source first."""
        here, on_path = self.distances(source), self.between(source, target)
        for vertex in sorted(on_path, key=lambda name: (here[name], name)):
            nearer = (name for name in self.graph[vertex] if name in on_path and here[name] < here[vertex])
            yield from ((name, vertex) for name in sorted(nearer))

    def first_path(self, source: str, target: str) -> Path:
        """The first of the shortest paths in the order of its names, found without the others."""
        there = self.distances(target)
        path = [source]
        while path[-1] != target:
            steps = there[path[-1]] - 1
            path.append(min(name for name in self.graph[path[-1]] if there[name] == steps))
        return tuple(path)

    def paths(self, source: str, target: str, cap: int) -> tuple[list[Path], bool]:
        """At most ``cap`` of the shortest paths, and whether there are more; none where they are disconnected."""
        if self.distance(source, target) is None:
            return [], False
        found = [tuple(path) for path in islice(nx.all_shortest_paths(self.graph, source, target), cap + 1)]
        return sorted(found[:cap]), len(found) > cap

    def union(self, pairs: Iterable[tuple[str, str]]) -> tuple[set[str], list[tuple[str, str]]]:
        """Every vertex on any shortest path of any pair, and the pairs that are disconnected."""
        kept: set[str] = set()
        apart = []
        for source, target in pairs:
            between = self.between(source, target)
            kept |= between
            if not between:
                apart.append((source, target))
        return kept, apart


def related(relations: Iterable[Relation]) -> list[tuple[str, str]]:
    """The pairs of entities that relations join, each once."""
    return list(dict.fromkeys((relation.source, relation.target) for relation in relations))
