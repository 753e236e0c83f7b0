"""The process that serves an embedded model: it lives while a client process holds a lease, and a little longer.

A lease is an open connection: it ends with the process that holds it, however that process ends, so that no server
is left behind.
"""

import argparse
import json
import os
import secrets
import socket
import threading
import time
from pathlib import Path
from typing import Any

from storage.files import write_json
from tasks.weights import locked


class Leases:
    """The connections of client processes, each greeted with a word that tells this server from another."""

    def __init__(self) -> None:
        self.word = secrets.token_hex(16)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._listener.getsockname()[1])
        self._held = 0
        self._since = time.monotonic()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def unused(self) -> float:
        """Seconds since the last lease ended; 0 while one is held."""
        with self._lock:
            return 0.0 if self._held else time.monotonic() - self._since

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            self._count(1)
            threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.sendall(self.word.encode())
                while connection.recv(64):
                    pass
        except OSError:
            pass
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._held += change
            self._since = time.monotonic()


def start(options: argparse.Namespace) -> Any:
    """Load the weights and listen on a free port of this machine."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.weights
    params.model_alias = {options.name}
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.n_parallel = options.slots
    params.n_ctx = options.context * options.slots
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.endpoint_metrics = True
    params.ui = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def serve(options: argparse.Namespace) -> None:
    """Serve until no process has held a lease for ``linger`` seconds."""
    leases = Leases()
    server = start(options)
    papers = Path(options.papers)
    write_json(papers, {"url": server.listening_address, "lease": leases.port, "word": leases.word, "pid": os.getpid()})
    while True:
        time.sleep(min(1.0, options.linger / 4))
        if leases.unused() > options.linger:
            with locked(papers):
                if leases.unused() > options.linger:
                    _retire(papers, leases.word)


def _retire(papers: Path, word: str) -> None:
    if papers.exists() and json.loads(papers.read_text())["word"] == word:
        papers.unlink()
    os._exit(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("weights", "name", "papers"):
        parser.add_argument(f"--{option}", required=True)
    for option in ("context", "slots", "threads"):
        parser.add_argument(f"--{option}", type=int, required=True)
    parser.add_argument("--linger", type=float, required=True)
    serve(parser.parse_args())
