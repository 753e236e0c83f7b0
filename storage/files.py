"""Files that are there whole or not at all, and errors that name them."""

import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from storage.places import filesystem, is_remote, mended


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a temporary local name that takes the place of ``path`` at the end, or is removed where anything fails.

    A full disk, a read-only folder or a file in the way is a UserError that names the path.
    """
    if is_remote(path):
        with tempfile.TemporaryDirectory(prefix="schemalink-") as folder, _disk(path):
            temporary = Path(folder) / path.name
            yield temporary
            _upload(temporary, path)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with _disk(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error


def _upload(file: Path, path: Path) -> None:
    """Put a local file into an object store: the object appears whole."""
    with mended(path, "write"):
        store, name = filesystem(path)
        store.put_file(str(file), name)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all, keys in their given order."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; one that is missing, unreadable or broken is a UserError that says where."""
    return parsed_json(path, read_text(path))


def parsed_json(path: Path, text: str) -> Any:
    """The value of a JSON text; a broken one is a UserError that says where in ``path``."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}: broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from error


def read_text(path: Path) -> str:
    """Read a UTF-8 text file; one that is missing, unreadable or something else is a UserError that says where."""
    try:
        with mended(path, "read"):
            return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text at byte {error.start}") from error


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with mended(path, "read"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    with mended(folder, "remove"), suppress(FileNotFoundError):
        if is_remote(folder):
            store, name = filesystem(folder)
            store.rm(name, recursive=True)
        else:
            shutil.rmtree(folder)
