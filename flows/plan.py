"""What an evaluation will do: cells of one shard and one linker, and which of them exist already."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from schemas.records import Question
from storage import benchmarks
from storage.files import read_json, remove_tree
from storage.layout import DATASETS, Store
from storage.places import matching
from storage.runs import close_run, fingerprint, open_run
from tasks import labels, shard
from tasks.execute import ExecuteJob
from tasks.generate import GenerateJob, Generator
from tasks.link import LinkJob
from tasks.score import ScoreJob
from tasks.shard import Selection, Shard
from tasks.toolbox import Toolbox, check_tools

PACKAGES = (
    "duckdb",
    "networkx",
    "numpy",
    "polars",
    "prefect",
    "pyarrow",
    "sentence-transformers",
    "sqlglot",
    "xllamacpp",
)


@dataclass(frozen=True)
class Cell:
    """One linker on one shard: its jobs in their order."""

    name: str
    shard: Shard
    linker: str
    link: LinkJob
    generate: GenerateJob | None
    execute: ExecuteJob | None
    score: ScoreJob


@dataclass(frozen=True)
class Plan:
    """All cells of one run, its configuration, and the shards' questions."""

    storage: Store
    run: Path
    configuration: dict[str, Any]
    shards: tuple[tuple[Shard, list[Question]], ...]
    cells: tuple[Cell, ...]
    toolbox: Toolbox

    @property
    def finished(self) -> bool:
        """Whether the run has been compacted and closed."""
        path = self.run / "run.json"
        return path.exists() and read_json(path).get("status") == "done"

    def missing(self) -> list[Cell]:
        """The cells that are still to run; scores are compacted last, so where they are whole nothing is."""
        if self.finished or (self.run / "scores.parquet").exists():
            return []
        done = set(matching(self.run, "scores/*/*/*.parquet"))
        return [cell for cell in self.cells if cell.score.scores not in done]

    def begin(self, *, retry: bool) -> None:
        """Open the run's folder: ``run.json``, and the shards' files where something is to do."""
        open_run(self.run, self.configuration, facts())
        if retry:
            close_run(self.run, {**facts(), "status": "begun"})
            for dataset in reversed(DATASETS):
                (self.run / f"{dataset}.parquet").unlink(missing_ok=True)
                remove_tree(self.run / dataset)
        if self.missing():
            shard.write(self.shards)

    def describe(self) -> str:
        """What would run: per benchmark and linker the shards, the questions, and what exists."""
        missing = {cell.name for cell in self.missing()}
        lines = [f"run {self.run.name}: {len(self.cells)} shards, {len(missing)} to run"]
        for benchmark, linker in sorted({(cell.shard.benchmark, cell.linker) for cell in self.cells}):
            cells = [cell for cell in self.cells if (cell.shard.benchmark, cell.linker) == (benchmark, linker)]
            questions = sum(cell.shard.questions for cell in cells)
            exist = sum(cell.name not in missing for cell in cells)
            lines.append(f"  {benchmark}  {linker}: {len(cells)} shards, {questions} questions, {exist} shards exist")
        return "\n".join(lines)


def make_plan(
    *,
    storage: Path,
    run: str,
    names: Sequence[str],
    linkers: Sequence[str],
    selection: Selection,
    repetitions: int,
    toolbox: Toolbox,
    generator: Generator | None = None,
    seconds: float = 0.0,
    graphs: str = "",
) -> Plan:
    """Check everything that can be checked before the first question, and lay out the cells; nothing is written.

    With a ``generator`` queries are generated; with ``seconds`` above zero they are executed under that limit;
    ``graphs`` is the engine of graphs that is not the default (``storage.databases.located``).
    """
    store = Store(storage)
    folders = [store.benchmark(name) for name in dict.fromkeys(names)]
    canonical = list(dict.fromkeys(labels.label(labels.parse(text)) for text in linkers))
    if not folders or not canonical:
        raise UserError("nothing to evaluate: name at least one benchmark and one linker")
    check_tools(canonical, toolbox)
    if generator and not toolbox.has_model:
        raise UserError("--generate asks a language model: name one with --model embedded or --endpoint URL")
    configuration = {
        **_benchmarks(folders),
        "linkers": canonical,
        "selection": asdict(selection),
        "repetitions": repetitions,
        "model": toolbox.label,
        "embedder": toolbox.embedder,
        **({"tagger": toolbox.tagger} if any("tagger" in labels.needs(name) for name in canonical) else {}),
        "generator": generator.label if generator else "",
        "execute_seconds": seconds,
        **({"graphs": graphs} if graphs else {}),
    }
    target = store.run(run or f"{'+'.join(folder.name for folder in folders)}-{fingerprint(configuration)[:8]}")
    shards = tuple(part for folder in folders for part in shard.cut(folder, target / "shards", selection))
    cells = tuple(
        _cell(store, target, part, linker, repetition, toolbox, generator, seconds, graphs)
        for part, _ in shards
        for linker in canonical
        for repetition in range(repetitions)
    )
    return Plan(store, target, configuration, shards, cells, toolbox)


def _benchmarks(folders: Sequence[Path]) -> dict[str, Any]:
    """What identifies the benchmarks of a configuration: the hash of their files' hashes and corrections."""
    told = {folder.name: benchmarks.description(folder) for folder in folders}
    for name, each in told.items():
        if each.get("published"):
            raise UserError(f"benchmark {name!r} lies here without its texts, as published: prepare it elsewhere")
    return {
        "benchmarks": {
            name: fingerprint({"files": each["files"], "corrections": each.get("corrections")})[:16]
            for name, each in told.items()
        }
    }


def _cell(
    store: Store,
    run: Path,
    part: Shard,
    linker: str,
    repetition: int,
    toolbox: Toolbox,
    generator: Generator | None,
    seconds: float,
    graphs: str,
) -> Cell:
    key = f"{linker} #{repetition}" if repetition else linker
    paths = {dataset: store.shard(run.name, dataset, part.benchmark, key, part.name) for dataset in DATASETS}
    folder = store.root / "benchmarks" / part.benchmark
    linkings, notes, queries, executions = (paths[name] for name in DATASETS[:4])
    generate = GenerateJob(part.path, folder, linkings, notes, generator, toolbox, queries) if generator else None
    job = ExecuteJob(part.path, folder, queries, executions, seconds, graphs=graphs)
    execute = job if generator and seconds else None
    return Cell(
        name=f"{key} on {part.benchmark}/{part.name}",
        shard=part,
        linker=linker,
        link=LinkJob(part.path, folder, linker, repetition, toolbox, linkings, notes),
        generate=generate,
        execute=execute,
        score=ScoreJob(
            part.path,
            linkings,
            executions if execute else None,
            paths["scores"],
            folder,
            queries if generator else None,
        ),
    )


def facts() -> dict[str, Any]:
    """What is remembered of the circumstances: time, commit, package versions, the flow run that Prefect names."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "flow_run": flow_run(),
        "packages": {name: _version(name) for name in PACKAGES if _version(name)},
    }


def flow_run() -> str:
    """The id of the Prefect flow run that this process works for, or nothing."""
    if "prefect.runtime.flow_run" in sys.modules:
        from prefect.runtime import flow_run as running

        return running.id or ""
    return os.environ.get("PREFECT__FLOW_RUN_ID", "")


def _commit() -> str:
    """The commit of the code that runs, or nothing where it is not a checkout."""
    here = Path(__file__).parent
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=here,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return asked.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
