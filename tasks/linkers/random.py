"""Chance: so many tables drawn blindly, the floor that every method has to beat."""

from random import Random

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._keep import fall_back, keep_entities, vertices
from tasks.linkers._options import Count


def link(question: Question, catalog: Catalog, tools: Tools, *, size: Count = 3, seed: int = 0) -> Catalog:
    """Keep ``size`` tables or nodes whole, drawn alike on every machine for a question and a seed.

    A graph also keeps the relationship types of patterns between the nodes drawn.
    """
    names = sorted(vertices(catalog))
    if not names:
        return fall_back(catalog, tools, "the catalog has no entity to draw")
    draw = Random(f"{seed}\n{question.benchmark}\n{question.database}\n{question.id}\n{question.text}")
    return keep_entities(catalog, draw.sample(names, min(size, len(names))))
