"""A place where results lie: a folder, or a URL of an object store, which code uses like a ``pathlib.Path``."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from schemas.errors import UserError, unknown

DRIVERS = {"s3": ("s3fs", "s3"), "gs": ("gcsfs", "gcs"), "abfs": ("adlfs", "azure"), "memory": ("fsspec", "")}


def place(text: str) -> Path:
    """The place that a text names: an absolute local path, or a ``upath.UPath`` for ``s3://``, ``gs://``, ``abfs://``.

    ``memory://`` is this process's own memory. Credentials and addresses of servers come from the environment
    (``AWS_*`` with ``AWS_ENDPOINT_URL``, ``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_STORAGE_*``), never from the URL.
    """
    if "://" not in text:
        return Path(text).expanduser().resolve()
    protocol, _, rest = text.partition("://")
    if protocol not in DRIVERS:
        raise unknown("storage protocol", protocol, DRIVERS)
    if _has_credentials(text):
        raise UserError(f"a {protocol}:// URL must hold no credentials: set them in the environment")
    if not rest.strip("/"):
        raise UserError(f"{text!r} names no bucket: give {protocol}://BUCKET/FOLDER")
    driver, extra = DRIVERS[protocol]
    if find_spec(driver) is None:
        raise UserError(f"storage at {protocol}:// needs the package {driver}: pip install -e '.[{extra}]'")
    from upath import UPath

    return cast(Path, UPath(text.rstrip("/"), use_listings_cache=False))


def is_remote(path: Path) -> bool:
    """Whether a place lies in an object store: no locks, no renaming, no appending there.

    >>> is_remote(Path("/tmp")), is_remote(place("memory://bucket/results"))
    (False, True)
    """
    return not isinstance(cast(object, path), Path)


def exclusive_create(path: Path, data: bytes) -> bool:
    """Write a file that nobody has written before, in one go; False where it exists."""
    try:
        if is_remote(path):
            filesystem: Any = cast(Any, path).fs
            filesystem.pipe_file(cast(Any, path).path, data, mode="create")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
    except FileExistsError:
        return False
    return True


def _has_credentials(url: str) -> bool:
    """Whether a URL holds a user, a key or a signature; ``abfs://container@account`` holds none."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return bool(parts.query) or ":" in user or bool(user and parts.scheme != "abfs")
