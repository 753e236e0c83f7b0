"""The agent on a real database: statistics are those of its rows, and a reason may cite them and nothing else."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.benchmarks._sqlite_catalog import sqlite_catalog
from tasks.evidence import open_evidence
from tasks.labels import linker
from tests.evilink import Rules, kinds

ASKED = Question("own", "1", "press", "How many litres did each press give?")
LINKER = "evilink(hypotheses=2, recovery=false)"
FIRST = ["press.id", "press.litres"]


@pytest.fixture
def press(tmp_path: Path) -> Path:
    """Forty rows: litres from 3 to 42, three makers of which one is rare."""
    path = tmp_path / "press.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE press (id INTEGER PRIMARY KEY, litres INTEGER, maker TEXT, note TEXT)")
        rows = [(at, at + 3, ("Vaslin", "Bucher", "Coquard")[at % 20 == 7 if at % 2 else 2], None) for at in range(40)]
        connection.executemany("INSERT INTO press VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    return path


def ask(path: Path, *turns: Sequence[tuple[str, dict[str, Any]]]) -> tuple[Catalog, Tools, list[str]]:
    """Let a scripted agent take its turns on the real file; what is kept, the tools, the answers to its calls."""
    rules: list[dict[str, Any]] = [
        {"stage": "hypotheses", "reply": {"hypotheses": [{"path": "way 1"}, {"path": "way 2"}]}}
    ]
    for number, fields in enumerate((FIRST, [*FIRST, "press.maker", "press.note"]), 1):
        rules.append({"stage": "tables", "when": f"way {number}", "reply": {"selected_tables": ["press"]}})
        rules.append({"stage": "fields", "when": f"way {number}", "reply": {"selected_fields": fields}})
    for turn in turns:
        rules.append({"stage": "refine", "calls": [{"tool": name, "arguments": given} for name, given in turn]})
    rules.append({"stage": "refine", "reply": "done"})
    catalog = sqlite_catalog(path, "press")
    tools = Tools(model=Rules(rules), evidence=open_evidence(catalog, str(path), None))
    kept = linker(LINKER)(ASKED, catalog, tools)
    return kept, tools, [json.loads(note.value)["result"] for note in kinds(tools.notes, "tool_call")]


def test_statistics_are_those_of_the_rows(press: Path) -> None:
    _, _, (told,) = ask(press, [("get_field_stats", {"fields": ["press.litres", "press.maker", "press.note"]})])
    litres, maker, note = told.splitlines()[-3:]
    assert "all 40 rows looked at" in litres
    assert "from 3 to 42" in litres
    assert "mean 22.5" in litres
    assert "most frequent Coquard (20), Vaslin (18), Bucher (2)" in maker
    assert "null 100.0%" in note


def test_a_probe_runs_on_the_file_and_cannot_change_it(press: Path) -> None:
    before = press.read_bytes()
    _, _, told = ask(
        press,
        [("probe_sql", {"query": "SELECT maker, count(*) FROM press GROUP BY maker ORDER BY 2"})],
        [("probe_sql", {"query": "DELETE FROM press"})],
        [("probe_sql", {"query": "SELECT grapes FROM press"})],
    )
    assert told[0].splitlines()[1:] == ["Bucher | 2", "Vaslin | 18", "Coquard | 20"]
    assert "no such column: grapes" in told[2]
    assert press.read_bytes() == before


def test_a_reason_that_cites_a_value_of_the_rows_is_accepted(press: Path) -> None:
    reason = "holds makers such as Coquard and Vaslin, while litres are counted for each press id alone"
    kept, tools, (told,) = ask(press, [("discard", {"items": ["press.maker"], "reason": reason})])
    assert "discarded: press.maker" in told
    assert kept.find("press", "maker") is None
    (dropped,) = kinds(tools.notes, "dropped")
    assert json.loads(dropped.value)["reason"] == reason


@pytest.mark.parametrize(
    "reason",
    [
        "names brands like Willmes and Pera which cannot change the sums asked about",
        "not mentioned in the question, though Coquard is its most frequent value",
        "probably not needed since Coquard has half of all rows",
    ],
)
def test_a_reason_that_cites_nothing_of_them_or_guesses_is_refused(press: Path, reason: str) -> None:
    kept, tools, (told,) = ask(press, [("discard", {"items": ["press.maker"], "reason": reason})])
    assert kept.find("press", "maker") is not None
    assert not kinds(tools.notes, "dropped")
    assert "press.maker" in told
    assert "discarded" not in told
