"""Tables of somebody's TOML, read key by key: every wrong key and value is remembered, and none ends the reading."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from schemas.errors import unknown

T = TypeVar("T")


@dataclass
class Table:
    """One table: its values, where it stands in the file, and the faults of the whole file so far."""

    values: Mapping[str, Any]
    where: str
    faults: list[str]

    def only(self, known: Iterable[str]) -> "Table":
        """Fault the keys that mean nothing here."""
        names = list(known)
        what = f"key of {self.where}" if self.where else "key"
        self.faults += [str(unknown(what, key, names)) for key in self.values if key not in names]
        return self

    def place(self, key: str) -> str:
        """A key as the faults call it.

        >>> Table({}, "models[2]", []).place("name")
        'models[2].name'
        """
        return f"{self.where}.{key}" if self.where else key

    def wrong(self, key: str, must: str) -> None:
        """Fault a value: quote it and say what it must be."""
        self.faults.append(f"{self.place(key)} is {self.values[key]!r}, must be {must}")

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        return self._of(key, default, str, "a text in quotes")

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        return self._of(key, default, bool, "true or false")

    def whole(self, key: str, default: int, low: int = 1) -> int:
        """A whole number from ``low`` on."""
        value = self.values.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= low:
            return value
        self.wrong(key, f"a whole number of at least {low}")
        return default

    def some(self, key: str) -> int | None:
        """A whole number above zero, or none where the key is absent."""
        return self.whole(key, 1) if key in self.values else None

    def number(self, key: str, default: float) -> float:
        """A number above zero; the default may be anything."""
        value = self.values.get(key, default)
        if key not in self.values or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0):
            return float(value)
        self.wrong(key, "a number above zero")
        return default

    def choice(self, key: str, default: str, choices: Sequence[str]) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value == default or value in choices:
            return value
        near = get_close_matches(value, choices, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        self.wrong(key, f"one of {', '.join(choices)}{hint}")
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one text is a list of one."""
        value = self.values.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, list) and all(isinstance(item, str) and item.strip() for item in listed):
            return tuple(listed)
        self.wrong(key, "a list of texts in quotes")
        return ()

    def listed(self, key: str) -> list[Any]:
        """A list of anything; one value is a list of one."""
        value = self.values.get(key, [])
        return value if isinstance(value, list) else [value]

    def table(self, key: str, *, switch: bool = False) -> "Table | None":
        """The table under a key, or None where it is absent; with ``switch``, true means an empty table."""
        value = self.values.get(key)
        if isinstance(value, Mapping):
            return Table(value, self.place(key), self.faults)
        if switch and isinstance(value, bool):
            return Table({}, self.place(key), self.faults) if value else None
        if key in self.values:
            self.wrong(key, "true, false or a table" if switch else "a table")
        return None

    def tables(self, key: str, short: str = "") -> list["Table"]:
        """The tables of a list; a text in it stands for a table of one key where ``short`` names that key."""
        found = []
        for number, item in enumerate(self.listed(key), 1):
            values = {short: item} if short and isinstance(item, str) else item
            if isinstance(values, Mapping):
                found.append(Table(values, f"{self.place(key)}[{number}]", self.faults))
            else:
                self.faults.append(f"{self.place(key)}[{number}] is {item!r}, must be a table")
        return found

    def _of(self, key: str, default: T, kind: type[T], must: str) -> T:
        value = self.values.get(key, default)
        if isinstance(value, kind) and (value or kind is bool or key not in self.values):
            return value
        self.wrong(key, must)
        return default
