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
from tasks.linkers._rank import ranked_entities


def needs(**options: object) -> set[str]:
    """An embedder."""
    return {"embedder"}


def link(question: Question, catalog: Catalog, tools: Tools, *, top: Count = 5, evidence: bool = False) -> Catalog:
    """Keep whole the ``top`` tables or nodes whose passage is nearest to the question, or to it with its evidence."""
    text = asked(question, evidence)
    near = [element.entity for element, _ in islice(ranked_entities(text, catalog, tools, "passages"), top)]
    if not near:
        return fall_back(catalog, tools, "the catalog has no entity to retrieve")
    return keep_entities(catalog, near)
