"""How long schema filters take for a question: ``python tests/benchmarks/filters.py [STORAGE]`` (a prepared demo).

Indexes of the catalogs are built before (warm). A filter that embeds is timed twice: on new questions, whose embedding
is nearly all of it, and on questions whose embedding is known. The large catalog's names have random embeddings, since
a model would take minutes for them and the filter does not know better. Ends with status 1 where one is too slow.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2]))

from schemas.catalog import Catalog, Entity, Field
from schemas.records import Question
from schemas.tools import Tools
from storage import benchmarks
from storage.layout import Store
from tasks.benchmarks import demo
from tasks.embedders import open_embedder
from tasks.ingest import ingest
from tasks.labels import linker
from tasks.taggers import open_tagger

LARGE = 70_000
LIMITS = {
    ("exact_match", "demo", "new"): 0.2,
    ("ner_masked", "demo", "new"): 20.0,
    ("similarity", "demo", "new"): float("inf"),
    ("similarity", "demo", "known"): 5.0,
    ("exact_match", "70,000 fields", "new"): 50.0,
    ("similarity", "70,000 fields", "new"): float("inf"),
    ("similarity", "70,000 fields", "known"): 50.0,
}
MANY = 64
NOUNS = "order customer price stock depot route driver vehicle invoice region sensor reading valve pump tank batch"


def large() -> Catalog:
    """A catalog of 70,000 fields in 1,000 tables, every name made of two nouns and a number."""
    nouns = NOUNS.split()
    tables = [
        Entity(
            f"{nouns[at % 16]}_{nouns[at // 16 % 16]}_{at}",
            tuple(Field(f"{nouns[(at + each) % 16]}_{nouns[each % 16]}_{each}_{at % 50}") for each in range(70)),
        )
        for at in range(LARGE // 70)
    ]
    return Catalog("large", tuple(tables))


class Quick:
    """The packaged embedder for questions, random rows for long lists of names."""

    name = "quick"

    def __init__(self) -> None:
        self.real = open_embedder()
        self.known: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) > MANY:
            rows = np.random.default_rng(0).standard_normal((len(texts), 384)).astype(np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)
        key = "\0".join(texts)
        if key not in self.known:
            self.known[key] = self.real._embed(list(texts))  # type: ignore[attr-defined]
        return self.known[key]


def milliseconds(label: str, pairs: Sequence[tuple[Question, Catalog]], tools: Tools, known: str) -> float:
    """The median time of a filter, every catalog met once before, and every question where it is to be known."""
    link = linker(label)
    for catalog in {id(catalog): catalog for _, catalog in pairs}.values():
        link(Question("", "", catalog.database, f"warm up {label} {known}"), catalog, tools)
    taken = []
    for _ in range(2 if known == "known" else 1):
        taken = []
        for question, catalog in pairs:
            asked = replace(question, text=f"{question.text} {label} {known}")
            start = time.perf_counter()
            link(asked, catalog, tools)
            taken.append((time.perf_counter() - start) * 1000)
    return median(taken)


def main(storage: Path) -> int:
    store, tools = Store(storage), Tools(embedder=Quick(), tagger=open_tagger())
    folder = ingest("demo", demo.make(storage / "downloads" / "demo"), "all", store, "demo")
    asked = benchmarks.questions(folder)
    grown = large()
    sets = {
        "demo": [(question, benchmarks.catalog(folder, question.database)) for question in asked],
        "70,000 fields": [(question, grown) for question in asked[:40]],
    }
    slow = 0
    for (label, where, known), limit in LIMITS.items():
        taken = milliseconds(label, sets[where], tools, known)
        slow += taken > limit
        verdict = "TOO SLOW" if taken > limit else ""
        print(f"{label:12} {where:14} {known:6} {taken:8.3f} ms, at most {limit:g} {verdict}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else scratch)))
