"""Reading the text of one Cypher query, strictly: what writes, or returns nothing, is junk here."""

import re
from collections.abc import Iterator
from typing import Any

from cypherast import ast
from cypherast.errors import CypherastError

from schemas.errors import Failure
from tasks.languages._cypher_grammar import Grammar

WRITES = (
    *(ast.Create, ast.Merge, ast.Set, ast.Delete, ast.Remove, ast.RemoveLabels, ast.Foreach, ast.Insert),
    *(ast.LoadCsv, ast.AdminStatement),
)
PLACE = re.compile(r"^\[\w+\] ")


def parse(query: str) -> ast.AstNode:
    """Parse the one reading query that a text is; anything else is a Failure ``parse_error``."""
    text = re.sub(r"[\s;]+$", "", query)
    if not text:
        raise Failure("parse_error", "the text is empty")
    try:
        tree: ast.AstNode = Grammar(text).parse()
    except CypherastError as error:
        first = PLACE.sub("", (str(error).splitlines() or [type(error).__name__])[0])
        raise Failure("parse_error", first) from error
    except (RecursionError, ValueError) as error:
        raise Failure("parse_error", f"cannot be read ({type(error).__name__})") from error
    for node in nodes(tree):
        if isinstance(node, WRITES):
            raise Failure("parse_error", f"contains {type(node).__name__.upper()}")
        if isinstance(node, (ast.With, ast.Return)) and node.args.get("group_by"):
            raise Failure("parse_error", "contains GROUP BY, which Cypher has not")
    for part in _branches(tree.args["this"]):
        if not isinstance(part.args["clauses"][-1], (ast.Return, ast.CallProcedure)):
            raise Failure("parse_error", "returns nothing")
    return tree


def nodes(value: Any) -> Iterator[ast.AstNode]:
    """Every node of a tree, those inside of pairs included."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.AstNode):
            yield item
            stack += reversed(item.args.values())
        elif isinstance(item, list | tuple):
            stack += reversed(item)


def _branches(node: ast.AstNode) -> Iterator[ast.Query]:
    if isinstance(node, ast.Query):
        yield node
    elif isinstance(node, (ast.Union, ast.Next)):
        yield from _branches(node.args["this"])
        yield from _branches(node.args["expression"])
    else:
        raise Failure("parse_error", f"a statement of kind {type(node).__name__}")


def limited(query: str, dialect: str, rows: int) -> str:
    """The query with at most so many rows; raises a Failure ``parse_error`` for what is not one reading query.

    >>> limited("MATCH (t:Town) RETURN t.name;", "cypher", 5)
    'MATCH (t:Town) RETURN t.name\\nLIMIT 5'
    >>> limited("MATCH (t:Town) RETURN t.name LIMIT 50", "cypher", 5)
    'CALL {\\nMATCH (t:Town) RETURN t.name LIMIT 50\\n}\\nRETURN * LIMIT 5'
    >>> limited("MATCH (t:Town) RETURN t.name LIMIT 2", "cypher", 5)
    'MATCH (t:Town) RETURN t.name LIMIT 2'
    """
    tree = parse(query).args["this"]
    text = re.sub(r"[\s;]+$", "", query)
    last = tree.args["clauses"][-1] if isinstance(tree, ast.Query) else None
    limit = last.args.get("limit") if isinstance(last, ast.Return) else None
    if isinstance(last, ast.Return) and limit is None:
        return f"{text}\nLIMIT {rows}"
    count = limit.args["this"] if limit else None
    if isinstance(count, ast.Integer) and count.args["this"] <= rows:
        return text
    return f"CALL {{\n{text}\n}}\nRETURN * LIMIT {rows}"
