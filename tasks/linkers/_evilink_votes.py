"""Votes: how many hypotheses name an element, of those that gave an answer about it, and the sets that follow.

A ballot that says nothing does not count against an element: a hypothesis whose answer about it was unreadable, cut
off before it, or empty on the whole abstains, and the share is taken of the others. An element about which every
hypothesis abstains has no share and is uncertain.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from schemas.catalog import Catalog, Element

Set = Literal["required", "uncertain", "candidate"]


@dataclass
class Ballot:
    """What one hypothesis names, and the elements about which it has no answer."""

    hypothesis: int
    named: set[Element] = field(default_factory=set)
    unread: set[Element] = field(default_factory=set)

    def add(self, elements: Iterable[Element]) -> None:
        """Name elements; a field names its entity too."""
        for element in elements:
            self.named |= {element, Element(element.entity)}

    def says(self, element: Element) -> bool | None:
        """Whether it names an element; None where it abstains. On a field it abstains where it does on the entity."""
        if element in self.named:
            return True
        if element in self.unread or (element.field and self.says(Element(element.entity)) is None):
            return None
        return False


@dataclass(frozen=True)
class Vote:
    """The hypotheses that name an element, and the share of those that do not abstain; None where all abstain."""

    hypotheses: tuple[int, ...]
    share: float | None


@dataclass(frozen=True)
class Votes:
    """The votes on every element that is named, or about which all abstain; all others have none."""

    votes: dict[Element, Vote]
    threshold: float

    def of(self, element: Element) -> Set:
        """The set of an element: ``required`` from the threshold on, ``uncertain`` below it, ``candidate`` without.

        >>> votes = Votes({Element("sale"): Vote((1, 2), 0.5)}, threshold=0.5)
        >>> votes.of(Element("sale")), votes.of(Element("shop"))
        ('required', 'candidate')
        """
        vote = self.votes.get(element)
        if vote is None:
            return "candidate"
        return "required" if vote.share is not None and vote.share >= self.threshold else "uncertain"

    def among(self, kind: Set) -> Iterator[Element]:
        """The elements of the set ``required`` or ``uncertain``."""
        return (element for element in self.votes if self.of(element) == kind)


def count(catalog: Catalog, ballots: Iterable[Ballot], threshold: float) -> Votes:
    """Count ballots, elements in the catalog's order."""
    cast = list(ballots)
    touched = set().union(*(ballot.named | ballot.unread for ballot in cast))
    votes: dict[Element, Vote] = {}
    for entity in catalog.entities:
        table = Element(entity.name)
        if table not in touched:
            continue
        for element in (table, *(Element(entity.name, one.name) for one in entity.fields)):
            vote = _vote(element, cast)
            if vote:
                votes[element] = vote
    return Votes(votes, threshold)


def _vote(element: Element, cast: list[Ballot]) -> Vote | None:
    answers = [(ballot.hypothesis, ballot.says(element)) for ballot in cast]
    named = tuple(number for number, answer in answers if answer)
    against = sum(answer is False for _, answer in answers)
    if not named:
        return None if against else Vote((), None)
    return Vote(named, len(named) / (len(named) + against))
