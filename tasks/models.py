"""Language models as linkers see them: a server or a fleet of them behind the cache of replies.

What raises what: ``context_overflow`` (the server's 400 message with both figures), ``timeout`` (no answer within the
limit and no other replica to ask), ``model_error`` (other 4xx answers at once; 429, 5xx and lost connections after
retries; answers that are no chat completion) come as Failure. ``truncated``, ``empty`` and ``refused`` come as
Unusable, a Failure that carries its paid reply; see ``tasks.completions.judged`` for when a cut text is returned.
"""

import logging
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from schemas.errors import Failure, UserError
from schemas.tools import Model, Reply, Request
from storage.claims import Claims
from storage.endpoints import Known, remember, remembered, stored
from storage.layout import slug
from storage.replies import Replies, request_key
from tasks.completions import judged, payload
from tasks.fleet import Fleet, Limits, Unreachable
from tasks.replica import normalized

LOG = logging.getLogger(__name__)
_opening = threading.Lock()
_opened: dict[tuple[int, str, tuple[str, ...], Path, Limits], "Remembering"] = {}


class Sender(Protocol):
    """What answers requests: a fleet, an embedded server, or a script in tests."""

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def root(self) -> str:
        """The weights' place or hash, where the server tells one that differs from the name."""

    @property
    def engine(self) -> str:
        """The engine with its version."""

    def send(self, request: Request, affinity: str = "") -> Reply:
        """Answer a request or raise Failure."""


@dataclass
class Offline:
    """A model whose servers do not answer but are remembered: its stored replies can still be read."""

    name: str
    root: str
    engine: str
    reason: str

    def send(self, request: Request, affinity: str = "") -> Reply:
        """Fail: a request that is not in the cache needs a server."""
        raise Failure("model_error", self.reason)


@dataclass
class Remembering:
    """A model that answers from stored replies where it can and stores what it is told; failures are not stored.

    ``since`` hides replies stored before that time (seconds of the epoch). Equal requests that are in flight at one
    time are sent once, by the thread of the process that claims them. The key is everything that is sent, the
    repetition, and the model's root and engine: engines are told apart by what they said when they were last reached,
    so that a finished run is read with servers down.
    """

    sender: Sender
    replies: Replies | None
    since: float = 0.0
    flights: dict[str, "Future[Reply]"] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    claims: Claims | None = None

    @property
    def name(self) -> str:
        """The name that the server knows the model by."""
        return self.sender.name

    @property
    def engine(self) -> str:
        """The engine with its version."""
        return self.sender.engine

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        """Answer a request, from disk where it was answered before; raise Failure or Unusable."""
        if self.replies is None:
            return judged(request, self.sender.send(request, affinity))
        key = self.key(request)
        found = self.replies.get(key, self.since)
        return judged(request, replace(found, cached=True) if found else self._sent_once(key, request, affinity))

    def key(self, request: Request) -> str:
        """The key of a request's reply: all that is sent, by which model, for which repetition."""
        sent = payload(request, self.sender.name)
        about = {"repetition": request.repetition, "root": self.sender.root, "engine": self.sender.engine}
        return request_key({**about, "sent": sent})

    def _sent_once(self, key: str, request: Request, affinity: str) -> Reply:
        assert self.replies is not None
        with self.lock:
            flight = self.flights.get(key)
            first = flight is None
            if flight is None:
                flight = self.flights[key] = Future()
        if not first:
            return replace(flight.result(), cached=True)
        try:
            reply = self._claimed(key, request, affinity)
            flight.set_result(reply)
            return reply
        except BaseException as error:
            flight.set_exception(error)
            raise
        finally:
            with self.lock:
                del self.flights[key]

    def _claimed(self, key: str, request: Request, affinity: str) -> Reply:
        """The reply that another process stores in the meantime, or the server's own."""
        assert self.replies is not None
        look = partial(self.replies.get, key, self.since)
        claim = self.claims.turn(key, look) if self.claims else nullcontext(look())
        with claim as found:
            if found:
                return replace(found, cached=True)
            reply = self.sender.send(request, affinity)
            self.replies.put(key, reply)
            return reply


def open_model(
    model: str,
    endpoints: Sequence[str],
    storage: Path,
    *,
    in_flight: int = 256,
    timeout: float = 300.0,
    since: float = 0.0,
    cache: bool = True,
) -> Model:
    """Open a model by name behind its endpoints, or an embedded one (``embedded``, ``embedded:1.5b``, …).

    Its servers' connections and the index of its replies are shared by all openings in one process. Without endpoints
    those which ``flows serve`` stored are used; an empty name means the only model that is served. What was stored
    before ``since`` (seconds of the epoch) is asked anew; ``cache=False`` neither reads nor stores.
    """
    limits = Limits(in_flight=in_flight, timeout=timeout)
    folder = storage.absolute()
    key = (os.getpid(), model, _urls(model, endpoints, folder), folder, limits)
    with _opening:
        opened = _opened.get(key)
        if opened is None or isinstance(opened.sender, Offline):
            sender = _sender(*key[1:])
            claims = None if isinstance(sender, Offline) else Claims(folder / "claims" / slug(sender.name))
            opened = _opened[key] = Remembering(sender, Replies(folder / "replies" / slug(sender.name)), claims=claims)
    return replace(opened, replies=opened.replies if cache else None, since=since)


def _urls(model: str, endpoints: Sequence[str], storage: Path) -> tuple[str, ...]:
    listed = [url for given in endpoints for url in given.split(",") if url.strip()]
    if not _is_embedded(model):
        return tuple(normalized(url) for url in listed or stored(storage, model))
    if listed:
        raise UserError(f"--model {model} starts a server of its own: leave out --endpoint")
    return ()


def _is_embedded(model: str) -> bool:
    return model.partition(":")[0] == "embedded"


def _sender(model: str, urls: tuple[str, ...], storage: Path, limits: Limits) -> Sender:
    if _is_embedded(model):
        from tasks.embedded import Embedded

        return Embedded(model, limits)
    try:
        fleet = Fleet(urls, model, limits)
    except Unreachable as error:
        known = remembered(storage, urls, model)
        if known is None:
            raise
        LOG.warning("no server of %s answers: only stored replies can be read", known.name)
        return Offline(known.name, known.root, known.engine, str(error))
    remember(storage, urls, Known(fleet.name, fleet.root, fleet.engine))
    return fleet
