"""Which reasons for a discard are accepted: a rule that code can decide.

A reason is refused

1. where it guesses at need (``probably not needed``, ``irrelevant``, ``unlikely to be used`` and the like), or
2. where it argues from the question's silence (``not mentioned in the question``, ``the user does not ask for it``),
   in whatever words around it: an item may be needed to join, filter or order although no word of the question says so;
3. where it does not cite the item's own semantics: one word at least has to be a segment of the field's own name (of a
   table: of its name or of a column's), a word of its type or description, or one of its sample values or statistics;
4. where it says next to nothing besides: fewer than four words that are not the item's name.

What passes may still be a bad reason; the record keeps it, and the study of stages tells how precise discards are.
"""

import re
from collections.abc import Iterable

FEW = r"\W+(?:\w+\W+){0,3}?"
NEEDED = (
    r"(?:need|necess|relevan|requir|useful|used|important|helpful|help|pertinent|essential|related|matter|contribut)\w*"
)
ASKING = r"(?:question|query|prompt|request|user|task|hint|evidence)"
SAID = r"(?:mention|ask|refer|specif|request|talk|speak)\w*"
NEGATION = re.compile(r"(?<=\w)n['’]?t\b|\b(?<=[dst])nt\b")
NEED = re.compile(
    rf"""\b(?: (?:not|never|no\ longer|hardly|barely|without){FEW}{NEEDED}
    | un(?:necess|need|import|relat|like|requir)\w*
    | irrelevan\w* | useless\w* | superfluous | unlikely
    | no\W+(?:\w+\W+){{0,2}}?(?:need|use|relevance|reason)
    | probabl[ey] | likely | perhaps | maybe | possibly | presumably | apparently | seem\w* | appears?\ (?:to|un|ir)
    | i\ (?:think|believe|guess|suppose|assume) )\b""",
    re.VERBOSE,
)
SILENCE = re.compile(
    rf"""\b(?: (?:not|never|nowhere){FEW}{SAID}
    | (?:no|without|lacks?){FEW}(?:mention|reference|hint|word)\w*
    | {ASKING}{FEW}(?:not|never|only|nothing)
    | (?:absent|missing|outside|out|beyond)\W+(?:\w+\W+){{0,5}}?{ASKING}
    | not{FEW}(?:in|part\ of|from|by)\W+(?:\w+\W+){{0,2}}?{ASKING}
    | nobody | no\ one )\b""",
    re.VERBOSE,
)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+s?(?![a-z])|\d+(?:[.:-]\d+)*|[^\W\d_A-Za-z]+")


def _stem(word: str) -> str:
    """A word in lower case, without a plural's s."""
    low = word.lower()
    return low[:-1] if len(low) > 2 and low.endswith("s") and low[-2] not in "su" else low


COMMON = frozenset(
    map(
        _stem,
        WORD.findall("""
        a an and are as at be been but by can column columns data database field fields for from has have if in into is
        it its item no not of on one only or other so such table tables than that the their them there these they this
        to value values was were what when where which while who will with would text number varchar
        """),
    )
)
LEAST_WORDS = 4
GUESSES = "it guesses at need, but what is kept in doubt costs little"
SILENT = "it argues from what the question does not say, but queries need more than what is said"


def objection(reason: str, name: str, semantics: Iterable[str]) -> str:
    """Why a reason does not do for an item of that name; empty where it does. ``semantics`` are texts about the item.

    >>> objection("probably not needed", "fax", ["fax", "TEXT"])
    'it guesses at need, but what is kept in doubt costs little'
    >>> objection("the fax number of the shop cannot tell which items were sold", "fax", ["fax", "TEXT"])
    ''
    """
    plain = NEGATION.sub(" not", reason.lower().replace("won't", "will not").replace("can't", "can not"))
    if NEED.search(plain):
        return GUESSES
    if SILENCE.search(plain):
        return SILENT
    said = words(reason)
    if not said & _words_of(semantics):
        return f"it does not cite what {name} is: a part of its name, its type, its description or its values"
    own = set(map(_stem, WORD.findall(name)))
    if sum(1 for word in WORD.findall(reason) if _stem(word) not in own) < LEAST_WORDS:
        return f"it says nothing of {name} besides its name"
    return ""


def words(text: str) -> set[str]:
    """The words of a text that carry meaning, in lower case and without a plural's s.

    >>> sorted(words("CustomerIDs of the unit_prices"))
    ['customer', 'id', 'price', 'unit']
    """
    return {_stem(word) for word in WORD.findall(text)} - COMMON


def _words_of(texts: Iterable[str]) -> set[str]:
    return set().union(*map(words, texts))
