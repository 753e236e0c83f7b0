"""Where every element stands in EviLink's second stage, and by whose decision.

An element of the working set that nobody decides about is kept. A field that is kept brings its entity, and is kept in
the isomorphic tables of the working set too; an entity that is kept brings no other. An entity from the candidate pool
none of whose fields is kept by name keeps them all. Decisions follow each other: what was discarded can be kept again.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from schemas.catalog import Catalog, Element
from schemas.tools import Tools
from tasks.linkers._evilink_text import siblings
from tasks.linkers._evilink_votes import Votes

Spread = Literal["working", "family", "off"]
Discards = Literal["working", "uncertain"]
DEFAULT = "default"


@dataclass(frozen=True)
class Decision:
    """What was decided about an element, in which stage, and why."""

    kind: Literal["kept", "dropped"]
    element: Element
    stage: str
    reason: str


@dataclass
class Standing:
    """The working set of one question and what was decided about it; ``version`` counts the decisions."""

    catalog: Catalog
    votes: Votes
    spread: Spread = "working"
    discards: Discards = "working"
    decisions: list[Decision] = field(default_factory=list)
    latest: dict[Element, Decision] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """How many decisions were made."""
        return len(self.decisions)

    def works(self, element: Element) -> bool:
        """Whether an element is in the working set: voted for or kept, also if it was discarded since."""
        return element in self.votes.votes or element in self.latest

    def kept(self, element: Element) -> bool:
        """Whether an element would be kept if everything ended now."""
        decision = self.latest.get(element)
        return element in self.votes.votes if decision is None else decision.kind == "kept"

    def undecided(self) -> list[Element]:
        """The uncertain elements about which nothing is decided yet."""
        return [element for element in self.votes.among("uncertain") if element not in self.latest]

    def keep(self, element: Element, stage: str, reason: str = "") -> list[Element]:
        """Keep an element, with it what it brings and where it spreads to; those of them that were not kept by name."""
        meant = [element]
        if element.field:
            spread = [Element(name, element.field) for name in self._siblings(element.entity)]
            meant = [*dict.fromkeys([element, *spread])]
            owners = dict.fromkeys(Element(one.entity) for one in meant)
            meant += [owner for owner in owners if not self._decided(owner, "kept")]
        fresh = [one for one in meant if not self._decided(one, "kept")]
        for one in fresh:
            because = reason if one == element else f"with {element}"
            self._decide(Decision("kept", one, stage, because))
        return fresh

    def refusal(self, element: Element) -> str:
        """Why an element cannot be discarded, whatever the reason; empty where it can."""
        if not self.works(element):
            return "it is not in the working set"
        if self._decided(element, "dropped"):
            return "it is discarded already"
        inside = [element] if element.field else [element, *self._fields(element.entity)]
        if self.discards == "uncertain" and any(self.votes.of(one) == "required" for one in inside):
            return "every hypothesis needs it, or something in it"
        if not element.field and any(self._decided(one, "kept") for one in inside[1:]):
            return "fields of it were kept by name"
        return ""

    def discard(self, element: Element, stage: str, reason: str) -> None:
        """Discard an element of the working set, and with an entity all its fields."""
        self._decide(Decision("dropped", element, stage, reason))
        for one in self._fields(element.entity) if not element.field else ():
            if self.kept(one):
                self._decide(Decision("dropped", one, stage, f"with {element}: {reason}"))

    def finish(self, tools: Tools) -> list[Element]:
        """Everything that is kept, once whole tables and what nobody decided about are decided, and all is noted."""
        for decision in list(self.latest.values()):
            element = decision.element
            pooled = not element.field and element not in self.votes.votes
            if pooled and decision.kind == "kept" and not self._any_field(element.entity):
                for name in self._names(element.entity):
                    self._decide(Decision("kept", Element(element.entity, name), decision.stage, "no field was named"))
        for element in self.votes.votes:
            if element not in self.latest:
                self._decide(Decision("kept", element, DEFAULT, self.votes.of(element)))
        self._note(tools)
        return [element for element, decision in self.latest.items() if decision.kind == "kept"]

    def unselected(self) -> list[str]:
        """The tables that would not be kept if everything ended now: a field is never kept without its table."""
        return [entity.name for entity in self.catalog.entities if not self.kept(Element(entity.name))]

    def _note(self, tools: Tools) -> None:
        """Note every decision in its order."""
        for one in self.decisions:
            value = json.dumps({"stage": one.stage, "reason": one.reason}, ensure_ascii=False)
            tools.note(one.kind, one.element, value)

    def _decided(self, element: Element, kind: str) -> bool:
        decision = self.latest.get(element)
        return decision is not None and decision.kind == kind

    def _decide(self, decision: Decision) -> None:
        self.decisions.append(decision)
        self.latest[decision.element] = decision

    def _siblings(self, table: str) -> Iterable[str]:
        """The isomorphic tables that a field keep spreads to."""
        if self.spread == "off":
            return ()
        others = siblings(self.catalog)[table]
        return (name for name in others if self.spread == "family" or self.kept(Element(name)))

    def _fields(self, table: str) -> Iterator[Element]:
        """The fields of a table that are in the working set."""
        return (one for one in (Element(table, name) for name in self._names(table)) if self.works(one))

    def _names(self, table: str) -> list[str]:
        known = self.catalog.entity(table)
        return [one.name for one in known.fields] if known else []

    def _any_field(self, table: str) -> bool:
        """Whether the votes or a decision speak of a field of a table."""
        return any(True for _ in self._fields(table))
