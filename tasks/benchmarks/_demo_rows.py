"""The demo's databases from DDL texts whose comments say what each column holds, drawn from a seed.

A table's first line says how many rows it has at most (rows that break a constraint are dropped), a column's line what
is in it: ``number from 100``, ``each A; B; C`` (in turn), ``one of A; B``, ``5 to 90``, ``0.10 to 9.99``,
``day 2023-01-01 to 2024-06-30``, ``column + 1 to 30 days``, ``any table.column``, ``each table.column``, ``person``,
``code AB-{:04}``, or ``sql EXPRESSION`` (computed after all rows); ``| 10% none`` leaves some empty.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from tasks.benchmarks._declared import quoted

SEED = 20240611
GIVEN = "Ada Bela Carla Dario Edith Farid Greta Hugo Ines Jonas Kaya Leon Mira Nils Olga Pavel Rosa Samir Tilda Ugo"
FAMILY = (
    "Abel Brandt Castell Dorn Ekman Falk Gruber Hartog Ionesco Jansen Kovac Lindqvist Moreau Novak Ohlsen Petrov "
    "Quist Rossi Sorensen Thorne Ulrich Vance Weiss Ylonen Zeman"
)
NAME = r'"(?:[^"]|"")+"|\w+'
TABLE = re.compile(rf"^CREATE TABLE ({NAME}) \( *-- (\d+) rows\n(.*?)^\);", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(rf"\s+({NAME})\s[^\n]*?--\s*(.+?)(?:\s*\|\s*(\d+)% none)?$")
Row = Mapping[str, Any]
Draw = Callable[[Random, int, Row], Any]


@dataclass
class _Table:
    """A table to be filled: how many rows are tried, and what each column holds."""

    name: str
    rows: int
    draws: dict[str, Draw]
    computed: dict[str, str]


def build(ddl: str, connection: sqlite3.Connection, seed: int = SEED) -> None:
    """Create and fill the tables of a DDL text; the same text and seed give the same contents."""
    text = _repeated(ddl)
    script, _, finish = re.sub(r"[ \t]*--(?! finish).*", "", text).partition("-- finish")
    connection.executescript(script)
    connection.execute("PRAGMA foreign_keys = ON")
    tables = list(_tables(text, connection))
    for table in tables:
        _fill(table, connection, Random(f"{seed}/{table.name}"))
    for table in tables:
        for column, expression in table.computed.items():
            connection.execute(f"UPDATE {quoted(table.name)} SET {quoted(column)} = ({expression})")
    connection.commit()
    connection.executescript(finish)


def _repeated(ddl: str) -> str:
    """Write out a part between ``-- repeat A B`` and ``-- end`` once for each word, which takes the place of ``@``."""

    def write(match: re.Match[str]) -> str:
        return "".join(match[2].replace("@", word) for word in match[1].split())

    return re.sub(r"^-- repeat (.+)\n((?:.*\n)*?)-- end$", write, ddl, flags=re.MULTILINE)


def _tables(text: str, connection: sqlite3.Connection) -> Iterator[_Table]:
    """The tables of a text in their order."""
    for found in TABLE.finditer(text):
        table = _Table(_plain(found[1]), int(found[2]), {}, {})
        for column, told, empty in (match.groups() for line in found[3].splitlines() if (match := COLUMN.match(line))):
            if told.startswith("sql "):
                table.computed[_plain(column)] = told.removeprefix("sql ")
            else:
                table.draws[_plain(column)] = _sometimes(_draw(told, connection), int(empty or 0))
        yield table


def _fill(table: _Table, connection: sqlite3.Connection, random: Random) -> None:
    columns = ", ".join(map(quoted, table.draws))
    marks = ", ".join("?" * len(table.draws))
    insert = f"INSERT OR IGNORE INTO {quoted(table.name)} ({columns}) VALUES ({marks})"
    for number in range(table.rows):
        row: dict[str, Any] = {}
        for column, draw in table.draws.items():
            row[column] = draw(random, number, row)
        connection.execute(insert, tuple(row.values()))


def _sometimes(draw: Draw, empty: int) -> Draw:
    def drawn(random: Random, number: int, row: Row) -> Any:
        value = draw(random, number, row)
        return None if random.random() * 100 < empty else value

    return drawn


def _draw(told: str, connection: sqlite3.Connection) -> Draw:
    """What a column's comment says, as a function of chance, the row's number and the row so far."""
    for pattern, kind in KINDS:
        if match := re.fullmatch(pattern, told):
            return kind(match, connection)
    raise ValueError(f"no such kind of column: {told}")


def _number(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    start = int(match[1] or 1)
    return lambda random, number, row: start + number


def _values(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    values = [value.strip() for value in match[2].split(";")]
    if match[1] == "each":
        return lambda random, number, row: values[number % len(values)]
    return lambda random, number, row: _pick(random, values)


def _reference(match: re.Match[str], connection: sqlite3.Connection) -> Draw:
    """Values of another column, earlier ones more often than later ones; those that exist when the first is drawn."""
    query = f"SELECT {match[3]} FROM {match[2]} WHERE {match[3]} IS NOT NULL ORDER BY rowid"
    found: list[Any] = []

    def drawn(random: Random, number: int, row: Row) -> Any:
        if not found:
            found.extend(value for (value,) in connection.execute(query))
        if not found:
            return None
        return found[number % len(found)] if match[1] == "each" else _pick(random, found, 1.4)

    return drawn


def _range(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    low, high, digits = float(match[1]), float(match[2]), len(match[1].partition(".")[2])
    step = 10**-digits
    steps = round((high - low) / step) + 1
    return lambda random, number, row: round(low + int(random.random() * steps) * step, digits)


def _day(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    first, last = date.fromisoformat(match[1]), date.fromisoformat(match[2])
    days = (last - first).days + 1
    return lambda random, number, row: (first + timedelta(int(random.random() * days))).isoformat()


def _later(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    column, low, high = _plain(match[1]), int(match[2]), int(match[3])

    def drawn(random: Random, number: int, row: Row) -> str | None:
        days = low + int(random.random() * (high - low + 1))
        return row[column] and (date.fromisoformat(row[column]) + timedelta(days)).isoformat()

    return drawn


def _person(_match: re.Match[str], _: sqlite3.Connection) -> Draw:
    return lambda random, number, row: f"{_pick(random, GIVEN.split())} {_pick(random, FAMILY.split())}"


def _code(match: re.Match[str], _: sqlite3.Connection) -> Draw:
    return lambda random, number, row: match[1].format(number + 1)


KINDS: tuple[tuple[str, Callable[[re.Match[str], sqlite3.Connection], Draw]], ...] = (
    (r"number(?: from (\d+))?", _number),
    (rf"(each|any) ({NAME})\.({NAME})", _reference),
    (r"(each|one of) (.+)", _values),
    (r"(-?\d+(?:\.\d+)?) to (-?\d+(?:\.\d+)?)", _range),
    (r"day (\S+) to (\S+)", _day),
    (rf"({NAME}) \+ (\d+) to (\d+) days", _later),
    (r"person", _person),
    (r"code (.+)", _code),
)


def _pick(random: Random, values: list[Any], lean: float = 1.0) -> Any:
    """One of the values by ``random.random`` alone, the only draw that stays the same in all versions of Python."""
    return values[int(len(values) * random.random() ** lean)]


def _plain(name: str) -> str:
    """A name without its quotes.

    >>> _plain('"Order Line"'), _plain("town")
    ('Order Line', 'town')
    """
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
