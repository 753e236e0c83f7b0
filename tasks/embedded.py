"""A small model on this machine: one llama.cpp server for each model, shared by all processes that ask it.

Defaults are measured on two busy cores: one thread (two collapse beside other work), one slot (16 questions over one
schema took 39 s, with four slots 62 s, since every slot reads the schema anew; and nothing depends on what else is in
the batch).
"""

import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from schemas.errors import Failure, UserError, unknown
from schemas.tools import Reply, Request
from storage.places import cache_folder
from tasks.completions import merged
from tasks.fleet import Fleet, Limits
from tasks.weights import Weights, checksum, fetch, locked, named

ROOT = Path(__file__).parents[1]
STARTING_SECONDS = 180.0


@dataclass(frozen=True)
class Serving:
    """How a model is served: tokens of context for each slot, slots, threads, seconds to stay after the last client."""

    context: int = 8192
    slots: int = 1
    threads: int = 1
    linger: float = 10.0

    @classmethod
    def asked(cls) -> "Serving":
        """The defaults, changed by SCHEMALINK_EMBEDDED such as ``context=16384,threads=2``."""
        serving = cls()
        for part in filter(None, os.environ.get("SCHEMALINK_EMBEDDED", "").split(",")):
            name, _, value = part.strip().partition("=")
            if name not in vars(serving):
                raise unknown("option in SCHEMALINK_EMBEDDED", name, vars(serving))
            try:
                number = type(vars(serving)[name])(value)
            except ValueError as error:
                raise UserError(f"SCHEMALINK_EMBEDDED: {name} must be a number, not {value!r}") from error
            serving = replace(serving, **{name: number})
        return serving


class Embedded:
    """An embedded model; its weights are fetched and its server is found or started at the first request."""

    def __init__(self, model: str, limits: Limits | None = None, serving: Serving | None = None) -> None:
        self.serving = serving or Serving.asked()
        self.limits = limits or Limits()
        self.weights = named(model)
        self.engine = f"xllamacpp {_version()}"
        self._lock = threading.Lock()
        self._lease: socket.socket | None = None
        self._fleet: Fleet | None = None

    @property
    def name(self) -> str:
        """The model's name with its quantization."""
        return self.weights.name if isinstance(self.weights, Weights) else self.weights.stem

    @property
    def root(self) -> str:
        """The SHA-256 of the weights."""
        return self.weights.sha256 if isinstance(self.weights, Weights) else checksum(self.weights)

    def send(self, request: Request, affinity: str = "") -> Reply:
        """Answer a request; several answers are asked one by one, with seeds that follow the request's."""
        if request.n > self.serving.slots:
            first = request.seed
            seeds = [None if first is None else first + number for number in range(request.n)]
            return merged(self._sent(replace(request, n=1, seed=seed), affinity) for seed in seeds)
        return self._sent(request, affinity)

    def _sent(self, request: Request, affinity: str) -> Reply:
        try:
            return self._server().send(request, affinity)
        except Failure:
            if self._leased():
                raise
        return self._server().send(request, affinity)

    def _server(self) -> Fleet:
        with self._lock:
            if self._fleet is None or not self._leased():
                url, self._lease = self._attach()
                limits = replace(
                    self.limits,
                    in_flight=min(self.limits.in_flight, 2 * self.serving.slots),
                    timeout=max(self.limits.timeout, 900.0),
                    tries=2,
                )
                self._fleet = Fleet([url], self.name, limits)
                self._fleet.engine = self.engine
            return self._fleet

    def _leased(self) -> bool:
        if self._lease is None:
            return False
        try:
            return self._lease.recv(1, socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _attach(self) -> tuple[str, socket.socket]:
        path = fetch(self.weights) if isinstance(self.weights, Weights) else self.weights
        about = f"{self.root} {self.engine} {self.serving}"
        papers = cache_folder() / "servers" / f"{self.name}-{sha256(about.encode()).hexdigest()[:12]}.json"
        with locked(papers):
            found = lease(papers)
            if found:
                return found
            papers.unlink(missing_ok=True)
            return self._start(path, papers)

    def _start(self, weights: Path, papers: Path) -> tuple[str, socket.socket]:
        values = {"weights": weights, "name": self.name, "papers": papers, **vars(self.serving)}
        options = [f"--{name}={value}" for name, value in values.items()]
        log = papers.with_suffix(".log")
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "tasks.embedded_server", *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": paths},
            )
        end = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < end and process.poll() is None:
            found = lease(papers)
            if found:
                threading.Thread(target=process.wait, daemon=True).start()
                return found
            time.sleep(0.05)
        process.kill()
        process.wait()
        said = " | ".join(log.read_text(errors="replace").splitlines()[-5:])
        raise UserError(f"the server of {self.name} did not start: {said or 'no output'} (log: {log})")


def lease(papers: Path) -> tuple[str, socket.socket] | None:
    """The URL of the server that the papers tell of and a lease of it, or None where it is gone."""
    with suppress(OSError, ValueError, KeyError):
        told: dict[str, Any] = json.loads(papers.read_text())
        connection = socket.create_connection(("127.0.0.1", told["lease"]), timeout=5.0)
        with suppress(OSError):
            if connection.recv(64).decode() == told["word"]:
                connection.settimeout(None)
                return told["url"], connection
        connection.close()
    return None


def _version() -> str:
    try:
        return importlib.metadata.version("xllamacpp")
    except importlib.metadata.PackageNotFoundError as error:
        raise UserError(
            "an embedded model needs the package xllamacpp: install it with pip install -e '.[embedded]'"
        ) from error
