"""Rewriting a query, meaning kept, so that an embedded engine runs it right: one pass, one function.

Patterns in conditions (``EXISTS {…}``, ``exists(…)``, bare) become pattern comprehensions, which graphdblite finds a
hundred times faster; its own ``exists(pattern)`` is true of every node.
"""

import re
from collections.abc import Callable, Sequence

from storage.engines.cypher import PAIRS, closing, following, preceding, word, words

Pass = Callable[[list[str]], list[str]]
BOOLEANS = {"WHERE", "AND", "OR", "XOR", "NOT"}
CLAUSES = {"MATCH", "OPTIONAL", "RETURN", "WITH", "UNION", "UNWIND", "CALL"}
RESERVED = {
    *("ORDER", "OR", "AND", "XOR", "NOT", "IN", "IS", "AS", "BY", "WHERE", "WITH", "MATCH", "RETURN", "UNION", "ALL"),
    *("END", "CASE", "WHEN", "THEN", "ELSE", "LIMIT", "SKIP", "ON", "SET", "CREATE", "DELETE", "CONTAINS", "STARTS"),
    *("ENDS", "DESC", "ASC", "OPTIONAL", "DISTINCT", "EXISTS", "CALL", "UNWIND", "MERGE", "REMOVE"),
}


def rewrite(query: str, passes: Sequence[Pass]) -> str:
    """The query after these passes, in their order."""
    tokens = words(query)
    for each in passes:
        tokens = each(tokens)
    return "".join(tokens)


def quote_reserved_names(tokens: list[str]) -> list[str]:
    """Put a keyword that is used as a variable into backticks, as Neo4j does not ask for.

    >>> rewrite("MATCH (order:Order)-[or:ORDERS]->() RETURN order.id ORDER BY or.n", [quote_reserved_names])
    'MATCH (`order`:Order)-[`or`:ORDERS]->() RETURN `order`.id ORDER BY `or`.n'
    """
    return [f"`{token}`" if _is_name(tokens, at) else token for at, token in enumerate(tokens)]


def _is_name(tokens: Sequence[str], at: int) -> bool:
    if tokens[at].upper() not in RESERVED:
        return False
    before, after = word(tokens, preceding(tokens, at)), word(tokens, following(tokens, at))
    if before in {".", ":", "|", "$"}:
        return False
    declared = before in {"(", "["} and after in {":", ")", "]", "*"}
    return declared or after == "." or before == "AS" or (tokens[at].upper() == "ORDER" and after != "BY")


def plain_names(tokens: list[str]) -> list[str]:
    """Write every name without backticks, variables renamed where needed: graphdblite counts no quoted variable.

    >>> rewrite("MATCH (order:`Order`)-[r:`IS`]->(`a b`) RETURN count(order), `a b`.`x`", [plain_names])
    'MATCH (_order:Order)-[r:IS]->(_a_b) RETURN count(_order), _a_b.x'
    """
    return [_plain_name(tokens, at) for at in range(len(tokens))]


def _plain_name(tokens: Sequence[str], at: int) -> str:
    token = tokens[at]
    if not token.startswith("`"):
        return f"_{token}" if _is_name(tokens, at) else token
    name = token[1:-1]
    plain = bool(re.fullmatch(r"[A-Za-z_]\w*", name))
    before = word(tokens, preceding(tokens, at))
    key = before in {"{", ","} and word(tokens, following(tokens, at)) == ":"
    if key or before in {".", ":", "|", "&"}:
        return name if plain else token
    return name if plain and name.upper() not in RESERVED else "_" + re.sub(r"[^A-Za-z0-9_]", "_", name)


def count_by_comprehension(tokens: list[str]) -> list[str]:
    """Write ``COUNT {pattern}`` and ``size((a)-->(b))`` as the size of a list.

    >>> rewrite("MATCH (n) RETURN COUNT {(n)-->(m) WHERE m.age > 3} AS c", [count_by_comprehension])
    'MATCH (n) RETURN size([(n)-->(m) WHERE m.age > 3 | 1]) AS c'
    """
    return _replace(tokens, {"COUNT": "{", "SIZE": "("}, ("size([", " | 1])"))


def exists_by_comprehension(tokens: list[str]) -> list[str]:
    """Write ``EXISTS {pattern}``, ``exists(pattern)`` and a bare pattern of a condition as a list that is not empty.

    >>> rewrite("MATCH (n) WHERE NOT (n)-->() RETURN n", [exists_by_comprehension])
    'MATCH (n) WHERE NOT (size([(n)-->() | 1]) > 0) RETURN n'
    """
    tokens = _replace(tokens, {"EXISTS": "{("}, ("(size([", " | 1]) > 0)"))
    for at in reversed(range(len(tokens))):
        if tokens[at] == "(" and _in_condition(tokens, at) and (end := pattern_end(tokens, at)) > 0:
            tokens[at : end + 1] = ["(size([", *tokens[at : end + 1], " | 1]) > 0)"]
    return words("".join(tokens))


def _replace(tokens: list[str], calls: dict[str, str], around: tuple[str, str]) -> list[str]:
    """Replace calls of these names whose argument is one pattern, inner ones first."""
    for at in reversed(range(len(tokens))):
        opening = following(tokens, at)
        if word(tokens, opening) and word(tokens, opening) in calls.get(tokens[at].upper(), ""):
            end = closing(tokens, opening)
            pattern = (
                _pattern(tokens[opening + 1 : end]) if end > 0 and word(tokens, preceding(tokens, at)) != "." else ""
            )
            if pattern:
                tokens[at : end + 1] = words(f"{around[0]}{pattern}{around[1]}")
    return tokens


def _pattern(tokens: list[str]) -> str:
    """One relationship pattern with its WHERE, without MATCH; empty where there is more or less than that."""
    start = following(tokens, -1)
    if word(tokens, start) == "MATCH":
        start = following(tokens, start)
    end = pattern_end(tokens, start)
    if end < 0:
        return ""
    rest = following(tokens, end)
    alone = rest >= len(tokens) or word(tokens, rest) == "WHERE"
    depth = 0
    for token in tokens[end + 1 :]:
        depth += (token in PAIRS) - (token in PAIRS.values())
        alone = alone and not (depth == 0 and token.upper() in CLAUSES)
    return "".join(tokens[start:]).strip() if alone else ""


def pattern_end(tokens: Sequence[str], at: int) -> int:
    """The place where a pattern of nodes and relationships ends that starts here; -1 where none does."""
    links = 0
    while word(tokens, at) == "(" and (node := closing(tokens, at)) > 0:
        at = _link_end(tokens, node)
        if at < 0:
            return node if links else -1
        links += 1
    return -1


def _link_end(tokens: Sequence[str], node: int) -> int:
    """The place of the next node's bracket after a relationship; -1 where no relationship follows the node."""
    at = following(tokens, node)
    at = following(tokens, at) if word(tokens, at) == "<" else at
    if word(tokens, at) != "-":
        return -1
    at = following(tokens, at)
    if word(tokens, at) == "[":
        end = closing(tokens, at)
        at = following(tokens, end) if end > 0 else len(tokens)
    if word(tokens, at) != "-":
        return -1
    at = following(tokens, at)
    at = following(tokens, at) if word(tokens, at) == ">" else at
    return at if word(tokens, at) == "(" else -1


def _in_condition(tokens: Sequence[str], at: int) -> bool:
    before = preceding(tokens, at)
    while word(tokens, before) == "(":
        before = preceding(tokens, before)
    return word(tokens, before) in BOOLEANS
