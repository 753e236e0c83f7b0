"""A leaderboard as papers print it."""

import csv
import io
import re
from pathlib import Path

import pytest

from flows.tables import Style, Table, exported, figures
from schemas.errors import UserError
from schemas.records import Linking, Score
from storage import parquet
from storage.files import write_json
from storage.intervals import Interval
from storage.layout import Store
from tests.conftest import Cli

LINKERS = {"half_a": 0.5, "names(k=3) & 100%": 0.75}


@pytest.fixture
def results(tmp_path: Path) -> Store:
    """A run of two linkers on questions of two databases; one keeps more and is right more often."""
    run = tmp_path / "runs" / "one"
    keys = [("tiny", f"d{at % 2}", f"q{at}", linker) for linker in LINKERS for at in range(8)]
    scores = [
        Score(*key, 0, level, metric, value)
        for key in keys
        for level in ("entity", "field")
        for metric, value in (("recall", LINKERS[key[3]]), ("kept", 4.0 + at_database(key[1])), ("precision", None))
    ]
    parquet.write(run / "scores.parquet", Score, scores)
    parquet.write(run / "linkings.parquet", Linking, [Linking(*key) for key in keys])
    write_json(run / "run.json", {"name": "one", "status": "done", "configuration": {}})
    return Store(tmp_path)


def at_database(name: str) -> int:
    return int(name[1:])


def test_latex_is_a_table_of_booktabs_with_every_line_as_wide(cli: Cli, results: Store, tmp_path: Path) -> None:
    told = cli("export", "one", "--to", str(tmp_path / "paper.tex"), "--best")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    text = (tmp_path / "paper.tex").read_text()
    assert text.startswith("% needs \\usepackage{booktabs}\n")
    assert text.count("\\begin{tabular}{lrrrr}") == text.count("\\end{table}") == 2
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {4}
    assert lines[1] == r"half\_a & 8 & 50.0 {\scriptsize [50.0, 50.0]} & -- & 4.5 {\scriptsize [4.0, 5.0]} \\"
    assert lines[2].startswith(r"names(k=3) \& 100\% & 8 & \textbf{75.0} {\scriptsize")
    assert "textbf{4.5}" not in text
    for special in "%&_#":
        assert not re.search(rf"[^\\]{special}", re.sub(r" & |^%.*\n", "", text))


def test_levels_without_a_wanted_metric_are_left_out() -> None:
    row = {"run": "one", "benchmark": "tiny", "linker": "full", "slice": "", "n": 1, "failed": 0}
    one = Interval(0.5, 0.25, 0.75)
    tables = [
        Table("entity", [{**row, "recall": one, "kept": one}], wanted=["kept"]),
        Table("query", [{**row, "ex_bird": one}], wanted=["kept"]),
    ]
    assert exported(tables, "markdown", Style()).count("**") == 2
    assert exported(tables, "latex", Style()).count("begin{tabular}") == 1
    (line,) = csv.DictReader(io.StringIO(exported(tables, "csv", Style())))
    assert (line["level"], line["kept"], "ex_bird" in line) == ("entity", "0.5", False)


def test_markdown_and_csv_say_the_same(cli: Cli, results: Store) -> None:
    markdown = cli("export", "one", "--format", "markdown", "--level", "field", "--intervals", "half", "--digits", "2")
    assert markdown.stdout.splitlines()[2] == "| linker | n | recall | precision | kept |"
    assert markdown.stdout.splitlines()[4] == "| half_a | 8 | 50.00 ± 0.00 | – | 4.50 ± 0.50 |"
    rows = list(csv.DictReader(io.StringIO(cli("export", "one", "--format", "csv").stdout)))
    assert [(row["level"], row["linker"], float(row["recall"])) for row in rows] == [
        (level, linker, share) for level in ("entity", "field") for linker, share in LINKERS.items()
    ]
    assert (rows[0]["kept"], rows[0]["kept_low"], rows[0]["kept_high"], rows[0]["precision"]) == (
        "4.5",
        "4.0",
        "5.0",
        "nan",
    )


def test_slices_and_chosen_metrics_are_columns_and_lines(cli: Cli, results: Store) -> None:
    told = cli("export", "one", "--by", "database", "--metrics", "kept,recall", "--level", "entity", "--best")
    lines = [line for line in told.stdout.splitlines() if line.endswith(r"\\")]
    assert lines[0] == r"linker & database & n & kept & recall \\"
    assert [line.count("textbf") for line in lines[1:]] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--metrics", "recal"), "unknown metric 'recal'; did you mean 'recall'?"),
        (("--to", "table.docx"), "end its name with .tex, .md, .csv"),
        (("--level", "query"), "no scores in one"),
    ],
)
def test_a_mistake_is_one_line(cli: Cli, results: Store, words: tuple[str, ...], told: str) -> None:
    refused = cli("export", "one", *words)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_the_best_is_what_is_printed_as_the_greatest_of_its_benchmark() -> None:
    def row(benchmark: str, linker: str, mean: float) -> dict[str, object]:
        return {
            "run": "r",
            "benchmark": benchmark,
            "linker": linker,
            "slice": "",
            "n": 3,
            "recall": Interval(mean, 0, 1),
        }

    rows = [row("x", "a", 0.70004), row("x", "b", 0.70001), row("x", "c", 0.6), row("y", "a", 0.1)]
    table = Table("entity", rows)
    assert table.best(Style(best=True)) == {(0, "recall"), (1, "recall"), (3, "recall")}
    assert table.best(Style(best=True, digits=4)) == {(0, "recall"), (3, "recall")}
    assert table.best(Style()) == set()
    assert exported([table], "latex", Style()).count("\\midrule") == 2


def test_figures_are_percent_but_for_sizes() -> None:
    assert figures(Interval(0.125, 0.1, 0.2), "recall", Style(digits=2)) == ("12.50", "10.00", "20.00")
    assert figures(Interval(12.5, None, None), "kept", Style()) == ("12.5", None, None)
    assert figures(Interval(float("nan"), None, None), "recall", Style()) == (None, None, None)
    with pytest.raises(UserError, match="unknown metric"):
        exported([Table("entity", [], wanted=["recall"])], "csv", Style())
