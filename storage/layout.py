"""Where things lie below the storage folder."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UserError, unknown

DATASETS = ("linkings", "notes", "queries", "executions", "scores")


@dataclass(frozen=True)
class Store:
    """The storage folder: ``benchmarks/NAME`` (ingested), ``runs/NAME`` (results), ``replies`` (of models)."""

    root: Path

    def benchmarks(self) -> list[str]:
        """The names of the ingested benchmarks."""
        return sorted(path.parent.name for path in self.root.glob("benchmarks/*/benchmark.json"))

    def benchmark(self, name: str) -> Path:
        """The folder of one ingested benchmark; an unknown one answers with what exists and how to ingest it."""
        folder = self.root / "benchmarks" / name
        if not (folder / "benchmark.json").is_file():
            error = unknown("prepared benchmark", name, self.benchmarks())
            raise UserError(f"{error}; ingest one with: python -m flows prepare BENCHMARK")
        return folder

    def runs(self) -> list[str]:
        """The names of the runs."""
        return sorted(path.parent.name for path in self.root.glob("runs/*/run.json"))

    def run(self, name: str) -> Path:
        """The folder of one run, which may not exist yet."""
        return self.root / "runs" / name

    def shard(self, run: str, dataset: str, benchmark: str, linker: str, shard: str) -> Path:
        """The file of one shard's results in one dataset."""
        return self.run(run) / dataset / benchmark / slug(linker) / f"{slug(shard)}.parquet"


def slug(text: str) -> str:
    """A file name for a label: readable, and as unique as the label.

    >>> slug("full")
    'full'
    >>> slug("random(size=3)")
    'random-size=3-63506d4e'
    """
    plain = re.sub(r"[^A-Za-z0-9_.=-]+", "-", text).strip("-.")
    return plain if plain == text else f"{plain[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
