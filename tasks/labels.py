"""Labels of linkers: the words that name a linker on the command line, in results and in files.

A label is ``name`` or ``name(option=value, …)``; ``first > second`` feeds the second linker with what the first kept.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from schemas.catalog import Catalog
from schemas.errors import UserError, unknown
from schemas.records import Question
from schemas.tools import Tools
from tasks import plugins
from tasks.linkers._options import Between

Value: TypeAlias = str | int | float | bool | None
Link: TypeAlias = Callable[[Question, Catalog, Tools], Catalog]
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
BARE = re.compile(r"[\w.+/:-]+")
STAGE = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stage:
    """One linker and those of its options that differ from their defaults, in the order of its signature."""

    name: str
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={_write(value)}" for name, value in self.options)
        return f"{self.name}({shown})" if shown else self.name


def parse(text: str) -> tuple[Stage, ...]:
    """Read a label, left to right; unknown names, unknown options and bad values are UserErrors.

    >>> parse("random(seed=0, size=5) > full")
    (Stage(name='random', options=(('size', 5),)), Stage(name='full', options=()))
    """
    return tuple(_stage(part, text) for part in _split(text, ">"))


def split(text: str) -> list[str]:
    """Split a list of labels at its outer commas.

    >>> split("full, random(size=3, seed=1)")
    ['full', 'random(size=3, seed=1)']
    """
    return [part.strip() for part in _split(text, ",") if part.strip()]


def label(stages: Iterable[Stage]) -> str:
    """The one spelling of a linker: overrides only, in the order of the linker's signature.

    >>> label(parse("random( seed=0,size = 5)>full()"))
    'random(size=5) > full'
    """
    return " > ".join(map(str, stages))


def linker(text: str) -> Link:
    """The function that a label names."""
    steps = [partial(plugins.load("linkers", stage.name).link, **dict(stage.options)) for stage in parse(text)]

    def link(question: Question, catalog: Catalog, tools: Tools) -> Catalog:
        for step in steps:
            catalog = step(question, catalog, tools)
        return catalog

    return link


def needs(text: str) -> frozenset[str]:
    """The tools without which a linker cannot run: ``model``, ``embedder``, ``tagger``, ``database``.

    ``embedder:NAME`` beside ``embedder`` is one of that name.

    A linker that needs tools says so in a function ``needs`` that takes its options.

    >>> sorted(needs("full"))
    []
    """
    asked: set[str] = set()
    for stage in parse(text):
        tell = getattr(plugins.load("linkers", stage.name), "needs", None)
        asked |= tell(**dict(stage.options)) if tell else set()
    return frozenset(asked)


@cache
def options(name: str) -> Mapping[str, Parameter]:
    """A linker's options: the keyword-only parameters of its ``link``, annotations evaluated."""
    parameters = signature(plugins.load("linkers", name).link, eval_str=True).parameters
    return {key: option for key, option in parameters.items() if option.kind is Parameter.KEYWORD_ONLY}


def _stage(part: str, text: str) -> Stage:
    match = STAGE.fullmatch(part)
    if match is None:
        raise UserError(f"cannot read {part.strip()!r} in linker {text!r}: write NAME or NAME(option=value, …)")
    name = match[1] if match[1] in plugins.names("linkers") else match[1].replace("-", "_")
    known = options(name)
    given: dict[str, Value] = {}
    for item in split(match[2] or ""):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if not equals:
            raise UserError(f"cannot read option {item!r} of linker {name!r}: write option=value")
        if key not in known:
            raise unknown(f"option of linker {name!r}", key, known)
        if key in given:
            raise UserError(f"option {key!r} of linker {name!r} is given twice in {text!r}")
        given[key] = _read(value, known[key].annotation, f"{key} of linker {name!r}")
    return Stage(name, tuple((key, given[key]) for key in known if key in given and _differs(given[key], known[key])))


def _differs(value: Value, option: Parameter) -> bool:
    return type(value) is not type(option.default) or value != option.default


def _split(text: str, separator: str) -> list[str]:
    """Split at separators outside parentheses and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        if depth < 0:
            break
        if character == separator and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    if depth or quote:
        raise UserError(f"cannot read {text!r}: {'a quote' if quote else 'a parenthesis'} is not closed or not opened")
    return parts


def _read(text: str, hint: Any, what: str) -> Value:
    """Turn a value's text into what its annotation asks for."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    word = text[1:-1].replace(text[0] * 2, text[0]) if quoted else text
    choices = _choices(hint)
    for choice in choices:
        try:
            return _convert(word, choice)
        except ValueError:
            continue
    literals = [str(value) for choice in choices if get_origin(choice) is Literal for value in get_args(choice)]
    if literals:
        raise unknown(f"value of option {what}:", word, literals)
    raise UserError(f"option {what} is {text!r}, must be {' or '.join(map(_describe, choices))}")


def _choices(hint: Any) -> tuple[Any, ...]:
    """The single types of an annotation."""
    if get_origin(hint) in (Union, UnionType):
        return tuple(choice for part in get_args(hint) for choice in _choices(part))
    return (hint,)


def _convert(word: str, hint: Any) -> Value:
    """Convert a word to one type, or raise ValueError."""
    if get_origin(hint) is Annotated:
        inner, bounds = get_args(hint)
        number = _convert(word, inner)
        if isinstance(number, str | NoneType) or not bounds.low <= number <= bounds.high:
            raise ValueError(word)
        return number
    if get_origin(hint) is Literal:
        return {str(value): value for value in get_args(hint)}.get(word) or _refuse(word)
    if hint is bool:
        return WORDS[word.casefold()] if word.casefold() in WORDS else _refuse(word)
    if hint is NoneType:
        return None if word.casefold() == "none" else _refuse(word)
    value: Value = hint(word)
    return value


def _refuse(word: str) -> Value:
    raise ValueError(word)


def _describe(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", NoneType: "none", str: "text"}
    if get_origin(hint) is Annotated:
        inner, bounds = get_args(hint)
        return f"{names[inner]} {bounds}" if isinstance(bounds, Between) else names[inner]
    return names[hint]


def _write(value: Value) -> str:
    if isinstance(value, str):
        return value if BARE.fullmatch(value) else "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool | NoneType) else str(value)
