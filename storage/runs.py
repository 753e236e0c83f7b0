"""A run's folder: who may write it, what it was asked to do, and one file a dataset when it is done."""

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.errors import UserError
from schemas.records import Execution, Linking, Note, Query, Score
from storage import parquet
from storage.files import read_json, remove_tree, write_json
from storage.layout import DATASETS
from storage.leases import Busy, leased
from storage.places import is_remote, matching

__all__ = ["RECORDS", "Busy", "close_run", "compact", "exclusive", "fingerprint", "open_run", "shard_files"]

GROUP = 122_880
RECORDS: Mapping[str, type] = {
    "linkings": Linking,
    "notes": Note,
    "queries": Query,
    "executions": Execution,
    "scores": Score,
}


def fingerprint(value: Any) -> str:
    """The SHA-256 of a JSON value, in hexadecimal; equal values have equal fingerprints whatever their key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def exclusive(run: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a run's folder for one process, or ``shared`` by those that run portions of it; others are told by Busy.

    On a local disk a killed process holds nothing; in an object store it does for a minute.
    """
    if is_remote(run):
        with leased(run, shared=shared):
            yield
        return
    try:
        run.mkdir(parents=True, exist_ok=True)
        lock = (run / ".lock").open("w")
    except OSError as error:
        raise UserError(f"cannot write {run}: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            raise Busy(f"{run}: another process is writing this run; wait for it or name another --run") from error
        yield


def open_run(run: Path, configuration: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write ``run.json`` of a new run, or check that an existing one was asked to do the same."""
    path = run / "run.json"
    configuration = json.loads(json.dumps(configuration))
    if not path.exists():
        write_json(
            path, {"name": run.name, "hash": fingerprint(configuration), "configuration": configuration, **facts}
        )
        return
    known = read_json(path)
    if known.get("hash") != fingerprint(configuration):
        before = known.get("configuration", {})
        changed = [key for key in configuration if before.get(key) != configuration[key]]
        told = "; ".join(f"{key} was {before.get(key)!r}, is {configuration[key]!r}" for key in changed)
        raise UserError(f"run {run.name!r} was made with another configuration ({told}): name another --run")


def close_run(run: Path, facts: Mapping[str, Any]) -> None:
    """Add what is known at the end to ``run.json``."""
    write_json(run / "run.json", {**read_json(run / "run.json"), **facts})


def shard_files(run: Path, dataset: str) -> list[Path]:
    """The files of one dataset: the compacted one where it exists, else those of the finished shards."""
    compacted = run / f"{dataset}.parquet"
    return [compacted] if compacted.exists() else matching(run, f"{dataset}/*/*/*.parquet")


def compact(run: Path) -> None:
    """Make one file of each dataset's shards, ordered by benchmark, linker and shard, and remove the shards.

    A query that names a benchmark or a linker reads the groups of ``GROUP`` rows that have it, and no others.
    """
    for dataset in DATASETS:
        target = run / f"{dataset}.parquet"
        files = matching(run, f"{dataset}/*/*/*.parquet")
        if files and not target.exists():
            table = pa.concat_tables(_tables(files, RECORDS[dataset])).combine_chunks()
            parquet.write_table(target, table, group=GROUP)
        remove_tree(run / dataset)
    remove_tree(run / "shards")


def _tables(files: Sequence[Path], record: type) -> list[pa.Table]:
    with ThreadPoolExecutor(16 if is_remote(files[0]) else 1) as pool:
        return list(pool.map(lambda file: parquet.read_table(file, record), files))
