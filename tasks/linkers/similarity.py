"""Similarity: the elements whose names are nearest to the question in an embedder's space.

One of the schema formats of Text2Cypher schema filtering (arXiv 2505.05118), which leaves model, function and threshold
open: here cosine, the highest over an element's texts, and the nearest few unless a threshold is given. ``model`` names
another embedder than the run's, so that several can be compared in one run; ``function`` another measure, of those that
order otherwise: rows have unit length, where dot product, Euclidean and angular distance order as cosine does.
"""

from itertools import islice

from schemas.catalog import Catalog
from schemas.records import Level, Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_elements, keep_entities
from tasks.linkers._options import Cosine, Count, asked
from tasks.linkers._rank import Against, Function, Measure, ranked_entities, ranked_fields


def needs(*, model: str = "", **options: object) -> set[str]:
    """An embedder, or one of a name."""
    return {"embedder", f"embedder:{model}"} if model else {"embedder"}


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
    model: str = "",
    function: Function = "cosine",
) -> Catalog:
    """Keep the ``top`` entities (whole) or fields, of those as near as the ``threshold``; none is no limit.

    An entity is as near as the nearest of its name and of its fields' names after it: by ``cosine``, or by
    ``manhattan``, 1 - Σ|a - b| / √(2 dimensions). ``against`` compares the whole question, its single words and pairs
    of words, or both; ``evidence`` reads the question's evidence with it. Where nothing reaches the threshold, all is
    kept.
    """
    text, measure = asked(question, evidence), Measure(against, model, function)
    if level == "field":
        ranked = ranked_fields(text, catalog, tools, measure)
    else:
        ranked = ranked_entities(text, catalog, tools, "names", measure)
    near = [element for element, value in islice(ranked, top) if threshold is None or value >= threshold]
    if not near:
        return fall_back(catalog, tools, f"no {level} is as near as {threshold}")
    if level == "field":
        return keep_elements(catalog, near)
    return keep_entities(catalog, (element.entity for element in near))
