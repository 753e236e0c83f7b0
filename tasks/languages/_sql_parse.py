"""Reading the text of one query, strictly: what sqlglot lets pass as an alias or a column is junk here."""

import logging
from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import TokenType

from schemas.errors import Failure

BEGINNINGS = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.FROM, TokenType.VALUES}

logging.getLogger("sqlglot").setLevel(logging.CRITICAL + 1)


def parse(query: str, dialect: str) -> exp.Query:
    """Parse the one SELECT or set operation that ``query`` is; anything else is a Failure ``parse_error``."""
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(query)
        first = next((token for token in tokens if token.token_type is not TokenType.SEMICOLON), None)
        if first is None:
            raise Failure("parse_error", "the text is empty")
        if first.token_type not in BEGINNINGS:
            raise Failure("parse_error", f"begins with {first.text[:40]!r}, not with SELECT or WITH")
        statements = [tree for tree in sqlglot.parse(query, read=dialect) if tree and type(tree) is not exp.Semicolon]
    except SqlglotError as error:
        raise Failure("parse_error", _reason(error)) from error
    except RecursionError as error:
        raise Failure("parse_error", "nested too deeply to be read") from error
    if len(statements) != 1:
        raise Failure("parse_error", f"{len(statements)} statements instead of one")
    (tree,) = statements
    if not isinstance(tree, exp.Query):
        raise Failure("parse_error", f"a statement of kind {tree.key.upper()}, not a SELECT")
    for fault in _faults(tree):
        raise Failure("parse_error", fault)
    if dialect == "sqlite":
        _open_membership(tree)
    return tree


def _reason(error: SqlglotError) -> str:
    """Say in one line what stopped sqlglot, without its terminal colours."""
    if isinstance(error, ParseError) and error.errors:
        found = error.errors[0]
        near = f" near {found['highlight']!r}" if found.get("highlight") else ""
        return f"{found['description']}{near} (line {found['line']}, column {found['col']})"
    return " ".join(f"{error.__cause__ or error}".split())


def _faults(tree: exp.Query) -> Iterator[str]:
    """What no reader may count as a query although it parses."""
    tables = False
    for node in tree.walk():
        tables = tables or isinstance(node, exp.Table)
        if isinstance(node, (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Command)):
            yield f"contains {node.key.upper()}"
        elif isinstance(node, exp.Select) and node.args.get("into"):
            yield "SELECT INTO writes a table"
        elif isinstance(node, exp.Select) and not node.expressions:
            yield "a SELECT without a select list"
        elif isinstance(node, exp.Star) and _stray(node):
            yield "a star that is neither in a SELECT list nor a function's argument"
    if not tables:
        yield "references no table"


def _stray(star: exp.Star) -> bool:
    """Whether a star stands where no dialect has one: ``a = *``, ``(*)``, ``ORDER BY *``."""
    node = star.parent if isinstance(star.parent, (exp.Column, exp.Dot)) else star
    parent = node.parent if node else None
    return isinstance(parent, exp.Binary) or not isinstance(parent, (exp.Select, exp.Func, exp.Distinct))


def _open_membership(tree: exp.Query) -> None:
    """Spell SQLite's ``x IN t`` out as ``x IN (SELECT * FROM t)``: sqlglot takes the table for a column."""
    for node in list(tree.find_all(exp.In)):
        field = node.args.get("field")
        if isinstance(field, exp.Column) and isinstance(field.this, exp.Identifier):
            table = exp.Table(this=field.this, db=field.args.get("table"))
            node.set("query", exp.Subquery(this=exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))))
            node.set("field", None)
