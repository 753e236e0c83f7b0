"""What the introspection of every engine has in common: quoted names, example values, resolved foreign keys."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Origin, Relation
from schemas.errors import UserError

SAMPLED_ROWS = 200
LONGEST_EXAMPLE = 60


def quoted(name: str) -> str:
    """A name as a quoted identifier of SQL.

    >>> quoted('the "best" table')
    '"the ""best"" table"'
    """
    return '"' + name.replace('"', '""') + '"'


def example_values(rows: Iterable[Sequence[Any]], most: int) -> dict[int, tuple[str, ...]]:
    """For each column position the first few distinct values that fit on one short line; no blobs, no NULL.

    >>> example_values([("red", None), ("red", b"x"), ("blue", 7)], 3)
    {0: ('red', 'blue'), 1: ('7',)}
    """
    seen: dict[int, dict[str, None]] = {}
    for row in rows:
        for at, value in enumerate(row):
            text = "" if value is None or isinstance(value, bytes) else str(value).strip()
            if 0 < len(text) <= LONGEST_EXAMPLE and text.isprintable():
                seen.setdefault(at, {}).setdefault(text)
    return {at: tuple(values)[:most] for at, values in seen.items()}


def foreign_key(
    catalog: Catalog, source: str, fields: Sequence[str], target: str, target_fields: Sequence[str], *, origin: Origin
) -> Relation | None:
    """A foreign key in the catalog's own spelling; None where it points at something that does not exist."""
    starts = [catalog.find(source, name) for name in fields]
    ends = [catalog.find(target, name) for name in target_fields]
    pairs = [(start, end) for start, end in zip(starts, ends, strict=False) if start and end]
    if not pairs or not len(pairs) == len(starts) == len(ends):
        return None
    own = tuple(start.field for start, _ in pairs)
    theirs = tuple(end.field for _, end in pairs)
    return Relation(pairs[0][0].entity, pairs[0][1].entity, own, theirs, origin=origin)


def with_tables(catalog: Catalog, where: str = "") -> Catalog:
    """The catalog, if there is anything in it."""
    if not catalog.entities:
        raise UserError(f"{where}there are no tables in it")
    return catalog


def existing(path: Path, engine: str) -> Path:
    """The path, if a file is there."""
    if not path.is_file():
        reason = "is not a file" if path.exists() else "no such file"
        raise UserError(f"cannot read {path} as a {engine} database: {reason}")
    return path
