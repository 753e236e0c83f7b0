"""Candidate join paths, and the seven ways in which SchemaGraphSQL keeps one of them or their union."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tasks.linkers._graph import JoinGraph, Path

Name = Literal["1-1", "1-n", "n-1", "n-n", "no-union", "force-longest", "force-union"]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Configuration:
    """How many endpoints each side may have, how a candidate is chosen, and whether the union is offered as one."""

    sources: int | None
    destinations: int | None
    choose: Literal["pick", "longest", "union"] = "pick"
    union: bool = True


CONFIGURATIONS: dict[Name, Configuration] = {
    "1-1": Configuration(1, 1, union=False),
    "1-n": Configuration(1, None),
    "n-1": Configuration(None, 1),
    "n-n": Configuration(None, None),
    "no-union": Configuration(None, None, union=False),
    "force-longest": Configuration(None, None, "longest"),
    "force-union": Configuration(None, None, "union"),
}


@dataclass(frozen=True)
class Candidate:
    """The tables of one join path in its order, or of the union of all in order of name, and the joins between them."""

    tables: tuple[str, ...]
    joins: tuple[Pair, ...]
    union: bool = False


Picker = Callable[[Sequence[Candidate]], Candidate]


@dataclass(frozen=True)
class Found:
    """The chosen candidate, the pairs that no path connects, and the endpoints that none connects to the other side."""

    chosen: Candidate
    disconnected: tuple[Pair, ...]
    apart: frozenset[str]
    capped: bool = False


def search(graph: JoinGraph, pairs: Sequence[Pair], configuration: Configuration, picker: Picker, cap: int) -> Found:
    """Choose among the shortest paths between pairs of endpoints; paths are listed only where one has to be picked.

    >>> graph = JoinGraph("abcd", [("a", "b"), ("b", "c")])
    >>> search(graph, [("a", "c"), ("a", "d")], CONFIGURATIONS["force-union"], first, 9)
    Found(chosen=Candidate(tables=('a', 'b', 'c'), joins=(('a', 'b'), ('b', 'c')), union=True), \
disconnected=(('a', 'd'),), apart=frozenset({'d'}), capped=False)
    """
    tables, disconnected = graph.union(pairs)
    connected = [pair for pair in pairs if pair not in set(disconnected)] if disconnected else pairs
    capped = False
    if configuration.choose == "union" or not connected:
        chosen = _union(graph, connected, tables)
    elif configuration.choose == "longest":
        chosen = _candidate(_longest(graph, connected))
    else:
        candidates, capped = _listed(graph, connected, cap)
        if configuration.union and all(set(candidate.tables) != tables for candidate in candidates):
            candidates.append(_union(graph, connected, tables))
        chosen = picker(candidates) if len(candidates) > 1 else candidates[0]
    apart = {end for pair in disconnected for end in pair} - {end for pair in connected for end in pair}
    return Found(chosen, tuple(disconnected), frozenset(apart), capped)


def first(candidates: Sequence[Candidate]) -> Candidate:
    """The first of the candidates: the shortest, and among these the first by name."""
    return candidates[0]


def _listed(graph: JoinGraph, pairs: Sequence[Pair], cap: int) -> tuple[list[Candidate], bool]:
    """The shortest paths of all pairs, each once in either direction, by length and name, and whether there are more.

    Every pair has an equal part of the cap, at least one path.
    """
    found: dict[Path, Path] = {}
    capped = False
    for source, target in pairs:
        paths, more = graph.paths(source, target, max(1, cap // len(pairs)))
        capped |= more
        for path in paths:
            found.setdefault(min(path, path[::-1]), path)
    capped |= len(found) > cap
    return [_candidate(path) for path in sorted(found.values(), key=lambda path: (len(path), path))[:cap]], capped


def _longest(graph: JoinGraph, pairs: Sequence[Pair]) -> Path:
    """The longest of the shortest paths; among several the first by name."""
    lengths = {pair: graph.distance(*pair) or 0 for pair in pairs}
    return min(graph.first_path(*pair) for pair in pairs if lengths[pair] == max(lengths.values()))


def _union(graph: JoinGraph, pairs: Sequence[Pair], tables: set[str]) -> Candidate:
    """All tables on any path, and all joins, each once whichever its direction."""
    joins: dict[frozenset[str], Pair] = {}
    for pair in pairs:
        for join in graph.joins(*pair):
            joins.setdefault(frozenset(join), join)
    return Candidate(tuple(sorted(tables)), tuple(joins.values()), union=True)


def _candidate(path: Path) -> Candidate:
    return Candidate(path, tuple(pairwise(path)))
