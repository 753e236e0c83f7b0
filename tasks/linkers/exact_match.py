"""Exact match: what the question names literally, after Text2Cypher schema filtering (arXiv 2505.05118).

The paper does not state its rule. The default is the tolerant one under which its token counts come out; strict whole
words leave many prompts without any schema.
"""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from schemas.catalog import Catalog, Element
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back
from tasks.linkers._memo import per_catalog
from tasks.linkers._options import asked
from tasks.linkers._paths import own_name

Rule = Literal["substring", "whole_word", "plural"]
WORD = re.compile(r"\w")


def link(
    question: Question, catalog: Catalog, tools: Tools, *, rule: Rule = "substring", evidence: bool = False
) -> Catalog:
    """Keep whole every table or node whose name, or the name of any of its fields, occurs in the lower-cased question.

    A pattern of a graph is kept if its relationship type or the label of either end occurs, and a relationship type
    with its properties if it or one of them occurs. Which patterns those are is noted, so that a prompt shows no others
    among what is kept. ``whole_word`` asks for the name between word boundaries, ``plural`` also for its singular or
    plural. ``evidence`` reads the question with its evidence. Where nothing occurs, the whole catalog is kept.
    """
    text = asked(question, evidence).lower()
    index = _index(catalog, rule)
    found = [form for form in index if form in text and (rule == "substring" or _stands_alone(form, text))]
    named = {name for form in found for name in index[form].named}
    whole = {name for form in found for name in index[form].owners}
    patterns = [edge for edge in catalog.relations if edge.via and named & {edge.source, edge.via, edge.target}]
    bare = {Element(name) for edge in patterns for name in (edge.source, edge.via, edge.target) if name not in whole}
    if not whole and not bare:
        return fall_back(catalog, tools, f"no name occurs in the question by rule {rule}")
    if catalog.dialect == "cypher":
        tools.note("patterns", value=json.dumps([str(edge) for edge in patterns], ensure_ascii=False))
    kept = catalog.keep_whole(whole)
    return catalog.keep(kept.elements | bare) if bare else kept


@dataclass
class _Entities:
    """The entities of one name, and those together with the entities that have a field of that name."""

    named: set[str] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)


@per_catalog
def _index(catalog: Catalog, rule: Rule) -> dict[str, _Entities]:
    """Every form of every lower-cased name with the entities that it stands for."""
    index: dict[str, _Entities] = defaultdict(_Entities)
    for entity in catalog.entities:
        for name in {entity.name.lower(), own_name(entity.name, catalog).lower()}:
            for form in _forms(name, rule):
                index[form].named.add(entity.name)
                index[form].owners.add(entity.name)
        for name in {one.name.lower() for one in entity.fields}:
            for form in _forms(name, rule):
                index[form].owners.add(entity.name)
    index.pop("", None)
    return dict(index)


def _stands_alone(name: str, text: str) -> bool:
    """Whether a name occurs in a text between word boundaries.

    >>> _stands_alone("sale", "the sale of sales"), _stands_alone("sale", "sales")
    (True, False)
    """
    before = r"(?<!\w)" if WORD.match(name) else ""
    after = r"(?!\w)" if WORD.match(name[-1]) else ""
    return re.search(before + re.escape(name) + after, text) is not None


def _forms(name: str, rule: Rule) -> tuple[str, ...]:
    """The forms of a name to look for: itself, and by rule ``plural`` its English plurals and singulars.

    >>> _forms("city", "plural"), _forms("boxes", "plural")
    (('city', 'cities'), ('boxes', 'boxe', 'box'))
    """
    if rule != "plural":
        return (name,)
    if name.endswith("s") and not name.endswith("ss"):
        longer = ("ies", name[:-3] + "y") if name.endswith("ies") else ("es", name[:-2])
        return (name, name[:-1], *(longer[1:] if name.endswith(longer[0]) else ()))
    if name.endswith("y"):
        return (name, name[:-1] + "ies")
    return (name, name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s"))
