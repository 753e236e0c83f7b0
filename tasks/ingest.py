"""Published files become questions with resolved gold elements, and catalogs: whole, or not at all."""

import hashlib
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from schemas.catalog import Catalog
from schemas.errors import Failure, Faults, UserError, unknown
from schemas.records import Question
from storage import benchmarks, parquet
from storage.files import read_json, remove_tree, sha256, write_json
from storage.layout import Store
from storage.places import is_remote, mended
from tasks import plugins
from tasks.corrections import Corrected, correct

T = TypeVar("T")
CODE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Source:
    """Where a benchmark comes from: its plug-in, the published files, and what is laid over them."""

    plugin: str
    root: Path
    part: str
    corrections: Path | None = None
    any_length: bool = False

    def module(self) -> ModuleType:
        """The plug-in; an unknown one, or an unknown part, answers with what exists."""
        module = plugins.load("benchmarks", self.plugin)
        if self.part not in module.PARTS:
            raise unknown(f"part of {self.plugin}", self.part, module.PARTS)
        return module

    def is_there(self) -> bool:
        """Whether all files that the part is read from exist."""
        return all(path.exists() for path in self.module().files(self.root, self.part))

    def inputs(self) -> dict[str, Any]:
        """Everything that decides the result, files by their sha256, in the form that is recorded with it."""
        root = self.root.resolve()
        paths = self.module().files(root, self.part)
        files = {str(path.relative_to(root) if path.is_relative_to(root) else path): sha256(path) for path in paths}
        corrections = sha256(self.corrections) if self.corrections else ""
        given = {"plugin": self.plugin, "part": self.part, "root": str(root), "files": files}
        return given | {"corrections": corrections, "any_length": self.any_length, "code": _code()}


@cache
def _code() -> str:
    """A digest of the code that reads files and queries, the parsers of SQL and Cypher included."""
    digest = hashlib.sha256(f"{version('sqlglot')} {version('cypherast')}".encode())
    for folder in ("schemas", "tasks/benchmarks", "tasks/languages", "tasks"):
        for path in sorted((CODE / folder).glob("*.py")):
            if folder != "tasks" or path.stem in ("ingest", "corrections"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(source: Source, store: Store, name: str) -> bool:
    """Whether the ingested benchmark of that name is what ingesting would give."""
    marker = store.root / "benchmarks" / name / "benchmark.json"
    if not marker.is_file() or not source.is_there():
        return False
    recorded = read_json(marker)
    return all(recorded.get(key) == value for key, value in source.inputs().items())


def ingest(
    plugin: str,
    root: Path,
    part: str,
    store: Store,
    name: str,
    corrections: Path | None = None,
    *,
    any_length: bool = False,
    fresh: bool = False,
) -> Path:
    """Read a benchmark's part with its plug-in and give the folder of the ingested benchmark.

    Nothing is done where it is current already, unless ``fresh``. All faults of its files are raised together.
    """
    source = Source(plugin, root, part, corrections, any_length)
    folder = store.root / "benchmarks" / name
    if not fresh and is_current(source, store, name):
        return folder
    module, root = source.module(), root.resolve()
    published, catalogs = _read(source, module, root)
    inputs = source.inputs()
    corrected = correct(published, corrections) if corrections else Corrected(published, 0, 0)
    by_name = {catalog.database: catalog for catalog in catalogs}
    questions = [
        resolved(replace(question, benchmark=name), by_name[question.database]) for question in corrected.questions
    ]
    described = {"name": name} | inputs
    described |= {
        "databases": {key: str(path.absolute()) for key, path in module.databases(root, part).items()},
        "questions": len(questions),
        "gold": dict(Counter(question.gold_status for question in questions).most_common()),
        "changed": corrected.changed,
        "excluded": corrected.excluded,
        "families": getattr(module, "FAMILIES", False),
        "remarks": module.remarks(root, part) if hasattr(module, "remarks") else [],
    }
    return _write(folder, questions, catalogs, described)


def _read(source: Source, module: ModuleType, root: Path) -> tuple[list[Question], list[Catalog]]:
    """Questions and catalogs of a plug-in, or all faults of either; ids and databases are checked for every plug-in."""
    if not root.is_dir():
        raise UserError(f"no folder {root}: name the folder of the published files with --from")
    options = {"any_length": True} if source.any_length else {}
    if options and "any_length" not in signature(module.questions).parameters:
        raise UserError(f"benchmark {source.plugin} has no fixed length: leave out --any-length")
    faults: dict[str, None] = {}
    questions: list[Question] = _gathered(faults, lambda: module.questions(root, source.part, **options))
    catalogs: list[Catalog] = _gathered(faults, lambda: module.catalogs(root, source.part))
    if not faults:
        known = {catalog.database for catalog in catalogs}
        asked = Counter(question.id for question in questions)
        faults |= {f"question id {name!r} is there {count} times": None for name, count in asked.items() if count > 1}
        strange = {question.database for question in questions} - known
        faults |= {str(unknown("database", database, known)): None for database in sorted(strange)}
    if not faults and not questions:
        faults = {f"no questions in {root}": None}
    if faults:
        raise Faults(source.plugin, faults)
    return questions, catalogs


def _gathered(faults: dict[str, None], read: Callable[[], list[T]]) -> list[T]:
    try:
        return read()
    except Faults as error:
        faults |= dict.fromkeys(error.faults)
        return []


def resolved(question: Question, catalog: Catalog) -> Question:
    """The question with its gold elements, or with the status and reason of why there are none.

    A question whose plug-in already decided on its gold stays as it is.
    """
    if question.gold_status != "none" or not question.gold_query.strip():
        return question
    try:
        found = plugins.language(catalog.dialect).referenced(question.gold_query, catalog)
    except Failure as failure:
        return replace(question, gold_status=failure.status, gold_reason=failure.reason)
    if found.unknown:
        return replace(question, gold_status="unknown_element", gold_reason=f"no {', '.join(found.unknown)}")
    return replace(question, gold=found.references, gold_level="field", gold_status="ok")


def _write(folder: Path, questions: Sequence[Question], catalogs: Sequence[Catalog], described: dict[str, Any]) -> Path:
    """Write all files beside the folder, then let them take its place at once; in an object store, the marker last."""
    if is_remote(folder):
        return _put(folder, questions, catalogs, described)
    staging = folder.parent / ".staging" / f"{folder.name}-{secrets.token_hex(4)}"
    try:
        parquet.write(staging / "questions.parquet", Question, questions)
        parquet.write(staging / "catalogs.parquet", Catalog, catalogs, group=1)
        write_json(staging / "benchmark.json", described)
        _swap(staging, folder)
    except OSError as error:
        raise UserError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return folder


def _put(folder: Path, questions: Sequence[Question], catalogs: Sequence[Catalog], described: dict[str, Any]) -> Path:
    """Write into an object store: until the new marker stands nothing counts as ingested."""
    with mended(folder, "write"):
        (folder / "benchmark.json").unlink(missing_ok=True)
    remove_tree(folder)
    parquet.write(folder / "questions.parquet", Question, questions)
    parquet.write(folder / "catalogs.parquet", Catalog, catalogs, group=1)
    write_json(folder / "benchmark.json", described)
    benchmarks.forget()
    return folder


def _swap(new: Path, folder: Path) -> None:
    """Let a folder take another's place; the old one comes back where that fails."""
    old = new.with_name(f"{new.name}-old")
    if folder.exists():
        folder.replace(old)
    try:
        new.replace(folder)
    except OSError:
        if old.exists():
            old.replace(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
