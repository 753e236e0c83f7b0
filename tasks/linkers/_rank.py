"""Elements of a catalog ranked by the cosine between a text, as a question's, and their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.catalog import Catalog, Element, Entity
from schemas.tools import Embedder, Tools
from tasks.linkers._memo import per_catalog
from tasks.linkers._paths import shared_path

Against = Literal["question", "terms", "both"]
Texts = Literal["names", "passages"]
BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")
FEW = 512
WORD = re.compile(r"\w+")
COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be been by did do does each find for from give had has have how in is it its list many me
        more most much of on or out over per please show than that the their them there these they this those to was
        were what when where which who whom whose will with
        """,
    )
)


@dataclass(frozen=True)
class _Known:
    """An embedder that equals another of its name, so that what it embedded can be found again."""

    name: str
    embedder: Embedder = field(compare=False)


@dataclass(frozen=True)
class _Embedded:
    """Texts as rows of unit length, grouped by entity, each entity's group from its ``starts`` on."""

    elements: tuple[Element, ...]
    rows: NDArray[np.float32]
    starts: NDArray[np.intp]
    entities: tuple[Element, ...]


def ranked_entities(
    text: str, catalog: Catalog, tools: Tools, texts: Texts, against: Against = "question"
) -> Iterator[tuple[Element, float]]:
    """Entities and the highest cosine of any of their texts, best first, ties in the catalog's order.

    Text ``names``: the entity's name, and each of its fields' names after it; ``passages``: one text with all names.
    Cosines are rounded to four decimals, so that the last bits of a batch do not decide.
    """
    known = _embedded(catalog, texts, _known(tools))
    if known.entities:
        cosines = np.maximum.reduceat(_cosines(text, known, tools, against), known.starts)
        yield from _sorted(known.entities, cosines)


def ranked_fields(
    text: str, catalog: Catalog, tools: Tools, against: Against = "question"
) -> Iterator[tuple[Element, float]]:
    """Fields and the cosine of their name after their entity's, best first, ties in the catalog's order."""
    known = _embedded(catalog, "names", _known(tools))
    if known.entities:
        ranked = _sorted(known.elements, _cosines(text, known, tools, against))
        yield from ((element, cosine) for element, cosine in ranked if element.field)


def words(name: str) -> str:
    """A name as words: cut at underscores, spaces, punctuation and camel case, in lower case.

    >>> words("CustomerID"), words("unit_price"), words("HTTPServer2Log")
    ('customer id', 'unit price', 'http server2 log')
    """
    return " ".join(BREAK.sub(" ", name).split()).lower() or name


def terms(text: str) -> list[str]:
    """The words of a question that carry meaning, and the pairs of such words next to each other.

    >>> terms("What is the unit price?")
    ['unit', 'price', 'unit price']
    """
    kept = [word for word in WORD.findall(text.lower()) if word not in COMMON]
    return list(dict.fromkeys([*kept, *(f"{one} {two}" for one, two in pairwise(kept))]))


def _known(tools: Tools) -> _Known:
    embedder = tools.need_embedder()
    return _Known(embedder.name, embedder)


@per_catalog
def _embedded(catalog: Catalog, texts: Texts, known: _Known) -> _Embedded:
    elements: list[Element] = []
    lines: list[str] = []
    starts: list[int] = []
    path = shared_path(catalog)
    for entity in catalog.entities:
        starts.append(len(lines))
        for element, line in _lines(entity, texts, path):
            elements.append(element)
            lines.append(line)
    rows = known.embedder.encode(lines)
    entities = tuple(Element(entity.name) for entity in catalog.entities)
    return _Embedded(tuple(elements), rows, np.array(starts, np.intp), entities)


def _lines(entity: Entity, texts: Texts, path: str) -> list[tuple[Element, str]]:
    name = words(entity.name.removeprefix(path))
    if texts == "passages":
        names = ", ".join(words(one.name) for one in entity.fields)
        return [(Element(entity.name), f"{name}: {names}" if names else name)]
    fields = [(Element(entity.name, one.name), f"{name} {words(one.name)}") for one in entity.fields]
    return [(Element(entity.name), name), *fields]


def _cosines(text: str, known: _Embedded, tools: Tools, against: Against) -> NDArray[np.float32]:
    """The highest cosine of each text to a text, its terms, or both."""
    lines = [] if against == "question" else terms(text)
    if against != "terms" or not lines:
        lines.append(text)
    asked = tools.need_embedder().encode(lines)
    cosines: NDArray[np.float32] = known.rows @ asked[0] if len(lines) == 1 else (known.rows @ asked.T).max(axis=1)
    return cosines


def _sorted(elements: tuple[Element, ...], cosines: NDArray[np.float32]) -> Iterator[tuple[Element, float]]:
    """Elements by falling cosine; the best few hundred are sorted first, since seldom more are wanted."""
    rounded = np.round(cosines.astype(np.float64), 4)
    cut = np.partition(rounded, -FEW)[-FEW] if len(rounded) > FEW else -np.inf
    for part in (np.flatnonzero(rounded >= cut), np.flatnonzero(rounded < cut)):
        order = part[np.argsort(-rounded[part], kind="stable")]
        yield from ((elements[place], float(rounded[place])) for place in order)
