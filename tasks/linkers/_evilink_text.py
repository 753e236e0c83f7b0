"""A catalog as blocks of text, one a family of isomorphic tables, at two depths: names, or all that it declares.

``names`` (L1) is one line of column names; ``facts`` (L2) is a line for every column with its type, key, description
and sample values. A family is written once, by its first member, under a name that stands for all its members.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from schemas.catalog import Catalog, Element, Entity, Field
from schemas.families import family_of
from tasks.linkers._memo import per_catalog

Depth = Literal["names", "facts"]
Remark = Callable[[Element], str]
LISTED = 8
DESCRIPTION = 160
EXAMPLE = 40
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one structure and the name that stands for them all; a table without siblings is a group of one."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One group's text: a head, and the pieces of its columns (``fields``: their names, empty for a join)."""

    group: Group
    head: str
    pieces: tuple[str, ...]
    fields: tuple[str, ...]
    depth: Depth

    def text(self, start: int, end: int) -> str:
        """The block with its pieces from ``start`` up to ``end``, saying so where that is not all."""
        part = "" if (start, end) == (0, len(self.pieces)) else f" [columns {start + 1} to {end} of {len(self.pieces)}]"
        if self.depth == "names":
            return f"{self.head}{part}: {', '.join(self.pieces[start:end])}"
        return "\n".join([f"{self.head}{part}", *self.pieces[start:end]])


@per_catalog
def groups(catalog: Catalog) -> tuple[Group, ...]:
    """Every table's group, in the order of the first members; families of one pattern are told apart by a number."""
    known = family_of(catalog)
    found = dict.fromkeys(known[one.name] for one in catalog.entities if one.name in known)
    shared = Counter(family.pattern for family in found)
    numbers: Counter[str] = Counter()
    named: dict[str, Group] = {}
    for family in found:
        numbers[family.pattern] += 1
        number = f"#{numbers[family.pattern]}" if shared[family.pattern] > 1 else ""
        named |= dict.fromkeys(family.members, Group(family.pattern + number, family.members))
    return tuple(dict.fromkeys(named.get(one.name) or Group(one.name, (one.name,)) for one in catalog.entities))


@per_catalog
def siblings(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Every table's isomorphic tables, itself included."""
    return {name: group.members for group in groups(catalog) for name in group.members}


def narrowed(catalog: Catalog, tables: Iterable[str]) -> list[Group]:
    """The groups of some tables, each with those of its members that are among them."""
    wanted = set(tables)
    kept = ((group, tuple(name for name in group.members if name in wanted)) for group in groups(catalog))
    return [
        group if len(members) == len(group.members) else some_of(group, members) for group, members in kept if members
    ]


def some_of(group: Group, members: tuple[str, ...]) -> Group:
    """Some members of a group, under its name, or under their own where there is one."""
    return Group(group.name if len(members) > 1 else members[0], members)


def blocks(
    catalog: Catalog,
    among: Iterable[Group],
    depth: Depth,
    only: Callable[[str, str], bool] = lambda table, field: True,
    remark: Remark = lambda element: "",
) -> Iterator[Block]:
    """The blocks of groups; ``only`` chooses columns, ``remark`` is added to what a line says of a column."""
    targets = _targets(catalog)
    for group in among:
        first = catalog.entity(group.members[0])
        assert first is not None
        fields = [field for field in first.fields if any(only(name, field.name) for name in group.members)]
        write = _short if depth == "names" else _long
        pieces = [write(first, field, targets, remark) for field in fields]
        patterns = _patterns(catalog).get(first.name, ())
        head = _head(group, first, remark)
        names = tuple(field.name for field in fields) + ("",) * len(patterns)
        yield Block(group, head, (*pieces, *patterns), names, depth)


def _head(group: Group, first: Entity, remark: Remark) -> str:
    """A group's name, its members where there are several, its description, and what is remarked of it."""
    said = [_line(first.description, DESCRIPTION), remark(Element(first.name))]
    if len(group.members) > 1:
        said.insert(0, f"{len(group.members)} tables of the same columns: {_listed(group.members)}")
    told = "; ".join(filter(None, said))
    return f"{group.name} ({told})" if told else group.name


def _listed(names: tuple[str, ...]) -> str:
    half = LISTED // 2
    shown = names if len(names) <= LISTED else (*names[:half], "…", *names[-half:])
    return ", ".join(shown)


def _short(table: Entity, field: Field, targets: dict[Element, str], remark: Remark) -> str:
    element = Element(table.name, field.name)
    told = remark(element)
    return f"{field.name}{targets.get(element, '')}{f' ({told})' if told else ''}"


def _long(table: Entity, field: Field, targets: dict[Element, str], remark: Remark) -> str:
    element = Element(table.name, field.name)
    name = f"  {field.name} {field.type}".rstrip() + (" primary key" if field.primary else "")
    values = ", ".join(_line(value, EXAMPLE) for value in field.examples[:EXAMPLES])
    told = [_line(field.description, DESCRIPTION), f"e.g. {values}" if values else "", remark(element)]
    return "; ".join(filter(None, [name + targets.get(element, ""), *told]))


@per_catalog
def _targets(catalog: Catalog) -> dict[Element, str]:
    """What every foreign key's columns reference."""
    pairs = (
        (Element(one.source, field), f" -> {one.target}.{target}")
        for one in catalog.relations
        if not one.via
        for field, target in zip(one.fields, one.target_fields, strict=False)
    )
    return dict(pairs)


@per_catalog
def _patterns(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """The patterns of every relationship type of a graph."""
    found: dict[str, tuple[str, ...]] = {}
    for one in catalog.relations:
        if one.via:
            found[one.via] = (*found.get(one.via, ()), f"  {one}")
    return found


def _line(text: str, longest: int) -> str:
    """Text on one line, cut where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else plain[:longest] + "…"
