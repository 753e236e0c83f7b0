"""The fixture of SQL references: schemas with queries, and what each query references.

Lines above a query: ``--#`` its title, ``--=`` its entities in order and its fields with their roles, ``--?`` unknown
names, ``--!`` words of the reason why it is no query, ``--~`` where another reader differs, and why.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from schemas.catalog import Catalog
from tasks.benchmarks._sqlite_catalog import ddl_catalog

FOLDER = Path(__file__).parent / "cases" / "sql_references"
ROLES = {"output", "filter", "join", "group", "order", "nested"}


@dataclass
class Case:
    schema: str
    title: str
    query: str = ""
    entities: list[str] = field(default_factory=list)
    fields: dict[str, set[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    failure: str = ""
    differs: dict[str, tuple[set[str], str]] = field(default_factory=dict)

    def expect(self, text: str) -> None:
        for item in filter(None, map(str.strip, text.split(";"))):
            words = item.split(" ")
            roles = {word for word in words[1:] if word in ROLES}
            if roles:
                self.fields[" ".join(words[: -len(roles)])] = roles
            else:
                self.entities.append(item)

    def annotate(self, line: str) -> None:
        kind, text = line[:3], line[3:].strip()
        if kind == "--=":
            self.expect(text)
        elif kind == "--?":
            self.unknown += [name.strip() for name in text.split(";")]
        elif kind == "--!":
            self.failure = text
        elif kind == "--~":
            how, _, rest = text.partition(": ")
            names, _, why = rest.rpartition(": ")
            assert how in KNOWN, line
            self.differs[how] = ({name.strip() for name in names.split(";") if name}, why or names)


KNOWN = {
    "sqlite refuses",
    "sqlite accepts",
    "sqlite also reads",
    "sqlite does not read",
    "sqlglot refuses",
    "sqlglot differs",
    "duckdb refuses",
}


@cache
def ddl(schema: str) -> tuple[str, str]:
    """The dialect and the DDL of a schema."""
    text = (FOLDER / f"{schema}.schema.sql").read_text()
    return text.splitlines()[0].removeprefix("-- dialect: "), text


@cache
def catalog(schema: str) -> Catalog:
    dialect, text = ddl(schema)
    return ddl_catalog(text, schema, dialect)


def read(schema: str) -> list[Case]:
    cases: list[Case] = []
    for line in (FOLDER / f"{schema}.sql").read_text().splitlines():
        if line.startswith("--#"):
            cases.append(Case(schema, line[3:].strip()))
        elif line[:3] in ("--=", "--?", "--!", "--~"):
            cases[-1].annotate(line)
        elif cases:
            cases[-1].query += line + "\n"
    for case in cases:
        case.query = case.query.strip()
    return cases


SCHEMAS = sorted(path.name.removesuffix(".schema.sql") for path in FOLDER.glob("*.schema.sql"))
CASES = [case for schema in SCHEMAS for case in read(schema)]
