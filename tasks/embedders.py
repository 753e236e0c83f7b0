"""Sentence embedders that run in this process and remember what they embedded."""

import threading
import time
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tasks.encoders import DEFAULT, Encode, load

REMEMBERED = 250_000


def open_embedder(name: str = DEFAULT) -> "SentenceEmbedder":
    """The embedder of that name, one in a process; its weights are loaded when it is first asked."""
    return OPEN.setdefault(name, SentenceEmbedder(name))


class SentenceEmbedder:
    """An embedder on one thread that remembers the last 250,000 texts (400 MB at most by default); safe under threads.

    ``all-MiniLM-L6-v2`` and ``wordllama`` come in packages, their SHA-256 verified; other names are a hub's or folders.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._encode: Encode | None = None
        self._lock = threading.Lock()
        self._rows: dict[str, tuple[NDArray[np.float32], float]] = {}

    def seconds(self, text: str) -> float:
        """The processor time that a remembered text took: its share of the batch; 0 where it is not remembered."""
        known = self._rows.get(text)
        return known[1] if known else 0.0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts as rows of unit length, shape (texts, dimensions)."""
        with self._lock:
            known = {text: self._rows[text][0] for text in texts if text in self._rows}
            missing = list(dict.fromkeys(text for text in texts if text not in known))
            if missing:
                rows, seconds = self._embed(missing)
                known.update(zip(missing, rows, strict=True))
                self._remember({text: (known[text], seconds / len(missing)) for text in missing[-REMEMBERED:]})
        return np.stack([known[text] for text in texts]) if texts else self.encode([""])[:0]

    def _embed(self, texts: list[str]) -> tuple[NDArray[np.float32], float]:
        """Rows, and the processor time that they took."""
        if self._encode is None:
            self._encode = load(self.name)
        start = time.thread_time()
        return self._encode(texts), time.thread_time() - start

    def _remember(self, rows: dict[str, tuple[NDArray[np.float32], float]]) -> None:
        for text in list(islice(self._rows, max(0, len(self._rows) + len(rows) - REMEMBERED))):
            del self._rows[text]
        self._rows.update(rows)


OPEN: dict[str, SentenceEmbedder] = {}
