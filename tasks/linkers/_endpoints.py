"""Endpoints of a join path: the sources that a question filters by and the destinations that it asks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Question, Role
from schemas.tools import Tools
from tasks.linkers._candidates import Configuration
from tasks.linkers._keep import vertices
from tasks.linkers._names import Named, entities
from tasks.linkers._prompts import Asking, lists_of_names, request, words
from tasks.linkers._rank import ranked_entities
from tasks.linkers._replies import again, ask, json_in, listed

Filters = Literal["where", "where+order"]
FILTERS: dict[Filters, set[Role]] = {"where": {"filter", "nested"}, "where+order": {"filter", "nested", "order"}}
TASK = """Do not answer the question below and do not write its query: tell where the query's join path begins and ends.
- Sources: the {noun}s with the values that the question restricts, by a condition, a limit, or a thing's name.
- Destinations: the {noun}s with the values that the question asks for.
One {noun} may be both. Leave out {noun}s that only connect others: they are found without you.
Name {sources} and {destinations}: each {noun} once, no {field}s.
{form}"""
FORMS = {
    "line": "Answer with this one line, names between commas: src=NAME,NAME, dst=NAME,NAME",
    "json": 'Answer with compact JSON: {"sources": ["NAME"], "destinations": ["NAME"]}',
}
MARK = re.compile(r"\b(src|sources?|dst|dest|destinations?)\b[\s*\"'`]*[=:]", re.IGNORECASE)


@dataclass(frozen=True)
class Endpoints:
    """Tables or nodes on both sides, in the order of their mention, and relationship types that were named with them.

    A side that is empty takes the other side.
    """

    sources: tuple[str, ...]
    destinations: tuple[str, ...]
    types: tuple[str, ...] = ()

    def limited(self, sources: int | None, destinations: int | None) -> "Endpoints":
        """At most so many of each side, the first of them."""
        return Endpoints(self.sources[:sources], self.destinations[:destinations], self.types)


def endpoints(catalog: Catalog, sources: Iterable[str], destinations: Iterable[str]) -> Endpoints:
    """What named entities stand for as endpoints: a relationship type stands for the ends of its patterns."""
    nodes = set(vertices(catalog))
    named = list(dict.fromkeys(sources)), list(dict.fromkeys(destinations))
    one, other = (tuple(dict.fromkeys(end for name in side for end in _ends(catalog, name, nodes))) for side in named)
    types = tuple(name for name in dict.fromkeys(named[0] + named[1]) if name not in nodes)
    return Endpoints(one or other, other or one, types)


def _ends(catalog: Catalog, name: str, nodes: set[str]) -> list[str]:
    if name in nodes:
        return [name]
    return [end for edge in catalog.relations if edge.via == name for end in (edge.source, edge.target)]


def from_gold(question: Question, catalog: Catalog, filters: Filters) -> Endpoints:
    """The endpoints that the gold query has: what its outermost SELECT list returns, and what it filters by.

    What nested SELECT lists return counts as a filter; without a returned column (``COUNT(*)``) the first table of
    FROM is the destination. Gold without fields makes every gold entity both; no gold is a Failure ``gold_error``.
    """
    if not question.gold:
        raise Failure("gold_error", question.gold_reason or f"no gold elements ({question.gold_status})")
    known = [ref for ref in question.gold if catalog.entity(ref.entity)]
    tables = [ref.entity for ref in known if not ref.field]
    if question.gold_level == "entity":
        return endpoints(catalog, tables, tables)
    outputs = [ref.entity for ref in known if "output" in ref.roles]
    filtered = [ref.entity for ref in known if FILTERS[filters].intersection(ref.roles)]
    return endpoints(catalog, filtered, outputs or tables[:1])


def from_similarity(question: Question, catalog: Catalog, tools: Tools, top: int) -> Endpoints:
    """The nearest tables or nodes as both sides, since nearness does not tell filters from outputs."""
    known = set(vertices(catalog))
    ranked = (element.entity for element, _ in ranked_entities(question.text, catalog, tools, "names"))
    nearest = list(islice((name for name in ranked if name in known), top))
    return endpoints(catalog, nearest, nearest)


def from_model(question: Question, catalog: Catalog, tools: Tools, asking: Asking, allowed: Configuration) -> Endpoints:
    """The endpoints that a model names in one call, as many on each side as are allowed.

    With ``repair``, an answer that is unreadable or makes names up is asked for once more.
    """
    source = "exactly one source" if allowed.sources == 1 else "every source"
    destination = "exactly one destination" if allowed.destinations == 1 else "every destination"
    task = TASK.format(**words(catalog), sources=source, destinations=destination, form=FORMS[asking.answer])
    asked = request(question, catalog, asking, task, lists_of_names("sources", "destinations"))
    answer = ask(tools, asked, catalog.database)
    sides = read(answer, catalog)
    wrong = complaint(sides, catalog, asking)
    if wrong and asking.repair:
        tools.note("repaired", value=wrong.splitlines()[0])
        answer = ask(tools, again(asked, answer, wrong), catalog.database)
        sides = read(answer, catalog)
    if sides is None:
        raise Failure("parse_error", f"no endpoints in the answer: {answer[:200]!r}")
    for name in dict.fromkeys(sides[0].made_up + sides[1].made_up):
        tools.note("made_up", value=name)
    return endpoints(catalog, *([element.entity for element in side.found] for side in sides))


def read(answer: str, catalog: Catalog) -> tuple[Named, Named] | None:
    """The sources and destinations that an answer names, in JSON or as a line; None where it has neither side."""
    written = json_in(answer)
    if isinstance(written, dict):
        lists = {str(key).casefold()[:1]: value for key, value in written.items() if isinstance(value, list)}
    else:
        marks = list(MARK.finditer(answer))
        ends = [*(mark.start() for mark in marks), len(answer)][1:]
        lists = {
            mark[1].casefold()[:1]: listed(answer[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)
        }
    if not lists.keys() & {"s", "d"}:
        return None
    sources, destinations = (entities(catalog, map(str, lists.get(side, ()))) for side in "sd")
    return sources, destinations


def complaint(sides: tuple[Named, Named] | None, catalog: Catalog, asking: Asking) -> str:
    """What is wrong with an answer, as the next turn of its conversation; empty where nothing is."""
    if sides is None:
        return f"That is not the form that was asked for.\n{FORMS[asking.answer]}"
    made_up = sides[0].made_up + sides[1].made_up
    known = ", ".join(vertices(catalog))
    return f"The schema has no {', '.join(made_up)}.\nIt has: {known}.\n{FORMS[asking.answer]}" if made_up else ""
