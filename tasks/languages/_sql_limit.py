"""A query with a limit on its rows, put there in its syntax tree."""

from sqlglot import exp

from tasks.languages._sql_parse import parse


def limited(query: str, dialect: str, rows: int) -> str:
    """The query with at most so many rows; raises a Failure ``parse_error`` for what is not one SELECT.

    A limit of its own that is a smaller number stays; one that is not a number is kept inside and limited from outside.

    >>> limited("SELECT name FROM item ORDER BY price LIMIT 50", "sqlite", 5)
    'SELECT name FROM item ORDER BY price LIMIT 5'
    >>> limited("SELECT name FROM item LIMIT 2", "sqlite", 5)
    'SELECT name FROM item LIMIT 2'
    """
    tree = parse(query, dialect)
    limit = tree.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if limit is None:
        tree = tree.limit(rows)
    elif isinstance(count, exp.Literal) and count.is_int:
        tree = tree.limit(min(rows, int(count.name)))
    else:
        tree = exp.select("*").from_(tree.subquery("probed")).limit(rows)
    return tree.sql(dialect)
