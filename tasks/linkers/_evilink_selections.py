"""EviLink's second step: under every hypothesis tables are selected, then fields inside them, and ballots are cast.

What comes of answers that are no lists: one that cannot be read is asked for again once, then that hypothesis abstains
on what was shown; one that is cut off counts for what it names, and abstains on the rest. A hypothesis that selects no
table at all, or no field of all that it was shown, says nothing and abstains. Names that the catalog lacks are noted.
"""

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from schemas.catalog import Catalog, Element
from schemas.records import Question
from schemas.tools import Request
from tasks.linkers._evilink_answers import Meant, meant, names_of
from tasks.linkers._evilink_calls import Caller, said
from tasks.linkers._evilink_chunks import Chunk, pack, whole
from tasks.linkers._evilink_prompts import KEYS, Asking, Level, choose
from tasks.linkers._evilink_text import blocks, narrowed
from tasks.linkers._evilink_tokens import cut
from tasks.linkers._evilink_votes import Ballot
from tasks.linkers._replies import again


@dataclass(frozen=True)
class Answer:
    """What one call selected: ``complete`` unless it was cut off, None as names where it could not be read."""

    meant: Meant | None
    complete: bool = True


@dataclass(frozen=True)
class Selector:
    """What all selections of one question share."""

    question: Question
    catalog: Catalog
    caller: Caller
    asking: Asking
    threads: int

    def ballots(self, hypotheses: Sequence[str]) -> list[Ballot]:
        """One ballot a hypothesis that says anything; the first is number 1."""
        chunks = whole(self.catalog, "names", self.asking.sizes.schema)
        cast = [Ballot(number) for number in range(1, len(hypotheses) + 1)]
        shown = [[*chunks] for _ in hypotheses]
        self._vote("tables", hypotheses, cast, shown)
        self.caller.note("tables", chunks=len(chunks))
        shown = [self._retained(ballot) for ballot in cast]
        self._vote("fields", hypotheses, cast, shown)
        self.caller.note("fields", chunks=[len(each) for each in shown])
        for ballot in cast:
            self._note_abstention(ballot)
        return [ballot for ballot in cast if ballot.named or ballot.unread]

    def _note_abstention(self, ballot: Ballot) -> None:
        """Note on which tables, or on the fields of which tables, a hypothesis has no answer; without any, on all."""
        tables = sorted(element.entity for element in ballot.unread if not element.field)
        fields = sorted({element.entity for element in ballot.unread if element.field})
        if tables or fields or not ballot.named:
            value = {"hypothesis": ballot.hypothesis, "all": not ballot.named, "tables": tables, "fields": fields}
            self.caller.tools.note("abstained", value=json.dumps(value, ensure_ascii=False))

    def _retained(self, ballot: Ballot) -> list[Chunk]:
        """The chunks of the tables that a hypothesis selected."""
        tables = (element.entity for element in ballot.named)
        found = blocks(self.catalog, narrowed(self.catalog, tables), "facts")
        return list(pack(found, self.asking.sizes.schema))

    def _vote(self, level: Level, hypotheses: Sequence[str], cast: list[Ballot], shown: list[list[Chunk]]) -> None:
        """Ask about every chunk under every hypothesis, some calls at a time, and enter the answers into the ballots.

        The calls of one chunk follow each other, since they share its text.
        """
        longest = max(map(len, shown), default=0)
        order = [(at, chunk) for chunk in range(longest) for at in range(len(cast)) if chunk < len(shown[at])]
        with ThreadPoolExecutor(self.threads, thread_name_prefix="hypothesis") as pool:
            calls = [
                (at, chunk, pool.submit(self._ask, level, hypotheses[at], shown[at][chunk])) for at, chunk in order
            ]
            answers = [(at, chunk, call.result()) for at, chunk, call in calls]
        for at, ballot in enumerate(cast):
            own = [(shown[at][chunk], answer) for number, chunk, answer in answers if number == at]
            _enter(level, ballot, own)
        self._note_names(answer for _, _, answer in answers)

    def _note_names(self, answers: Iterable[Answer]) -> None:
        """Note every name that the catalog lacks once."""
        made_up: dict[str, None] = {}
        for answer in answers:
            made_up.update(dict.fromkeys(answer.meant.made_up if answer.meant else ()))
        for name in made_up:
            self.caller.tools.note("made_up", value=name)

    def _ask(self, level: Level, hypothesis: str, chunk: Chunk) -> Answer:
        request = choose(self.question, self.catalog, chunk.text, level, hypothesis, self.asking)
        answer, text = self._answer(level, request, chunk)
        if answer.meant is None and self.asking.repair and text:
            half = self.asking.sizes.repair // 4
            wrong = f'That is not the form that was asked for. Answer: {{"{KEYS[level]}":["NAME"]}}'
            answer, _ = self._answer(level, again(request, cut(text, half), wrong), chunk)
        return answer

    def _answer(self, level: Level, request: Request, chunk: Chunk) -> tuple[Answer, str]:
        """One answer as it was read, and its text."""
        choices = self.caller.choices(level, request)
        text = said(choices[0]) if choices else ""
        names = names_of(text, KEYS[level])
        complete = bool(choices) and choices[0].finish_reason != "length"
        read = None if names is None else meant(self.catalog, names, sorted(chunk.tables))
        return Answer(read, complete), text


def _enter(level: Level, ballot: Ballot, answers: list[tuple[Chunk, Answer]]) -> None:
    """Enter one hypothesis's answers into its ballot, and what it was shown and did not answer."""
    says = False
    for chunk, answer in answers:
        if answer.meant:
            found = answer.meant.found
            ballot.add(found if level == "fields" else (Element(element.entity) for element in found))
            says |= any(element.field for element in found) if level == "fields" else bool(found)
        if answer.meant is None or not answer.complete:
            ballot.unread.update(_shown(level, chunk))
    if not says and level == "fields":
        for chunk, _ in answers:
            ballot.unread.update(_shown(level, chunk))


def _shown(level: Level, chunk: Chunk) -> set[Element]:
    return {Element(name) for name in chunk.tables} if level == "tables" else set(chunk.fields())
