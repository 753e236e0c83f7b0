"""Similarity: the elements whose names are nearest to the question in an embedder's space.

One of the schema formats of Text2Cypher schema filtering (arXiv 2505.05118), which leaves model, function and threshold
open: here cosine, the highest over an element's texts, and the nearest few unless a threshold is given.
"""

from itertools import islice

from schemas.catalog import Catalog
from schemas.records import Level, Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_elements, keep_entities
from tasks.linkers._options import Cosine, Count, asked
from tasks.linkers._rank import Against, ranked_entities, ranked_fields


def needs(**options: object) -> set[str]:
    """An embedder."""
    return {"embedder"}


def link(
    question: Question,
    catalog: Catalog,
    tools: Tools,
    *,
    top: Count | None = 5,
    threshold: Cosine | None = None,
    level: Level = "entity",
    against: Against = "question",
    evidence: bool = False,
) -> Catalog:
    """Keep the ``top`` entities (whole) or fields, of those whose cosine reaches the ``threshold``; none is no limit.

    An entity's cosine is the highest of its name's and of its fields' names after it. ``against`` compares the whole
    question, its single words and pairs of words, or both; ``evidence`` reads the question's evidence with it. Where
    nothing reaches the threshold, all is kept.
    """
    text = asked(question, evidence)
    if level == "field":
        ranked = ranked_fields(text, catalog, tools, against)
    else:
        ranked = ranked_entities(text, catalog, tools, "names", against)
    near = [element for element, cosine in islice(ranked, top) if threshold is None or cosine >= threshold]
    if not near:
        return fall_back(catalog, tools, f"no {level} is as near as {threshold}")
    if level == "field":
        return keep_elements(catalog, near)
    return keep_entities(catalog, (element.entity for element in near))
