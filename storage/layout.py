"""Where things lie below the storage folder."""

import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UserError, unknown
from storage.places import cache_folder, is_remote, matching, subfolders

PROCESS = secrets.token_hex(4)
SERVERS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "STORAGE_EMULATOR_HOST", "AZURE_STORAGE_ACCOUNT_NAME")
DATASETS = ("linkings", "notes", "queries", "executions", "scores")


@dataclass(frozen=True)
class Store:
    """The storage folder: ``benchmarks/NAME`` (ingested), ``runs/NAME`` (results), ``replies`` (of models)."""

    root: Path

    def benchmarks(self) -> list[str]:
        """The names of the ingested benchmarks."""
        folders = subfolders(self.root / "benchmarks")
        return [folder.name for folder in folders if (folder / "benchmark.json").is_file()]

    def benchmark(self, name: str) -> Path:
        """The folder of one ingested benchmark; an unknown one answers with what exists and how to ingest it."""
        folder = self.root / "benchmarks" / name
        if not (folder / "benchmark.json").is_file():
            error = unknown("prepared benchmark", name, self.benchmarks())
            raise UserError(f"{error}; ingest one with: python -m flows prepare BENCHMARK")
        return folder

    def runs(self) -> list[str]:
        """The names of the runs."""
        return sorted(path.parent.name for path in matching(self.root, "runs/*/run.json"))

    def run(self, name: str) -> Path:
        """The folder of one run, which may not exist yet; a name that leads elsewhere is a UserError."""
        if name in ("", ".", "..") or set(name) & {"/", "\\", "\0"}:
            raise UserError(f"a run cannot be named {name!r}: take a name without slashes, which is not just dots")
        return self.root / "runs" / name

    def shard(self, run: str, dataset: str, benchmark: str, linker: str, shard: str) -> Path:
        """The file of one shard's results in one dataset."""
        return self.run(run) / dataset / benchmark / slug(linker) / f"{slug(shard)}.parquet"


def nearby(place: Path) -> Path:
    """The local folder that stands for a place, for what cannot lie in an object store; a local one is its own.

    >>> nearby(Path("/data/results"))
    PosixPath('/data/results')
    """
    if not is_remote(place):
        return place
    servers = [os.environ.get(name, "") for name in SERVERS]
    process = PROCESS if str(place).startswith("memory:") else ""
    return cache_folder() / "places" / slug("\0".join([str(place), *servers, process]))


def slug(text: str) -> str:
    """A file name for a label: readable, and as unique as the label.

    >>> slug("full")
    'full'
    >>> slug("random(size=3)")
    'random-size=3-63506d4e'
    """
    plain = re.sub(r"[^A-Za-z0-9_.=-]+", "-", text).strip("-.")
    return plain if plain == text else f"{plain[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
