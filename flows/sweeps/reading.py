"""Read a sweep file: everything that is wrong with it is told at once, before anything runs."""

import re
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from flows.runners import RUNNERS, Runner
from flows.sweeps.grid import Budget, Chosen, Sweep
from flows.sweeps.linkers import expanded
from flows.sweeps.models import known_as, models
from flows.sweeps.tables import Table
from schemas.errors import Faults, UserError
from storage import benchmarks
from storage.files import read_text
from storage.layout import Store
from storage.prices import DEFAULT, Prices, prices_of, read_prices
from tasks import labels
from tasks.generate import Generator
from tasks.shard import Selection
from tasks.toolbox import Toolbox

KEYS = (
    *("name", "benchmarks", "linkers", "models", "repetitions", "generate", "execute", "embedder", "tagger"),
    *("prices", "budget", "runner", "workers", "address"),
)
STYLES = ("ddl", "compact", "auto", "enhanced", "base")
NAME = re.compile(r"[\w.-]+")


def read(file: Path, storage: Path) -> Sweep:
    """The sweep that a file describes; Faults name every wrong key and value with what exists and what is near."""
    try:
        told = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: broken TOML: {error}") from error
    return checked(told, storage, file)


def checked(told: dict[str, Any], storage: Path, file: Path) -> Sweep:
    """The sweep of a file's contents; ``file`` is what the faults name, and where its prices are sought."""
    table = Table(told, "", []).only(KEYS)
    name = table.text("name", file.stem)
    if not NAME.fullmatch(name):
        table.faults.append(f"name is {name!r}, must be letters, digits, dots, dashes and underscores")
    generator, seconds, graphs = _queries(table)
    default = Toolbox(storage)
    sweep = Sweep(
        name=name,
        benchmarks=_benchmarks(table, Store(storage)),
        linkers=expanded(table),
        models=models(table, storage),
        repetitions=table.whole("repetitions", 1),
        generator=generator,
        seconds=seconds,
        graphs=graphs,
        embedder=table.text("embedder", default.embedder),
        tagger=table.text("tagger", default.tagger),
        prices=_prices(table, file.parent),
        budget=_budget(table),
        runner=_runner(table),
    )
    _agree(sweep, table)
    if table.faults:
        raise Faults(str(file), table.faults)
    return sweep


def _benchmarks(table: Table, store: Store) -> tuple[Chosen, ...]:
    found = []
    for entry in table.tables("benchmarks", "name"):
        entry.only(("name", "part", "limit", "limit_per_database", "only"))
        limits = entry.some("limit"), entry.some("limit_per_database"), entry.texts("only")
        chosen = Chosen(_prepared(entry, store), entry.text("part"), Selection(*limits))
        found.append(chosen)
        try:
            if not chosen.selection.choose(benchmarks.questions(store.benchmark(chosen.name))):
                entry.faults.append(f"{entry.where}: benchmark {chosen.name!r} has no questions")
        except UserError as error:
            entry.faults.append(f"{entry.where}: {error}")
    for name, times in Counter(each.name for each in found).items():
        if times > 1:
            table.faults.append(f"benchmarks: {name!r} stands there {times} times; a second choice is another sweep")
    return tuple(found)


def _prepared(entry: Table, store: Store) -> str:
    """The name under which a benchmark's part is prepared; one that is not is faulted."""
    name, part, there = entry.text("name"), entry.text("part"), store.benchmarks()
    for known in (name, f"{name}-{part}"):
        if known in there and (not part or benchmarks.description(store.benchmark(known)).get("part") == part):
            return known
    if name in there:
        ask = f"python -m flows prepare {name} --part {part}"
        entry.faults.append(f"{entry.place('part')} is {part!r}, which is not prepared; do: {ask}")
    return name


def _queries(table: Table) -> tuple[Generator | None, float, str]:
    """How queries are generated, the seconds of executing one, and the engine of graphs."""
    execute = table.table("execute", switch=True)
    generate = table.table("generate", switch=True)
    if execute is None and generate is None:
        return None, 0.0, ""
    asked = (generate or Table({}, "generate", table.faults)).only(("style", "examples", "joins"))
    style = asked.choice("style", "ddl", STYLES)
    generator = Generator(style, asked.whole("examples", 2, low=0), asked.flag("joins", default=True))
    if execute is None:
        return generator, 0.0, ""
    execute.only(("seconds", "graphs"))
    return generator, execute.number("seconds", 30.0), execute.text("graphs")


def _prices(table: Table, folder: Path) -> Prices:
    told = table.values.get("prices")
    try:
        if isinstance(told, dict):
            return prices_of(told, "prices")
        named = table.text("prices")
        return read_prices(folder / named if named else DEFAULT)
    except UserError as error:
        table.faults += str(error).splitlines()
        return Prices(0.0, ())


def _budget(table: Table) -> Budget:
    told = table.table("budget")
    if told is None:
        return Budget()
    told.only(("money", "tokens", "hours"))
    limits = [told.number(key, 0.0) if key in told.values else None for key in ("money", "tokens", "hours")]
    return Budget(*limits)


def _runner(table: Table) -> Runner:
    runner = Runner(table.choice("runner", "threads", RUNNERS), table.text("address"), table.whole("workers", 0, low=0))
    try:
        runner.check()
    except UserError as error:
        table.faults.append(f"runner: {error}")
    return runner


def _agree(sweep: Sweep, table: Table) -> None:
    """Fault what is right by itself and wrong together: an empty grid, tools that are not there."""
    faults = table.faults
    for key, what in (("benchmarks", "name a prepared benchmark"), ("linkers", "name a linker")):
        if not table.listed(key):
            faults.append(f"{key}: there are none, so there is nothing to run; {what}")
    if sweep.generator and not sweep.models:
        faults.append("generate: a model writes the queries, and there are no [[models]]")
    asking = [label for label in sweep.linkers if "model" in labels.needs(label)]
    faults += [f"linkers: {label!r} asks a language model, and there are no [[models]]" for label in asking] * (
        not sweep.models
    )
    if sweep.models and sweep.linkers and not asking and not sweep.generator:
        faults.append("models: nothing here asks a model; remove [[models]], or add generate = true")
    tools = (("embedder", "sentence_transformers", "embed"), ("tagger", "spacy", "ner"))
    for tool, package, extra in tools:
        using = [label for label in sweep.linkers if tool in labels.needs(label)]
        if using and find_spec(package) is None:
            faults.append(f"linkers: {using[0]!r} asks a {tool}: install it with pip install -e '.[{extra}]'")
    if sweep.budget.money is not None:
        names = [known_as(model.name) for model in sweep.models] if not faults else []
        unpriced = [name for name in names if sweep.prices.of(name) is None]
        faults += [f"budget.money: there is no price of model {name!r}; add it to prices" for name in unpriced]
