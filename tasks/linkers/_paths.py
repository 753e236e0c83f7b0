"""Names of tables without what stands before them: a database and a schema, where an engine has such."""

from itertools import takewhile

from schemas.catalog import Catalog

UNDIVIDED = ("sqlite", "cypher")


def own_name(name: str, catalog: Catalog) -> str:
    """A table's name without database and schema; in SQLite and in graphs a dot is a part of the name.

    >>> own_name("SHOP.PUBLIC.ITEM", Catalog("shop", dialect="snowflake")), own_name("a.b", Catalog("shop"))
    ('ITEM', 'a.b')
    """
    return name if catalog.dialect in UNDIVIDED else name.rpartition(".")[2]


def shared_path(catalog: Catalog) -> str:
    """What all names of tables begin with, up to a dot: it tells none from another, and a text for it only costs.

    >>> from schemas.catalog import Entity
    >>> shared_path(Catalog("D", (Entity("D.SALES.ITEM"), Entity("D.SALARIES.STAFF")), dialect="snowflake"))
    'D.'
    """
    names = [entity.name for entity in catalog.entities if catalog.dialect not in UNDIVIDED]
    pairs = zip(min(names, default=""), max(names, default=""), strict=False)
    shared = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared[: shared.rfind(".") + 1]
