"""The base format of Text2Cypher schema filtering (arXiv 2505.05118): all names and types, no values.

Linkers after it keep its layout: ``base > exact_match`` is the paper's exact-match format.
"""

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools


def link(question: Question, catalog: Catalog, tools: Tools) -> Catalog:
    """Keep the whole catalog; noted is that a prompt shows neither its example values nor its statistics."""
    tools.note("layout", value="base")
    return catalog
