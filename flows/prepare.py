"""Ingest a benchmark: ``python -m flows prepare bird --from DIR``."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from schemas.errors import UserError, unknown

if TYPE_CHECKING:
    from schemas.records import Question

SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``main`` reads."""
    parser.add_argument("benchmark", help="the plug-in that reads the published layout, such as bird or spider")
    parser.add_argument(
        "--from", dest="root", type=Path, metavar="DIR", help="the published files; else they are fetched"
    )
    parser.add_argument("--part", help="the part of the benchmark (default: its first)")
    parser.add_argument("--as", dest="name", metavar="NAME", help="its name from here on (default: BENCHMARK[-PART])")
    parser.add_argument("--corrections", type=Path, metavar="FILE", help="JSON lines that correct or exclude questions")
    parser.add_argument("--any-length", action="store_true", help="accept a subset of the published questions")
    parser.add_argument("--fresh", action="store_true", help="ingest again even if nothing has changed")


def main(arguments: argparse.Namespace) -> int:
    """Ingest, and tell what was found; raises UserError for everything that its reader can mend."""
    from storage.files import read_json
    from storage.layout import Store
    from tasks import plugins
    from tasks.ingest import Source, ingest, is_current

    module = plugins.load("benchmarks", arguments.benchmark)
    part = arguments.part or module.PARTS[0]
    if part not in module.PARTS:
        raise unknown(f"part of {arguments.benchmark}", part, module.PARTS)
    name = _name(arguments, module.PARTS, part)
    root = arguments.root or _fetched(arguments, module, part)
    store = Store(arguments.storage)
    source = Source(arguments.benchmark, root, part, arguments.corrections, arguments.any_length)
    if not arguments.fresh and is_current(source, store, name):
        print(f"{name}: nothing has changed, nothing to do (--fresh ingests again)")
        return 0
    options = {"any_length": arguments.any_length, "fresh": True}
    folder = ingest(arguments.benchmark, root, part, store, name, arguments.corrections, **options)
    print("\n".join(_summary(folder, read_json(folder / "benchmark.json"))))
    return 0


def _name(arguments: argparse.Namespace, parts: Sequence[str], part: str) -> str:
    from storage.layout import slug

    name: str = arguments.name or (arguments.benchmark if part == parts[0] else f"{arguments.benchmark}-{part}")
    if not name or slug(name) != name:
        raise UserError(f"--as {name!r} is not a file name: use letters, digits and any of _ . = -")
    return name


def _fetched(arguments: argparse.Namespace, module: ModuleType, part: str) -> Path:
    """The folder of the published files in what was fetched from the official address, or made by the plug-in."""
    from storage.layout import nearby
    from tasks.download import download

    downloads = nearby(arguments.storage) / "downloads"
    if hasattr(module, "make"):
        made: Path = module.make(downloads / arguments.benchmark)
        return made
    items = module.DOWNLOADS.get(part, ())
    if not items:
        raise UserError(f"{arguments.benchmark} has no official address: name the folder of its files with --from DIR")
    folder = download(items, downloads / arguments.benchmark)
    folders = sorted((folder, *(path for path in folder.rglob("*") if path.is_dir())), key=lambda path: len(path.parts))
    for root in folders:
        if all(path.exists() for path in module.files(root, part)):
            return root
    raise UserError(f"{folder}: what was fetched does not hold the files of {part}: name their folder with --from DIR")


def _summary(folder: Path, described: dict[str, Any]) -> Iterator[str]:
    from schemas.catalog import Catalog
    from schemas.records import Question
    from storage import parquet

    catalogs = parquet.read(folder / "catalogs.parquet", Catalog)
    entities = [entity for catalog in catalogs for entity in catalog.entities]
    kinds = Counter(f"{entity.kind}s" for entity in entities)
    origins = Counter(relation.origin for catalog in catalogs for relation in catalog.relations)
    yield f"{described['name']}: {described['questions']:,} questions, {len(catalogs):,} databases -> {folder}"
    yield f"  entities   {_counted(kinds)} with {sum(len(entity.fields) for entity in entities):,} fields"
    yield f"  relations  {_counted(origins) or 'none'}"
    yield f"  gold       {_counted(described['gold'])}"
    yield from _reasons(parquet.read(folder / "questions.parquet", Question))
    if described["corrections"]:
        yield f"  corrected  {described['changed']:,} changed, {described['excluded']:,} excluded"
    for remark in described["remarks"]:
        yield f"  remark     {remark}"


def _counted(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _reasons(questions: Sequence["Question"]) -> Iterator[str]:
    """The first few reasons of every status that says that there is no gold."""
    odd = [question for question in questions if question.gold_status not in ("ok", "none")]
    shown: Counter[str] = Counter()
    for question in odd:
        shown[question.gold_status] += 1
        if shown[question.gold_status] <= SHOWN:
            yield f"    {question.gold_status}: question {question.id} ({question.database}): {question.gold_reason}"
