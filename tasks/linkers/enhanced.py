"""The enhanced format of Text2Cypher schema filtering (arXiv 2505.05118): all names and types, with values."""

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools


def link(question: Question, catalog: Catalog, tools: Tools) -> Catalog:
    """Keep the whole catalog; noted is that a prompt shows its example values and statistics, as is the default."""
    tools.note("layout", value="enhanced")
    return catalog
