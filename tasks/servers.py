"""vLLM servers as child processes: started, watched until they are healthy, stopped with all that they started."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UserError

DIES_WITH_PARENT = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
PATIENCE = 20.0


@dataclass(frozen=True)
class Launch:
    """One server to start: interpreter, model, the name to serve it by, address, GPUs (``0,1``), vLLM's own options."""

    python: str
    model: str
    name: str
    host: str
    port: int
    gpus: str
    options: tuple[str, ...]
    log: Path

    @property
    def url(self) -> str:
        """The base URL that clients use, by this machine's name where the server listens on all addresses."""
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{host}:{self.port}/v1"

    def command(self) -> list[str]:
        """The server's command line."""
        parallel = self.gpus.count(",") + 1
        spread = ["--tensor-parallel-size", str(parallel)] if parallel > 1 and not self._given("--tensor-par") else []
        return [
            *(self.python, "-m", "vllm.entrypoints.openai.api_server", "--model", self.model),
            *("--served-model-name", self.name, "--host", self.host, "--port", str(self.port)),
            *("--enable-prompt-tokens-details", *spread, *self.options),
        ]

    def _given(self, option: str) -> bool:
        return any(word.startswith(option) for word in self.options)


class Server:
    """A running server; it ends when this process does, whichever way that ends."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        visible = {"CUDA_VISIBLE_DEVICES": launch.gpus} if launch.gpus else {}
        launch.log.parent.mkdir(parents=True, exist_ok=True)
        with launch.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", DIES_WITH_PARENT, str(os.getpid()), *launch.command()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**QUIET, **os.environ, **visible},
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def healthy(self) -> bool:
        """Whether the server says that it can answer."""
        with contextlib.suppress(OSError):
            url = self.launch.url.removesuffix("/v1") + "/health"
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200)
        return False

    def last_words(self, lines: int = 15) -> str:
        """The end of the server's log."""
        with self.launch.log.open(errors="replace") as log:
            return "".join(deque(log, lines)).rstrip()


def wait(servers: Sequence[Server], seconds: float) -> None:
    """Wait until all servers are healthy; one that ends or takes too long is a UserError with the end of its log."""
    end = time.monotonic() + seconds
    waiting = list(servers)
    while waiting:
        waiting = [server for server in waiting if not (server.alive and server.healthy())]
        for server in waiting:
            if not server.alive:
                what = f"the server on port {server.launch.port} ended with status {server.process.returncode}"
                raise UserError(f"{what}; the end of {server.launch.log}:\n{server.last_words()}")
            if time.monotonic() > end:
                what = f"the server on port {server.launch.port} is not healthy after {seconds:g} s"
                raise UserError(f"{what}; the end of {server.launch.log}:\n{server.last_words()}")
        time.sleep(0.5 if waiting else 0)


def stop(servers: Sequence[Server]) -> None:
    """End servers and all processes that they started: politely, then not."""
    for server in servers:
        _signal(server, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    for server in servers:
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.process.wait(max(0.1, end - time.monotonic()))
        _signal(server, signal.SIGKILL)
        server.process.wait()


def _signal(server: Server, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server.process.pid, number)


def free_ports(host: str, first: int, count: int) -> list[int]:
    """Ports to listen on, counted from the first, or any for 0; a port in use is a UserError."""
    ports = []
    with contextlib.ExitStack() as stack:
        for number in range(count):
            wanted = first + number if first else 0
            try:
                listener = stack.enter_context(socket.create_server((host, wanted)))
            except OSError as error:
                raise UserError(
                    f"cannot listen on {host}:{wanted} ({error.strerror}): choose another --port"
                ) from error
            ports.append(int(listener.getsockname()[1]))
    return ports
