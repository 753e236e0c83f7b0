"""One model server over HTTP: pooled connections, a time limit for each call, and what the server says of itself.

Written on ``http.client``: one call costs 0.3 ms of this process's time, a fifth of what the ``openai`` package takes
for the same bytes, and what that package adds (retries, limits, typed answers) is needed here in another form: retries
at other replicas, limits on the whole call, fields that only self-hosted servers send.
"""

import email.utils
import http.client
import json
import os
import select
import ssl
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from schemas.errors import Failure, UserError
from tasks.completions import message_of, rejected
from tasks.deadlines import Deadlines

CONNECT_SECONDS = 5.0
IDLE_SECONDS = 4.0
LARGEST = 64 * 1024 * 1024


class Trouble(Exception):
    """A call without an answer: ``connection``, ``server``, ``busy`` or ``timeout``; another try may find one."""

    def __init__(self, kind: str, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.retry_after = retry_after


class Answer(NamedTuple):
    """An HTTP answer read to its end."""

    status: int
    headers: http.client.HTTPMessage
    data: bytes


@dataclass(frozen=True)
class Served:
    """What a server says it serves: models by name with the weights' root, and its engine with the version."""

    models: dict[str, str]
    engine: str


def normalized(endpoint: str) -> str:
    """The base URL that an endpoint means, ending in its version path.

    >>> normalized("localhost:8000"), normalized("https://host/api/v1/")
    ('http://localhost:8000/v1', 'https://host/api/v1')
    """
    url = endpoint.strip() if "//" in endpoint else f"http://{endpoint.strip()}"
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment:
        raise UserError(f"not an endpoint: {endpoint!r}; give a base URL such as http://localhost:8000/v1")
    if "@" in parts.netloc:
        raise UserError("an endpoint's URL must hold no key or password: set SCHEMALINK_API_KEY in the environment")
    return url.rstrip("/") if parts.path.strip("/") else f"{url.rstrip('/')}/v1"


class Replica:
    """A server at a base URL; safe under many threads."""

    def __init__(self, url: str, key: str = "") -> None:
        self.url = normalized(url)
        self._parts = urlsplit(self.url)
        self._headers = {"Content-Type": "application/json", "User-Agent": "schemalink"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._idle: deque[tuple[float, HTTPConnection]] = deque()

    def __repr__(self) -> str:
        return f"Replica({self.url!r})"

    def complete(self, body: bytes, limit: float) -> bytes:
        """Ask for a chat completion; raise Trouble where another try may help and Failure where none can."""
        answer = self.call("POST", f"{self._parts.path}/chat/completions", body, limit)
        if answer.status == 200:
            return answer.data
        if answer.status == 429 or answer.status >= 500:
            kind = "busy" if answer.status == 429 else "server"
            reason = f"HTTP {answer.status} from {self.url}: {message_of(answer.data)}"
            raise Trouble(kind, self._without_key(reason), retry_after(answer.headers.get("Retry-After")))
        failure = rejected(answer.status, answer.data)
        raise Failure(failure.status, self._without_key(failure.reason))

    def served(self, limit: float = 10.0) -> Served | None:
        """Ask what the server serves; None where it does not tell; raise Trouble where it does not answer."""
        answer = self.call("GET", f"{self._parts.path}/models", None, limit)
        if answer.status in (401, 403):
            raise UserError(f"{self.url} wants a key (HTTP {answer.status}): set SCHEMALINK_API_KEY in the environment")
        if answer.status == 429 or answer.status >= 500:
            raise Trouble("server", f"HTTP {answer.status} from {self.url}: {message_of(answer.data)}")
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            listed = [model for model in json.loads(answer.data)["data"] if model["id"]]
            owner = str(listed[0].get("owned_by") or "") if listed else ""
            models = {str(model["id"]): str(model.get("root") or "") for model in listed}
            return Served(models, self._engine(owner, answer.headers.get("Server") or "", limit))
        return None

    def _engine(self, owner: str, server: str, limit: float) -> str:
        name = {"llamacpp": "llama.cpp", "": server}.get(owner, owner)
        for path, field in (("/version", "version"), ("/props", "build_info")):
            with suppress(Trouble, ValueError, TypeError, AttributeError):
                answer = self.call("GET", path, None, limit)
                version = json.loads(answer.data).get(field) if answer.status == 200 else None
                if version:
                    return f"{name} {version}".strip()
        return name

    def call(self, method: str, path: str, body: bytes | None, limit: float) -> Answer:
        """Make one HTTP call within a limit of seconds for all of it; raise Trouble where no answer comes."""
        end = time.monotonic() + limit
        while True:
            reused, late = False, False
            try:
                connection, reused = self._take()
                with _deadlines(os.getpid()).limit(connection.sock, end - time.monotonic()) as watch:
                    try:
                        answer = self._exchange(connection, method, path, body)
                    finally:
                        late = watch.expired
                if late:
                    raise TimeoutError
                return answer
            except (OSError, http.client.HTTPException) as error:
                if late:
                    raise Trouble("timeout", f"no answer from {self.url} within {limit:g} s") from error
                if not (reused and isinstance(error, ConnectionError)):
                    reason = str(error) or type(error).__name__
                    raise Trouble("connection", f"no answer from {self.url}: {reason}") from error

    def _exchange(self, connection: HTTPConnection, method: str, path: str, body: bytes | None) -> Answer:
        whole = False
        try:
            connection.request(method, path, body=body, headers=self._headers)
            response = connection.getresponse()
            data = response.read(LARGEST)
            whole = response.isclosed()
        finally:
            if whole:
                self._idle.append((time.monotonic(), connection))
            else:
                connection.close()
        if len(data) == LARGEST:
            raise Failure("model_error", f"the server's answer is longer than {LARGEST} bytes")
        if response.length:
            raise http.client.IncompleteRead(data, response.length)
        return Answer(response.status, response.headers, data)

    def _take(self) -> tuple[HTTPConnection, bool]:
        with suppress(IndexError):
            while True:
                since, connection = self._idle.pop()
                if time.monotonic() - since < IDLE_SECONDS and connection.sock and not _readable(connection):
                    return connection, True
                connection.close()
        host, port = self._parts.hostname or "", self._parts.port
        fresh = (
            HTTPSConnection(host, port, timeout=CONNECT_SECONDS, context=_certificates())
            if self._parts.scheme == "https"
            else HTTPConnection(host, port, timeout=CONNECT_SECONDS)
        )
        fresh.connect()
        if fresh.sock.getsockname() == fresh.sock.getpeername():
            fresh.close()
            raise ConnectionRefusedError("connected to itself: no server listens there")
        fresh.sock.settimeout(None)
        return fresh, False

    def _without_key(self, text: str) -> str:
        key = self._headers.get("Authorization", "").removeprefix("Bearer ")
        return text.replace(key, "***") if key else text


def _readable(connection: HTTPConnection) -> bool:
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, given as seconds or as a date; None where it says nothing.

    >>> retry_after("2.5"), retry_after(None), retry_after("soon")
    (2.5, None, None)
    """
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(TypeError, ValueError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return None


@cache
def _deadlines(process: int) -> Deadlines:
    return Deadlines()


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()
