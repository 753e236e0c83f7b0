"""Why an embedded engine refuses a query: its fault (``unsupported``: Neo4j could run it) or the query's.

The cause is what stands where the engine stopped reading, not what occurs anywhere in the query.
"""

import re
from collections.abc import Iterator

from storage.engines.cypher import closing, following, preceding, split, word, words

NODE_PATTERN = {"(", ",", "-", ">", "MATCH", "="}
NAMES = """
abs acos all allreduce any asin atan atan2 avg btrim ceil char_length character_length coalesce collect cos cosh
cot coth count date date.realtime date.statement date.transaction date.truncate datetime datetime.fromepoch
datetime.fromepochmillis datetime.realtime datetime.statement datetime.transaction datetime.truncate degrees
duration duration.between duration.indays duration.inmonths duration.inseconds e elementid endnode exists exp floor
graph.byelementid graph.byname graph.names graph.propertiesbyname haversin head id isempty isnan keys labels last
left length linenumber localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction
localdatetime.truncate localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate log
log10 lower ltrim max min nodes none normalize nullif percentilecont percentiledisc pi point point.distance
point.withinbbox properties radians rand randomuuid range reduce relationships replace reverse right round rtrim
sign sin single sinh size split sqrt startnode stdev stdevp substring sum tail tan tanh time time.realtime
time.statement time.transaction time.truncate timestamp toboolean tobooleanlist tobooleanornull tofloat tofloatlist
tofloatornull tointeger tointegerlist tointegerornull tolower tostring tostringlist tostringornull toupper trim type
upper valuetype vector.similarity.cosine vector.similarity.euclidean
"""
FUNCTIONS = frozenset(NAMES.split())
LIBRARIES = ("apoc.", "gds.", "db.", "dbms.", "genai.")


def constructs(query: str) -> Iterator[tuple[int, int, str]]:
    """What Neo4j reads and embedded engines may not: the places of its first and last sign, and its name.

    >>> list(constructs("MATCH (n) RETURN n {.name} AS n"))
    [(19, 25, 'map projection')]
    """
    tokens = words(query)
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    for at in range(len(tokens)):
        if found := _construct(tokens, at):
            name, last = found
            yield starts[at], starts[last + 1] - 1, name


def _construct(tokens: list[str], at: int) -> tuple[str, int] | None:
    """The construct that starts at a word, and its last word."""
    return next((found for rule in (_block, _call, _sign) if (found := rule(tokens, at))), None)


def _block(tokens: list[str], at: int) -> tuple[str, int] | None:
    """A word with the braces or brackets that make it a subquery or a fold."""
    here, after = word(tokens, at), following(tokens, at)
    end = closing(tokens, after) if word(tokens, after) in {"{", "("} else -1
    if end > 0 and word(tokens, after) == "{" and here in {"CALL", "COUNT", "EXISTS", "COLLECT"}:
        return f"{here} {{}}", end
    return (here.lower(), end) if end > 0 and here in {"REDUCE", "ALLREDUCE"} else None


def _call(tokens: list[str], at: int) -> tuple[str, int] | None:
    """A procedure, or a function of a library."""
    here, after = word(tokens, at), following(tokens, at)
    if here == "CALL":
        scoped = word(tokens, after) == "("
        return "CALL {}" if scoped else "procedure", len(tokens) - 1
    return (
        (f"{here} function", _call_end(tokens, at)) if here in {"APOC", "GDS"} and word(tokens, after) == "." else None
    )


def _sign(tokens: list[str], at: int) -> tuple[str, int] | None:
    """A bracket or a sign that means more in Neo4j."""
    here, after, before = word(tokens, at), following(tokens, at), word(tokens, preceding(tokens, at))
    if here == "{" and re.fullmatch(r"\w+|`.*`", before) and word(tokens, after) in {".", "}"}:
        return "map projection", max(closing(tokens, at), at)
    if here == "(" and before in NODE_PATTERN:
        return _node(tokens, at)
    if here == ")" and (word(tokens, after) == "{" or (word(tokens, after) == "+" and before == ")")):
        return "quantified path", len(tokens) - 1
    return ("type predicate", min(at + 3, len(tokens) - 1)) if here == ":" and word(tokens, at + 1) == ":" else None


def _node(tokens: list[str], at: int) -> tuple[str, int] | None:
    end = closing(tokens, at)
    inside = [token.upper() for token in tokens[at + 1 : end]] if end > 0 else []
    labels = "".join(inside).split("{")[0].split(" WHERE ")[0]
    if "(" in inside or ":" not in inside:
        return None
    if "WHERE" in inside:
        return "WHERE inside a node", end
    return ("label expression", end) if re.search(r":[^{]*[|&!%]", labels) else None


def _call_end(tokens: list[str], at: int) -> int:
    while at < len(tokens) and tokens[at] != "(" and not tokens[at].isspace():
        at += 1
    return max(closing(tokens, at), at) if at < len(tokens) else len(tokens) - 1


def cause_at(query: str, line: int, column: int) -> str:
    """The construct in which the engine stopped reading, told by line and column from 1; empty where there is none.

    >>> cause_at("MATCH (n) RETURN n {.name} AS n", 1, 20)
    'map projection'
    """
    lines = query.split("\n")
    place = sum(len(each) + 1 for each in lines[: line - 1]) + column - 1
    inside = [(last - first, name) for first, last, name in constructs(query) if first <= place <= last + 1]
    return min(inside)[1] if inside else ""


def missing(name: str) -> str:
    """The cause where the engine does not know a function or procedure; empty where Neo4j does not know it either.

    >>> missing("point"), missing("CAST"), missing("apoc.text.join")
    ('point()', '', 'apoc.text.join()')
    """
    known = name.casefold() in FUNCTIONS or name.casefold().startswith(LIBRARIES)
    return f"{name}()" if known else ""


def sorted_by_distinct(query: str) -> str:
    """The cause where a RETURN DISTINCT is ordered by properties of what it returns; empty where by something else.

    >>> sorted_by_distinct("MATCH (n) RETURN DISTINCT n ORDER BY n.x")
    'ORDER BY after DISTINCT'
    >>> sorted_by_distinct("MATCH (n) RETURN DISTINCT n.x ORDER BY n.y")
    ''
    """
    found = re.search(r".*\bRETURN\s+DISTINCT\b(.*?)\bORDER\s+BY\b(.*)", query, re.IGNORECASE | re.DOTALL)
    if not found:
        return ""
    returned = {"".join(item).strip().rpartition(" ")[2] for item in split(words(found[1]))}
    tokens = words(found[2])
    used = {
        token
        for at, token in enumerate(tokens)
        if re.fullmatch(r"[^\W\d]\w*", token)
        and token.upper() not in {"ASC", "DESC", "ASCENDING", "DESCENDING", "SKIP", "LIMIT"}
        and word(tokens, preceding(tokens, at)) != "."
        and word(tokens, following(tokens, at)) != "("
    }
    return "ORDER BY after DISTINCT" if used <= returned else ""
