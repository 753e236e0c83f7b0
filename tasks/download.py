"""Files from a benchmark's official address: resumed, checked, unpacked, and there whole or not at all."""

import random
import shutil
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from schemas.errors import UserError
from storage.files import sha256, write_text

if TYPE_CHECKING:
    import httpx

BY_HAND = "fetch it by hand, unpack it, and name its folder with --from DIR"


@dataclass(frozen=True, slots=True)
class Download:
    """A file at an official address and its name below the downloads folder; its checksum where it is known.

    A ``.zip`` is unpacked into a folder of its stem, archives within it too, and is then removed. ``by_hand`` tells
    what a person does where the address answers with a web page instead of the file.
    """

    url: str
    name: str
    sha256: str = ""
    by_hand: str = BY_HAND


class Patience(NamedTuple):
    """How many tries in a row may bring nothing new, the seconds of the first pause between tries, and of silence."""

    tries: int = 5
    pause: float = 1.0
    silence: float = 30.0


PATIENCE = Patience()


class _Again(Exception):
    """A try failed in a way that the next may not."""


def download(items: Sequence[Download], folder: Path, patience: Patience = PATIENCE) -> Path:
    """Fetch and unpack what is not yet there into the folder; a transfer that broke off goes on where it stopped."""
    for item in items:
        file = folder / item.name
        unpacked = file.with_suffix("") if file.suffix == ".zip" else file
        if unpacked.exists():
            continue
        fetch(item, file, patience)
        if file.suffix == ".zip":
            unpack(file, unpacked)
            file.unlink()
    return folder


def fetch(item: Download, file: Path, patience: Patience = PATIENCE) -> None:
    """Fetch one file, which appears under its name only when complete and checked; until then it is ``NAME.part``."""
    if file.is_file():
        return
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _persist(item, part, patience)
        if item.sha256 and (found := sha256(part)) != item.sha256:
            part.unlink()
            raise UserError(f"{item.url}: sha256 {found} instead of {item.sha256}: run again, or {item.by_hand}")
        part.replace(file)
        _tag(part).unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {part}: {error.strerror or error}") from error


def _persist(item: Download, part: Path, patience: Patience) -> None:
    """Try until the part is complete, with pauses that double and are jittered."""
    import httpx
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = TextColumn(item.name), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    failed, most, reason = 0, _size(part), ""
    with (
        Progress(*columns, console=Console(stderr=True)) as progress,
        httpx.Client(follow_redirects=True, timeout=patience.silence) as client,
    ):
        task = progress.add_task(item.name, total=None)
        while failed < patience.tries:
            try:
                return _transfer(client, item, part, partial(progress.update, task))
            except (httpx.TransportError, _Again) as error:
                reason = str(error) or type(error).__name__
            failed = 1 if _size(part) > most else failed + 1
            most = max(most, _size(part))
            if failed < patience.tries:
                time.sleep(patience.pause * 2 ** (failed - 1) * random.uniform(0.5, 1.5))
    kept = f"; what arrived is kept, run again to go on: {part}" if part.exists() else f"; or {item.by_hand}"
    raise UserError(f"cannot download {item.url} ({patience.tries} tries): {reason}{kept}")


def _transfer(client: "httpx.Client", item: Download, part: Path, show: Callable[..., None]) -> None:
    """One try: ask for what is missing, write what arrives."""
    have = _size(part)
    with client.stream("GET", item.url, headers=_headers(item, part, have)) as response:
        if response.status_code == 416:
            if response.headers.get("content-range", "").endswith(f"/{have}"):
                return
            part.unlink(missing_ok=True)
            raise _Again("the file at the address has changed")
        _refuse(item, response)
        if response.status_code != 206:
            have = 0
            part.unlink(missing_ok=True)
            etag = response.headers.get("etag", "")
            write_text(_tag(part), etag if etag.startswith('"') else response.headers.get("last-modified", ""))
        elif not response.headers.get("content-range", "").startswith(f"bytes {have}-"):
            part.unlink(missing_ok=True)
            raise _Again("the server sent another part of the file than it was asked for")
        length = response.headers.get("content-length")
        show(total=have + int(length) if length else None, completed=have)
        with part.open("ab" if have else "wb") as out:
            for chunk in response.iter_raw():
                out.write(chunk)
                show(advance=len(chunk))


def _headers(item: Download, part: Path, have: int) -> dict[str, str]:
    """Ask for the rest only where a mix of two versions would be noticed: by the server's tag, or by our checksum."""
    headers = {"Accept-Encoding": "identity"}
    tag = _tag(part).read_text(encoding="utf-8") if _tag(part).exists() else ""
    if have and (tag or item.sha256):
        headers |= {"Range": f"bytes={have}-"} | ({"If-Range": tag} if tag else {})
    return headers


def _refuse(item: Download, response: "httpx.Response") -> None:
    answer = f"{response.status_code} {response.reason_phrase}"
    if response.status_code == 429 or response.status_code >= 500:
        raise _Again(f"the server answered {answer}")
    if response.status_code not in (200, 206):
        raise UserError(f"{item.url} answered {answer}: {item.by_hand}")
    if response.headers.get("content-type", "").startswith("text/html"):
        raise UserError(f"{item.url} answered with a web page instead of the file: {item.by_hand}")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _tag(part: Path) -> Path:
    return part.with_name(f"{part.name}.etag")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip, and the zips in it, into a new folder that appears when complete; no member leaves the folder."""
    temporary = folder.with_name(f".{folder.name}.unpacking")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        _extract(archive, temporary)
        for inner in sorted(temporary.rglob("*.zip")):
            _extract(inner, inner.parent)
            inner.unlink()
        temporary.replace(folder)
    except zipfile.BadZipFile as error:
        raise UserError(f"{archive}: not a complete zip file ({error}): delete it and run again") from error
    except OSError as error:
        raise UserError(f"cannot unpack {archive}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(temporary, ignore_errors=True)


def _extract(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        folder.mkdir(parents=True, exist_ok=True)
        for member in packed.namelist():
            if not (folder / member).resolve().is_relative_to(folder.resolve()) or "\\" in member:
                raise UserError(f"{archive}: refused, its member {member!r} would be written outside of its folder")
        needed, free = sum(member.file_size for member in packed.infolist()), shutil.disk_usage(folder).free
        if needed > free:
            raise UserError(f"cannot unpack {archive}: {needed:,} bytes are needed in {folder}, {free:,} are free")
        packed.extractall(folder)
