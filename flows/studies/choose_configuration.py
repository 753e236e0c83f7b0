"""How much does a configuration gain by being chosen on the split that it is reported on?

For every database the configuration is chosen by the mean over the questions of all *other* databases and reported on
this one; the difference to the best configuration on all questions is the optimism of choosing on the reported split.
"""

import argparse
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from storage.intervals import Interval, cluster_bootstrap

Sums = dict[str, dict[str, tuple[float, int]]]


@dataclass(frozen=True)
class Choice:
    """The best configuration on all questions, the one chosen without each database, and what either scores."""

    best: str
    same_split: Interval
    held_out: Interval
    chosen: dict[str, str]
    values: dict[str, float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run of several linkers on one benchmark")
    parser.add_argument("--metric", default="f6", help="what the choice maximises (f6)")
    parser.add_argument("--level", choices=["entity", "field", "query"], default="entity")
    parser.add_argument("--linkers", default="", metavar="LABEL,…", help="choose among these (all of the run)")


def main(arguments: argparse.Namespace) -> int:
    """Print the choice with each database held out, and what choosing on the same split makes of it."""
    from schemas.errors import UserError, unknown
    from storage.layout import Store
    from storage.warehouse import connect
    from tasks.labels import label, parse, split

    connection = connect(Store(arguments.storage), [arguments.run])
    query = """SELECT linker, metric, database, sum(value), count(value) FROM scores
               WHERE level = $level GROUP BY ALL HAVING count(value) > 0 ORDER BY ALL"""
    rows = connection.execute(query, {"level": arguments.level}).fetchall()
    metrics = sorted({row[1] for row in rows})
    if arguments.metric not in metrics:
        raise unknown(f"metric of level {arguments.level}", arguments.metric, metrics)
    wanted = {label(parse(text)) for text in split(arguments.linkers)}
    sums: Sums = {}
    for linker, metric, database, total, n in rows:
        if metric == arguments.metric and (not wanted or linker in wanted):
            sums.setdefault(linker, {})[database] = (total, n)
    if len(sums) < 2:
        raise UserError(f"run {arguments.run!r} has {len(sums)} of the linkers to choose from: two are the least")
    print_choice(choose(sums), sums, arguments.metric)
    return 0


def mean(sums: dict[str, tuple[float, int]], without: str = "") -> float:
    """The mean over the questions of all databases but one."""
    kept = [value for database, value in sums.items() if database != without]
    return sum(total for total, _ in kept) / max(1, sum(n for _, n in kept))


def choose(sums: Sums) -> Choice:
    """Choose with and without each database; equal means are decided by the order of the labels.

    >>> found = choose({"a": {"x": (9, 10), "y": (2, 10)}, "b": {"x": (5, 10), "y": (5, 10)}})
    >>> found.best, found.chosen, found.same_split.mean, found.held_out.mean
    ('a', {'x': 'b', 'y': 'a'}, 0.55, 0.35)
    """
    labels = sorted(sums)
    best = max(labels, key=lambda name: mean(sums[name]))
    databases = sorted(sums[best])
    chosen = {held: max(labels, key=lambda name: mean(sums[name], held)) for held in databases}
    held = [sums[chosen[name]][name] for name in databases]
    same = [sums[best][name] for name in databases]
    return Choice(
        best,
        cluster_bootstrap([total for total, _ in same], [n for _, n in same]),
        cluster_bootstrap([total for total, _ in held], [n for _, n in held]),
        chosen,
        {name: total / n for name, (total, n) in zip(databases, held, strict=True)},
    )


def print_choice(choice: Choice, sums: Sums, metric: str) -> None:
    """Print every configuration's mean, the choice without each database, and the optimism."""
    table = Table(title=f"{metric}: the configuration chosen without each database", title_justify="left")
    for head in ("held out", "chosen on the others", f"{metric} there", "best there"):
        table.add_column(head, justify="left", overflow="fold")
    for database, label in choice.chosen.items():
        there = {name: sums[name][database][0] / sums[name][database][1] for name in sums}
        top = max(sorted(there), key=lambda name: there[name])
        table.add_row(database, label, f"{choice.values[database] * 100:.2f}", f"{top} {there[top] * 100:.2f}")
    Console(width=160).print(table)
    for name in sorted(sums, key=lambda name: -mean(sums[name])):
        print(f"{mean(sums[name]) * 100:7.2f}  {name}")
    print(f"same split  {shown(choice.same_split)}  {choice.best}")
    print(f"held out    {shown(choice.held_out)}")
    print(f"optimism    {(choice.same_split.mean - choice.held_out.mean) * 100:.2f}")


def shown(value: Interval) -> str:
    """A percentage with its interval."""
    bounds = (
        f" [{value.low * 100:.2f}, {value.high * 100:.2f}]" if value.low is not None and value.high is not None else ""
    )
    return f"{value.mean * 100:.2f}{bounds}"
