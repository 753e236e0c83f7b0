"""Rewriting a query so that graphdblite 0.1.2 gives what Neo4j gives where it is silently wrong or reads less."""

import re
from collections.abc import Sequence

from storage.engines.cypher import PAIRS, closing, following, preceding, split, word, words

ITEMS_END = {"ORDER", "SKIP", "LIMIT", "OFFSET", "UNION", "}"}
LITERAL = re.compile(r"""(['"])(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?\1""")
EPOCH = re.compile(r"\s*\{\s*epoch(Seconds|Millis)\s*:(.*)\}\s*", re.IGNORECASE | re.DOTALL)
START = "datetime('1970-01-01T00:00:00Z')"


def full_times(tokens: list[str]) -> list[str]:
    """Complete a date with time that lacks time or offset, and add seconds since 1970 instead of leaving them out.

    >>> "".join(full_times(words("RETURN datetime('2017-01-01'), datetime({epochSeconds: n.at})")))
    "RETURN datetime('2017-01-01T00:00:00Z'), (datetime('1970-01-01T00:00:00Z') + duration({seconds: n.at}))"
    """
    for at in reversed(range(len(tokens))):
        opening = following(tokens, at)
        name = tokens[at].upper()
        if name not in {"DATETIME", "LOCALDATETIME"} or word(tokens, opening) != "(":
            continue
        end = closing(tokens, opening)
        inside = "".join(tokens[opening + 1 : end]) if end > 0 else ""
        if found := LITERAL.fullmatch(inside.strip()):
            offset = (found[4] or "Z") if name == "DATETIME" else ""
            tokens[opening + 1 : end] = [f"'{found[2]}{found[3] or 'T00:00:00'}{offset}'"]
        elif (found := EPOCH.fullmatch(inside)) and name == "DATETIME":
            unit = "seconds" if found[1].casefold() == "seconds" else "milliseconds"
            tokens[at : end + 1] = words(f"({START} + duration({{{unit}:{found[2]}}}))")
    return tokens


def round_by_power(tokens: list[str]) -> list[str]:
    """Write ``round(x, 2)`` as a division: graphdblite leaves the second argument out of account.

    >>> "".join(round_by_power(words("RETURN round(avg(n.age), 1) AS mean")))
    'RETURN (round((avg(n.age)) * 10.0) / 10.0) AS mean'
    """
    for at in reversed(range(len(tokens))):
        opening = following(tokens, at)
        if tokens[at].upper() != "ROUND" or word(tokens, opening) != "(":
            continue
        end = closing(tokens, opening)
        parts = ["".join(part).strip() for part in split(tokens[opening + 1 : end])] if end > 0 else []
        if len(parts) == 2 and re.fullmatch(r"\d{1,2}", parts[1]):
            power = float(10 ** int(parts[1]))
            tokens[at : end + 1] = words(f"(round(({parts[0]}) * {power!r}) / {power!r})")
    return tokens


def paths_as_maps(tokens: list[str]) -> list[str]:
    """Return a path as its nodes and relationships: graphdblite gives the nodes' numbers only.

    >>> "".join(paths_as_maps(words("MATCH p = (a)-->(b) RETURN a, p LIMIT 1")))
    'MATCH p = (a)-->(b) RETURN a, {nodes: nodes(p), relationships: relationships(p)} AS `path p` LIMIT 1'
    """
    names = {tokens[at] for at in range(len(tokens)) if _names_path(tokens, at)}
    for at in reversed(range(len(tokens))) if names else ():
        if tokens[at].upper() == "RETURN":
            start, end = at + 1, _items_end(tokens, at + 1)
            items = [_path_item("".join(item), names) for item in split(tokens[start:end])]
            tokens[start:end] = words(",".join(items))
    return tokens


def _names_path(tokens: Sequence[str], at: int) -> bool:
    sign = following(tokens, at)
    value = following(tokens, sign)
    opens = word(tokens, value) in {"(", "SHORTESTPATH", "ALLSHORTESTPATHS"}
    named = bool(re.fullmatch(r"\w+|`.*`", tokens[at])) and word(tokens, sign) == "=" and opens
    return named and word(tokens, preceding(tokens, at)) in {"MATCH", ","}


def _items_end(tokens: Sequence[str], at: int) -> int:
    depth = 0
    while at < len(tokens) and not (depth == 0 and tokens[at].upper() in ITEMS_END):
        depth += (tokens[at] in PAIRS) - (tokens[at] in PAIRS.values())
        at += 1
    return at


def _path_item(item: str, names: set[str]) -> str:
    found = re.fullmatch(r"(\s*(?:DISTINCT\s+)?)(\w+|`.*`)(?:\s+AS\s+(\w+|`.*`))?(\s*)", item, re.IGNORECASE)
    if not found or found[2] not in names:
        return item
    name = f"`path {found[2].strip('`')}`" if found[3] is None else found[3]
    return f"{found[1]}{{nodes: nodes({found[2]}), relationships: relationships({found[2]})}} AS {name}{found[4]}"
