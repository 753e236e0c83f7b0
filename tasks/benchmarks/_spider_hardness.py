"""How hard a query of Spider is, by the rules of its official evaluation: parts of the parsed query are counted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LIKE = 9


def hardness(sql: Mapping[str, Any]) -> str:
    """``easy``, ``medium``, ``hard`` or ``extra``, from the ``sql`` field of an item of Spider.

    Two clauses with two others are ``extra`` while three are ``hard``: the official rules have this gap.

    >>> plain = {"select": [False, [[0, [0, [0, 1, False], None]]]], "from": {"conds": [], "table_units": [1]}}
    >>> hardness(plain | dict.fromkeys(("where", "groupBy", "having", "orderBy"), []))
    'easy'
    """
    clauses, nested, others = _clauses(sql), _nested(sql), _others(sql)
    if nested:
        return "hard" if clauses <= 1 and others == 0 and nested <= 1 else "extra"
    if clauses <= 1 and others == 0:
        return "easy"
    if (clauses <= 1 and others <= 2) or (clauses <= 2 and others < 2):
        return "medium"
    if (clauses <= 2 and others > 2) or (clauses == 3 and others <= 2):
        return "hard"
    return "extra"


def _conditions(sql: Mapping[str, Any]) -> list[Any]:
    """The conditions of ON, WHERE and HAVING; a clause alternates conditions and their connectives."""
    return [*sql["from"]["conds"][::2], *sql["where"][::2], *sql["having"][::2]]


def _clauses(sql: Mapping[str, Any]) -> int:
    """Clauses that are there, joins, ``or`` and ``like``."""
    clauses: int = sum(bool(sql[clause]) for clause in ("where", "groupBy", "orderBy"))
    limit = sql.get("limit") is not None
    joins: int = max(len(sql["from"]["table_units"]) - 1, 0)
    connectives = [*sql["from"]["conds"][1::2], *sql["where"][1::2], *sql["having"][1::2]]
    likes: int = sum(condition[1] == LIKE for condition in _conditions(sql))
    return clauses + limit + joins + connectives.count("or") + likes


def _nested(sql: Mapping[str, Any]) -> int:
    """Subqueries in conditions, and set operations."""
    inner = sum(isinstance(value, dict) for condition in _conditions(sql) for value in condition[3:5])
    return inner + sum(sql.get(operation) is not None for operation in ("intersect", "except", "union"))


def _others(sql: Mapping[str, Any]) -> int:
    """More than one aggregate, output column, WHERE condition or grouping column.

    The official rules count a negated condition as an aggregate, as it stands in the same place of its tuple.
    """
    outputs, order = sql["select"][1], sql["orderBy"][1] if sql["orderBy"] else []
    ordered = [column for unit in order for column in unit[1:3] if column]
    units = (outputs, sql["where"][::2], sql["groupBy"], ordered, sql["having"][::2])
    aggregates = sum(map(_aggregates, units))
    several: tuple[Sequence[Any], ...] = (outputs, sql["where"], sql["groupBy"])
    return (aggregates > 1) + sum(len(units) > 1 for units in several)


def _aggregates(units: Iterable[Any]) -> int:
    return sum(unit[0] != 0 for unit in units)
