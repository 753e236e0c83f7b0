"""A model selects tables in one step: SchemaGraphSQL's controlled baseline (arXiv 2505.18363) without its graph."""

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_entities
from tasks.linkers._names import entities
from tasks.linkers._options import Count, Temperature
from tasks.linkers._prompts import Answer, Asking, Style
from tasks.linkers._selection import Selection, select

TABLES = Selection(
    "tables",
    """Do not answer the question below and do not write its query: select the {noun}s that the query needs, for what it
returns, for what it filters by, and for the joins between them. Name each {noun} once, no {field}s.
{form}""",
    "Answer with this one line, names between commas: tables=NAME,NAME",
    entities,
)


def needs(**options: object) -> set[str]:
    """A model."""
    return {"model"}


def link(
    question: Question,
    catalog: Catalog,
    tools: Tools,
    *,
    answer: Answer = "line",
    style: Style = "ddl",
    temperature: Temperature = 0.2,
    max_tokens: Count = 512,
    repair: bool = False,
) -> Catalog:
    """Keep whole the tables that one model call selects; where it selects none, keep the whole catalog."""
    asking = Asking(answer, style, temperature, max_tokens, repair)
    named = select(question, catalog, tools, asking, TABLES)
    if not named.found:
        return fall_back(catalog, tools, "the model selected no table of the catalog")
    return keep_entities(catalog, (element.entity for element in named.found))
