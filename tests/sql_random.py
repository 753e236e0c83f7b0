"""Random queries over the bakery: nested, correlated, shadowing, with aliases that are reused on purpose."""

import random
from dataclasses import dataclass, field

TABLES = {
    "baker": ["id", "name", "trained_by", "town"],
    "bread": ["code", "name", "grams", "price", "made_by", "tags"],
    "shop": ["id", "name", "town", "opened"],
    "sale": ["id", "bread", "shop", "day", "pieces"],
    "flour": ["flour", "mill", "kilo_price"],
    "recipe": ["bread", "flour", "percent"],
}
ALIASES = ["a", "b", "shop", "bread", "name", "t"]
OUTPUTS = ["x", "y", "name", "town", "n"]


@dataclass
class Around:
    """What a query may name: its own sources and those around it, and the common table expressions."""

    sources: list[tuple[str, list[str]]] = field(default_factory=list)
    inner: dict[str, list[str]] = field(default_factory=dict)
    depth: int = 0


class Writer:
    """Writes one query after another; SQLite refuses some of them, as ambiguous names are not avoided."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def query(self, around: Around, width: int | None = None) -> tuple[str, list[str]]:
        """A query and the names of its columns."""
        width = width or self.random.randint(1, 3)
        around = Around(around.sources, dict(around.inner), around.depth + 1)
        head, forced = "", None
        if around.depth < 3 and self.chance(0.25):
            forced = self.random.choice(["c", "shop", "flour"])
            text, names = self.query(around)
            around.inner[forced] = names
            head = f"WITH {forced} AS ({text}) "
        text, names = self.select(around, width, forced)
        if self.chance(0.1):
            other, _ = self.select(around, width, None)
            text += f" {self.random.choice(['UNION', 'EXCEPT', 'UNION ALL'])} {other}"
        return head + text, names

    def select(self, around: Around, width: int, forced: str | None) -> tuple[str, list[str]]:
        sources: list[tuple[str, list[str]]] = []
        text = self.source(around, sources, forced)
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            joined = self.random.choice([", ", " JOIN ", " LEFT JOIN "])
            text += joined + self.source(around, sources, None)
            if "JOIN" in joined:
                text += f" ON {self.condition(Around(sources + around.sources, around.inner, 9))}"
        inside = Around(sources + around.sources, around.inner, around.depth)
        items: list[str] = []
        names: list[str] = []
        aliases: list[str] = []
        for _ in range(width):
            value, name = self.value(inside), f"_{len(names)}"
            if self.chance(0.5):
                name = self.random.choice(OUTPUTS)
                aliases.append(name)
                value += f" AS {name}"
            elif "(" not in value and " " not in value:
                name = value.rpartition(".")[2]
            items.append(value)
            names.append(name)
        text = f"SELECT {', '.join(items)} FROM {text}"
        named = Around([*inside.sources, ("", aliases)] if aliases else inside.sources, around.inner, around.depth)
        if self.chance(0.5):
            text += f" WHERE {self.condition(named)}"
        if self.chance(0.2):
            text += f" GROUP BY {self.column(named)}"
        if self.chance(0.1):
            text += f" HAVING MAX({self.column(inside)}) > 1"
        return text, names

    def source(self, around: Around, sources: list[tuple[str, list[str]]], forced: str | None) -> str:
        if forced is None and around.depth < 3 and self.chance(0.25):
            text, names = self.query(Around(around.sources, around.inner, around.depth))
            alias = self.random.choice(ALIASES)
            sources.append((alias, names))
            return f"({text}) AS {alias}"
        known = {**TABLES, **around.inner}
        table = forced or self.random.choice(list(known))
        alias = self.random.choice([table, *ALIASES])
        sources.append((alias, known[table]))
        return table if alias == table else f"{table} AS {alias}"

    def column(self, around: Around) -> str:
        alias, names = self.random.choice(around.sources)
        name = self.random.choice(names or ["id"])
        return f"{alias}.{name}" if alias and self.chance(0.7) else name

    def value(self, around: Around) -> str:
        kind = self.random.random()
        if around.depth < 3 and kind < 0.15:
            return f"({self.query(around, 1)[0]})"
        if kind < 0.25:
            return f"MAX({self.column(around)})"
        if kind < 0.3:
            return "COUNT(*)"
        return self.column(around)

    def condition(self, around: Around) -> str:
        kind = self.random.random()
        left = self.column(around)
        if around.depth < 3 and kind < 0.25:
            return f"{left} IN ({self.query(around, 1)[0]})"
        if around.depth < 3 and kind < 0.4:
            return f"EXISTS ({self.query(around, 1)[0]})"
        if kind < 0.5:
            return f'{left} = "{self.random.choice(["Ulm", "town", "price"])}"'
        return f"{left} = {self.column(around)}"
