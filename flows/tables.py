"""A leaderboard as a table of a paper: LaTeX, Markdown, or CSV with every figure apart."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from flows.reports import COLUMNS, PLAIN, SHORT, TITLES
from schemas.errors import unknown
from storage.intervals import Interval
from storage.leaderboards import Row

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
NEITHER = frozenset({"kept", "both_empty", "unstable"})
LEGENDS = {"range": " with its 95 % interval", "half": " ± half of its 95 % interval", "none": ""}


@dataclass(frozen=True)
class Style:
    """How figures are written: digits after the point, the intervals' form, and whether the best ones are bold."""

    digits: int = 1
    intervals: str = "range"
    best: bool = False


@dataclass(frozen=True)
class Table:
    """The rows of one level, by slices or not, and the metrics that are wanted (those of the leaderboard)."""

    level: str
    rows: Sequence[Row]
    by: str = ""
    wanted: Sequence[str] = ()

    @property
    def known(self) -> set[str]:
        """The metrics that some row has."""
        return {name for row in self.rows for name, value in row.items() if isinstance(value, Interval)}

    @property
    def metrics(self) -> list[str]:
        """The columns: of those that some row has what is wanted, else what the leaderboard shows."""
        known = self.known
        return [name for name in self.wanted or COLUMNS[self.level] if name in known] or sorted(known)

    @property
    def keys(self) -> list[str]:
        """What tells the rows apart: of run and benchmark only what differs."""
        several = [key for key in ("run", "benchmark") if len({row[key] for row in self.rows}) > 1]
        return [*several, "linker", *(["slice"] if self.by else [])]

    def best(self, style: Style) -> set[tuple[int, str]]:
        """The rows and metrics that are the greatest, as they are printed, of their benchmark and slice."""
        found: set[tuple[int, str]] = set()
        for metric in set(self.metrics) - NEITHER if style.best else ():
            groups: dict[tuple[str, str], dict[int, float]] = {}
            for at, row in enumerate(self.rows):
                if (mean := figures(row.get(metric), metric, style)[0]) is not None:
                    groups.setdefault((row["benchmark"], row["slice"]), {})[at] = float(mean)
            found |= {(at, metric) for group in groups.values() for at in group if group[at] == max(group.values())}
        return found


def figures(value: Interval | None, metric: str, style: Style) -> tuple[str | None, str | None, str | None]:
    """The mean and the bounds as text, in percent but for sizes; None where there are none."""
    if value is None or value.mean != value.mean:
        return None, None, None
    factor = 1 if metric in PLAIN else 100
    mean, low, high = (None if each is None else f"{each * factor:.{style.digits}f}" for each in value)
    return mean, low, high


def exported(tables: Sequence[Table], form: str, style: Style) -> str:
    """The tables as ``latex``, ``markdown`` or ``csv``, but for those without any wanted metric.

    A wanted metric that no table has is a UserError.
    """
    known = {name for table in tables for name in table.known}
    for name in tables[0].wanted:
        if name not in known:
            raise unknown("metric", name, sorted(known))
    tables = [table for table in tables if not table.wanted or table.known & set(table.wanted)]
    if form == "csv":
        return _csv(tables)
    if form == "markdown":
        return "\n".join(_markdown(table, style) for table in tables)
    return "% needs \\usepackage{booktabs}\n" + "\n".join(_latex(table, style) for table in tables)


def _csv(tables: Sequence[Table]) -> str:
    """A line a row with the mean, the low and the high bound of each metric in columns of their own, as fractions."""
    metrics = list(dict.fromkeys(name for table in tables for name in table.metrics))
    keys = ["level", "run", "benchmark", "linker", "slice", "n", "failed"]
    heads = [*keys, *(f"{metric}{part}" for metric in metrics for part in ("", "_low", "_high"))]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(heads)
    for table in tables:
        for row in table.rows:
            values = [row.get(metric) or (None, None, None) for metric in metrics]
            writer.writerow(
                [table.level, *(row.get(key) for key in keys[1:]), *(each for one in values for each in one)]
            )
    return lines.getvalue()


def _cells(table: Table, style: Style, cell: Callable[..., str]) -> Iterator[tuple[Row, list[str]]]:
    best = table.best(style)
    for at, row in enumerate(table.rows):
        yield (
            row,
            [cell(*figures(row.get(name), name, style), style.intervals, (at, name) in best) for name in table.metrics],
        )


def _caption(table: Table, style: Style) -> str:
    benchmarks = ", ".join(sorted({row["benchmark"] for row in table.rows}))
    runs = sorted({row["run"] for row in table.rows})
    of = f" Run {runs[0]}." if len(runs) == 1 else ""
    return f"{TITLES[table.level].capitalize()}: {benchmarks}. Mean in %{LEGENDS[style.intervals]}; n questions.{of}"


def _markdown(table: Table, style: Style) -> str:
    heads = [*(table.by if key == "slice" else key for key in table.keys), "n"]
    heads += [SHORT.get(name, name) for name in table.metrics]
    lines = [heads, ["---"] * len(table.keys) + ["--:"] * (len(table.metrics) + 1)]
    for row, cells in _cells(table, style, _markdown_cell):
        lines.append([*(str(row[key]).replace("|", r"\|") for key in table.keys), str(row["n"]), *cells])
    return f"**{_caption(table, style)}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cell(mean: str | None, low: str | None, high: str | None, intervals: str, best: bool) -> str:
    if mean is None:
        return "–"
    text = f"**{mean}**" if best else mean
    if low is None or high is None or intervals == "none":
        return text
    return f"{text} ± {_half(low, high)}" if intervals == "half" else f"{text} [{low}, {high}]"


def _latex(table: Table, style: Style) -> str:
    heads = [*(table.by if key == "slice" else key for key in table.keys), "n"]
    heads += [SHORT.get(name, name) for name in table.metrics]
    body = []
    for _, group in groupby(_cells(table, style, _latex_cell), key=lambda each: (each[0]["run"], each[0]["benchmark"])):
        lines = ([*(escaped(str(row[key])) for key in table.keys), str(row["n"]), *cells] for row, cells in group)
        body.append("".join(f"{' & '.join(line)} \\\\\n" for line in lines))
    columns = "l" * len(table.keys) + "r" * (len(table.metrics) + 1)
    return (
        f"\\begin{{table}}\n\\centering\n\\caption{{{escaped(_caption(table, style))}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(map(escaped, heads))} \\\\\n\\midrule\n"
        + "\\midrule\n".join(body)
        + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def _latex_cell(mean: str | None, low: str | None, high: str | None, intervals: str, best: bool) -> str:
    if mean is None:
        return "--"
    text = f"\\textbf{{{mean}}}" if best else mean
    if low is None or high is None or intervals == "none":
        return text
    return f"{text} $\\pm$ {_half(low, high)}" if intervals == "half" else f"{text} {{\\scriptsize [{low}, {high}]}}"


def _half(low: str, high: str) -> str:
    digits = len(high.partition(".")[2])
    return f"{(float(high) - float(low)) / 2:.{digits}f}"


def escaped(text: str) -> str:
    r"""A text as LaTeX prints it.

    >>> print(escaped("k_max=3 & 5 % of ~/x"))
    k\_max=3 \& 5 \% of \textasciitilde{}/x
    """
    escaped = re.sub(r"[\\~^<>&%$#_{}]", lambda found: SPECIAL.get(found[0], "\\" + found[0]), text)
    return escaped.replace("±", r"$\pm$")
