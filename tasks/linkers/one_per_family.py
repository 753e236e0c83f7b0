"""One table of every family: shards, partitions and the like stand for each other (see ``schemas.families``).

Not a method of its own but a step before one: ``one_per_family > similarity`` ranks every table once, and a model's
prompt shows it once. Where a benchmark counts the shards of a table as one, nothing is lost by it.
"""

from schemas.catalog import Catalog
from schemas.families import families
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._memo import per_catalog


def link(question: Question, catalog: Catalog, tools: Tools, *, schemas: bool = False) -> Catalog:
    """Keep whole the first table of every family, and every table without one; ``schemas`` groups across schemas."""
    return _first(catalog, schemas) or catalog


@per_catalog
def _first(catalog: Catalog, schemas: bool) -> Catalog | None:
    others = {name for family in families(catalog, schemas=schemas) for name in family.members[1:]}
    if not others:
        return None
    return catalog.keep_whole(entity.name for entity in catalog.entities if entity.name not in others)
