"""What lies in the storage: the files of every run, found by one look at it, and how DuckDB reads them."""

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import UserError, unknown
from storage.files import parsed_json, read_text
from storage.layout import DATASETS
from storage.places import filesystem, is_remote, mended

LISTED_APART = 4
READ_AHEAD = 8 * 2**20
REMOTE_THREADS = 16
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inventory:
    """The storage as DuckDB sees it: an address for every file, and a filesystem that has seen the listing if remote.

    A remote file is known from the listing, so that opening it asks for nothing but its bytes.
    """

    root: Path

    @cached_property
    def filesystem(self) -> Any:
        """The fsspec filesystem of a remote storage, which remembers what it has listed; None of a local one."""
        if not is_remote(self.root):
            return None
        known, _ = filesystem(self.root)
        options = {**known.storage_options, "use_listings_cache": True, "skip_instance_cache": True}
        remembering = type(known)(*known.storage_args, **options)
        remembering.default_block_size = READ_AHEAD
        return remembering

    @cached_property
    def address(self) -> str:
        """The storage's own address: an absolute folder or a URL, without a slash at its end."""
        if self.filesystem is None:
            return str(self.root.resolve())
        address: str = self.filesystem.unstrip_protocol(filesystem(self.root)[1])
        return address

    def open(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Let a connection read below the storage and nowhere else, with no extension fetched."""
        if self.filesystem is not None:
            connection.register_filesystem(self.filesystem)
            connection.execute(f"SET threads = {max(REMOTE_THREADS, os.cpu_count() or 1)}")
        if connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() != (False,):
            connection.execute("SET enable_progress_bar = false")
        connection.execute("SET autoinstall_known_extensions = false")
        connection.execute("SET autoload_known_extensions = false")
        connection.execute(f"SET allowed_directories = [{quoted(self.address + '/')}]")
        connection.execute("SET enable_external_access = false")

    def runs(self, names: Sequence[str] = ()) -> dict[str, dict[str, int]]:
        """The files of some or all runs, by run: names relative to the run's folder, with their sizes in bytes.

        A run is a folder with a ``run.json``; an unknown name answers with what exists.
        """
        apart = names and (self.filesystem is None or len(names) <= LISTED_APART)
        found = {name: self.files(f"runs/{name}") for name in names} if apart else self._all_runs()
        finished = {name: files for name, files in found.items() if "run.json" in files}
        for name in names:
            if name not in finished:
                raise unknown("run", name, self.runs() if apart else finished)
        return {name: finished[name] for name in names or sorted(finished)}

    def _all_runs(self) -> dict[str, dict[str, int]]:
        if self.filesystem is None:
            folder = self.root / "runs"
            return {name: self.files(f"runs/{name}") for name in _folders(folder)}
        runs: dict[str, dict[str, int]] = {}
        for path, size in self.files("runs").items():
            name, _, rest = path.partition("/")
            runs.setdefault(name, {})[rest] = size
        return runs

    def files(self, folder: str) -> dict[str, int]:
        """Every file below one folder of the storage, by its name relative to that folder, with its size in bytes."""
        if self.filesystem is None:
            return dict(_walk(str(self.root / folder)))
        base = f"{filesystem(self.root)[1]}/{folder}"
        with mended(self.root / folder, "list"):
            try:
                found = self.filesystem.find(base, detail=True)
            except FileNotFoundError:
                return {}
        return {path[len(base) + 1 :]: about["size"] or 0 for path, about in found.items() if len(path) > len(base)}

    def benchmark_files(self) -> list[str]:
        """The Parquet files of the ingested benchmarks, relative to the storage."""
        if self.filesystem is None:
            return [str(path.relative_to(self.root)) for path in self.root.glob("benchmarks/*/*.parquet")]
        return [f"benchmarks/{name}" for name in self.files("benchmarks") if name.count("/") == 1]

    def rows(self, dataset: str, runs: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """The number of rows in one dataset of runs, by run, of the files' footers."""
        prefix = f"{self.address}/runs/"
        files = [f"{prefix}{run}/{name}" for run, names in runs.items() for name in data_files(names).get(dataset, ())]
        if not files:
            return {}
        with duckdb.connect() as connection:
            self.open(connection)
            query = "SELECT file_name, num_rows FROM parquet_file_metadata($files)"
            found = connection.execute(query, {"files": files}).fetchall()
        counts: Counter[str] = Counter()
        for file, count in found:
            counts[file[len(prefix) :].partition("/")[0]] += count
        return dict(counts)


def run_facts(inventory: Inventory, runs: Sequence[str]) -> list[dict[str, Any]]:
    """What the ``run.json`` of each run says, all read at the same time where each is a request.

    One that cannot be read is told in the log, and has the status ``broken``.
    """
    paths = [inventory.root / "runs" / run / "run.json" for run in runs]
    if inventory.filesystem is None or not paths:
        return [_facts(path, partial(read_text, path)) for path in paths]
    names = [filesystem(path)[1] for path in paths]
    with mended(inventory.root, "read"):
        contents = inventory.filesystem.cat(names)
    texts = {name.lstrip("/"): content for name, content in contents.items()}
    return [_facts(path, texts[name.lstrip("/")].decode) for path, name in zip(paths, names, strict=True)]


def _facts(path: Path, read: Callable[[], str]) -> dict[str, Any]:
    try:
        told = parsed_json(path, read())
        if isinstance(told, dict):
            return told
        LOG.warning("%s: not an object in JSON", path)
    except (UserError, UnicodeDecodeError) as error:
        LOG.warning("%s", error if isinstance(error, UserError) else f"{path}: {error}")
    return {"name": path.parent.name, "status": "broken"}


def data_files(files: Iterable[str]) -> Mapping[str, list[str]]:
    """A run's data files by dataset: the compacted one where it exists, else those of the finished shards.

    >>> data_files(["notes.parquet", "notes/b/l/1.parquet", "scores/b/l/2.parquet", "scores/b/l/1.parquet"])
    {'notes': ['notes.parquet'], 'scores': ['scores/b/l/1.parquet', 'scores/b/l/2.parquet']}
    """
    shards: dict[str, list[str]] = {}
    names = set(files)
    for name in sorted(names):
        parts = name.split("/")
        if name.endswith(".parquet") and len(parts) == 4 and not parts[3].startswith("."):
            shards.setdefault(parts[0], []).append(name)
    found = {
        dataset: [f"{dataset}.parquet"] if f"{dataset}.parquet" in names else shards.get(dataset, [])
        for dataset in DATASETS
    }
    return {dataset: files for dataset, files in found.items() if files}


def quoted(text: str) -> str:
    """A text as an SQL literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"cannot list {folder}: {error.strerror or error}") from error


def _walk(folder: str, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Every file below a folder with its size; what vanishes meanwhile is left out."""
    try:
        with os.scandir(folder) as entries:
            known = list(entries)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"cannot list {folder}: {error.strerror or error}") from error
    for entry in known:
        if entry.is_dir():
            yield from _walk(entry.path, f"{prefix}{entry.name}/")
            continue
        with suppress(FileNotFoundError):
            yield prefix + entry.name, entry.stat().st_size
