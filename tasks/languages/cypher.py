"""Cypher: which elements of a graph's catalog a query references, and a catalog as the text of a prompt.

What counts as a reference, wherever a choice had to be made:

- Names are Cypher's: case counts. Labels and relationship types count when they are mentioned, in a pattern, in a
  label expression (denied ones too), in ``n:Label``, or compared with ``type(r)`` or ``labels(n)``; their role is
  ``from``. Their order is that of their mention.
- A property counts for every label or type that is asserted of its variable anywhere in the query and has it. Where
  nothing is asserted, it counts for all that the variable can be by the catalog's patterns (type, direction, the
  labels at the other end), and these entities then count too, after those mentioned.
- Properties are followed through WITH, UNWIND, lists, maps, paths, comprehensions and inner queries; a part of a value
  (``n.day.year``) is a reference to the property. ``n['name']`` is a property.
- A node or relationship that is returned, counted or compared as a whole has the role of that place; it references its
  entity, and none of its properties. ``n {.*}`` and ``properties(n)`` reference all properties.
- ``output`` is the outermost RETURN (of every branch of a UNION), ``nested`` the items of WITH, UNWIND and the RETURN
  of an inner query; a variable that WITH only passes on is not used by it. ``filter`` is WHERE, properties inside of
  patterns, a procedure's arguments, SKIP and LIMIT; ``group`` what stands beside an aggregate; ``order`` ORDER BY.
  A comprehension has the role of the clause that it stands in, but for its condition.
- A reference to an alias is a reference, in the same role, to everything beneath it.
- Only queries that read and return are read: whatever writes is a Failure ``parse_error``.
"""

from typing import get_args

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Reference, Referenced, Role
from tasks.languages._cypher_parse import limited, parse
from tasks.languages._cypher_prompt import clean, messages
from tasks.languages._cypher_reader import Reader
from tasks.languages._cypher_render import STYLES, quoted, render
from tasks.languages._cypher_render import quoted as qualified

__all__ = ["STYLES", "clean", "limited", "messages", "qualified", "quoted", "referenced", "render"]
ROLES: tuple[Role, ...] = get_args(Role)


def referenced(query: str, catalog: Catalog) -> Referenced:
    """The elements of ``catalog`` that one query references with their roles, and the names that it does not have.

    Entities come first, in the order of their mention, then fields. Raises a Failure ``parse_error`` for what is not
    exactly one reading query over at least one label, relationship type or property.

    >>> from schemas.catalog import Entity, Field, Relation
    >>> town, fair = (Entity(name, (Field("name"),), "node") for name in ("Town", "Fair"))
    >>> held = Entity("HELD_IN", (Field("days"),), "relationship")
    >>> fairs = Catalog("fairs", (town, fair, held), (Relation("Fair", "Town", via="HELD_IN"),), "cypher")
    >>> query = "MATCH (f:Fair)-[h:HELD_IN]->(t) WHERE h.days > 3 RETURN t.name, f.price"
    >>> for reference in referenced(query, fairs).references:
    ...     print(reference.element, reference.roles)
    Fair ('from',)
    HELD_IN ('from',)
    Town ('from',)
    HELD_IN.days ('filter',)
    Town.name ('output',)
    >>> referenced(query, fairs).unknown
    ('Fair.price',)
    """
    tree = parse(query)
    reader = Reader(catalog)
    try:
        reader.statement(tree.args["this"], {}, outermost=True)
        entities, fields = reader.references()
    except RecursionError as error:
        raise Failure("parse_error", "nested too deeply to be read") from error
    if not entities and not reader.unknown:
        raise Failure("parse_error", "references no label, relationship type or property")
    found = [Reference(name, "", _ordered({*roles, "from"})) for name, roles in entities.items()]
    found += [Reference(element.entity, element.field, _ordered(roles)) for element, roles in fields.items()]
    return Referenced(tuple(found), tuple(reader.unknown))


def _ordered(roles: set[Role]) -> tuple[Role, ...]:
    return tuple(role for role in ROLES if role in roles)
