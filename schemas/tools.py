"""What a linker may ask of the world: Protocols, and the requests and replies of a language model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.catalog import Element
from schemas.errors import UserError
from schemas.evidence import Profile


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asks for; ``arguments`` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that is sent to a model: equal requests have equal replies in the cache.

    ``schema`` is a JSON schema for guided output; ``tools`` are function declarations (name, description, parameters)
    and ``tool_choice`` whether one may, must or must not be called; ``repetition`` tells samples apart that are alike
    in everything else.
    """

    messages: tuple[Message, ...]
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    max_tokens: int = 512
    n: int = 1
    schema: Mapping[str, Any] | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    tool_choice: Literal["auto", "required", "none"] = "auto"
    logprobs: bool = False
    repetition: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer; a thinking model's ``reasoning`` is kept apart from its ``text``; ``logprobs`` are pairs."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    tool_calls: tuple[ToolCall, ...] = ()
    logprobs: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answers to one request with what the server says they took; ``cached`` tells a reply from our disk."""

    choices: tuple[Choice, ...]
    model: str
    engine: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False

    @property
    def text(self) -> str:
        """The first answer's text."""
        return self.choices[0].text


class Model(Protocol):
    """A language model behind a server."""

    @property
    def name(self) -> str:
        """The name that the server knows the model by."""

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        """Answer a request; calls of one ``affinity`` go to one replica; raise Failure with a status of the results."""


class Embedder(Protocol):
    """A sentence embedder."""

    @property
    def name(self) -> str:
        """The model's name."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts as rows of unit length, shape (texts, dimensions)."""


class Span(NamedTuple):
    """A named entity in a text: characters from ``start`` up to ``end``, and its type."""

    start: int
    end: int
    label: str


class Tagger(Protocol):
    """A named-entity recogniser."""

    @property
    def name(self) -> str:
        """The model's name."""

    def entities(self, text: str) -> Sequence[Span]:
        """The named entities of a text in their order."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A query's answer: column names, rows in the engine's order, and whether a limit cut them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


class Database(Protocol):
    """A read-only database with limits on time, rows and bytes."""

    @property
    def engine(self) -> str:
        """The engine's name and version."""

    def run(self, query: str) -> Rows:
        """Run one read-only query; raise Failure (``timeout``, ``too_large``, ``forbidden``, ``query_error``)."""


class Evidence(Protocol):
    """What can be learned of the contents of one database, or of what was published of them."""

    @property
    def source(self) -> str:
        """What the evidence is read from, and what is missing there, in a sentence for a prompt."""

    def profile(self, element: Element) -> Profile | None:
        """The profile of a field; None where nothing is known of its contents."""

    def probe(self, query: str) -> Rows:
        """At most five rows of one read-only query; raise Failure with the database's error, or ``no_database``."""


class Remark(NamedTuple):
    """A note before it is told which question and linker it belongs to (see ``schemas.records.Note``)."""

    kind: str
    element: Element | None
    value: str
    share: float | None


@dataclass
class Tools:
    """What one linker may use for one question, and the notes it leaves; ``embedders`` opens others by name."""

    model: Model | None = None
    embedder: Embedder | None = None
    tagger: Tagger | None = None
    database: Database | None = None
    evidence: Evidence | None = None
    embedders: Callable[[str], Embedder] | None = None
    notes: list[Remark] = field(default_factory=list)

    def note(self, kind: str, element: Element | None = None, value: str = "", share: float | None = None) -> None:
        """Remember something about an element, or about the question."""
        self.notes.append(Remark(kind, element, value, share))

    def need_model(self) -> Model:
        """The model, or the error that tells how to name one."""
        if self.model is None:
            raise UserError("this linker asks a language model: name one with --model embedded or --endpoint URL")
        return self.model

    def need_embedder(self, name: str = "") -> Embedder:
        """The embedder, or another one by its name; or the error that tells how to get one."""
        if name and self.embedders and (self.embedder is None or self.embedder.name != name):
            return self.embedders(name)
        if self.embedder is None or name not in ("", self.embedder.name):
            raise UserError("this linker asks an embedder: install the extra with pip install -e '.[embed]'")
        return self.embedder

    def need_tagger(self) -> Tagger:
        """The tagger, or the error that tells how to get one."""
        if self.tagger is None:
            raise UserError("this linker asks a tagger of named entities: install it with pip install -e '.[ner]'")
        return self.tagger
