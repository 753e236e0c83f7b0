"""Comparisons as tables for people and as lines for programs."""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from flows.differences import Difference, Report
from storage.pairs import Side

PLAIN = {"kept", "gold", "hits", "google_bleu_matches", "google_bleu_total"}
TITLES = {"entity": "tables (entity level)", "field": "columns (field level)", "query": "generated queries"}
CAPTION = (
    "B - A with its 95 % interval; p: signs of whole databases flipped; Holm: adjusted for the {number} comparisons"
    " shown; could show: the smallest true difference found with 80 % power; +/-: questions right in B only, in A only"
)
Row = dict[str, Any]


def print_differences(report: Report, by: str, form: str, flips: int) -> None:
    """Print one table a pair, benchmark and level, then the questions that flipped and the cautions."""
    if form in ("csv", "json"):
        _print_long(report, form, flips)
        return
    number = sum(each.holm is not None for each in report.differences)
    for (a, b, benchmark, level), group in groupby(report.differences, key=_section):
        _print_table(f"{TITLES[level]}, {benchmark}: A = {_short(a, b)}, B = {_short(b, a)}", list(group), by, form)
    if form == "table":
        print(CAPTION.format(number=number))
    for line in (*_flipped(report, flips), *report.cautions):
        print(f"- {line}" if form == "markdown" else line)


def _section(each: Difference) -> tuple[Side, Side, str, str]:
    return each.a, each.b, each.pairs.benchmark, each.pairs.level


def _short(side: Side, other: Side) -> str:
    """A side as it differs from the other one."""
    if side.run == other.run:
        return side.linker
    return f"{side.run} ({side.linker})" if side.linker == other.linker else str(side)


def _print_table(title: str, rows: Sequence[Difference], by: str, form: str) -> None:
    heads = ["metric", *([by] if by else []), "A", "B", "B - A", "95 %", "p", "Holm", "could show", "+/-", "McNemar"]
    heads += ["n", "databases"]
    cells = [_cells(row, bool(by)) for row in rows]
    if form == "markdown":
        lines = [heads, ["---"] * len(heads), *cells]
        print(f"**{title}**\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n")
        return
    table = Table(title=title, title_justify="left")
    for head in heads:
        table.add_column(head, justify="left" if head in ("metric", by) else "right", overflow="fold")
    for cell in cells:
        table.add_row(*cell)
    Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False).print(table)


def _cells(row: Difference, sliced: bool) -> list[str]:
    one, factor = row.found, 1 if row.pairs.metric in PLAIN else 100
    interval = "–" if one.low is None or one.high is None else f"{one.low * factor:+.2f} to {one.high * factor:+.2f}"
    return [
        row.pairs.metric,
        *([row.pairs.slice] if sliced else []),
        f"{one.a * factor:.2f}",
        f"{one.b * factor:.2f}",
        f"{one.difference * factor:+.2f}",
        interval,
        _p(one.p),
        _p(row.holm),
        "–" if one.detectable is None else f"{one.detectable * factor:.2f}",
        "" if one.gained is None else f"{one.gained}/{one.lost}",
        "" if one.mcnemar is None else _p(one.mcnemar),
        str(one.pairs),
        str(one.clusters) if row.pairs.cluster == "database" else "1",
    ]


def _p(value: float | None) -> str:
    return "–" if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _flipped(report: Report, flips: int) -> Iterator[str]:
    """The questions that one side alone gets right, a line for each metric of 0 and 1 and each slice."""
    for each in report.differences:
        if not flips or not (each.found.gained or each.found.lost):
            continue
        where = " ".join(filter(None, (each.pairs.level, each.pairs.metric, each.pairs.slice)))
        sides = ((_short(each.a, each.b), False), (_short(each.b, each.a), True))
        told = (f"{side} only: {_ids(each.pairs.flipped(rise), flips)}" for side, rise in sides)
        yield f"{each.pairs.benchmark}, {where}: {'; '.join(told)}"


def _ids(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"


def _print_long(report: Report, form: str, flips: int) -> None:
    """One line a metric: fractions and counts as they are, not percentages; JSON holds the cautions too."""
    lines = [_line(each, flips) for each in report.differences]
    if form == "json":
        print(json.dumps({"comparisons": lines, "cautions": report.cautions}, ensure_ascii=False, indent=1))
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(lines[0]), lineterminator="\n")
    writer.writeheader()
    for line in lines:
        writer.writerow({name: " ".join(value) if isinstance(value, list) else value for name, value in line.items()})
    for caution in report.cautions:
        print(caution, file=sys.stderr)


def _line(each: Difference, flips: int) -> Row:
    flipped = each.found.gained is not None
    return {
        "run_a": each.a.run,
        "linker_a": each.a.linker,
        "run_b": each.b.run,
        "linker_b": each.b.linker,
        **{name: getattr(each.pairs, name) for name in ("benchmark", "level", "metric", "slice", "cluster")},
        **each.found._asdict(),
        "holm": each.holm,
        "only_a": each.pairs.flipped(False)[:flips] if flipped else [],
        "only_b": each.pairs.flipped(True)[:flips] if flipped else [],
    }
