"""The descriptions that BIRD keeps beside a database: one CSV a table, one line a column."""

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path

from schemas.catalog import Catalog, Entity, Field


def described(catalog: Catalog, folder: Path) -> Catalog:
    """The catalog with the descriptions of ``folder/database_description/TABLE.csv``; tables without one stay."""
    texts = {path.stem.casefold(): _read(path) for path in sorted(folder.glob("database_description/*.csv"))}

    def told(entity: Entity, field: Field) -> Field:
        text = texts.get(entity.name.casefold(), {}).get(field.name.casefold(), "")
        return replace(field, description=text or field.description)

    return replace(
        catalog,
        entities=tuple(
            replace(entity, fields=tuple(told(entity, field) for field in entity.fields)) for entity in catalog.entities
        ),
    )


def _read(path: Path) -> dict[str, str]:
    """Column to description; the files are in UTF-8 or in Windows' encoding, and their headings have stray blanks."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    rows = csv.reader(StringIO(text, newline=""))
    heading = [name.strip().casefold() for name in next(rows, [])]
    columns = [dict(zip(heading, (" ".join(cell.split()) for cell in row), strict=False)) for row in rows]
    return {row.get("original_column_name", "").casefold(): _text(row) for row in columns}


def _text(row: dict[str, str]) -> str:
    """What a column means, then what its values mean; the longer name where nothing else is said."""
    meaning = row.get("column_description") or row.get("column_name", "")
    values = row.get("value_description", "")
    return f"{meaning}; values: {values}" if meaning and values else meaning or values
