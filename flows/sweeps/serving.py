"""Servers that a sweep starts for one of its models and stops when that model's runs have ended."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.serve import planned
from flows.sweeps.grid import Asked, Served
from tasks.servers import Server, stop, wait


@contextmanager
def serving(model: Asked | None, storage: Path) -> Iterator[tuple[str, ...]]:
    """The endpoints of the servers that this starts; none where the model's servers are not ours to start."""
    if model is None or model.serve is None:
        yield ()
        return
    servers: list[Server] = []
    try:
        for launch in planned(_arguments(model, model.serve, storage)):
            servers.append(Server(launch))
        print(f"starting {len(servers)} server(s) of {model.name}; log: {servers[0].launch.log}", flush=True)
        wait(servers, model.serve.wait)
        yield tuple(server.launch.url for server in servers)
    finally:
        stop(servers)


def _arguments(model: Asked, serve: Served, storage: Path) -> argparse.Namespace:
    """What ``flows serve`` would be given."""
    return argparse.Namespace(
        storage=storage,
        model=serve.weights,
        name=model.name,
        replicas=serve.replicas,
        gpus=serve.gpus,
        host=serve.host,
        port=serve.port,
        python=serve.python or sys.executable,
        passed_on=list(serve.options),
    )
