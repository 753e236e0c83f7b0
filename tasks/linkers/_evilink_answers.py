"""How answers of the first stage are read: hypotheses and lists of names, from JSON, cut JSON, or prose."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from schemas.catalog import Catalog, Element
from tasks.linkers._evilink_text import groups
from tasks.linkers._memo import per_catalog
from tasks.linkers._names import NOTHING, WRAP, element
from tasks.linkers._replies import json_in, listed

ITEM = re.compile(r"^\s*(?:[-*•]\s*)?(?:\*\*)?(?:hypothesis|path|way)?\s*#?\d+\s*[.):]\s*(?:\*\*)?", re.I | re.M)
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
NUMBER = re.compile(r"(\*.*)#\d+$")
PLACEHOLDER = re.compile(r"^(?:NAME|TABLE|TABLE_NAME)\.", re.IGNORECASE)
QUOTES = "\"'`[]“”‘’ \t\r\n"


def hypotheses_in(answer: str) -> list[Any]:
    """The hypotheses of an answer: objects or texts of a JSON list, else numbered items, else the whole text as one.

    >>> hypotheses_in('{"hypotheses":[{"path":"count sales"}]}'), hypotheses_in("1. count sales\\n2. sum prices")
    ([{'path': 'count sales'}], ['count sales', 'sum prices'])
    """
    text = answer.strip()
    if text[:1] in ("{", "["):
        found = _ways(text)
    else:
        inside = json_in(text)
        ways = inside.get("hypotheses") if isinstance(inside, dict) else None
        found = ways if isinstance(ways, list) else [part.strip() for part in ITEM.split(text)[1:]] or [text]
    return [one for one in found if one and isinstance(one, str | dict)]


def _ways(text: str) -> list[Any]:
    """The hypotheses of a JSON text: under their key, in its only list of objects, itself, or those before its cut."""
    try:
        written = json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError:
        return list(_objects(text))
    if isinstance(written, list):
        return written
    if isinstance(written.get("hypotheses"), list):
        return list(written["hypotheses"])
    lists = [value for value in written.values() if isinstance(value, list) and any(isinstance(x, dict) for x in value)]
    return lists[0] if lists else [written]


def _objects(text: str) -> Iterator[Any]:
    """The whole objects in a text that may be cut off, but for those around others."""
    decoder = json.JSONDecoder()
    at = text.find("{", 1)
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
            yield found
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)


def names_of(answer: str, key: str) -> list[str] | None:
    """The names that an answer lists under a key, or in the only form that it has; None where it has no list.

    >>> names_of('{"selected_tables":["sale"]}', "selected_tables"), names_of("I cannot tell.", "selected_tables")
    (['sale'], None)
    >>> names_of('{"selected_fields":["sale.id","sale.pri', "selected_fields")
    ['sale.id']
    """
    found = _list_in(answer, key)
    if found is not None:
        return list(_names(found))
    start = answer.find(f'"{key}"')
    if start >= 0:
        return QUOTED.findall(answer[start + len(key) + 2 :])
    marks = list(re.finditer(rf"\b{key}\b[\s*\"'`]*[=:]", answer, re.IGNORECASE))
    return listed(answer[marks[-1].end() :]) if marks else None


def _list_in(answer: str, key: str) -> list[Any] | None:
    """The list under a key of the first JSON object, else its lists as names after their keys, else a bare list."""
    if answer.lstrip().startswith("["):
        try:
            bare = json.JSONDecoder().raw_decode(answer.lstrip())[0]
        except json.JSONDecodeError:
            return None
        return bare if isinstance(bare, list) else None
    written = json_in(answer)
    if not isinstance(written, dict):
        return None
    if isinstance(written.get(key), list):
        return list(written[key])
    inner = written.get(key)
    named = inner if isinstance(inner, dict) else written
    lists = {name: value for name, value in named.items() if isinstance(value, list)}
    return [f"{name}.{one}" for name, values in lists.items() for one in values] if lists else None


def _names(found: Iterable[Any]) -> Iterator[str]:
    """Names of list items, which may be objects such as ``{"table": …, "field": …}``."""
    for one in found:
        if isinstance(one, dict):
            said = {str(name).casefold(): str(value) for name, value in one.items() if isinstance(value, str)}
            parts = [said[name] for name in ("table", "entity", "field", "column") if name in said]
            yield ".".join(parts) or said.get("name", "")
        elif isinstance(one, str | int | float):
            yield str(one)


@dataclass(frozen=True)
class Meant:
    """The elements that written names mean, each once and in their order, and the names that mean none."""

    found: tuple[Element, ...]
    made_up: tuple[str, ...]


def meant(catalog: Catalog, names: Iterable[str], shown: Iterable[str]) -> Meant:
    """What written names mean; a family's name stands for its members, a bare field for all ``shown`` tables' fields.

    Weak models copy the ``NAME`` of the form before a field: it counts as bare.

    >>> from schemas.catalog import Entity, Field
    >>> log = Catalog("log", (Entity("day_1", (Field("at"),)), Entity("day_2", (Field("at"),))))
    >>> [str(one) for one in meant(log, ["day_1", "at"], ["day_1", "day_2"]).found]
    ['day_1', 'day_1.at', 'day_2.at']
    """
    found: dict[Element, None] = {}
    made_up: dict[str, None] = {}
    among = tuple(shown)
    for name in names:
        elements = _meant(catalog, name, among)
        found.update(dict.fromkeys(elements))
        if not elements and name.strip(WRAP).casefold() not in NOTHING:
            made_up[name.strip()] = None
    return Meant(tuple(found), tuple(made_up))


def _meant(catalog: Catalog, written: str, shown: tuple[str, ...]) -> list[Element]:
    of_family = _of_family(catalog, written.strip(QUOTES))
    if of_family:
        return of_family
    bare = PLACEHOLDER.sub("", written.strip(WRAP))
    owners = [owner for owner in shown if "." not in bare and catalog.field(owner, bare)]
    if owners and catalog.entity(bare) is None:
        return [found for owner in owners if (found := catalog.find(owner, bare))]
    one = element(catalog, written)
    if one and not one.field and written.rstrip(QUOTES).endswith(".*"):
        known = catalog.entity(one.entity)
        return [one, *(Element(one.entity, field.name) for field in known.fields)] if known else [one]
    return [one] if one else []


def _of_family(catalog: Catalog, written: str) -> list[Element]:
    """The members that a family's name stands for, or their field of the name after it."""
    folded = written.casefold()
    for name, members in _families(catalog):
        if folded == name:
            return [Element(member) for member in members]
        if folded.startswith(f"{name}."):
            field = written[len(name) + 1 :].strip(QUOTES)
            return [found for member in members if (found := catalog.find(member, field)) and found.field]
    return []


@per_catalog
def _families(catalog: Catalog) -> list[tuple[str, tuple[str, ...]]]:
    """The members of a family by its folded name, and of all families of one pattern; long names first."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups(catalog):
        if len(group.members) > 1:
            name = group.name.casefold()
            for known in dict.fromkeys((name, NUMBER.sub(r"\1", name))):
                found[known] = found.get(known, ()) + group.members
    return sorted(found.items(), key=lambda pair: -len(pair[0]))
