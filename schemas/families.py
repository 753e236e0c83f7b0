"""Families of isomorphic tables: shards, partitions and duplicated schemas of one structure.

Two tables are isomorphic if they have the same columns of the same types and names that are equal up to a key. A key is
a number in a name (``GSOD1929``, ``EVENTS_20210131``), a part that is a release (``R2``, ``V1``, ``CURRENT``,
``LATEST``), a missing last part (``ASSAYS`` beside ``ASSAYS_24``), or, where at least ``PARTITIONS`` tables of one
structure begin alike, a word (``PLACES_OHIO``): fewer words than that tell topics apart, not partitions. Across schemas
(``A.BLOCKS`` and ``B.BLOCKS``) the key is the schema.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.catalog import Catalog, Entity

PARTITIONS = 30
KEY = "*"
RELEASE = re.compile(r"[RV]?\d+|CURRENT|LATEST", re.IGNORECASE)
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Family:
    """At least two isomorphic tables in the catalog's order, and their common name with ``*`` for every key."""

    pattern: str
    members: tuple[str, ...]


def families(catalog: Catalog, *, schemas: bool = True) -> tuple[Family, ...]:
    """The families of a catalog's tables in the catalog's order, no table in two; remembered with the catalog.

    Without ``schemas``, tables of different schemas are never of one family.

    >>> from schemas.catalog import Field
    >>> days = [Entity(f"A.LOG_{day}", (Field("at", "DATE"),)) for day in (20240101, 20240102)]
    >>> families(Catalog("a", (*days, Entity("B.LOG", (Field("at", "DATE"),)))), schemas=False)
    (Family(pattern='A.LOG_*', members=('A.LOG_20240101', 'A.LOG_20240102')),)
    """
    name = f"_families_{schemas}"
    if name not in vars(catalog):
        vars(catalog)[name] = tuple(_found(catalog.entities, schemas))
    found: tuple[Family, ...] = vars(catalog)[name]
    return found


def family_of(catalog: Catalog, *, schemas: bool = True) -> Mapping[str, Family]:
    """The family of every table that has one, by the table's name."""
    name = f"_family_of_{schemas}"
    if name not in vars(catalog):
        grouped = families(catalog, schemas=schemas)
        vars(catalog)[name] = {member: family for family in grouped for member in family.members}
    found: Mapping[str, Family] = vars(catalog)[name]
    return found


def pattern(name: str) -> str:
    """A table's name with ``*`` for every key that can be told from the name alone.

    >>> [pattern(name) for name in ("GSOD1929", "CLINICAL_R2_CURRENT", "T.CBSA_2010_5YR", "EVENTS")]
    ['GSOD*', 'CLINICAL_*', 'T.CBSA_*_*YR', 'EVENTS']
    """
    return ".".join("_".join(_parts(part)) for part in name.split("."))


def _parts(name: str) -> list[str]:
    """The parts of a name between underscores, releases in a row as one key."""
    parts: list[str] = []
    for part in name.split("_"):
        masked = KEY if RELEASE.fullmatch(part) else NUMBER.sub(KEY, part)
        if masked != KEY or parts[-1:] != [KEY]:
            parts.append(masked)
    return parts


def _found(entities: Iterable[Entity], schemas: bool) -> list[Family]:
    order = {entity.name: at for at, entity in enumerate(entities)}
    alike: dict[frozenset[tuple[str, str]], list[str]] = defaultdict(list)
    for entity in entities:
        if entity.kind == "table" and entity.fields:
            alike[frozenset((field.name, field.type) for field in entity.fields)].append(entity.name)
    found = [family for names in alike.values() if len(names) > 1 for family in _grouped(names, schemas)]
    return sorted(found, key=lambda family: order[family.members[0]])


def _grouped(names: list[str], schemas: bool) -> list[Family]:
    """The families among tables of one structure."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[pattern(name)].append(name)
    _join(groups, {key: _longer(key, groups) for key in groups})
    _join(groups, _worded(groups))
    if schemas:
        _join(groups, _across(groups))
    place = {name: at for at, name in enumerate(names)}
    return [
        Family(key, tuple(sorted(members, key=place.__getitem__)))
        for key, members in groups.items()
        if len(members) > 1
    ]


def _join(groups: dict[str, list[str]], targets: Mapping[str, str]) -> None:
    """Move the members of every group to the group of another pattern, where it has one."""
    for key, target in targets.items():
        if target != key:
            groups[target] += groups.pop(key)


def _longer(key: str, groups: Iterable[str]) -> str:
    """The pattern of the shards of a table that has none in its own name."""
    return next((longer for longer in (f"{key}_{KEY}", f"{key}{KEY}") if longer in groups), key)


def _worded(groups: Mapping[str, list[str]]) -> dict[str, str]:
    """The common pattern of groups that begin alike, where they are so many that what follows must be partitions."""
    begun: dict[str, list[str]] = defaultdict(list)
    for key in groups:
        path, _, table = key.rpartition(".")
        parts = table.split("_")
        for end in range(1, len(parts)):
            begun[f"{path}.{'_'.join(parts[:end])}_{KEY}".lstrip(".")].append(key)
    many = sorted((start for start, keys in begun.items() if len(keys) >= PARTITIONS), key=len)
    return {key: start for start in many for key in begun[start]}


def _across(groups: Mapping[str, list[str]]) -> dict[str, str]:
    """The common pattern of groups that differ in their schema only."""
    tables: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in groups:
        *above, table = key.split(".")
        if above:
            tables[".".join(above[:-1]), table].append(key)
    return {
        key: ".".join(filter(None, (database, KEY, table)))
        for (database, table), keys in tables.items()
        if len(keys) > 1
        for key in keys
    }
