"""SQL: which elements of a catalog a query references, and a catalog as the text of a prompt.

What counts as a reference, wherever a choice had to be made:

- A table counts when it is mentioned, also in a common table expression that nothing uses; its only role is ``from``.
- A column counts for the table that owns it, through aliases, inner queries, correlation, USING and NATURAL.
- A name resolves as in its dialect: the innermost scope first, a column before an alias, in ORDER BY the SELECT list's
  names first. An unqualified name that several tables own, which a database may refuse, goes to the first of them.
- A star references every column of the tables it covers, but for ``COUNT(*)`` and a star directly in EXISTS: none.
- A reference to a column of an inner query (or to an alias, or to a column's number) is a reference, in the same role,
  to every field beneath that column; those fields also have the role of the place where they stand themselves.
- ``output`` is the outermost SELECT list (every branch of a set operation, and what a scalar query in it returns),
  ``nested`` the SELECT list of an inner query, also of a common table expression. ``filter`` is WHERE, HAVING, QUALIFY
  and an aggregate's FILTER; ``join`` ON, USING, NATURAL and the arguments of a table function; ``group`` GROUP BY,
  DISTINCT ON and PARTITION BY; ``order`` ORDER BY, also a window's or an aggregate's own. CASE, IN and the like have
  the role of the clause that they stand in. A join condition written in WHERE is a ``filter``.
- In SQLite, an unqualified name in double quotes that resolves to nothing is a string; ``rowid`` is the one INTEGER
  primary key, or no field. Elsewhere, a path (``a.b.c``, ``a:b``) references the column it starts from.
"""

from typing import get_args

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Reference, Referenced, Role
from tasks.languages._sql_limit import limited
from tasks.languages._sql_parse import parse
from tasks.languages._sql_prompt import clean, messages
from tasks.languages._sql_render import STYLES, qualified, quoted, render
from tasks.languages._sql_scopes import Reader
from tasks.languages._sql_sources import Scope

__all__ = ["STYLES", "clean", "limited", "messages", "qualified", "quoted", "referenced", "render"]
ROLES: tuple[Role, ...] = get_args(Role)


def referenced(query: str, catalog: Catalog) -> Referenced:
    """The elements of ``catalog`` that one query references with their roles, and the names that it does not have.

    Entities come first, in the order of their mention from the outermost FROM inwards, then fields. Raises a Failure
    ``parse_error`` for what is not exactly one SELECT or set operation over at least one table.

    >>> from schemas.catalog import Entity, Field
    >>> shop = Catalog("shop", (Entity("item", (Field("Name"), Field("price"))),))
    >>> for reference in referenced("SELECT count(*) FROM ITEM AS i WHERE i.name = 'pen'", shop).references:
    ...     print(reference.element, reference.roles)
    item ('from',)
    item.Name ('filter',)
    >>> referenced("SELECT weight FROM item, shelf", shop).unknown
    ('shelf', 'weight')
    """
    tree = parse(query, catalog.dialect)
    reader = Reader(query, catalog)
    try:
        reader.query(tree, Scope(), outermost=True)
    except RecursionError as error:
        raise Failure("parse_error", "nested too deeply to be read") from error
    if not reader.entities and not reader.unknown:
        raise Failure("parse_error", "references no table")
    entities = [Reference(name, roles=("from",)) for name in reader.entities]
    fields = [
        Reference(element.entity, element.field, tuple(role for role in ROLES if role in roles))
        for element, roles in reader.fields.items()
    ]
    return Referenced((*entities, *fields), tuple(reader.unknown))
