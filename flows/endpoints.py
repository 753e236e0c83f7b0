"""Model servers as the Prefect server knows them: a tag each, and how many shards may ask one at a time."""

from urllib.parse import urlsplit

from storage.endpoints import stored
from tasks.toolbox import Toolbox


def tags_of(toolbox: Toolbox) -> frozenset[str]:
    """The tags of tasks that ask a toolbox's model servers, ``endpoint:HOST:PORT``; an embedded model has none."""
    if not toolbox.has_model or toolbox.model.startswith("embedded"):
        return frozenset()
    urls = toolbox.endpoints or stored(toolbox.storage, toolbox.model)
    return frozenset(f"endpoint:{_address(url)}" for url in urls)


def _address(url: str) -> str:
    parts = urlsplit(url if "//" in url else f"//{url}")
    return f"{parts.hostname}:{parts.port or {'https': 443}.get(parts.scheme, 80)}"


def limit_endpoints(toolbox: Toolbox, shards: int) -> None:
    """Let so many shards ask each of the toolbox's model servers at a time; 0 leaves the limits as they are."""
    if not shards:
        return
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectAlreadyExists

    with get_client(sync_client=True) as client:
        for tag in sorted(tags_of(toolbox)):
            try:
                client.upsert_global_concurrency_limit_by_name(f"tag:{tag}", shards)
            except ObjectAlreadyExists:
                client.upsert_global_concurrency_limit_by_name(f"tag:{tag}", shards)
