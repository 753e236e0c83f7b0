"""What the names in a FROM clause stand for, and the catalog's fields beneath their columns."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from schemas.catalog import Catalog, Element, Entity

Beneath = tuple[Element, ...]

ROWIDS = frozenset({"rowid", "oid", "_rowid_"})
FLATTENED = ("seq", "key", "path", "index", "value", "this")
TABLE_FUNCTIONS = {
    "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"),
    "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"),
    "generate_series": ("value", "start", "stop", "step"),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of an inner query, of a list of values or of a table function, by case-folded name."""

    named: Mapping[str, Beneath]
    open: bool = False
    below: Beneath = ()

    def beneath(self, name: str) -> Beneath | None:
        """The fields beneath a column, or None where there is no such column."""
        return self.named.get(name.casefold())

    def all(self) -> Iterable[tuple[str, Beneath]]:
        """Every column with the fields beneath it."""
        return self.named.items()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the catalog; ``rowid`` and its like are SQLite's: the integer primary key, or no field at all."""

    catalog: Catalog
    entity: Entity
    open: bool = False
    below: Beneath = ()

    def beneath(self, name: str) -> Beneath | None:
        """The field of that name, or None where there is no such column."""
        found = self.catalog.field(self.entity.name, name)
        if found:
            return (Element(self.entity.name, found.name),)
        if self.catalog.dialect != "sqlite" or name.casefold() not in ROWIDS:
            return None
        keys = [field for field in self.entity.fields if field.primary]
        alias = len(keys) == 1 and keys[0].type.casefold() == "integer"
        return (Element(self.entity.name, keys[0].name),) if alias else ()

    def all(self) -> Iterable[tuple[str, Beneath]]:
        """Every field."""
        return [(field.name.casefold(), (Element(self.entity.name, field.name),)) for field in self.entity.fields]


@dataclass(frozen=True, slots=True)
class Source:
    """One item of a FROM clause: the names that qualify its columns, and those columns.

    ``alias`` is case-folded; ``path`` is a table's written name, part by part; ``shown`` stands in unknown names.
    """

    alias: str
    columns: Columns | Table
    shown: str
    path: tuple[str, ...] = ()
    hidden: bool = False

    def answers(self, qualifier: tuple[str, ...]) -> bool:
        """Whether ``qualifier`` (case-folded) names this source: its alias, or its unaliased qualified name."""
        if len(qualifier) == 1:
            return qualifier[0] == self.alias
        unaliased = bool(self.path) and self.alias == self.path[-1]
        return unaliased and (ends(self.path, qualifier) or ends(qualifier, self.path))


@dataclass(slots=True)
class Inner:
    """A common table expression, read where it is first mentioned; ``around`` is what its body can name."""

    node: exp.CTE
    around: "Scope"
    recursive: bool
    columns: Columns | None = None


@dataclass(slots=True)
class Scope:
    """What one SELECT can name: its sources, its aliases so far, common table expressions, and the query around it."""

    outer: "Scope | None" = None
    visible: Mapping[str, Inner] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, Beneath] = field(default_factory=dict)

    def find(self, path: tuple[str, ...]) -> Beneath | None:
        """The fields beneath the column of that path here; a real column goes before an alias."""
        name, qualifier = path[-1], tuple(part.casefold() for part in path[:-1])
        for source in self.sources:
            if not qualifier or source.answers(qualifier):
                found = source.columns.beneath(name)
                if found is not None:
                    return found
        return None if qualifier else self.aliases.get(name.casefold())

    def inside(self, path: tuple[str, ...]) -> Beneath | None:
        """The fields beneath a part of a structured column (``a.b.c``), or beneath a whole row named by its table."""
        owners = [source.columns for source in self.sources if source.alias == path[0].casefold()]
        for length in range(len(path), 0, -1):
            for owner in owners if length > 1 else ():
                if (found := owner.beneath(".".join(path[1:length]))) is not None:
                    return found
            if (found := self.find((".".join(path[:length]),))) is not None:
                return found
        if owners and len(path) == 1:
            return tuple(element for _, below in owners[0].all() for element in below)
        return None

    def loosely(self, path: tuple[str, ...]) -> Beneath | None:
        """The fields beneath a column of a source whose columns nobody lists, or of a table named despite its alias."""
        qualifier = tuple(part.casefold() for part in path[:-1])
        for source in self.sources:
            if source.columns.open and (not qualifier or source.answers(qualifier[:1])):
                return source.columns.below
            if qualifier and source.path and source.path[-1] == qualifier[-1]:
                return source.columns.beneath(path[-1])
        return None


def ends(long: tuple[str, ...], short: tuple[str, ...]) -> bool:
    """Whether one path ends with the other."""
    return long[-len(short) :] == short


@cache
def folding(dialect: str) -> Callable[[str], str]:
    """How the dialect folds a name without quotes; where it ignores case altogether, not at all."""
    strategy = Dialect.get_or_raise(dialect).normalization_strategy
    return {NormalizationStrategy.UPPERCASE: str.upper, NormalizationStrategy.LOWERCASE: str.lower}.get(strategy, str)


def find_entity(path: tuple[str, ...], catalog: Catalog) -> Entity | None:
    """The entity that a written table name means, or None.

    Entities may be called ``t`` or ``DB.SCHEMA.t``; a query may write more or fewer parts, from the right. A short name
    that fits several entities means none. Date shards and wildcards (``events_*``) are the place of a benchmark's
    catalog: what it calls one family is one entity, and its plug-in rewrites names before they come here.
    """
    for start in range(len(path)):
        if entity := catalog.entity(".".join(path[start:])):
            return entity
    ending = "." + ".".join(path)
    fitting = [entity for entity in catalog.entities if entity.name.endswith(ending)]
    if not fitting:
        ending = ending.casefold()
        fitting = [entity for entity in catalog.entities if entity.name.casefold().endswith(ending)]
    return fitting[0] if len(fitting) == 1 else None
