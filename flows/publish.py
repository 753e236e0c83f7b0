"""Copy a run without any text of its benchmark: ids, element names and types, statuses and figures."""

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.arguments import storage

if TYPE_CHECKING:
    from schemas.catalog import Catalog
    from schemas.records import Note

NAMES = frozenset({"source", "destination", "path", "disconnected", "fallback", "vote", "stage"})
PARTS: Mapping[str, frozenset[str]] = {
    "kept": frozenset({"stage"}),
    "dropped": frozenset({"stage"}),
    "tool_call": frozenset({"stage", "turn", "tool"}),
    "abstained": frozenset({"hypothesis", "all", "tables", "fields"}),
}
OURS = frozenset({"demo", "own"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a finished run")
    parser.add_argument("--to", required=True, type=storage, metavar="DIR", help="a folder or URL that may be shared")
    parser.add_argument("--texts", action="store_true", help="keep all texts: only of the demo and of your own data")


def main(arguments: argparse.Namespace) -> int:
    """Copy the run with the asked questions' ids and gold elements and the names in their catalogs."""
    from schemas.errors import UserError, unknown
    from storage.benchmarks import description
    from storage.files import read_json, write_json
    from storage.layout import Store

    store, target = Store(arguments.storage), Store(arguments.to)
    if arguments.run not in store.runs():
        raise unknown("run", arguments.run, store.runs())
    told = read_json(store.run(arguments.run) / "run.json")
    if told.get("status") != "done":
        raise UserError(f"run {arguments.run!r} is not finished: run it to its end first")
    names = sorted(told["configuration"]["benchmarks"])
    foreign = [name for name in names if description(store.benchmark(name)).get("plugin") not in OURS]
    if arguments.texts and foreign:
        raise UserError(f"--texts would publish the texts of {', '.join(foreign)}: only {', '.join(sorted(OURS))} may")
    copy = target.run(arguments.run)
    for benchmark, asked in copy_datasets(store.run(arguments.run), copy, texts=arguments.texts).items():
        copy_benchmark(store.benchmark(benchmark), asked, target.root / "benchmarks" / benchmark, texts=arguments.texts)
    write_json(copy / "run.json", told)
    print(f"{copy}: {sum(path.stat().st_size for path in copy.iterdir()) / 1e6:.2f} MB")
    return 0


def copy_datasets(source: Path, copy: Path, *, texts: bool) -> dict[str, set[str]]:
    """Copy every dataset, without its texts unless they are wanted; the ids of the asked questions by benchmark."""
    from schemas.records import Note
    from storage import parquet
    from storage.runs import RECORDS

    asked: dict[str, set[str]] = {}
    for dataset, record in RECORDS.items():
        path = source / f"{dataset}.parquet"
        rows: list[Any] = parquet.read(path, record) if path.exists() else []
        if record is Note and not texts:
            rows = [parted(note) for note in rows if note.kind in NAMES or note.kind in PARTS]
        kept = rows if texts else [silenced(row) for row in rows]
        if path.exists():
            parquet.write(copy / path.name, record, kept)
        for row in kept:
            asked.setdefault(row.benchmark, set()).add(row.question)
    return asked


def parted(note: "Note") -> "Note":
    """A note without the parts of its value that may quote a question, a value or a model."""
    if note.kind not in PARTS:
        return note
    parts = {name: value for name, value in json.loads(note.value).items() if name in PARTS[note.kind]}
    return replace(note, value=json.dumps(parts))


def silenced(row: Any) -> Any:
    """A record without the texts that it may hold."""
    texts = ("reason", "query", "text", "evidence", "gold_query", "gold_reason")
    return replace(row, **{field.name: "" for field in fields(row) if field.name in texts})


def copy_benchmark(folder: Path, asked: set[str], target: Path, *, texts: bool) -> None:
    """Copy the asked questions and their catalogs, beside what earlier runs have published of the benchmark."""
    from schemas.catalog import Catalog
    from schemas.records import Question
    from storage import benchmarks, parquet
    from storage.files import write_json

    known = {one.id: one for one in benchmarks.questions(target)} if (target / "questions.parquet").exists() else {}
    wanted = [one for one in benchmarks.questions(folder) if one.id in asked or one.id in known]
    if stale := known.keys() - {one.id for one in wanted}:
        raise_stale(target, stale)
    questions = wanted if texts else [silenced(question) for question in wanted]
    catalogs = [benchmarks.catalog(folder, name) for name in sorted({one.database for one in wanted})]
    parquet.write(target / "questions.parquet", Question, questions)
    parquet.write(target / "catalogs.parquet", Catalog, catalogs if texts else map(named, catalogs))
    told = benchmarks.description(folder)
    kept = {name: told[name] for name in ("name", "plugin", "part", "families") if name in told}
    write_json(target / "benchmark.json", {**kept, "published": True, "files": {}, "databases": {}})


def raise_stale(target: Path, ids: set[str]) -> None:
    """Refuse to mix questions of two versions of a benchmark."""
    from schemas.errors import UserError

    some = ", ".join(sorted(ids)[:3])
    raise UserError(f"{target} holds questions that the prepared benchmark lacks ({some}): publish to another folder")


def named(catalog: "Catalog") -> "Catalog":
    """The names and types of a catalog's elements, and nothing else."""
    entities = tuple(
        replace(
            entity,
            description="",
            fields=tuple(replace(field, description="", examples=(), statistics=()) for field in entity.fields),
        )
        for entity in catalog.entities
    )
    return replace(catalog, description="", entities=entities, relations=())
