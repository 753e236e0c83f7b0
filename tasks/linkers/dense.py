"""Dense retrieval: a table is a passage, and the passages nearest to the question are kept.

A controlled baseline of SchemaGraphSQL (arXiv 2505.18363). It differs from ``similarity`` in what is embedded: there
every name by itself, here one text with a table's name and all its columns, as a retriever indexes documents.
"""

from itertools import islice

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_entities
from tasks.linkers._options import Count, asked
from tasks.linkers._rank import Measure, ranked_entities


def needs(*, model: str = "", **options: object) -> set[str]:
    """An embedder, or one of a name."""
    return {"embedder", f"embedder:{model}"} if model else {"embedder"}


def link(
    question: Question, catalog: Catalog, tools: Tools, *, top: Count = 5, evidence: bool = False, model: str = ""
) -> Catalog:
    """Keep whole the ``top`` tables or nodes whose passage is nearest to the question, or to it with its evidence.

    ``model`` names another embedder than the run's.
    """
    ranked = ranked_entities(asked(question, evidence), catalog, tools, "passages", Measure(model=model))
    near = [element.entity for element, _ in islice(ranked, top)]
    if not near:
        return fall_back(catalog, tools, "the catalog has no entity to retrieve")
    return keep_entities(catalog, near)
