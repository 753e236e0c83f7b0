"""Leaderboards for people and for programs."""

import csv
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from schemas.errors import UserError
from storage.intervals import Interval
from storage.layout import Store
from storage.leaderboards import LEVELS, Row, leaderboards
from storage.sql import sql
from storage.warehouse import connect

if TYPE_CHECKING:
    import duckdb

COLUMNS = {
    "entity": ("recall", "precision", "f1", "f6", "exact_match", "strict_recall", "nsr", "nsp", "kept"),
    "field": ("recall", "precision", "f1", "f6", "exact_match", "strict_recall", "nsr", "nsp", "kept"),
    "query": (
        *("google_bleu", "execution_match", "ex_bag_unordered_columns"),
        *("ex_bird", "ex_test_suite", "ex_bag", "ex_ordered", "both_empty", "unstable"),
    ),
}
SHORT = {
    "f1": "F1",
    "f6": "F6",
    "exact_match": "exact",
    "strict_recall": "strict",
    "ex_test_suite": "ex_suite",
    "execution_match": "ex_match",
}
PLAIN = {"kept", "gold", "hits", "google_bleu_matches", "google_bleu_total"}
TITLES = {"entity": "tables (entity level)", "field": "columns (field level)", "query": "generated queries"}


def boards(store: Store, runs: Sequence[str], levels: Sequence[str] = LEVELS, by: str = "") -> dict[str, list[Row]]:
    """The leaderboards of several levels, with the counts of questions asked, failed and fallen back beside them."""
    asked = {level: "executions" if level == "query" else "linkings" for level in levels}
    views = {"scores", *asked.values(), *(["questions"] if by in ("difficulty", "gold_tables") else [])}
    connection = connect(store, runs, views=views)
    counts = {dataset: _counts(connection, dataset) for dataset in set(asked.values())}
    return {
        level: [{**row, **counts[asked[level]].get((row["run"], row["benchmark"], row["linker"]), {})} for row in found]
        for level, found in leaderboards(connection, levels, by=by).items()
    }


def _counts(connection: "duckdb.DuckDBPyConnection", dataset: str) -> dict[tuple[str, ...], Row]:
    names = ("run", "benchmark", "linker", "questions", "failed", "fallback", "unsupported")
    rows = connection.execute(sql("failures").format(dataset=dataset)).fetchall()
    return {row[:3]: dict(zip(names, row, strict=True)) for row in rows}


def print_leaderboard(
    store: Store,
    runs: Sequence[str],
    *,
    levels: Sequence[str] = ("entity", "field"),
    by: str = "",
    form: str = "table",
    required: bool = True,
) -> None:
    """Print one table a level; ``form`` is ``table``, ``csv``, ``json`` or ``markdown``.

    Where nothing was scored that is an error if ``required``, else a line: a benchmark may have no gold.
    """
    found = boards(store, runs, levels, by)
    if not any(found.values()):
        known = runs or store.runs()
        if not known:
            raise UserError(f"{store.root}: there are no runs; make one with: python -m flows evaluate")
        nothing = f"no scores in {', '.join(known)}: no question has a gold, or the run has not finished a shard"
        if required:
            raise UserError(nothing)
        print(nothing)
        return
    if form in ("csv", "json"):
        _print_long(found, form)
        return
    for level, board in found.items():
        if board:
            _print_table(level, board, by, form)


def _print_table(level: str, board: Sequence[Row], by: str, form: str) -> None:
    metrics = [name for name in COLUMNS[level] if name in board[0]] or _metrics(board[0])
    keys = [key for key in ("run", "benchmark", "linker") if len({row[key] for row in board}) > 1 or key == "linker"]
    heads = [*keys, *([by] if by else []), "n", "failed", *(SHORT.get(name, name) for name in metrics)]
    cells = [
        [*(str(row[key]) for key in keys), *([row["slice"]] if by else []), str(row["n"]), _failed(row)]
        for row in board
    ]
    cells = [[*cell, *(_cell(row.get(name), name) for name in metrics)] for cell, row in zip(cells, board, strict=True)]
    title = f"{TITLES[level]}: {', '.join(sorted({row['benchmark'] for row in board}))}"
    if form == "markdown":
        lines = [heads, ["---"] * len(heads), *([text.replace("\n", " ") for text in cell] for cell in cells)]
        print(f"**{title}**\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n")
        return
    table = Table(title=title, title_justify="left", caption="mean, 95 % interval (bootstrap over databases)")
    for head in heads:
        table.add_column(head, justify="left" if head in (*keys, by) else "right", overflow="fold")
    for cell in cells:
        table.add_row(*cell)
    Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False).print(table)


def _metrics(row: Row) -> list[str]:
    return [name for name, value in row.items() if isinstance(value, Interval)]


def _failed(row: Row) -> str:
    beside = {"whole": row.get("fallback"), "unsupported": row.get("unsupported")}
    return "\n+".join([f"{row.get('failed', 0)}", *(f"{count} {what}" for what, count in beside.items() if count)])


def _cell(value: Interval | None, metric: str) -> str:
    """A percentage with its interval below; sizes are plain numbers."""
    if value is None or value.mean != value.mean:
        return "–"
    factor, digits = (1, 1) if metric in PLAIN else (100, 2)
    text = f"{value.mean * factor:.{digits}f}"
    if value.low is None or value.high is None:
        return text
    return f"{text}\n{value.low * factor:.1f}–{value.high * factor:.1f}"


def _print_long(found: dict[str, list[Row]], form: str) -> None:
    """One line a metric: fractions and counts as they are, not percentages."""
    keys = ("run", "benchmark", "linker", "slice", "n", "questions", "failed", "fallback", "unsupported")
    lines = [
        {"level": level, **{key: row.get(key) for key in keys}, "metric": metric, **row[metric]._asdict()}
        for level, board in found.items()
        for row in board
        for metric in _metrics(row)
    ]
    if form == "json":
        print(json.dumps(lines, ensure_ascii=False, indent=1))
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
