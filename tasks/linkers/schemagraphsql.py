"""SchemaGraphSQL (arXiv 2505.18363): name the endpoints of the join path, then let graph search find what is between.

Zero-shot and at table level: one model call names source and destination tables, the shortest join paths between them
are the candidates, and every column of the tables on the chosen path is kept. Options:

- ``configuration``: in ``1-1``, ``1-n``, ``n-1``, ``n-n`` and ``no-union`` one candidate is picked, the union being one
  of them but for ``1-1`` and ``no-union``; ``force-longest`` and ``force-union``, the primary one, need no choice.
- ``endpoints``: named by a ``model``; by ``oracle``, read from the gold query, where ``filters`` tells what counts as
  a source; by ``similarity``, where the ``top`` nearest tables are both sides.
- ``pick``: by a ``model``, or the ``first`` candidate, shortest first, then by name; unset, by a model where it names
  the endpoints. ``cap`` bounds the candidates listed.
- ``pairs``: ``cross``, sources with destinations, or ``all`` endpoints with each other.
- ``ids``: the ``paper``'s guess of joins in sparse schemas, or ``off``. ``joins``: ``declared``, ``discovered`` by one
  model call a database, or ``both``.
- ``answer``, ``style``, ``temperature``, ``max_tokens``, ``repair``: how the model is asked; one attempt to repair an
  answer is not in the paper.

What the paper leaves open: endpoints that no path connects are kept as they are, a side without endpoints takes the
other side, and a question without any keeps the whole catalog.
"""

import json
from itertools import combinations_with_replacement, product
from typing import Literal

from schemas.catalog import Catalog, Element
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._candidates import CONFIGURATIONS, Found, Name, Pair, first, search
from tasks.linkers._discovery import discover
from tasks.linkers._endpoints import Endpoints, Filters, from_gold, from_model, from_similarity
from tasks.linkers._joins import Ids, Joins, condition, declared, joins_of
from tasks.linkers._keep import fall_back, keep_entities
from tasks.linkers._options import Count, Temperature
from tasks.linkers._picking import by_model
from tasks.linkers._prompts import Answer, Asking, Style

Ends = Literal["model", "oracle", "similarity"]
Source = Literal["declared", "discovered", "both"]
Pairs = Literal["cross", "all"]
Pick = Literal["model", "first"]


def needs(
    *,
    endpoints: Ends = "model",
    joins: Source = "declared",
    configuration: Name = "force-union",
    pick: Pick | None = None,
    **options: object,
) -> set[str]:
    """A model where endpoints, joins or the choice among paths come from one; an embedder for similarity."""
    picked = CONFIGURATIONS[configuration].choose == "pick" and (pick or endpoints) == "model"
    model = {"model"} if picked or endpoints == "model" or joins != "declared" else set()
    return model | ({"embedder"} if endpoints == "similarity" else set())


def link(
    question: Question,
    catalog: Catalog,
    tools: Tools,
    *,
    configuration: Name = "force-union",
    endpoints: Ends = "model",
    ids: Ids = "paper",
    joins: Source = "declared",
    pick: Pick | None = None,
    pairs: Pairs = "cross",
    filters: Filters = "where",
    top: Count = 3,
    cap: Count = 100,
    answer: Answer = "line",
    style: Style = "ddl",
    temperature: Temperature = 0.2,
    max_tokens: Count = 512,
    repair: bool = False,
) -> Catalog:
    """Keep whole the tables, or the nodes and relationship types, on the join paths between a question's endpoints."""
    asking = Asking(answer, style, temperature, max_tokens, repair)
    allowed = CONFIGURATIONS[configuration]
    if endpoints == "model":
        ends = from_model(question, catalog, tools, asking, allowed)
    elif endpoints == "oracle":
        ends = from_gold(question, catalog, filters)
    else:
        ends = from_similarity(question, catalog, tools, top)
    ends = ends.limited(allowed.sources, allowed.destinations)
    _note_endpoints(ends, tools)
    if not ends.sources and not ends.types:
        return fall_back(catalog, tools, "no endpoint is known")
    known = _joins(catalog, tools, joins, ids, style)
    picker = by_model(question, catalog, tools, asking) if (pick or endpoints) == "model" else first
    found = search(known.graph, _pairs(ends, pairs), allowed, picker, cap)
    _note_path(found, known, catalog, tools)
    return keep_entities(catalog, {*found.chosen.tables, *found.apart, *ends.types})


def _joins(catalog: Catalog, tools: Tools, joins: Source, ids: Ids, style: Style) -> Joins:
    if joins == "declared":
        return declared(catalog, ids)
    found = discover(catalog, tools, style)
    tools.note("discovered", value=json.dumps([str(relation) for relation in found], ensure_ascii=False))
    return joins_of(catalog, found if joins == "discovered" else catalog.relations + found, ids)


def _pairs(ends: Endpoints, pairs: Pairs) -> list[Pair]:
    """The pairs of endpoints between which paths are sought, each once."""
    if pairs == "cross":
        return list(product(ends.sources, ends.destinations))
    return list(combinations_with_replacement(dict.fromkeys(ends.sources + ends.destinations), 2))


def _note_endpoints(ends: Endpoints, tools: Tools) -> None:
    for name in ends.sources:
        tools.note("source", Element(name))
    for name in ends.destinations:
        tools.note("destination", Element(name))
    for name in ends.types:
        tools.note("named_type", Element(name))


def _note_path(found: Found, known: Joins, catalog: Catalog, tools: Tools) -> None:
    """Note the path, its joins as lines for a generator's prompt, and what no path connects."""
    tools.note("path", value=json.dumps(found.chosen.tables, ensure_ascii=False))
    for pair in found.chosen.joins:
        for relation in known.of(*pair):
            tools.note("join", value=condition(relation, catalog.dialect))
    for pair in found.disconnected:
        tools.note("disconnected", value=json.dumps(pair, ensure_ascii=False))
    if found.capped:
        tools.note("capped", value="more shortest paths than were listed")
