"""A sweep on disk: ``sweeps/NAME.json`` says what it is and which runs hold its cells."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.sweeps.grid import Sweep
from schemas.errors import UserError, unknown
from storage.benchmarks import description
from storage.files import read_json, write_json
from storage.layout import Store
from storage.prices import Prices, prices_of
from storage.runs import fingerprint
from tasks import shard

FOLDER = "sweeps"


@dataclass(frozen=True)
class Run:
    """One run of a sweep: a model (or none) and linkers on one benchmark, and its shards with their questions."""

    name: str
    model: str
    benchmark: str
    linkers: tuple[str, ...]
    repetitions: int
    shards: Mapping[str, int]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Run":
        """A run as it was written down."""
        return cls(**{**told, "linkers": tuple(told["linkers"])})


@dataclass(frozen=True)
class Record:
    """What is written down of a sweep: its grid, its runs, its prices and its budget."""

    name: str
    grid: Mapping[str, Any]
    runs: tuple[Run, ...]
    prices: Prices
    budget: Mapping[str, float | None]


def path_of(storage: Path, name: str) -> Path:
    """Where a sweep is written down."""
    return storage / FOLDER / f"{name}.json"


def names(storage: Path) -> list[str]:
    """The sweeps below a storage folder."""
    return sorted(path.stem for path in (storage / FOLDER).glob("*.json"))


def load(storage: Path, name: str) -> Record:
    """A sweep by its name; an unknown one answers with what exists."""
    if name not in names(storage):
        raise unknown("sweep", name, names(storage))
    path = path_of(storage, name)
    told = read_json(path)
    try:
        runs = tuple(map(Run.of, told["runs"]))
        return Record(told["name"], told["grid"], runs, prices_of(told["prices"], name), told["budget"])
    except (KeyError, TypeError) as error:
        raise UserError(f"{path}: not what sweep run writes ({error}); remove it and run the sweep again") from error


def planned(sweep: Sweep, storage: Path) -> tuple[Run, ...]:
    """The runs of a sweep, those that are written down as they are; nothing is written.

    A grid that only grew since then gets further runs for its new cells; any other change is a UserError.
    """
    before: tuple[Run, ...] = ()
    if path_of(storage, sweep.name).exists():
        record = load(storage, sweep.name)
        changed = list(changes(record.grid, grid_of(sweep, storage)))
        if changed:
            told = "; ".join(changed)
            raise UserError(f"sweep {sweep.name!r} was another one ({told}): give it a new name, or put that back")
        before = record.runs
    return tuple(_runs(sweep, storage, before))


def grid_of(sweep: Sweep, storage: Path) -> dict[str, Any]:
    """The grid as JSON, with the hash of what every benchmark was prepared from."""
    grid = sweep.described()
    for name, chosen in grid["benchmarks"].items():
        told = description(Store(storage).benchmark(name))
        chosen["files"] = fingerprint({"files": told["files"], "corrections": told.get("corrections")})[:16]
    return grid


def write(sweep: Sweep, storage: Path, runs: tuple[Run, ...]) -> None:
    """Write a sweep down, unless that is done."""
    path = path_of(storage, sweep.name)
    grid = grid_of(sweep, storage)
    told: dict[str, Any] = {
        "name": sweep.name,
        "hash": fingerprint(grid),
        "grid": grid,
        "runs": [{**asdict(run), "linkers": list(run.linkers)} for run in runs],
        "prices": _prices(sweep.prices),
        "budget": asdict(sweep.budget),
    }
    known = read_json(path) if path.exists() else {}
    if any(known.get(key) != value for key, value in told.items()):
        write_json(path, {**told, "created": known.get("created") or datetime.now(UTC).isoformat(timespec="seconds")})


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What a grid changed besides adding cells, a few words each.

    >>> old = {"benchmarks": {"demo": {"limit": 3}}, "models": ["a"], "linkers": ["full"], "settings": {}}
    >>> new = {**old, "benchmarks": {"demo": {"limit": 5}}, "models": ["b"], "linkers": ["full", "oracle"]}
    >>> list(changes(old, new))
    ["limit of benchmark 'demo' was 3, is 5", "model 'a' is gone"]
    """
    for name, chosen in before["benchmarks"].items():
        if name not in after["benchmarks"]:
            yield f"benchmark {name!r} is gone"
            continue
        now = after["benchmarks"][name]
        yield from (
            f"{key} of benchmark {name!r} was {_shown(value)}, is {_shown(now.get(key))}"
            for key, value in chosen.items()
            if _shown(value) != _shown(now.get(key))
        )
    for what in ("model", "linker"):
        yield from (f"{what} {name!r} is gone" for name in before[f"{what}s"] if name not in after[f"{what}s"])
    for key, value in before["settings"].items():
        if value != after["settings"].get(key):
            yield f"{key} was {value!r}, is {after['settings'].get(key)!r}"


def _shown(value: Any) -> str:
    return repr(list(value)) if isinstance(value, tuple | list) else repr(value)


def _runs(sweep: Sweep, storage: Path, before: tuple[Run, ...]) -> Iterator[Run]:
    store = Store(storage)
    for part in sweep.parts():
        known = [run for run in before if (run.model, run.benchmark) == part.key]
        yield from known
        covered = {linker for run in known for linker in run.linkers}
        left = tuple(linker for linker in part.linkers if linker not in covered)
        if left:
            name = sweep.run_name(part) + (f"-{len(known) + 1}" if known else "")
            cut = shard.cut(store.benchmark(part.benchmark.name), Path("shards"), part.benchmark.selection)
            shards = {each.name: each.questions for each, _ in cut}
            run = Run(name, *part.key, left, part.repetitions, shards)
            _check_name(store, run, asdict(part.benchmark.selection))
            yield run


def _check_name(store: Store, run: Run, selection: Mapping[str, Any]) -> None:
    """Refuse a name under which another run lies already: its cells would count as this sweep's."""
    path = store.run(run.name) / "run.json"
    there = read_json(path).get("configuration", {}) if path.exists() else None
    if there is None:
        return
    asked = {"linkers": run.linkers, "selection": selection, "repetitions": run.repetitions}
    told = [key for key, value in asked.items() if there.get(key) != json.loads(json.dumps(value))]
    told += ["benchmarks"] * (list(there.get("benchmarks", ())) != [run.benchmark])
    if told:
        raise UserError(
            f"run {run.name!r} is there already with other {', '.join(told)}: name the sweep differently, or remove "
            f"that run (python -m flows runs prune {run.name})"
        )


def _prices(prices: Prices) -> dict[str, Any]:
    models = {
        price.pattern: {key: value for key, value in asdict(price).items() if key != "pattern"}
        for price in prices.models
    }
    return {"machine_hour": prices.machine_hour, "models": models}
