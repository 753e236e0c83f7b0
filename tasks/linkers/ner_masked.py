"""NER-masked exact match, one of the formats of Text2Cypher schema filtering (arXiv 2505.05118).

Named entities are replaced by their types before names are looked for, so that "Acme Group" does not keep a ``Group``.
"""

from dataclasses import replace
from typing import Literal

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers import exact_match
from tasks.linkers._options import asked
from tasks.linkers.exact_match import Rule

Mask = Literal["type", "blank"]


def needs(**options: object) -> set[str]:
    """A tagger."""
    return {"tagger"}


def link(
    question: Question,
    catalog: Catalog,
    tools: Tools,
    *,
    rule: Rule = "substring",
    mask: Mask = "type",
    evidence: bool = False,
) -> Catalog:
    """Keep what exact match keeps of the question with its named entities masked.

    A mask of the entity's ``type`` is the paper's, and can be a name of the schema itself (a person's is ``PERSON``);
    a ``blank`` cannot. What was masked is noted.
    """
    text, end = "", 0
    whole = asked(question, evidence)
    for span in sorted(tools.need_tagger().entities(whole)):
        if span.start >= end:
            tools.note("masked", value=f"{whole[span.start : span.end]} -> {span.label}")
            text += whole[end : span.start] + (span.label if mask == "type" else " ")
            end = span.end
    return exact_match.link(replace(question, text=text + whole[end:], evidence=""), catalog, tools, rule=rule)
