"""A cell rehearsed: its linker and generator really run, with a model that only answers from stored replies."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from flows.plan import Cell
from flows.sweeps.grid import Asked
from flows.sweeps.models import known_as
from schemas.errors import UserError
from schemas.records import Linking, Question
from schemas.tools import Choice, Reply, Request
from storage import benchmarks
from storage.endpoints import agreed
from storage.layout import slug
from storage.replies import Replies, request_key
from tasks.completions import judged, payload
from tasks.evidence import open_evidence
from tasks.generate import LINKED, PROMPTED, generate
from tasks.labels import linker
from tasks.link import link_question
from tasks.models import Offline, Remembering, open_model
from tasks.toolbox import LazyEmbedder, LazyTagger, Metered, Toolbox

STANDINS = ("?", "!")


@dataclass(frozen=True)
class Known:
    """A model as far as it is known before it runs: its name, and the store of its replies where that can be told."""

    name: str
    remembering: Remembering | None
    reason: str = ""

    def key(self, request: Request) -> str:
        """The key of a request's reply."""
        if self.remembering:
            return self.remembering.key(request)
        return request_key({"repetition": request.repetition, "sent": payload(request, self.name)})

    def stored(self, key: str) -> Reply | None:
        """The reply to a request if it was answered before."""
        replies = self.remembering.replies if self.remembering else None
        return replies.get(key) if replies else None


def known(model: Asked, storage: Path) -> Known:
    """A model's name and stored replies; those of a server that is down, or to be started, by what it once said."""
    try:
        opened = open_model(model.name, model.endpoints, storage, in_flight=model.in_flight, timeout=model.timeout)
        return Known(opened.name, opened if isinstance(opened, Remembering) else None)
    except UserError as error:
        reason = "sweep run starts its servers" if model.serve else str(error).splitlines()[0]
    said = agreed(storage, model.name)
    if said is None:
        return Known(known_as(model.name), None, reason)
    sender = Offline(said.name, said.root, said.engine, reason)
    return Known(said.name, Remembering(sender, Replies(storage / "replies" / slug(said.name))))


@dataclass
class Planner:
    """A model that answers what is stored, and to anything else with a stand-in that no linker can read."""

    known: Known
    standin: str
    stored: list[tuple[Request, Reply]] = field(default_factory=list)
    unknown: dict[str, Request] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.known.name

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        """The stored reply, judged as the real one would be, or the stand-in."""
        key = self.known.key(request)
        found = self.known.stored(key)
        with self.lock:
            if found:
                self.stored.append((request, found))
            else:
                self.unknown[key] = request
        if found:
            return judged(request, replace(found, cached=True))
        return Reply((Choice(self.standin),) * request.n, self.name)


@dataclass
class Rehearsed:
    """One stage of one question: requests with stored replies, requests that are sure to be sent, and whether all."""

    stored: list[tuple[Request, Reply]]
    unknown: dict[str, Request]

    @property
    def whole(self) -> bool:
        """Whether nothing depends on a reply that is not there yet."""
        return not self.unknown


@dataclass(frozen=True)
class Rehearsal:
    """One question of one cell: its link, and its query where one is generated and what was linked is known."""

    link: Rehearsed
    linking: Linking
    query: Rehearsed | None = None


def rehearse(cell: Cell, questions: Sequence[Question], model: Known) -> list[Rehearsal]:
    """Rehearse one cell's questions in their order."""
    link = linker(cell.linker)
    database = cell.shard.database
    catalog = benchmarks.catalog(cell.link.benchmark, database)
    address = benchmarks.address(cell.link.benchmark, database)
    evidence = open_evidence(catalog, address, cell.link.benchmark)

    def attempt(question: Question, standin: str) -> tuple[Planner, Linking, Rehearsed | None]:
        planner = Planner(model, standin)
        metered = _metered(planner, cell, question)
        metered.tools.evidence = evidence
        linking, notes = link_question(question, catalog, link, cell.linker, metered)
        if planner.unknown or cell.generate is None:
            return planner, linking, None
        asked = Planner(model, standin)
        if linking.status in LINKED:
            told = [note for note in notes if note.kind in PROMPTED]
            generate(question, linking, told, cell.generate, _metered(asked, cell, question))
        return planner, linking, Rehearsed(asked.stored, asked.unknown)

    found = []
    for question in questions:
        planner, linking, query = attempt(question, STANDINS[0])
        sure = planner.unknown
        if len(sure) > 1:
            other, _, _ = attempt(question, STANDINS[1])
            sure = {key: request for key, request in sure.items() if key in other.unknown}
        found.append(Rehearsal(Rehearsed(planner.stored, sure), linking, query))
    return found


def _metered(planner: Planner, cell: Cell, question: Question) -> Metered:
    toolbox: Toolbox = cell.link.toolbox
    embedder, tagger = LazyEmbedder(toolbox.embedder, question.text), LazyTagger(toolbox.tagger)
    return Metered(planner, embedder, question.database, cell.link.repetition, tagger)
