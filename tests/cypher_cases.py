"""The fixture of Cypher references: graphs as patterns with queries, and what each query references.

Lines above a query: ``//#`` its title, ``//=`` its entities in order and its fields, each with its roles (an entity's
``from`` is left out), ``//?`` unknown names, ``//!`` words of the reason why it is no query.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from schemas.catalog import Catalog, Entity, Field, Relation

FOLDER = Path(__file__).parent / "cases" / "cypher_references"
ROLES = {"output", "filter", "join", "group", "order", "nested"}
NAME = r"(?:`[^`]+`|\w+)"
ENTITY = re.compile(rf"([(\[]):({NAME})(?: \{{(.*)\}})?[)\]]")
PATTERN = re.compile(rf"\(:({NAME})\)-\[:({NAME})\]->\(:({NAME})\)")


@dataclass
class Case:
    schema: str
    title: str
    query: str = ""
    entities: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    fields: dict[str, frozenset[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    failure: str = ""

    def expect(self, text: str) -> None:
        for item in filter(None, map(str.strip, text.split(";"))):
            words = item.split(" ")
            roles = frozenset(word for word in words[1:] if word in ROLES)
            name = " ".join(words[: len(words) - len(roles)])
            if "." in name:
                self.fields[name] = roles
            else:
                self.entities.append((name, roles))

    def annotate(self, line: str) -> None:
        kind, text = line[:3], line[3:].strip()
        if kind == "//=":
            self.expect(text)
        elif kind == "//?":
            self.unknown += [name.strip() for name in text.split(";")]
        elif kind == "//!":
            self.failure = text


def bare(name: str) -> str:
    return name.strip("`")


def graph(text: str, name: str) -> Catalog:
    """A catalog written as lines ``(:Label {property: TYPE})``, ``[:TYPE {…}]`` and ``(:A)-[:T]->(:B)``."""
    entities, relations = [], []
    for line in text.splitlines():
        if pattern := PATTERN.fullmatch(line):
            relations.append(Relation(bare(pattern[1]), bare(pattern[3]), via=bare(pattern[2])))
        elif found := ENTITY.fullmatch(line):
            pairs = (pair.split(": ") for pair in (found[3] or "").split(", ") if pair)
            fields = tuple(Field(bare(one), kind) for one, kind in pairs)
            entities.append(Entity(bare(found[2]), fields, "node" if found[1] == "(" else "relationship"))
    return Catalog(name, tuple(entities), tuple(relations), "cypher")


@cache
def catalog(schema: str) -> Catalog:
    return graph((FOLDER / f"{schema}.schema.cypher").read_text(), schema)


def read(schema: str) -> list[Case]:
    cases: list[Case] = []
    for line in (FOLDER / f"{schema}.cypher").read_text().splitlines():
        if line.startswith("//#"):
            cases.append(Case(schema, line[3:].strip()))
        elif line[:3] in ("//=", "//?", "//!"):
            cases[-1].annotate(line)
        elif cases:
            cases[-1].query += line + "\n"
    for case in cases:
        case.query = case.query.strip()
    return cases


SCHEMAS = sorted(path.name.removesuffix(".schema.cypher") for path in FOLDER.glob("*.schema.cypher"))
CASES = [case for schema in SCHEMAS for case in read(schema)]
