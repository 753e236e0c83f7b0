"""Start vLLM servers of one model, store their endpoints, and stop them: ``python -m flows serve MODEL``."""

import argparse
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from schemas.errors import UserError
from storage.endpoints import store
from storage.layout import nearby, slug
from tasks.replica import Replica
from tasks.servers import Launch, Server, free_ports, stop, wait

PASSED_ON = "what stands after -- is passed on to vLLM"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``serve`` takes."""
    parser.add_argument("model", metavar="MODEL", help="a folder of weights or a hub's name")
    parser.add_argument("--replicas", type=int, default=1, metavar="N", help="servers to start (1)")
    parser.add_argument("--gpus", default="", metavar="LIST", help="GPUs of each replica, such as '0,1;2,3'")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the first replica's port, 0 for any (8000)")
    parser.add_argument("--name", default="", help="the name to serve the model by (MODEL)")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with vLLM installed (this one)")
    parser.add_argument("--wait", type=float, default=1800.0, metavar="SECONDS", help="time to become healthy (1800)")
    parser.usage = "python -m flows serve MODEL [options] [-- any options of vLLM]"


def main(arguments: argparse.Namespace) -> int:
    """Serve until interrupted; 0 when stopped, 1 when all servers ended by themselves."""
    launches = planned(arguments)
    servers: list[Server] = []
    path = None
    with _interruptible():
        try:
            for launch in launches:
                servers.append(Server(launch))
            print(f"starting {len(servers)} server(s) of {launches[0].name}; log: {launches[0].log}", flush=True)
            wait(servers, arguments.wait)
            path = _announced(arguments.storage, servers)
            return _watched(servers)
        except KeyboardInterrupt:
            print("stopping", flush=True)
            return 0
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            stop(servers)
            if path is not None:
                path.unlink(missing_ok=True)


def planned(arguments: argparse.Namespace) -> list[Launch]:
    """The servers to start; mistakes in GPUs, replicas and ports are told before anything is started."""
    if arguments.replicas < 1:
        raise UserError(f"--replicas must be at least 1, not {arguments.replicas}")
    if shutil.which(arguments.python) is None:
        raise UserError(f"no such interpreter: {arguments.python}; name one that has vLLM with --python")
    gpus = gpu_sets(arguments.gpus, arguments.replicas)
    ports = free_ports(arguments.host, arguments.port, arguments.replicas)
    name = arguments.name or arguments.model.rstrip("/")
    logs = nearby(arguments.storage) / "endpoints" / "logs"
    return [
        Launch(
            python=arguments.python,
            model=arguments.model,
            name=name,
            host=arguments.host,
            port=port,
            gpus=gpu,
            options=tuple(arguments.passed_on),
            log=logs / f"{slug(name)}-{number}.log",
        )
        for number, (port, gpu) in enumerate(zip(ports, gpus, strict=True))
    ]


def gpu_sets(text: str, replicas: int) -> list[str]:
    """The GPUs of each replica: as given, or one each where there are several replicas.

    >>> gpu_sets("0,1; 2,3", 2), gpu_sets("", 2), gpu_sets("", 1)
    (['0,1', '2,3'], ['0', '1'], [''])
    """
    if not text:
        return [str(number) for number in range(replicas)] if replicas > 1 else [""]
    sets = [part.replace(" ", "") for part in text.split(";")]
    if len(sets) != replicas or not all(re.fullmatch(r"\d+(,\d+)*", part) for part in sets):
        raise UserError(f"--gpus {text!r} does not name GPUs for {replicas} replica(s): write them as '0,1;2,3'")
    return sets


def _announced(storage: Path, servers: list[Server]) -> Path:
    urls = [server.launch.url for server in servers]
    name = servers[0].launch.name
    told = Replica(urls[0]).served()
    path = store(storage, name, urls, told.engine if told else "")
    for url in urls:
        print(f"endpoint {url}", flush=True)
    print(
        f"serving {name} ({told.engine if told else 'vllm'}): --model {name} finds it here; stop with Ctrl-C",
        flush=True,
    )
    return path


def _watched(servers: list[Server]) -> int:
    left = list(servers)
    while left:
        for server in [server for server in left if not server.alive]:
            left.remove(server)
            print(f"{server.launch.url} ended by itself; {len(left)} left\n{server.last_words()}", file=sys.stderr)
        time.sleep(1.0)
    return 1


@contextmanager
def _interruptible() -> Iterator[None]:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
