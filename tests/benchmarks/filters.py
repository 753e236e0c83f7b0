"""How long schema filters take for a question: ``python tests/benchmarks/filters.py [STORAGE]`` (a prepared demo).

Indexes of the catalogs are built before (warm). A filter that embeds is timed on new questions, whose embedding is
nearly all of it, and on questions whose embedding is known. The large catalog's names have random embeddings, since a
model would take minutes for them and the filter does not know better. Medians of this process's processor time, which
is limited, and of the clock, which other work on the machine lengthens. Ends with status 1 where a filter is too slow.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2]))

from schemas.catalog import Catalog, Entity, Field
from schemas.records import Question
from schemas.tools import Embedder, Tools
from storage import benchmarks
from storage.layout import Store
from tasks import embedders
from tasks.benchmarks import demo
from tasks.ingest import ingest
from tasks.labels import linker
from tasks.taggers import open_tagger

LARGE = 70_000
MANY = 128
SMALL, BIG, UNLIMITED = "demo", "70,000 fields", float("inf")
STATIC = "similarity(model=wordllama)"
TERMS = "similarity(top=none, threshold=0.5, against=both)"
LIMITS = {
    ("exact_match", SMALL, "new"): 0.2,
    ("ner_masked", SMALL, "new"): 20.0,
    ("similarity", SMALL, "new"): UNLIMITED,
    ("similarity", SMALL, "known"): 5.0,
    (STATIC, SMALL, "new"): 5.0,
    (TERMS, SMALL, "new"): UNLIMITED,
    ("exact_match", BIG, "new"): 50.0,
    ("similarity", BIG, "new"): 50.0,
    ("similarity", BIG, "known"): 50.0,
    (STATIC, BIG, "new"): 50.0,
    ("similarity(function=manhattan)", BIG, "known"): UNLIMITED,
}
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


@dataclass
class Quick:
    """An embedder for questions, random rows for long lists of names."""

    name: str
    real: Embedder = field(init=False)

    def __post_init__(self) -> None:
        self.real = embedders.open_embedder(self.name)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) <= MANY:
            return self.real.encode(texts)
        shape = len(texts), self.real.encode(["width"]).shape[1]
        rows = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def milliseconds(
    label: str, pairs: Sequence[tuple[Question, Catalog]], tools: Tools, known: str
) -> tuple[float, float]:
    """A filter's median processor and wall time, every catalog met before, and every question if it is to be known."""
    link = linker(label)
    for catalog in {id(catalog): catalog for _, catalog in pairs}.values():
        link(Question("", "", catalog.database, f"warm up {label} {known}"), catalog, tools)
    taken = []
    for _ in range(2 if known == "known" else 1):
        taken = []
        for question, catalog in pairs:
            new = (
                question if "both" in label else replace(question, text=f"{question.text} {chr(97 + len(taken) % 26)}")
            )
            start, wall = time.process_time(), time.perf_counter()
            link(new, catalog, tools)
            taken.append(((time.process_time() - start) * 1000, (time.perf_counter() - wall) * 1000))
    return median(processor for processor, _ in taken), median(wall for _, wall in taken)


def main(storage: Path) -> int:
    store = Store(storage)
    folder = ingest("demo", demo.make(storage / "downloads" / "demo"), "all", store, "demo")
    asked = benchmarks.questions(folder)
    grown = large()
    sets = {
        SMALL: [(question, benchmarks.catalog(folder, question.database)) for question in asked],
        BIG: [(question, grown) for question in asked[:60]],
    }
    slow = 0
    for (label, where, known), limit in LIMITS.items():
        embedders.OPEN.clear()
        tools = Tools(embedder=Quick(embedders.DEFAULT), tagger=open_tagger(), embedders=Quick)
        processor, wall = milliseconds(label, sets[where], tools, known)
        slow += processor > limit
        verdict = "TOO SLOW" if processor > limit else ""
        told = f"{processor:8.3f} ms of processor, {wall:8.3f} ms, at most {limit:g}"
        print(f"{label:50} {where:14} {known:6} {told} {verdict}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else scratch)))
