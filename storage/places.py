"""A place where results lie: a folder, or a URL of an object store, which code uses like a ``pathlib.Path``."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from schemas.errors import UserError, unknown

DRIVERS = {"s3": ("s3fs", "s3"), "gs": ("gcsfs", "gcs"), "abfs": ("adlfs", "azure"), "memory": ("fsspec", "")}
ORIGINS = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "azure"}


def place(text: str) -> Path:
    """The place that a text names: an absolute local path, or a ``upath.UPath`` for ``s3://``, ``gs://``, ``abfs://``.

    ``memory://`` is this process's own memory. Credentials and addresses of servers come from the environment
    (``AWS_*`` with ``AWS_ENDPOINT_URL``, ``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_STORAGE_*``), never from the URL.
    """
    protocol, _, rest = text.partition("://")
    if protocol == text:
        if text.partition(":")[0] in DRIVERS and ":" in text:
            raise UserError(f"{text!r} is neither a folder nor a URL: write {text.partition(':')[0]}://BUCKET/FOLDER")
        return Path(text).expanduser().resolve()
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


def _has_credentials(url: str) -> bool:
    """Whether a URL holds a user, a key or a signature; ``abfs://container@account`` holds none."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return bool(parts.query) or ":" in user or bool(user and parts.scheme != "abfs")


def is_remote(path: Path) -> bool:
    """Whether a place lies in an object store: no locks, no renaming, no appending there.

    >>> is_remote(Path("/tmp")), is_remote(place("memory://bucket/results"))
    (False, True)
    """
    return not isinstance(cast(object, path), Path)


def filesystem(path: Path) -> tuple[Any, str]:
    """The fsspec filesystem of a remote place, and the place's name in it."""
    remote: Any = path
    return remote.fs, remote.path.rstrip("/")


@contextmanager
def mended(path: Path, action: str) -> Iterator[None]:
    """Turn what a disk or an object store raises into a UserError: ``cannot ACTION PATH: reason``, on one line."""
    try:
        yield
    except (UserError, UnicodeError):
        raise
    except Exception as error:
        if not is_remote(path) and not isinstance(error, OSError):
            raise
        raise UserError(f"cannot {action} {path}: {reason(error)}") from error


def reason(error: Exception) -> str:
    """The first line of what an operating system or an object store said."""
    told: str = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
    if isinstance(error, FileNotFoundError) and " " not in told:
        return "no such file or folder"
    if "credentials" in told.lower() or (isinstance(error, PermissionError) and error.errno is None):
        return f"{told.rstrip('.')}; credentials are read from the environment"
    return told


def is_of_store(error: Exception) -> bool:
    """Whether an object store, or the way to it, is at fault."""
    return type(error).__module__.partition(".")[0] in ORIGINS or (
        isinstance(error, PermissionError | FileNotFoundError) and error.errno is None
    )


def exclusive_create(path: Path, data: bytes) -> bool:
    """Write a file that nobody has written before, in one go; False where it exists."""
    try:
        if is_remote(path):
            store, name = filesystem(path)
            store.pipe_file(name, data, mode="create")
        else:
            _in_folder(path, lambda: _create(path, data))
    except FileExistsError:
        return False
    return True


def exclusive_link(path: Path, target: Path) -> bool:
    """Give a local file another name that nobody has given before; False where it exists.

    It costs a third to a thirtieth of a new file. Raises OSError where the file system has no such links.
    """
    try:
        _in_folder(path, lambda: os.link(target, path))
    except FileExistsError:
        return False
    return True


def _in_folder(path: Path, write: Callable[[], None]) -> None:
    """Write a local file, making its folder only where it is missing: threads in a crowd wait after each call."""
    try:
        write()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        write()


def _create(path: Path, data: bytes) -> None:
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        if os.write(file, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)


def listed(folder: Path) -> dict[str, dict[str, Any]]:
    """Everything below a remote folder in one listing: names relative to it, with what the store tells of each."""
    store, base = filesystem(folder)
    try:
        with mended(folder, "list"):
            found: dict[str, dict[str, Any]] = store.find(base, detail=True)
    except UserError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return {}
        raise
    prefix = f"{base.lstrip('/')}/"
    names = {name.lstrip("/"): about for name, about in found.items()}
    return {name.removeprefix(prefix): about for name, about in names.items() if name.startswith(prefix)}


def matching(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder that match a pattern of a fixed depth, ordered part by part; one listing if remote."""
    if not is_remote(folder):
        return sorted(folder.glob(pattern))
    wanted = pattern.split("/")
    fixed = next((at for at, part in enumerate(wanted) if "*" in part), len(wanted) - 1)
    start = folder.joinpath(*wanted[:fixed])
    parts = sorted(name.split("/") for name in listed(start))
    rest = wanted[fixed:]
    return [start.joinpath(*names) for names in parts if len(names) == len(rest) and all(map(fnmatchcase, names, rest))]


def subfolders(folder: Path) -> list[Path]:
    """The folders in a folder, in their order; none where it does not exist."""
    if not is_remote(folder):
        return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    store, base = filesystem(folder)
    try:
        with mended(folder, "list"):
            found = store.ls(base, detail=True)
    except UserError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return []
        raise
    return sorted(folder / Path(each["name"]).name for each in found if each["type"] == "directory")


def stamp(path: Path) -> str:
    """A text that changes with a file: of its time of change, or of what an object store tells of it."""
    with mended(path, "read"):
        if not is_remote(path):
            return str(path.stat().st_mtime_ns)
        store, name = filesystem(path)
        told = store.info(name)
    changing = ("ETag", "etag", "content_settings", "LastModified", "last_modified", "updated", "created", "size")
    return " ".join(str(told[key]) for key in changing if key in told)


def cache_folder() -> Path:
    """This machine's folder for what can be fetched or made again: ``SCHEMALINK_CACHE``, else the user's cache."""
    if given := os.environ.get("SCHEMALINK_CACHE"):
        return Path(given).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "schemalink"
