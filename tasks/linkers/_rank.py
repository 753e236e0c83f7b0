"""Elements of a catalog ranked by how near their texts are to another, as a question's, in an embedder's space."""

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
Function = Literal["cosine", "manhattan"]
ROWS = 4096
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
class Measure:
    """What is compared, and how: ``model`` names another embedder than the run's.

    Rows have unit length, so that a dot product is the cosine, and Euclidean and angular distance order as it does;
    ``manhattan`` does not: 1 - Σ|a - b| / √(2 dimensions), 1 for equal texts.
    """

    against: Against = "question"
    model: str = ""
    function: Function = "cosine"


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


DEFAULT = Measure()


def ranked_entities(
    text: str, catalog: Catalog, tools: Tools, texts: Texts, measure: Measure = DEFAULT
) -> Iterator[tuple[Element, float]]:
    """Entities and the nearness of the nearest of their texts, best first, ties in the catalog's order.

    Text ``names``: the entity's name, and each of its fields' names after it; ``passages``: one text with all names.
    It is rounded to four decimals, so that the last bits of a batch do not decide.
    """
    space = _known(tools, measure.model)
    known = _embedded(catalog, texts, space)
    if known.entities:
        values = np.maximum.reduceat(_nearness(text, known, space.embedder, measure), known.starts)
        yield from _sorted(known.entities, values)


def ranked_fields(
    text: str, catalog: Catalog, tools: Tools, measure: Measure = DEFAULT
) -> Iterator[tuple[Element, float]]:
    """Fields and the nearness of their name after their entity's, best first, ties in the catalog's order."""
    space = _known(tools, measure.model)
    known = _embedded(catalog, "names", space)
    if known.entities:
        ranked = _sorted(known.elements, _nearness(text, known, space.embedder, measure))
        yield from ((element, value) for element, value in ranked if element.field)


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


def _known(tools: Tools, model: str) -> _Known:
    embedder = tools.need_embedder(model)
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


def _nearness(text: str, known: _Embedded, embedder: Embedder, measure: Measure) -> NDArray[np.float32]:
    """How near each known text is to the nearest of a text, its terms, or both."""
    lines = [] if measure.against == "question" else terms(text)
    if measure.against != "terms" or not lines:
        lines.append(text)
    asked = embedder.encode(lines)
    if measure.function == "manhattan":
        return _manhattan(known.rows, asked)
    cosines: NDArray[np.float32] = known.rows @ asked[0] if len(lines) == 1 else (known.rows @ asked.T).max(axis=1)
    return cosines


def _manhattan(rows: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """The measure's value for the nearest of the rows asked for; known rows go by some thousands at a time."""
    parts = [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]
    least = np.concatenate([np.min([np.abs(part - one).sum(axis=1) for one in asked], axis=0) for part in parts])
    values: NDArray[np.float32] = (1 - least / np.sqrt(2 * rows.shape[1])).astype(np.float32)
    return values


def _sorted(elements: tuple[Element, ...], values: NDArray[np.float32]) -> Iterator[tuple[Element, float]]:
    """Elements by falling nearness; the best few hundred are sorted first, since seldom more are wanted."""
    rounded = np.round(values.astype(np.float64), 4)
    cut = np.partition(rounded, -FEW)[-FEW] if len(rounded) > FEW else -np.inf
    for part in (np.flatnonzero(rounded >= cut), np.flatnonzero(rounded < cut)):
        order = part[np.argsort(-rounded[part], kind="stable")]
        yield from ((elements[place], float(rounded[place])) for place in order)
