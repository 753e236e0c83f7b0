"""Names as models write them, matched to the elements of a catalog: other case, quotes, prefixes, prose around them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from schemas.catalog import Catalog, Element
from tasks.linkers._memo import per_catalog

NOTHING = {"", "none", "null", "n/a", "na", "nil", "empty", "-"}
MARK = re.compile(r"^\s*(?:[-*+•>]\s+|\d+[.)]\s+)+")
WRAP = "\"'`[]{}()<>*“”‘’ \t\r\n"
CALL = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)
FUNCTIONS = {"avg", "count", "distinct", "max", "min", "sum"}
PAIRS = {'""', "''", "``", "[]", "<>", "“”", "‘’", "**", "__"}
QUOTED = r'"[^"]*"|`[^`]*`|\[[^\]]*\]|\'[^\']*\''
PARTS = re.compile(rf"(?:{QUOTED}|[^.\"`\[])+")


@dataclass
class Named:
    """What a reply names: elements of the catalog, each once and in its order, and names that the catalog lacks."""

    found: list[Element] = field(default_factory=list)
    made_up: list[str] = field(default_factory=list)

    def add(self, element: Element | None, written: str) -> None:
        """Count one written name; words for nothing are no names."""
        known: list[Element] | list[str] = self.found if element else self.made_up
        name = element or _bare(MARK.sub("", written).strip().rstrip(".,;:"))
        if name not in known and (element or written.strip(WRAP).casefold() not in NOTHING):
            known.append(name)  # type: ignore[arg-type]


def entities(catalog: Catalog, names: Iterable[str]) -> Named:
    """Match written names to entities; a name with a field means the field's entity.

    >>> from schemas.catalog import Entity
    >>> shop = Catalog("shop", (Entity("order items"), Entity("sale")))
    >>> entities(shop, ['shop.`Order Items`', '"SALE"', "sales_2", "none"])
    Named(found=[Element(entity='order items', field=''), Element(entity='sale', field='')], made_up=['sales_2'])
    """
    named = Named()
    for name in _apart(catalog, names, entity):
        named.add(entity(catalog, name), name)
    return named


def fields(catalog: Catalog, names: Iterable[str]) -> Named:
    """Match written names to fields; an entity's name alone means the entity, with a star all its fields.

    ``sale(price, day)`` names two fields of sale, ``max(sale.price)`` one.

    >>> from schemas.catalog import Entity, Field
    >>> shop = Catalog("shop", (Entity("sale", (Field("unit price"),)),))
    >>> fields(shop, ["shop.Sale.[Unit Price]", "sale.colour"])
    Named(found=[Element(entity='sale', field='unit price')], made_up=['sale.colour'])
    """
    named = Named()
    for name in _apart(catalog, chain.from_iterable(_unfolded(catalog, name) for name in names), element):
        one = element(catalog, name)
        named.add(one, name)
        if one and not one.field and name.rstrip(WRAP).endswith("."):
            for field_name in _fields_of(catalog, one.entity):
                named.add(Element(one.entity, field_name), name)
    return named


def entity(catalog: Catalog, written: str) -> Element | None:
    """The entity that a written name means: as it stands, of a field, after a prefix, or before an unknown field."""
    for name in _spellings(written):
        parts = _parts(name)
        owned = _entity(catalog, parts) or _owned(catalog, parts)
        tails = (_entity(catalog, parts[start:]) for start in range(1, len(parts)))
        found = owned or next(filter(None, tails), None) or _entity(catalog, parts[:1])
        if found:
            return Element(found.entity)
    return None


def element(catalog: Catalog, written: str) -> Element | None:
    """The field that a written name means, else the entity; a field without its entity must have only one owner."""
    readings = [_parts(name) for name in _spellings(written)]
    for parts in readings:
        found = _owned(catalog, parts)
        if found:
            return found
    for parts in readings:
        found = _entity(catalog, parts) or (_entity(catalog, parts[-1:]) if len(parts) > 1 else None)
        owners = _owners(catalog).get(_loose(parts[0]), ()) if len(parts) == 1 else ()
        if found or len(owners) == 1:
            return found or next(iter(owners))
    return None


def _apart(catalog: Catalog, names: Iterable[str], match: Callable[[Catalog, str], Element | None]) -> Iterator[str]:
    """The names, those joined by ``and`` taken apart unless they are one."""
    for name in names:
        yield from [name] if match(catalog, name) else re.split(r"\s+and\s+", name)


def _unfolded(catalog: Catalog, written: str) -> list[str]:
    """The fields that stand in brackets after their entity or after a function, else the name as it is."""
    call = CALL.fullmatch(MARK.sub("", written).strip().rstrip(".,;:"))
    if call is None or ((found := element(catalog, written)) and found.field):
        return [written]
    if call[1].strip().casefold() in FUNCTIONS:
        return [re.sub(r"^distinct\s+", "", call[2].strip(), flags=re.IGNORECASE)]
    owner = _entity(catalog, _parts(call[1]))
    return [f"{owner.entity}.{part.strip()}" for part in call[2].split(",")] if owner else [written]


def _owned(catalog: Catalog, parts: list[str]) -> Element | None:
    """The field that the parts mean, with an entity and perhaps prefixes before it."""
    for start in range(len(parts)):
        for end in range(start + 1, len(parts)):
            owner = _entity(catalog, parts[start:end])
            found = _field(catalog, owner.entity, parts[end:]) if owner else None
            if found:
                return found
    return None


def _spellings(written: str) -> list[str]:
    """The readings of a written name: as it stands, without list marks and quotes, and without a bracket after it."""
    plain = MARK.sub("", written).strip().rstrip(".,;:")
    cut = plain.split("(")[0].strip() if "(" in plain[1:] else plain
    return list(
        dict.fromkeys(
            name for name in (written.strip(), plain, _bare(plain), plain.strip(WRAP), cut, cut.strip(WRAP)) if name
        )
    )


def _bare(name: str) -> str:
    """A name without the quotes around it."""
    while len(name) > 1 and name[0] + name[-1] in PAIRS:
        name = name[1:-1].strip()
    return name


def _parts(name: str) -> list[str]:
    """Cut a name at the dots outside its quotes."""
    return [part.strip() for part in PARTS.findall(name) if part.strip()]


def _entity(catalog: Catalog, parts: list[str]) -> Element | None:
    if not parts:
        return None
    whole = ".".join(parts)
    bare = ".".join(map(_bare, parts))
    found = catalog.find(whole) or catalog.find(bare)
    loose = _loose_entities(catalog).get(_loose(bare), ())
    return found or (Element(loose[0]) if len(loose) == 1 else None)


def _field(catalog: Catalog, owner: str, parts: list[str]) -> Element | None:
    whole = ".".join(parts)
    bare = ".".join(map(_bare, parts))
    found = catalog.find(owner, whole) or catalog.find(owner, bare)
    if found or not _loose(bare):
        return found
    loose = [name for name in _fields_of(catalog, owner) if _loose(name) == _loose(bare)]
    return Element(owner, loose[0]) if len(loose) == 1 else None


def _fields_of(catalog: Catalog, owner: str) -> list[str]:
    known = catalog.entity(owner)
    return [one.name for one in known.fields] if known else []


def _loose(name: str) -> str:
    """A name without case, spaces, underscores and punctuation."""
    return re.sub(r"[\W_]+", "", name.casefold())


@per_catalog
def _loose_entities(catalog: Catalog) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for one in catalog.entities:
        if _loose(one.name):
            index.setdefault(_loose(one.name), []).append(one.name)
    return index


@per_catalog
def _owners(catalog: Catalog) -> dict[str, set[Element]]:
    index: dict[str, set[Element]] = {}
    for one in catalog.elements:
        if one.field:
            index.setdefault(_loose(one.field), set()).add(one)
    return index
