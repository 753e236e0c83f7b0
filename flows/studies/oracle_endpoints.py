"""How often does a gold table lie on no shortest path between correct endpoints? Needs no model.

Endpoints are read from the gold query, so what is missed is missed by the graph search alone. Every miss is a gold
table of one question, of one of these kinds, the first that fits:

- ``disconnected``: no declared join leads to it from any endpoint.
- ``single endpoint``: all endpoints are one table, so that no path is searched.
- ``longer path``: it lies on a simple path of gold tables between two endpoints that is longer than the shortest.
- ``join-only leaf``: it is joined to the gold tables, but neither returned nor filtered by, and on no such path.
- ``other``: it is linked by tables that are not gold.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx

from schemas.catalog import Catalog
from schemas.records import Linking, Note, Question

if TYPE_CHECKING:
    from storage.layout import Store

PRIMARY = "schemagraphsql(endpoints=oracle)"
VARIANTS = {
    "WHERE/HAVING, the paper's id heuristic": PRIMARY,
    "+ ORDER BY": "schemagraphsql(endpoints=oracle, filters=where+order)",
    "WHERE/HAVING, no id heuristic": "schemagraphsql(endpoints=oracle, ids=off)",
    "all pairs, + ORDER BY": "schemagraphsql(endpoints=oracle, pairs=all, filters=where+order)",
    "full schema": "full",
}
Ends = dict[str, tuple[list[str], list[str]]]
METRICS = ("recall", "precision", "f1", "f6", "exact_match", "strict_recall")
CUTOFF = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="a prepared benchmark of SQL questions")
    parser.add_argument("--run", default="", metavar="NAME", help="the run's name (oracle-endpoints-BENCHMARK)")
    parser.add_argument("--list", action="store_true", help="list every miss with its question's id")


def main(arguments: argparse.Namespace) -> int:
    """Run the variants, print their metrics, and say why tables are missed."""
    from flows.evaluate import execute
    from flows.plan import make_plan
    from storage.layout import Store
    from tasks.labels import label, parse
    from tasks.shard import Selection
    from tasks.toolbox import Toolbox

    store = Store(arguments.storage)
    run = arguments.run or f"oracle-endpoints-{arguments.benchmark}"
    labels = {name: label(parse(text)) for name, text in VARIANTS.items()}
    plan = make_plan(
        storage=arguments.storage,
        run=run,
        names=[arguments.benchmark],
        linkers=list(labels.values()),
        selection=Selection(),
        repetitions=1,
        toolbox=Toolbox(arguments.storage),
    )
    status = execute(plan, report=False)
    if status == 0:
        print_variants(store, run, labels)
        print_misses(store, run, labels, listed=arguments.list)
    return status


def print_variants(store: "Store", run: str, labels: dict[str, str]) -> None:
    """Print one line a variant: macro means at table level."""
    from storage.warehouse import connect, leaderboard

    rows = {row["linker"]: row for row in leaderboard(connect(store, [run]))}
    width = max(map(len, labels))
    print(f"{'filters counted':<{width}}  {'  '.join(f'{name:>13}' for name in METRICS)}")
    for name, label in labels.items():
        values = "  ".join(f"{rows[label][metric].mean * 100:13.2f}" for metric in METRICS)
        print(f"{name:<{width}}  {values}")


def print_misses(store: "Store", run: str, labels: dict[str, str], *, listed: bool) -> None:
    """Print, for every variant, how many questions miss a gold table and of what kind the missed tables are."""
    from storage import parquet

    linkings = parquet.read(store.run(run) / "linkings.parquet", Linking)
    notes = parquet.read(store.run(run) / "notes.parquet", Note)
    folder = store.benchmark(linkings[0].benchmark)
    for name, label in labels.items():
        if label == "full":
            continue
        found = list(
            missed(folder, [linking for linking in linkings if linking.linker == label], endpoints(notes, label))
        )
        told = ", ".join(f"{kind} {count}" for kind, count in Counter(kind for *_, kind in found).most_common())
        asked = len({question for question, *_ in found})
        print(f"{name}: {asked} questions miss {len(found)} tables: {told or 'none'}")
        for question, table, kind in found if listed else ():
            print(f"  {question}  {table}  {kind}")


def missed(folder: Path, linkings: list[Linking], ends: Ends) -> Iterator[tuple[str, str, str]]:
    """Question, table and kind of every gold table that linkings miss."""
    from storage import benchmarks

    questions = {question.id: question for question in benchmarks.questions(folder)}
    for linking in linkings:
        question = questions[linking.question]
        if question.gold_status == "ok":
            catalog = benchmarks.catalog(folder, linking.database)
            for table, kind in misses(question, catalog, linking, ends.get(question.id, ([], []))):
                yield question.id, table, kind


def endpoints(notes: list[Note], label: str) -> Ends:
    """The sources and destinations that a linker noted, by question."""
    found: Ends = {}
    for note in notes:
        if note.linker == label and note.kind in ("source", "destination"):
            found.setdefault(note.question, ([], []))[note.kind == "destination"].append(note.entity)
    return found


def misses(
    question: Question, catalog: Catalog, linking: Linking, ends: tuple[list[str], list[str]]
) -> Iterator[tuple[str, str]]:
    """The gold tables that a linking misses, each with its kind."""
    graph = nx.Graph([(relation.source, relation.target) for relation in catalog.relations])
    graph.add_nodes_from(entity.name for entity in catalog.entities)
    gold = {reference.entity for reference in question.gold if not reference.field}
    for table in sorted(gold - {element.entity for element in linking.kept}):
        yield table, kind_of(table, graph, gold, ends)


def kind_of(table: str, graph: "nx.Graph[str]", gold: set[str], ends: tuple[list[str], list[str]]) -> str:
    """The kind of one missed table (see the module's docstring)."""
    known = set(ends[0]) | set(ends[1])
    if not any(nx.has_path(graph, table, end) for end in known):
        return "disconnected"
    if len(known) == 1:
        return "single endpoint"
    inside = graph.subgraph(gold | known)
    for source, target in product(*ends):
        if any(table in path for path in nx.all_simple_paths(inside, source, target, cutoff=CUTOFF)):
            return "longer path"
    return "join-only leaf" if any(other in gold for other in graph[table]) else "other"
