"""Ideal schema linking: what the gold query uses, the upper bound that a paper's "ideal" stands for."""

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Level, Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back


def link(question: Question, catalog: Catalog, tools: Tools, *, level: Level = "field") -> Catalog:
    """Keep exactly the gold elements, or at level ``entity`` the gold entities with all their fields.

    Where a benchmark tells gold entities only, they are kept whole at either level; a question without gold elements
    is a Failure ``gold_error``; gold elements that an earlier linker dropped stay dropped.
    """
    if not question.gold:
        raise Failure("gold_error", question.gold_reason or f"no gold elements ({question.gold_status})")
    entities = {ref.entity for ref in question.gold if catalog.entity(ref.entity)}
    if level == "entity" or question.gold_level == "entity":
        return catalog.keep_whole(entities) if entities else fall_back(catalog, tools, "no gold entity is left")
    kept = {ref.element for ref in question.gold} & catalog.elements
    return catalog.keep(kept) if kept else fall_back(catalog, tools, "no gold element is left")
