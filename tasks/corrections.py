"""A file of corrections laid over a benchmark: other queries, questions or evidence, and exclusions, by question id.

One JSON object a line: ``{"id": "12", "sql": "SELECT …"}`` (or ``question``, ``evidence``), or
``{"id": "12", "exclude": "why"}``.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from schemas.errors import Faults, UserError, unknown
from schemas.records import Question

FIELDS = {"sql": "gold_query", "question": "text", "evidence": "evidence"}
KEYS = ("id", *FIELDS, "exclude")


class Corrected(NamedTuple):
    """Questions after a corrections file, how many it changed, and how many it excluded."""

    questions: list[Question]
    changed: int
    excluded: int


def correct(questions: Sequence[Question], path: Path) -> Corrected:
    """Lay a corrections file over the questions; every fault of the file is named, and then nothing is corrected."""
    known = {question.id: question for question in questions}
    found: dict[str, dict[str, Any]] = {}
    faults = []
    for number, line in _lines(path):
        try:
            entry = _entry(line, known)
            if entry["id"] in found:
                raise UserError(f"id {entry['id']!r} is corrected twice")
            found[entry["id"]] = entry
        except UserError as error:
            faults.append(f"line {number}: {error}")
    if faults:
        raise Faults(str(path), faults)
    excluded = sum("exclude" in entry for entry in found.values())
    laid = [_laid(question, found.get(question.id, {})) for question in questions]
    return Corrected(laid, len(found) - excluded, excluded)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read corrections {path}: {getattr(error, 'strerror', '') or error}") from error
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _entry(line: str, known: dict[str, Question]) -> dict[str, Any]:
    """One line, checked: a known id, only known fields, each a text, and something to do."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"broken JSON at column {error.colno}: {error.msg}") from error
    if not isinstance(entry, dict) or "id" not in entry:
        raise UserError("not an object with an 'id'")
    for key, value in entry.items():
        if key not in KEYS:
            raise unknown("field", key, KEYS)
        if not isinstance(value, str) or (key in ("sql", "question", "exclude") and not value.strip()):
            raise UserError(f"{key!r} is not a text with something in it")
    if entry["id"] not in known:
        raise unknown("question id", entry["id"], known)
    if len(entry) == 1 or ("exclude" in entry and len(entry) > 2):
        raise UserError("needs either 'exclude', or some of 'sql', 'question' and 'evidence'")
    return entry


def _laid(question: Question, entry: dict[str, Any]) -> Question:
    """A corrected question; with another query its gold is open again, and an excluded one has none."""
    changes: dict[str, Any] = {FIELDS[key]: value for key, value in entry.items() if key in FIELDS}
    if "exclude" in entry:
        changes |= {"gold_status": "excluded", "gold_reason": entry["exclude"]}
    if "exclude" in entry or "sql" in entry:
        changes = {"gold": (), "gold_level": "none", "gold_status": "none", "gold_reason": ""} | changes
    return replace(question, **changes)
