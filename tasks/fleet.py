"""Several replicas of one model: calls that belong together go to one, and a dead or slow one's share to the others."""

import hashlib
import json
import logging
import os
import random
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import ceil

from schemas.errors import Failure, UserError, unknown
from schemas.tools import Reply, Request
from tasks.completions import parse, payload
from tasks.replica import Replica, Served, Trouble
from tasks.slots import Slots

LOG = logging.getLogger(__name__)
STRIKES = {"connection": 2, "timeout": 2, "server": 1, "busy": 0}
OUT = 4
LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Limits:
    """Calls in flight, seconds for one call, tries with their first pause in seconds, seconds between health probes."""

    in_flight: int = 256
    timeout: float = 300.0
    tries: int = 6
    pause: float = 0.5
    probe: float = 1.0


@dataclass(eq=False)
class Member:
    """A replica and its health: strikes since its last answer, and the calls it has under way."""

    replica: Replica
    up: bool = True
    strikes: int = 0
    active: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def api_key() -> str:
    """The key of hosted servers, from the environment and from nowhere else."""
    key = (os.environ.get("SCHEMALINK_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not (key.isascii() and (key.isprintable() or not key)):
        raise UserError("SCHEMALINK_API_KEY holds characters that no key has: set it again, on one line")
    return key


class Fleet:
    """The replicas of one model; ``send`` is safe under many threads and never leaves a call without an end."""

    def __init__(self, endpoints: Sequence[str], model: str = "", limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        key = api_key()
        urls = dict.fromkeys(Replica(endpoint).url for endpoint in endpoints)
        self.members = [Member(Replica(url, key)) for url in urls]
        self._slots = Slots(self.limits.in_flight)
        self.name, self.root, self.engine = self._agree(model)
        for member in self.members:
            if not member.up:
                self._revive(member)

    def _agree(self, model: str) -> tuple[str, str, str]:
        with ThreadPoolExecutor(min(32, len(self.members))) as pool:
            told = list(pool.map(_ask, self.members))
        served = [answer for answer in told if isinstance(answer, Served)]
        if not any(member.up for member in self.members):
            reasons = "; ".join(str(answer) for answer in told)
            raise Unreachable(f"no model server answers: {reasons}; start one with: python -m flows serve MODEL")
        found = {_identity(answer, model) for answer in served} or {(model, "", "")}
        if len(found) > 1:
            shown = "; ".join(" ".join(filter(None, each)) for each in sorted(found))
            raise UserError(
                f"the endpoints differ in model or engine: {shown}; name endpoints of one model and version"
            )
        name, root, engine = found.pop()
        if not name:
            raise UserError("the server does not tell its models: name one with --model NAME")
        return name, root, engine

    def send(self, request: Request, affinity: str = "") -> Reply:
        """Ask one replica, others where it fails, and all again after pauses; raise Failure where none answers."""
        body = json.dumps(payload(request, self.name)).encode()
        with self._slots:
            return self._answered(body, affinity)

    def _answered(self, body: bytes, affinity: str) -> Reply:
        tried: set[Member] = set()
        pauses = self._pauses()
        while True:
            member = self._choose(affinity, tried)
            try:
                return self._call(member, body)
            except Trouble as trouble:
                tried.add(member)
                if any(other.up and other not in tried for other in self.members):
                    continue
                if trouble.kind == "timeout":
                    raise Failure("timeout", trouble.reason) from trouble
                pause = next(pauses, None)
                if pause is None:
                    tries = f" (last of {self.limits.tries} tries)"
                    raise Failure("model_error", trouble.reason + tries) from trouble
                asked = trouble.retry_after
                time.sleep(pause if asked is None else min(asked, LONGEST_PAUSE))
                tried.clear()

    def _call(self, member: Member, body: bytes) -> Reply:
        with member.lock:
            member.active += 1
        start = time.perf_counter()
        try:
            data = member.replica.complete(body, self.limits.timeout)
        except Trouble as trouble:
            self._strike(member, trouble)
            raise
        finally:
            with member.lock:
                member.active -= 1
        member.strikes = 0
        return parse(data, seconds=time.perf_counter() - start, engine=self.engine)

    def _pauses(self) -> Iterator[float]:
        for attempt in range(self.limits.tries - 1):
            yield min(self.limits.pause * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)

    def _choose(self, affinity: str, tried: set[Member]) -> Member:
        """The replica of an affinity, or while that has its share of all calls in flight the next of the others."""
        left = [member for member in self.members if member not in tried] or self.members
        able = [member for member in left if member.up] or left
        if not affinity:
            return min(able, key=lambda member: member.active)
        share = ceil(self.limits.in_flight / len(able))
        free = [member for member in able if member.active < share] or able
        return max(free, key=lambda member: weight(affinity, member.replica.url))

    def _strike(self, member: Member, trouble: Trouble) -> None:
        with member.lock:
            member.strikes += STRIKES[trouble.kind]
            falls = member.up and member.strikes >= OUT and len(self.members) > 1
            if falls:
                member.up = False
        if falls:
            LOG.warning("%s is taken out: %s", member.replica.url, trouble.reason)
            self._revive(member)

    def _revive(self, member: Member) -> None:
        threading.Thread(target=self._probe, args=(member,), name=f"probe {member.replica.url}", daemon=True).start()

    def _probe(self, member: Member) -> None:
        """Ask for one token until the replica gives it: a hung server may still tell its models."""
        body = json.dumps(
            {"model": self.name, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        ).encode()
        for attempt in range(1_000_000):
            time.sleep(min(self.limits.probe * 2 ** min(attempt, 5), 30.0))
            try:
                told = member.replica.served()
                if told is not None and _identity(told, self.name) != (self.name, self.root, self.engine):
                    continue
                member.replica.complete(body, min(self.limits.timeout, 10.0))
            except (Trouble, Failure, UserError):
                continue
            member.strikes, member.up = 0, True
            LOG.warning("%s is back", member.replica.url)
            return


class Unreachable(UserError):
    """No server of a fleet answers."""


def weight(affinity: str, url: str) -> bytes:
    """Rendezvous hashing: an affinity's replica is the one of the greatest weight, whoever else is there."""
    return hashlib.blake2b(f"{affinity}\n{url}".encode(), digest_size=8).digest()


def _ask(member: Member) -> Served | str | None:
    try:
        return member.replica.served()
    except Trouble as trouble:
        member.up = False
        return trouble.reason


def _identity(served: Served, model: str) -> tuple[str, str, str]:
    names: Iterable[str] = served.models
    if model and model not in served.models:
        raise unknown("model", model, names)
    if not model and len(served.models) != 1:
        raise UserError(f"the server serves {len(served.models)} models: name one with --model: {', '.join(names)}")
    name = model or next(iter(names))
    root = served.models[name]
    return name, "" if root == name else root, served.engine
