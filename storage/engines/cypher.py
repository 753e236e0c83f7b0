"""Cypher's words, without a grammar: enough to refuse what is no single query, and to move brackets around."""

import re
from collections.abc import Sequence

from schemas.errors import Failure
from storage.engines.limits import NO_TEXT

TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | //[^\n]* | /\*.*?\*/ | [^\W\d]\w*
    | \d+(?:\.\d+)?(?:[eE][+-]?\d+)? | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)
PAIRS = {"(": ")", "[": "]", "{": "}"}
CHANGES = {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "LOAD", "DROP", "INSERT"}
ADMINISTRATION = {
    *("ALTER", "BEGIN", "COMMIT", "DENY", "DRYRUN", "ENABLE", "FINISH", "GRANT", "RENAME", "REVOKE", "ROLLBACK"),
    *("SHOW", "START", "STOP", "TERMINATE", "USE"),
}
BEFORE_NAMES = set(".:|&!$,(=<>+-*/%") | {
    *("AS", "WITH", "RETURN", "WHERE", "BY", "AND", "OR", "XOR", "NOT", "IN", "DISTINCT", "UNWIND", "YIELD"),
    *("CASE", "WHEN", "THEN", "ELSE", "IS", "CONTAINS"),
}
ESCAPES = re.compile(
    r"(apoc\.(?:load|import|export|cypher|periodic|trigger|systemdb|config|refactor|create|merge|schema\.assert)\b"
    r"|dbms?\.(?!labels|relationshipTypes|propertyKeys|schema|index\.fulltext\.query|components)\w+)",
    re.IGNORECASE,
)


def words(query: str) -> list[str]:
    """A query's words, literals, names, blanks and signs, its comments as blanks.

    >>> words("RETURN 1 // one")
    ['RETURN', ' ', '1', ' ', ' ']
    """
    return [" " if word.startswith(("//", "/*")) else word for word in TOKEN.findall(query)]


def following(tokens: Sequence[str], at: int) -> int:
    """The place of the next word that is not blank; the number of words where there is none."""
    at += 1
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    return at


def preceding(tokens: Sequence[str], at: int) -> int:
    """The place of the word before that is not blank; -1 where there is none."""
    at -= 1
    while at >= 0 and tokens[at].isspace():
        at -= 1
    return at


def word(tokens: Sequence[str], at: int) -> str:
    """The word at a place in capitals, empty outside the query."""
    return tokens[at].upper() if 0 <= at < len(tokens) else ""


def closing(tokens: Sequence[str], at: int) -> int:
    """The place of the bracket that closes the one here; -1 where none does."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place] in PAIRS) - (tokens[place] in PAIRS.values())
        if depth == 0:
            return place
    return -1


def split(tokens: Sequence[str], sign: str = ",") -> list[list[str]]:
    """The parts between signs that stand in no bracket."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in PAIRS) - (token in PAIRS.values())
        if token == sign and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def check_one_query(query: str) -> str:
    """The query without comments; Failure ``empty_query`` or ``forbidden`` where it is none or would change something.

    ``LOAD CSV`` and procedures that read files or run other statements are refused with the changes: a server's or an
    engine's read mode lets them pass.

    >>> check_one_query("MATCH (n) SET n.seen = true RETURN n")
    Traceback (most recent call last):
    schemas.errors.Failure: forbidden: SET is not a query
    """
    if NO_TEXT.search(query):
        raise Failure("query_error", "the query has a sign that no text has")
    tokens = words(query)
    while tokens and (tokens[-1].isspace() or tokens[-1] == ";"):
        tokens.pop()
    first = following(tokens, -1)
    if first >= len(tokens):
        raise Failure("empty_query", "there is no statement")
    if ";" in tokens:
        raise Failure("forbidden", "more than one statement")
    if word(tokens, first) in ADMINISTRATION:
        raise Failure("forbidden", f"{word(tokens, first)} is not a query")
    for at, token in enumerate(tokens):
        if token.upper() in CHANGES and _opens_clause(tokens, at):
            raise Failure("forbidden", f"{token.upper()} is not a query")
    if found := ESCAPES.search("".join(token for token in tokens if not token.startswith(("'", '"')))):
        raise Failure("forbidden", f"{found[1]} is not for queries")
    return "".join(tokens)


def _opens_clause(tokens: Sequence[str], at: int) -> bool:
    """Whether a word of change stands where a clause may start and goes on like one, so that it is not a name."""
    before, after = word(tokens, preceding(tokens, at)), word(tokens, following(tokens, at))
    if before in BEFORE_NAMES and not (before == "|" or tokens[at].upper() in {"LOAD", "FOREACH"}):
        return False
    return after.startswith(("(", "`")) or after[:1].isalpha()
