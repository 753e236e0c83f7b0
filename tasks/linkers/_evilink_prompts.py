"""EviLink's prompts of the first stage: instructions and schema first, question and hypothesis last.

The selection rules are the paper's in our words. Every request fits the budget: a chunk's size depends on the options
alone, and what a question brings along, such as a long document, is cut to what is left.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Message, Request
from tasks.linkers._evilink_tokens import cut, estimate, estimate_messages
from tasks.linkers._prompts import lists_of_names, words

Level = Literal["tables", "fields"]
SYSTEM = """You prepare the ground for a query over a large database: you decide which parts of its schema the author
of the query must be able to see. A part that is needed and missing ruins the query; a part too many costs a little.
Spell names exactly as the schema does, and answer with one line of minified JSON and nothing besides it."""
HYPOTHESES = """Above is the schema, or a list of its {noun}s. Think of {count} different ways in which a query for the
question below could reach its answer: other {noun}s that could hold the same fact, other joins, other readings of the
words. For each say what it does in one sentence and name the {noun}s, the joins, the conditions and the outputs.
Answer: {{"hypotheses":[{{"path":"…","tables":["…"],"joins":["…"],"filters":["…"],"outputs":["…"]}}]}}"""
TABLES = """Select every {noun} above that could be needed to answer the question below.
Keep a {noun}
- whose name or {field}s fit something, a property, a value to filter by, or a synonym of it, in the question;
- that bridges, maps or records events between two things in play, even where they can be joined directly;
- that is one of several partitions or shards, as long as its scope may be touched: then all of them;
- that holds the same thing at another granularity or from another provider;
- that is keyed by time, where the question is about a time or a span.
Leave one out only for a reason that you could name; in doubt it stays. A name with a star stands for all its tables.
The hypothesis is one way to the answer and only a hint: select beyond it. A part without anything to keep has an empty
list. Answer: {{"selected_tables":["NAME"]}}"""
FIELDS = """Select every {field} above that could be needed to answer the question below.
Keep
- the keys of a join on both of its sides;
- the same concept in every {noun} that has it, in all encodings (code, name, flag) and at all levels of a hierarchy;
- times, dates, and whatever rows are put in order by;
- what is filtered by, measured, counted or returned;
- by default identifiers, what looks like a foreign key, states, types, flags, names, titles and timestamps;
- {field}s a part of whose name also stands in the question.
Leave out only what engineers need and the question does not ask for: load stamps, hashes, internal versions.
The hypothesis is one way to the answer and only a hint: select beyond it. A name with a star stands for all its tables.
Answer: {{"selected_fields":["NAME.FIELD"]}}"""
TASKS: dict[Level, str] = {"tables": TABLES, "fields": FIELDS}
KEYS: dict[Level, str] = {"tables": "selected_tables", "fields": "selected_fields"}
TEXTS = {"type": "array", "items": {"type": "string"}}
ONE_WAY: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "tables": TEXTS, "joins": TEXTS, "filters": TEXTS, "outputs": TEXTS},
    "required": ["path", "tables", "joins", "filters", "outputs"],
    "additionalProperties": False,
}
WAYS: dict[str, Any] = {
    "type": "object",
    "properties": {"hypotheses": {"type": "array", "items": ONE_WAY}},
    "required": ["hypotheses"],
    "additionalProperties": False,
}
LONGEST_TASK = estimate(SYSTEM) + max(map(estimate, (HYPOTHESES, TABLES, FIELDS))) + 96


@dataclass(frozen=True)
class Sizes:
    """How a request's tokens are shared out: ``budget`` is the model's context, the answer's part of it included."""

    budget: int
    max_tokens: int

    @cached_property
    def answer(self) -> int:
        """The most that an answer may have."""
        return min(self.max_tokens, self.budget // 4)

    @cached_property
    def question(self) -> int:
        """The most that the question, its hint and a hypothesis may have together."""
        return self.budget // 5

    @cached_property
    def schema(self) -> int:
        """The most that a chunk of the schema may have; a repaired answer's turn is left room for."""
        return max(64, self.budget - self.answer - self.question - LONGEST_TASK - self.repair)

    @cached_property
    def repair(self) -> int:
        """The most that an answer which is asked for again, and the complaint, may have together."""
        return min(400, self.budget // 12)


@dataclass(frozen=True)
class Asking:
    """How the first stage asks: the sizes of requests, guided JSON or not, and the temperature of hypotheses."""

    sizes: Sizes
    guided: bool = True
    repair: bool = True
    temperature: float = 0.7


def elicit(question: Question, catalog: Catalog, text: str, count: int, asking: Asking) -> Request:
    """Ask for a number of hypotheses."""
    task = HYPOTHESES.format(**words(catalog), count="a way" if count == 1 else count)
    return _request(question, text, task, "", WAYS, asking)


def choose(question: Question, catalog: Catalog, text: str, level: Level, hypothesis: str, asking: Asking) -> Request:
    """Ask for a selection of tables or fields under one hypothesis."""
    task = TASKS[level].format(**words(catalog))
    return _request(question, text, task, hypothesis, lists_of_names(KEYS[level]), asking)


def asked(question: Question, tokens: int) -> str:
    """The question with its hint, which is cut where both have more than so many estimated tokens."""
    text = cut(f"Question: {question.text}", tokens)
    left = tokens - estimate(text) - 8
    hint = f"Hint: {cut(question.evidence, left)}\n" if question.evidence and left > 16 else ""
    return hint + text


def as_text(hypothesis: Any) -> str:
    """A hypothesis as one line."""
    if isinstance(hypothesis, str):
        return " ".join(hypothesis.split())
    return json.dumps(hypothesis, ensure_ascii=False, separators=(",", ":"))


def _request(
    question: Question, text: str, task: str, hypothesis: str, guide: dict[str, Any], asking: Asking
) -> Request:
    sizes = asking.sizes
    hint = f"\nHypothesis: {cut(hypothesis, sizes.question // 3)}" if hypothesis else ""
    end = asked(question, sizes.question - estimate(hint)) + hint
    messages = (Message("system", SYSTEM), Message("user", f"Schema:\n{text}\n\n{task}\n\n{end}"))
    room = sizes.budget - estimate_messages(messages) - (sizes.repair if asking.repair else 0)
    return Request(messages, max_tokens=max(16, min(sizes.answer, room)), schema=guide if asking.guided else None)
