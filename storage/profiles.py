"""Profiles of a database's fields: one bounded query a table, what it returns summed up, kept as Parquet."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic

from schemas.catalog import Catalog, Element, Entity
from schemas.errors import Failure
from schemas.evidence import Profile
from schemas.tools import Database
from storage import parquet
from storage.databases import SERVERS, fingerprint, open_database
from storage.layout import slug
from storage.samples import sample
from storage.summaries import summary

VERSION = 1
_locks: dict[Path, Lock] = defaultdict(Lock)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What profiling may take: rows and values a table, seconds a query and of all tables, bytes of a table's rows."""

    rows: int = 10_000
    values: int = 1_000_000
    seconds: float = 10.0
    total: float = 300.0
    size: int = 256 << 20


BOUNDS = Bounds()


def profiles(catalog: Catalog, address: str, folder: Path | None, bounds: Bounds = BOUNDS) -> dict[Element, Profile]:
    """The profiles of a database's fields, read from ``folder`` where they were made of the same contents before.

    Tables that cannot be read within their time, and those after the time of all is over, have none. A server's
    contents are unseen, so its profiles are never kept.
    """
    if folder is None or address.startswith(SERVERS):
        return _by_element(_profiled(catalog, address, bounds))
    path = folder / f"{slug(catalog.database)}-{_key(catalog, address, bounds)}.parquet"
    with _locks[path]:
        if not path.exists():
            parquet.write(path, Profile, _profiled(catalog, address, bounds))
    return _by_element(parquet.read(path, Profile))


def _by_element(found: Iterable[Profile]) -> dict[Element, Profile]:
    return {Element(profile.entity, profile.field): profile for profile in found}


def _key(catalog: Catalog, address: str, bounds: Bounds) -> str:
    """A digest of everything that decides the profiles."""
    digest = hashlib.sha256(f"{VERSION} {bounds} {fingerprint(address)}".encode())
    for element in sorted(catalog.elements):
        digest.update(f"\0{element.entity}\0{element.field}".encode())
    return digest.hexdigest()[:12]


def _profiled(catalog: Catalog, address: str, bounds: Bounds) -> Iterator[Profile]:
    deadline = monotonic() + bounds.total
    database = open_database(address, seconds=bounds.seconds, rows=bounds.rows + 1, size=bounds.size, cut=True)
    try:
        for entity in catalog.entities:
            if entity.fields and monotonic() < deadline:
                yield from _table(entity, database, min(bounds.rows, max(1, bounds.values // len(entity.fields))))
    finally:
        database.close()


def _table(entity: Entity, database: Database, rows: int) -> Iterator[Profile]:
    """The profiles of one table's fields that the database has; none where it cannot be read."""
    try:
        found, whole = sample(entity.name, database, rows)
    except Failure:
        return
    places = {name.casefold(): at for at, name in enumerate(found.columns)}
    for field in entity.fields:
        if (at := places.get(field.name.casefold())) is not None:
            yield summary(entity.name, field.name, [row[at] for row in found.rows], whole=whole)
