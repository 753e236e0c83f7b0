"""Joinability discovery: joins that a model reads from a schema whose foreign keys are not shown to it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from schemas.catalog import Catalog, Element, Relation
from schemas.errors import Failure
from schemas.tools import Message, Request, Tools
from tasks.linkers._keep import vertices
from tasks.linkers._names import element
from tasks.linkers._prompts import SYSTEM, Style, schema
from tasks.linkers._replies import ask

TASK = """The foreign keys of this schema are not shown. By names, types and meaning, find the columns that join its
tables: a column of one table whose values are those of a key of another table.
Write one join a line, the referencing column first: table.column -> table.column
Leave out columns that only happen to have the same name. If no two tables join, write NONE."""
LINE = re.compile(r"^(.+?)\s*(?:-+>|=+>|→|=|\breferences\b)\s*(.+)$", re.IGNORECASE | re.MULTILINE)
NONE = re.compile(r"\bNONE\b", re.IGNORECASE)
MAX_TOKENS = 4096


@dataclass(frozen=True)
class Agreement:
    """Discovered joins against declared foreign keys, counted as pairs of columns without direction."""

    agreed: int
    discovered: int
    declared: int

    @property
    def precision(self) -> float | None:
        """The share of discovered pairs that are declared; None where none is discovered."""
        return self.agreed / self.discovered if self.discovered else None

    @property
    def recall(self) -> float | None:
        """The share of declared pairs that are discovered; None where none is declared."""
        return self.agreed / self.declared if self.declared else None


def discover(catalog: Catalog, tools: Tools, style: Style = "ddl") -> tuple[Relation, ...]:
    """The joins that a model finds in one call, the same for every question of a database.

    A line whose tables or columns do not exist, or that joins a table to itself, is left out and noted; an answer
    without any line, ``NONE`` apart, is a Failure ``parse_error``.
    """
    keyless = schema(_without_keys(catalog), style)
    asked = Request(
        (Message("system", SYSTEM), Message("user", f"Schema:\n{keyless}\n\n{TASK}")), max_tokens=MAX_TOKENS
    )
    answer = ask(tools, asked, catalog.database)
    lines = LINE.findall(answer)
    if not lines and not NONE.search(answer):
        raise Failure("parse_error", f"no join in the answer: {answer[:200]!r}")
    found: dict[Relation, None] = {}
    for one, other in lines:
        ends = element(catalog, one), element(catalog, other)
        joined = _relation(*ends, set(vertices(catalog)))
        if joined:
            found[joined] = None
        else:
            tools.note("rejected_join", value=f"{one.strip()} -> {other.strip()}")
    return tuple(found)


def agreement(discovered: Iterable[Relation], declared: Iterable[Relation]) -> Agreement:
    """How discovered joins agree with declared ones.

    >>> key = Relation("sale", "item", ("item",), ("id",))
    >>> agreement([Relation("item", "sale", ("id",), ("item",)), Relation("sale", "shop", ("shop",), ("id",))], [key])
    Agreement(agreed=1, discovered=2, declared=1)
    """
    found, known = _pairs(discovered), _pairs(declared)
    return Agreement(len(found & known), len(found), len(known))


def _without_keys(catalog: Catalog) -> Catalog:
    return replace(catalog, relations=())


def _relation(one: Element | None, other: Element | None, known: set[str]) -> Relation | None:
    if one is None or other is None or not (one.field and other.field):
        return None
    if one.entity == other.entity or not {one.entity, other.entity} <= known:
        return None
    return Relation(one.entity, other.entity, (one.field,), (other.field,), origin="discovered")


def _pairs(relations: Iterable[Relation]) -> set[frozenset[Element]]:
    """The pairs of columns that relations equate; a table's joins to itself are not counted."""
    return {
        frozenset((Element(relation.source, here), Element(relation.target, there)))
        for relation in relations
        if relation.source != relation.target
        for here, there in zip(relation.fields, relation.target_fields, strict=False)
    }
