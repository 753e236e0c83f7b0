"""What studies of schema filters share: formats tried on questions, their tokens, linking, and time."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schemas.answers import Linked
from schemas.catalog import Catalog
from schemas.records import Linking, Question
from storage.intervals import RESAMPLES, Interval, cluster_bootstrap

if TYPE_CHECKING:
    from tasks.generate import Generator
    from tasks.tokens import Tokenizer
    from tasks.toolbox import Toolbox

FORMATS = {
    "enhanced": "enhanced",
    "base": "base",
    "exact match": "base > exact_match",
    "NER masked": "base > ner_masked",
    "similarity": "base > similarity(top=none, threshold=0.5, against=both)",
}
METRICS = ("recall", "precision", "strict_recall")
LEVELS = ("entity", "field")


class Tried(NamedTuple):
    """One question under one format: the prompt's tokens, linking metrics by level and name, and the filter's seconds.

    ``cold`` tells that the database was met for the first time, ``empty`` that nothing was found and all was kept.
    """

    database: str
    question: str
    tokens: int
    scores: dict[tuple[str, str], float]
    seconds: float
    cold: bool
    empty: bool


@dataclass
class Trial:
    """How formats are tried: the tools, the tokenizer, the way of asking."""

    toolbox: "Toolbox"
    tokenizer: "Tokenizer"
    generator: "Generator"
    met: set[tuple[str, int]] = field(default_factory=set)

    def run(self, label: str, questions: Iterable[tuple[Question, Catalog]]) -> list[Tried]:
        """Try one linker on questions, each over its catalog, in the order given."""
        from tasks.labels import linker

        link = linker(label)
        return [self.one(label, link, question, catalog) for question, catalog in questions]

    def one(self, label: str, link: Callable[..., Catalog], question: Question, catalog: Catalog) -> Tried:
        """Try one linker on one question; its own time is measured apart, what it takes from memory as it once took."""
        from tasks.generate import prompt

        metered = self.toolbox.open(catalog.database, question=question.text)
        tools, start = metered.tools, time.perf_counter()
        kept = link(question, catalog, tools)
        seconds = time.perf_counter() - start + metered.owed
        linking = Linking(question.benchmark, catalog.database, question.id, label, kept=tuple(sorted(kept.elements)))
        messages = prompt(question, catalog, linking, tools.notes, self.generator)
        met = (label, id(catalog))
        cold = met not in self.met
        self.met.add(met)
        empty = any(note.kind == "fallback" for note in tools.notes)
        tokens = self.tokenizer.prompt(messages)
        return Tried(question.database, question.id, tokens, scores(question, kept), seconds, cold, empty)


def scores(question: Question, kept: Catalog) -> dict[tuple[str, str], float]:
    """The linking metrics of one question by level; none where it has no gold."""
    from tasks import plugins

    found = {}
    for level in LEVELS if question.gold_status == "ok" else ():
        elements = frozenset(element for element in kept.elements if bool(element.field) == (level == "field"))
        answer = Linked(question.gold_elements("field" if level == "field" else "entity"), elements)
        for metric in METRICS:
            value = plugins.load("metrics", metric).score(answer)
            if value is not None:
                found[level, metric] = value
    return found


def mean(tried: Sequence[Tried], level: str, metric: str) -> Interval:
    """A metric's macro mean with an interval by a bootstrap over databases."""
    totals: dict[str, list[float]] = defaultdict(list)
    for one in tried:
        if (level, metric) in one.scores:
            totals[one.database].append(one.scores[level, metric])
    return cluster_bootstrap([sum(values) for values in totals.values()], [len(values) for values in totals.values()])


def percentile(tried: Sequence[Tried], share: float) -> Interval:
    """A percentile of the prompts' tokens with an interval by a bootstrap over databases, in which it is decided.

    >>> some = [Tried(name, "", tokens, {}, 0.0, False, False) for name, tokens in zip("aabb", (1, 2, 3, 4))]
    >>> percentile(some, 0.5).mean
    2.5
    """
    clusters: dict[str, list[int]] = defaultdict(list)
    for one in tried:
        clusters[one.database].append(one.tokens)
    groups = [np.array(values) for values in clusters.values()]
    value = float(np.quantile(np.concatenate(groups), share))
    if len(groups) < 2:
        return Interval(value, None, None)
    draws = np.random.default_rng(0).integers(len(groups), size=(RESAMPLES // 4, len(groups)))
    found = [float(np.quantile(np.concatenate([groups[at] for at in draw]), share)) for draw in draws]
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(value, float(low), float(high))


def milliseconds(tried: Sequence[Tried], *, cold: bool) -> float:
    """The mean time of the filter on databases met for the first time, or the median of the others; none is NaN."""
    values = [one.seconds * 1000 for one in tried if one.cold is cold]
    return float((np.mean if cold else np.median)(values)) if values else float("nan")


def shown(value: Interval, *, times: float = 1.0, digits: int = 0) -> str:
    """A figure with its interval, such as ``61.2 [58.0, 64.1]``."""
    text = f"{value.mean * times:.{digits}f}"
    if value.low is None or value.high is None:
        return text
    return f"{text} [{value.low * times:.{digits}f}, {value.high * times:.{digits}f}]"


def print_table(lines: Sequence[Sequence[str]]) -> None:
    """Print lines of cells in columns, the first to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        print(f"{line[0]:<{widths[0]}}  {'  '.join(cells)}".rstrip())


def first(questions: Sequence[Question], limit: int) -> list[Question]:
    """At most so many questions of every database, those with gold, spread evenly; databases one after another."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        if question.gold_status == "ok":
            groups[question.database].append(question)
    chosen = []
    for group in groups.values():
        step = max(1.0, len(group) / limit) if limit else 1.0
        chosen += [group[int(at * step)] for at in range(min(len(group), limit or len(group)))]
    return chosen
