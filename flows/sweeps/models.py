"""The models of a sweep file: servers that answer somewhere, servers to be started, or a small one on this machine."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from flows.serve import gpu_sets
from flows.sweeps.grid import Asked, Served
from flows.sweeps.tables import Table
from schemas.errors import UserError
from storage.endpoints import stored
from storage.layout import slug
from tasks.replica import normalized
from tasks.weights import Weights, named

KEYS = ("name", "endpoints", "serve", "in_flight", "timeout")
SERVE = ("weights", "replicas", "gpus", "host", "port", "python", "wait", "options")


def models(table: Table, storage: Path) -> tuple[Asked, ...]:
    """The models under the key ``models``; a text is a model by its name, found where ``flows serve`` stored it."""
    found = [_model(entry.only(KEYS), storage) for entry in table.tables("models", "name")]
    for name, times in Counter(slug(model.name) for model in found).items():
        if times > 1:
            table.faults.append(f"models: {name!r} stands there {times} times; one model has one list of endpoints")
    return tuple(found)


def _model(entry: Table, storage: Path) -> Asked:
    name, endpoints, serve = entry.text("name"), entry.texts("endpoints"), _served(entry)
    if not name:
        entry.faults.append(f"{entry.where}: a model has a name, as its server knows it, or 'embedded'")
    for url in endpoints:
        _tried(entry, "endpoints", partial(normalized, url))
    if endpoints and serve:
        entry.faults.append(f"{entry.where}: name endpoints, or what to serve, not both")
    if name.partition(":")[0] == "embedded":
        _tried(entry, "name", partial(named, name))
        if endpoints or serve:
            entry.faults.append(f"{entry.where}: {name!r} starts a server of its own: leave out endpoints and serve")
    elif name and not endpoints and not serve:
        try:
            stored(storage, name)
        except UserError:
            entry.faults.append(
                f"{entry.place('name')}: no endpoint of model {name!r} is known: add endpoints = [URL, …] or serve = "
                "{weights = …}, start one with python -m flows serve MODEL, or use name = 'embedded'"
            )
    return Asked(name, endpoints, serve, entry.whole("in_flight", 256), entry.number("timeout", 600.0))


def _served(entry: Table) -> Served | None:
    told = entry.table("serve")
    if told is None:
        return None
    told.only(SERVE)
    if not told.text("weights"):
        told.faults.append(f"{told.where}: name the weights, a folder or a hub's name: weights = …")
    served = Served(
        weights=told.text("weights"),
        replicas=told.whole("replicas", 1),
        gpus=told.text("gpus"),
        host=told.text("host", "127.0.0.1"),
        port=told.whole("port", 0, low=0),
        python=told.text("python"),
        wait=told.number("wait", 1800.0),
        options=told.texts("options"),
    )
    _tried(told, "gpus", partial(gpu_sets, served.gpus, served.replicas))
    return served


def known_as(model: str) -> str:
    """The name that results and prices know a model by: that of its weights where it is embedded.

    >>> known_as("embedded"), known_as("Qwen/Qwen3-8B")
    ('Qwen2.5-Coder-0.5B-Instruct-Q4_K_M', 'Qwen/Qwen3-8B')
    """
    if model.partition(":")[0] != "embedded":
        return model
    weights = named(model)
    return weights.name if isinstance(weights, Weights) else weights.stem


def _tried(table: Table, key: str, check: Callable[[], object]) -> None:
    """Fault what a check of our own refuses."""
    try:
        check()
    except UserError as error:
        table.faults.append(f"{table.place(key)}: {error}")
