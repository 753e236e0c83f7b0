"""The linkers of a sweep: labels, and tables whose lists of options make a product."""

from collections import Counter
from itertools import product
from typing import Any

from flows.sweeps.tables import Table
from schemas.errors import UserError, unknown
from tasks import labels, plugins


def expanded(table: Table) -> tuple[str, ...]:
    """The canonical labels of the key ``linkers``, in their order; those that are the same are faulted.

    >>> faults = []
    >>> expanded(Table({"linkers": ["full", {"linker": "random", "size": [2, 4]}]}, "", faults)), faults
    (('full', 'random(size=2)', 'random(size=4)'), [])
    """
    found: list[str] = []
    for number, entry in enumerate(table.listed("linkers"), 1):
        where = f"linkers[{number}]"
        if isinstance(entry, str):
            found += _canonical(entry, where, table.faults)
        elif isinstance(entry, dict):
            found += _product(Table(entry, where, table.faults))
        else:
            table.faults.append(f"{where} is {entry!r}, must be a label in quotes or a table")
    for label, times in Counter(found).items():
        if times > 1:
            table.faults.append(
                f"linkers: {label!r} stands there {times} times; every cell runs once (see repetitions)"
            )
    return tuple(dict.fromkeys(found))


def _canonical(text: str, where: str, faults: list[str]) -> list[str]:
    try:
        return [labels.label(labels.parse(text))]
    except UserError as error:
        faults.append(f"{where}: {error}")
        return []


def _product(table: Table) -> list[str]:
    """The labels of one table: one for every combination of its options' values."""
    name = table.text("linker")
    known = [*plugins.names("linkers"), *(each.replace("_", "-") for each in plugins.names("linkers"))]
    if ">" in name:
        table.faults.append(f"{table.where}.linker is {name!r}: write a pipeline with its options as a label in quotes")
        return []
    if name not in known:
        fault = unknown("linker", name, plugins.names("linkers")) if name else "a table names its linker: linker = …"
        table.faults.append(f"{table.where}: {fault}")
        return []
    before = len(table.faults)
    options = labels.options(name.replace("-", "_"))
    Table(table.values, table.where, table.faults).only(["linker", *options])
    choices = [_values(table, name, key) for key in table.values if key in options and key != "linker"]
    if len(table.faults) > before:
        return []
    texts = (f"{name}({', '.join(chosen)})" for chosen in product(*choices))
    return [label for text in texts for label in _canonical(text, table.where, table.faults)]


def _values(table: Table, name: str, key: str) -> list[str]:
    """One option's values as a label writes them, each checked by itself."""
    values = table.values[key] if isinstance(table.values[key], list) else [table.values[key]]
    if not values:
        table.wrong(key, "a value or a list of values")
    found = []
    for value in values:
        if not isinstance(value, str | int | float | bool):
            table.wrong(key, "a value or a list of values")
            continue
        written = f"{key}={_written(value)}"
        found += [written] if _canonical(f"{name}({written})", table.where, table.faults) else []
    return found


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
