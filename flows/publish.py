"""Copy a run without any text of its benchmark: ids, element names, statuses and figures."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

NAMES = frozenset({"source", "destination", "path", "disconnected", "fallback", "vote", "stage"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a finished run")
    parser.add_argument("--to", required=True, type=Path, metavar="DIR", help="a storage folder that may be shared")


def main(arguments: argparse.Namespace) -> int:
    """Copy the run and the asked questions' ids and gold elements; no text of question, evidence, query or reply."""
    from schemas.errors import UserError, unknown
    from storage.files import read_json, write_json
    from storage.layout import Store

    store, target = Store(arguments.storage), Store(arguments.to)
    if arguments.run not in store.runs():
        raise unknown("run", arguments.run, store.runs())
    told = read_json(store.run(arguments.run) / "run.json")
    if told.get("status") != "done":
        raise UserError(f"run {arguments.run!r} is not finished: run it to its end first")
    copy = target.run(arguments.run)
    for benchmark, asked in copy_datasets(store.run(arguments.run), copy).items():
        copy_questions(store.benchmark(benchmark), asked, target.root / "benchmarks" / benchmark)
    write_json(copy / "run.json", told)
    print(f"{copy}: {sum(path.stat().st_size for path in copy.iterdir()) / 1e6:.2f} MB")
    return 0


def copy_datasets(source: Path, copy: Path) -> dict[str, set[str]]:
    """Copy every dataset without its texts; the ids of the questions in them, by benchmark."""
    from schemas.records import Note
    from storage import parquet
    from storage.runs import RECORDS

    asked: dict[str, set[str]] = {}
    for dataset, record in RECORDS.items():
        path = source / f"{dataset}.parquet"
        rows: list[Any] = parquet.read(path, record) if path.exists() else []
        kept = [silenced(row) for row in rows if not isinstance(row, Note) or row.kind in NAMES]
        if path.exists():
            parquet.write(copy / path.name, record, kept)
        for row in kept:
            asked.setdefault(row.benchmark, set()).add(row.question)
    return asked


def silenced(row: Any) -> Any:
    """A record without the texts that it may hold."""
    texts = ("reason", "query", "text", "evidence", "gold_query", "gold_reason")
    return replace(row, **{field.name: "" for field in fields(row) if field.name in texts})


def copy_questions(folder: Path, asked: set[str], target: Path) -> None:
    """Copy the ids, difficulties and gold elements of the asked questions."""
    from schemas.records import Question
    from storage import benchmarks, parquet

    questions = [silenced(question) for question in benchmarks.questions(folder) if question.id in asked]
    parquet.write(target / "questions.parquet", Question, questions)
