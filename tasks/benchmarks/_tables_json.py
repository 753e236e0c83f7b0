"""The layout of ``tables.json`` that Spider invented and BIRD took over: names in flat lists, keys as indices."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Entity, Field, Relation
from tasks.benchmarks._findings import Findings

KEYS = {"db_id": (str,)} | dict.fromkeys(
    ("table_names_original", "table_names", "column_names_original", "column_names"), (list,)
)
KEYS |= dict.fromkeys(("column_types", "primary_keys", "foreign_keys"), (list,))


def read_catalogs(path: Path, findings: Findings) -> dict[str, Catalog]:
    """The catalogs of all databases in such a file; every fault of an entry goes to the findings."""
    catalogs: dict[str, Catalog] = {}
    for at, entry in findings.items(path, KEYS):
        database = entry["db_id"]
        faults = [f"{database}: {fault}" for fault in _faults(entry)]
        if database in catalogs:
            faults.append(f"{database}: the database is there twice")
        for fault in faults:
            findings.add(path, fault, at)
        catalogs[database] = Catalog(database) if faults else _catalog(entry)
    return catalogs


def _faults(entry: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with one database; keys are only looked at where the names are sound."""
    tables, columns = entry["table_names_original"], entry["column_names_original"]
    named = list(_name_faults(tables, columns))
    yield from named
    if any(type(name) is not str for name in (*tables, *entry["table_names"], *entry["column_types"])):
        yield "a table name or a column type is not a text"
    if any(not _is_named(column) for column in entry["column_names"]):
        yield "an entry of 'column_names' is not a table index and a name"
    for key, expected in (("table_names", tables), ("column_names", columns), ("column_types", columns)):
        if len(entry[key]) != len(expected):
            yield f"{key!r} holds {len(entry[key])} entries instead of {len(expected)}"
    if named:
        return
    where = f"index out of range 1-{len(columns) - 1}"
    for key in entry["primary_keys"]:
        for index in key if isinstance(key, list) else [key]:
            if not _is_column(index, columns):
                yield f"primary key {key!r}: {where}"
    for pair in entry["foreign_keys"]:
        if not isinstance(pair, list) or len(pair) != 2:
            yield f"foreign key {pair!r} is not a pair of column indices"
        elif not all(_is_column(index, columns) for index in pair):
            yield f"foreign key {pair!r}: {where}"


def _name_faults(tables: Sequence[Any], columns: Sequence[Any]) -> Iterator[str]:
    for table, count in Counter(str(name).casefold() for name in tables).items():
        if count > 1:
            yield f"table {table!r} is there {count} times"
    sound = []
    for at, column in enumerate(columns):
        if not _is_named(column):
            yield f"column {at} is not a table index and a name: {column!r}"
        elif not -1 <= column[0] < len(tables) or (column[0] == -1) != (at == 0):
            yield f"column {at} ({column[1]!r}): table index {column[0]} out of range 0-{len(tables) - 1}"
        else:
            sound.append((column[0], column[1].casefold()))
    for (table, name), count in Counter(sound).items():
        if count > 1:
            yield f"column {name!r} of table {tables[table]!r} is there {count} times"


def _is_named(column: Any) -> bool:
    return isinstance(column, list) and [type(part) for part in column] == [int, str]


def _is_column(index: Any, columns: Sequence[Any]) -> bool:
    return type(index) is int and 0 < index < len(columns)


def _catalog(entry: Mapping[str, Any]) -> Catalog:
    """One database, its faults excluded; a primary key is a column or a list of columns, a foreign key a pair."""
    tables, columns = entry["table_names_original"], entry["column_names_original"]
    primary = {index for key in entry["primary_keys"] for index in (key if isinstance(key, list) else [key])}
    fields: list[list[Field]] = [[] for _ in tables]
    for at, (table, name) in enumerate(columns[1:], 1):
        meaning = telling(name, entry["column_names"][at][1])
        fields[table].append(Field(name, entry["column_types"][at], meaning, at in primary))
    entities = (
        Entity(name, tuple(own), description=telling(name, said))
        for name, said, own in zip(tables, entry["table_names"], fields, strict=True)
    )
    pairs = dict.fromkeys((source, target) for source, target in entry["foreign_keys"])
    relations = (
        Relation(tables[columns[a][0]], tables[columns[b][0]], (columns[a][1],), (columns[b][1],)) for a, b in pairs
    )
    return Catalog(entry["db_id"], tuple(entities), tuple(relations))


def telling(name: str, said: str) -> str:
    """A human-readable name where it says more than the name itself, else nothing.

    >>> telling("playerApiID", "player api id"), telling("disp", "disposition")
    ('', 'disposition')
    """
    same = re.sub(r"[\W_]+", "", name).casefold() == re.sub(r"[\W_]+", "", said).casefold()
    return "" if same else " ".join(said.split())
