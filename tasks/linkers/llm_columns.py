"""A model selects columns in one step: the plainest linker at field level, and the floor for EviLink's stages."""

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_elements
from tasks.linkers._names import fields
from tasks.linkers._options import Count, Temperature
from tasks.linkers._prompts import Answer, Asking, Style
from tasks.linkers._selection import Selection, select

COLUMNS = Selection(
    "columns",
    """Do not answer the question below and do not write its query: select the {field}s that the query needs, for what
it returns, filters, groups and sorts by, and the keys on both sides of its joins. Write every {field} after its {noun}
and a dot. Where the query only counts rows, name the {noun} alone.
{form}""",
    "Answer with this one line, names between commas: columns=NAME.NAME,NAME.NAME",
    fields,
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
    max_tokens: Count = 1024,
    repair: bool = False,
) -> Catalog:
    """Keep the columns that one model call selects, with their tables; where it selects none, keep all."""
    asking = Asking(answer, style, temperature, max_tokens, repair)
    named = select(question, catalog, tools, asking, COLUMNS)
    if not named.found:
        return fall_back(catalog, tools, "the model selected no element of the catalog")
    return keep_elements(catalog, named.found)
