"""Spider 2's schema resources: one JSON a table and one ``DDL.csv`` a schema, in a folder or in the packed archive."""

import csv
import io
import json
import re
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from schemas.catalog import Catalog, Entity, Field
from tasks.benchmarks._declared import example_values
from tasks.benchmarks._findings import Findings
from tasks.benchmarks._spider2_nested import parts_of

FOLDER = "spider2-snow/resource/databases"
ARCHIVE = "spider2-snow-databases.tar.zst"
DDL = "DDL.csv"
ROWS = 5
KEYS = {"table_fullname": str, "column_names": list, "column_types": list, "description": list, "sample_rows": list}
COLUMN = re.compile(r'^\s+(?:"((?:[^"]|"")+)"|([A-Za-z_][\w$]*))\s+\w')


@dataclass
class Resources:
    """What the schema resources hold: tables by database, and what JSON and DDL say differently, a line a kind."""

    entities: dict[str, list[Entity]] = field(default_factory=lambda: defaultdict(list))
    declared: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)

    def catalogs(self) -> dict[str, Catalog]:
        """The catalogs by database, tables sorted by name and described as the DDL describes them."""
        catalogs = {}
        for database in sorted(self.entities):
            tables = sorted(self.entities[database], key=lambda entity: entity.name)
            described = (
                Entity(entity.name, entity.fields, "table", self.declared.get(entity.name, ("",))[0])
                for entity in tables
            )
            catalogs[database] = Catalog(database, tuple(described), dialect="snowflake")
        return catalogs

    def differences(self) -> Iterator[str]:
        """Where JSON and DDL disagree; the catalog follows the JSON."""
        columns = {
            entity.name: frozenset(column.name for column in entity.fields)
            for entities in self.entities.values()
            for entity in entities
        }
        yield from _counted("in DDL.csv without a JSON: left out", set(self.declared) - set(columns))
        yield from _counted("with a JSON that DDL.csv lacks", set(columns) - set(self.declared))
        both = (name for name in columns if name in self.declared)
        yield from _counted(
            "whose columns differ in DDL.csv: the JSON's are kept",
            {name for name in both if self.declared[name][1] and columns[name] != self.declared[name][1]},
        )


def _counted(what: str, names: set[str]) -> Iterator[str]:
    if names:
        yield f"{len(names):,} table{'s' * (len(names) > 1)} {what} (such as {min(names)})"


def paths(root: Path) -> list[Path]:
    """The files that the schema resources are read from: all of the folder's, else the archive."""
    folder = root / FOLDER
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else [root / ARCHIVE]


def read_resources(root: Path, findings: Findings) -> Resources:
    """Read all tables, one at a time, so that memory holds no more than the catalogs; faults go to the findings."""
    found = Resources()
    for path, content in _contents(root, findings):
        *_, database, schema, name = path.parts
        where = root / path
        if name == DDL:
            found.declared.update(_ddl(f"{database}.{schema}", content))
        elif name.endswith(".json") and (table := _table(content, where, findings)):
            found.entities[database].append(_entity(table))
    return found


def _contents(root: Path, findings: Findings) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Every file of the resources by its path below the root."""
    if (root / FOLDER).is_dir():
        for path in paths(root):
            yield PurePosixPath(path.relative_to(root).as_posix()), path.read_bytes()
        return
    import pyarrow as pa

    archive = root / ARCHIVE
    try:
        with (
            pa.CompressedInputStream(pa.OSFile(str(archive)), "zstd") as stream,
            tarfile.open(fileobj=stream, mode="r|") as packed,
        ):
            for member in packed:
                if member.isfile() and (file := packed.extractfile(member)):
                    yield PurePosixPath(member.name), file.read()
    except (OSError, tarfile.TarError, pa.ArrowInvalid) as error:
        reason = "no such file" if not archive.exists() else str(error).splitlines()[0]
        findings.add(archive, f"cannot be read ({reason}): fetch it again, or unpack the databases into {FOLDER}")


def _ddl(schema: str, content: bytes) -> Iterator[tuple[str, tuple[str, frozenset[str]]]]:
    """Each table of a ``DDL.csv`` by its full name, with its description and the names of its columns."""
    csv.field_size_limit(sys.maxsize)
    for row in csv.DictReader(io.StringIO(content.decode("utf-8", "replace"), newline="")):
        name = row["table_name"]
        if name.upper().startswith(f"{schema}.".upper()):
            name = name[len(schema) + 1 :]
        matches = (COLUMN.match(line) for line in row["DDL"].splitlines()[1:])
        columns = (match[1].replace('""', '"') if match[1] else match[2] for match in matches if match)
        yield f"{schema}.{name}", (row["description"] or "", frozenset(columns))


def _table(content: bytes, where: Path, findings: Findings) -> Mapping[str, Any] | None:
    """One table's JSON; None, and a fault, where it is not what it should be."""
    try:
        table = json.loads(content)
    except ValueError as error:
        findings.add(where, f"broken JSON: {error}")
        return None
    if not isinstance(table, dict):
        findings.add(where, "not an object")
        return None
    faults = [key for key, kind in KEYS.items() if not isinstance(table.get(key), kind)]
    for key in faults:
        findings.add(where, f"{key!r} is missing or of another type")
    if not faults:
        lengths = {key: len(table[key]) for key in ("column_names", "column_types", "description")}
        if len(set(lengths.values())) > 1:
            findings.add(where, f"lists of different lengths: {lengths}")
            return None
    return None if faults else table


def _entity(table: Mapping[str, Any]) -> Entity:
    """One table; its columns in the order of its sample rows, which is the declared one (the lists' is not)."""
    rows = [row for row in table["sample_rows"] if isinstance(row, dict)][:ROWS]
    about = dict(zip(table["column_names"], zip(table["column_types"], table["description"], strict=True), strict=True))
    names = list(rows[0]) if rows and rows[0].keys() == about.keys() else list(about)
    values = [[row.get(name) for row in rows] for name in names]
    examples = example_values(zip(*values, strict=True), ROWS)
    fields = []
    for at, name in enumerate(names):
        kind, said = about[name]
        description = " ".join(filter(None, (said, parts_of(kind, values[at]))))
        shown = tuple(map(sys.intern, examples.get(at, ())))
        fields.append(Field(sys.intern(name), sys.intern(kind), sys.intern(description), False, shown))
    return Entity(table["table_fullname"], tuple(fields))
