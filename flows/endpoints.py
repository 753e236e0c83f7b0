"""Model servers as the Prefect server knows them: a tag each, and how many shards may ask one at a time."""

from contextlib import suppress
from urllib.parse import urlsplit

from storage.endpoints import stored
from tasks.toolbox import Toolbox


def tags_of(toolbox: Toolbox) -> frozenset[str]:
    """The tags of runs that ask a toolbox's model servers, ``endpoint:HOST:PORT``; an embedded model has none."""
    if not toolbox.has_model or toolbox.model.startswith("embedded"):
        return frozenset()
    urls = toolbox.endpoints or stored(toolbox.storage, toolbox.model)
    return frozenset(f"endpoint:{_address(url)}" for url in urls)


def _address(url: str) -> str:
    parts = urlsplit(url if "//" in url else f"//{url}")
    return f"{parts.hostname}:{parts.port or {'https': 443}.get(parts.scheme, 80)}"


def limited(toolbox: Toolbox, shards: int) -> frozenset[str]:
    """The tags of the toolbox's model servers with a limit of shards at a time; 0 leaves the limits as they are.

    Tasks carry no other tags: Prefect asks its server about every tag of every task.
    """
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    found = set()
    with get_client(sync_client=True) as client:
        for tag in sorted(tags_of(toolbox)):
            name = f"tag:{tag}"
            if shards:
                try:
                    client.upsert_global_concurrency_limit_by_name(name, shards)
                except ObjectAlreadyExists:
                    client.upsert_global_concurrency_limit_by_name(name, shards)
            with suppress(ObjectNotFound):
                client.read_global_concurrency_limit_by_name(name)
                found.add(tag)
    return frozenset(found)
