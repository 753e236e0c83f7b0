"""A folder of databases and a file of questions about them, one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import Faults, UserError, unknown
from schemas.records import Question
from storage.files import read_text
from tasks.benchmarks._sqlite_catalog import file_catalog

QUESTIONS = "questions.jsonl"
DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
DDL = ".sql"
GRAPH = ".graph.json"
SUFFIXES = (*DATABASES, DDL, GRAPH, ".cypher")
QUERIES = ("sql", "cypher", "query")
KEYS = ("question", "database", "id", *QUERIES, "evidence", "difficulty")
SHAPE = (
    '{"question": "Which towns do we deliver to?", "database": "shop", "sql": "SELECT town FROM delivery"}; '
    "sql (of a graph, cypher), id, evidence and difficulty may be left out, and database where there is only one"
)


def database_files(root: Path) -> dict[str, list[Path]]:
    """The database files, DDL texts and graphs of a folder by database: the file's name without its suffix."""
    found: dict[str, list[Path]] = {}
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        suffix = next((one for one in SUFFIXES if path.name.lower().endswith(one)), "")
        if suffix and path.is_file() and not path.name.startswith("."):
            found.setdefault(path.name[: -len(suffix)], []).append(path)
    return found


def read_catalogs(root: Path, benchmark: str) -> list[Catalog]:
    """The catalogs of all databases of a folder, sorted by name; raises all their faults together."""
    catalogs, faults = [], []
    found = database_files(root)
    if not found:
        kinds = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise Faults(benchmark, [f"{root}: no databases in it; put files there that are called one of {kinds}"])
    for database, paths in found.items():
        if len(paths) > 1:
            names = ", ".join(path.name for path in paths)
            faults.append(f"{root}: database {database!r} is there {len(paths)} times ({names}); rename or remove some")
            continue
        try:
            catalogs.append(file_catalog(paths[0], database))
        except UserError as error:
            faults.append(str(error))
    if faults:
        raise Faults(benchmark, faults)
    return catalogs


def read_questions(root: Path, benchmark: str) -> list[Question]:
    """The questions of a folder in the order of their lines; raises the faults of all lines together."""
    path = root / QUESTIONS
    if not path.is_file():
        raise Faults(benchmark, [f"{path}: no such file; write one line a question, such as {SHAPE}"])
    databases = list(database_files(root))
    questions: list[Question] = []
    lines: dict[str, int] = {}
    faults = []
    for number, line in _lines(path, benchmark):
        try:
            question = _question(line, number, databases, benchmark)
            if question.id in lines:
                raise UserError(f"id {question.id!r} is that of line {lines[question.id]} already")
            lines[question.id] = number
            questions.append(question)
        except UserError as error:
            faults.append(f"{path}: line {number}: {error}")
    if not questions and not faults:
        faults = [f"{path}: no questions in it; write one line a question, such as {SHAPE}"]
    if faults:
        raise Faults(benchmark, faults)
    return questions


def _lines(path: Path, benchmark: str) -> Iterator[tuple[int, str]]:
    try:
        text = read_text(path).removeprefix("\ufeff")
    except UserError as error:
        raise Faults(benchmark, [str(error)]) from error
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _question(line: str, number: int, databases: Sequence[str], benchmark: str) -> Question:
    """The question of one line, or the first thing that is wrong with it."""
    entry = _entry(line)
    text, database = entry.get("question", ""), entry.get("database", "")
    if not text.strip():
        raise UserError("no 'question' in it")
    given = [key for key in QUERIES if key in entry]
    if len(given) > 1:
        raise UserError(f"both {given[0]!r} and {given[1]!r}: they mean the same, leave one out")
    if not database and len(databases) == 1:
        database = databases[0]
    if not database:
        raise UserError(f"no 'database' in it; there are: {', '.join(databases) or 'none'}")
    if databases and database not in databases:
        raise unknown("database", database, databases)
    return Question(
        benchmark,
        entry.get("id") or str(number),
        database,
        text,
        evidence=entry.get("evidence", ""),
        difficulty=entry.get("difficulty", ""),
        gold_query=entry[given[0]] if given else "",
    )


def _entry(line: str) -> dict[str, str]:
    """The known keys of a line with their texts; null is as good as left out, and an id may be a number."""
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        where = f" at column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise UserError(f"broken JSON{where}") from error
    if not isinstance(entry, dict):
        raise UserError('not an object: a line looks like {"question": "…"}')
    for key, value in entry.items():
        if key not in KEYS:
            raise unknown("field", key, KEYS)
        if not (value is None or isinstance(value, str) or (key == "id" and type(value) is int)):
            raise UserError(f"{key!r} is {json.dumps(value)[:60]}, not a text")
        if isinstance(value, str) and not is_text(value):
            raise UserError(f"{key!r} has half of a character in it: {json.dumps(value)[:60]}")
    return {key: str(value) for key, value in entry.items() if value is not None}


def is_text(value: str) -> bool:
    r"""Whether a string can be written to a file, which an escaped half of a character in JSON cannot.

    >>> is_text("\U0001f6b2"), is_text("\ud83d")
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
