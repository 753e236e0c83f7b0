"""Text that fits a budget: whole families together where they fit, a table's columns apart only where they must be.

Every table stands in exactly one chunk; one whose columns exceed the budget by themselves stands in several, every
column in one of them. Nothing is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from schemas.catalog import Catalog, Element
from tasks.linkers._evilink_text import Block, Depth, Group, blocks, groups
from tasks.linkers._evilink_tokens import estimate
from tasks.linkers._memo import per_catalog


@dataclass(frozen=True, slots=True)
class Part:
    """What a chunk shows of one group: its tables, and some or all of their columns."""

    tables: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text of a catalog's parts."""

    text: str
    parts: tuple[Part, ...]

    @property
    def tables(self) -> frozenset[str]:
        """The tables that are shown, wholly or in part."""
        return frozenset(name for part in self.parts for name in part.tables)

    def fields(self) -> Iterator[Element]:
        """The columns that are shown, of every member of a family."""
        return (Element(name, field) for part in self.parts for name in part.tables for field in part.fields)


@per_catalog
def whole(catalog: Catalog, depth: Depth, limit: int) -> tuple[Chunk, ...]:
    """The chunks of a whole catalog: the same for all its questions, so that their prompts share a prefix."""
    return tuple(pack(blocks(catalog, groups(catalog), depth), limit))


@per_catalog
def outline(catalog: Catalog, limit: int) -> tuple[Chunk, ...]:
    """The chunks of a catalog's tables without their columns."""
    return tuple(pack(bare(blocks(catalog, groups(catalog), "names")), limit))


def bare(each: Iterable[Block]) -> Iterator[Block]:
    """Blocks without their columns."""
    return (Block(block.group, block.head, (), (), "facts") for block in each)


def pack(each: Iterable[Block], limit: int) -> Iterator[Chunk]:
    """Fill chunks of at most so many estimated tokens with blocks, in their order."""
    texts: list[str] = []
    parts: list[Part] = []
    filled = 0
    for block in each:
        for start, end in _cuts(block, limit):
            text = block.text(start, end)
            size = estimate(text) + 1
            if texts and filled + size > limit:
                yield Chunk("\n".join(texts), tuple(parts))
                texts, parts, filled = [], [], 0
            texts.append(text)
            parts.append(Part(block.group.members, tuple(filter(None, block.fields[start:end]))))
            filled += size
    if texts:
        yield Chunk("\n".join(texts), tuple(parts))


def _cuts(block: Block, limit: int) -> Iterator[tuple[int, int]]:
    """The ranges of a block's pieces that fit the limit each: one where it fits as it is."""
    if not block.pieces:
        yield 0, 0
        return
    room = max(1, limit - estimate(block.head) - 16)
    sizes = list(accumulate((estimate(piece) + 2 for piece in block.pieces), initial=0))
    start = 0
    while start < len(block.pieces):
        end = start + 1
        while end < len(block.pieces) and sizes[end + 1] - sizes[start] <= room:
            end += 1
        yield start, end
        start = end


def group_of(group: Group) -> str:
    """A group in a list of tables: its name, with how many tables it stands for."""
    return group.name if len(group.members) == 1 else f"{group.name} ({len(group.members)} tables)"
