"""The records of a run: one frozen dataclass for each dataset on disk."""

from dataclasses import dataclass
from typing import Literal

from schemas.catalog import Element

Role = Literal["output", "filter", "join", "group", "order", "from", "nested"]
Level = Literal["entity", "field"]


@dataclass(frozen=True, slots=True)
class Reference:
    """An element that a query uses and what it uses it for.

    Roles: ``output`` (the outermost SELECT list), ``nested`` (the SELECT list of an inner query), ``filter`` (WHERE,
    HAVING), ``join`` (ON, USING), ``group``, ``order``; an entity has ``from``. A query's entities stand in the order
    of their mention, those of the outermost FROM first.
    """

    entity: str
    field: str = ""
    roles: tuple[Role, ...] = ()

    @property
    def element(self) -> Element:
        """The element that is referenced."""
        return Element(self.entity, self.field)


@dataclass(frozen=True, slots=True)
class Referenced:
    """What a query uses of a catalog, and the names in it that the catalog does not have (made up, or mistyped)."""

    references: tuple[Reference, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One item of a benchmark with its gold query and the elements which that query references.

    ``gold_status``: ``ok``, ``none`` (no gold query), ``excluded`` (by a corrections file), or what went wrong
    (``parse_error``, ``unknown_element``); ``gold_level``: how deep the gold elements go, ``none``, ``entity`` or
    ``field``.
    """

    benchmark: str
    id: str
    database: str
    text: str
    evidence: str = ""
    difficulty: str = ""
    gold_query: str = ""
    gold: tuple[Reference, ...] = ()
    gold_level: Literal["none", "entity", "field"] = "none"
    gold_status: str = "none"
    gold_reason: str = ""

    def gold_elements(self, level: Level) -> frozenset[Element]:
        """The gold elements of one level: entities, or fields."""
        return frozenset(ref.element for ref in self.gold if bool(ref.field) == (level == "field"))


@dataclass(frozen=True, slots=True)
class Linking:
    """What one linker kept of one question's catalog, and what that took.

    ``status``: ``ok``, ``fallback`` (the linker found nothing and kept the whole catalog), or why nothing was kept.
    ``seconds`` is the linker's own processor time, ``model_seconds`` the time its model calls took, waiting included.
    """

    benchmark: str
    database: str
    question: str
    linker: str
    repetition: int = 0
    status: str = "ok"
    reason: str = ""
    kept: tuple[Element, ...] = ()
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    model_seconds: float = 0.0
    model: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What a linker wants remembered besides its catalog.

    ``kind`` is a word such as ``source``, ``destination``, ``path``, ``disconnected``, ``made_up``, ``vote``,
    ``dropped``; it concerns ``entity`` and ``field``, or neither; ``value`` is text (JSON where it has parts) and
    ``share`` a number between 0 and 1, or None.
    """

    benchmark: str
    database: str
    question: str
    linker: str
    repetition: int
    position: int
    kind: str
    entity: str = ""
    field: str = ""
    value: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """The query that a generator wrote for one question from one linked catalog (``generator`` is its label)."""

    benchmark: str
    database: str
    question: str
    linker: str
    generator: str
    repetition: int = 0
    status: str = "ok"
    reason: str = ""
    query: str = ""
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    model_seconds: float = 0.0
    model: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One metric's value for an executed query; ``value`` is None where the gold query cannot be judged by."""

    metric: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Execution:
    """What the database answered to one query: rows as a count and a digest, the engine by name and version.

    ``status``: ``ok``, the query's own status where it was not, or why the database refused it (``empty_query``,
    ``forbidden``, ``query_error``, ``unsupported`` (by this engine), ``timeout``, ``too_large``, ``crashed``,
    ``no_database``). ``gold_status``: ``ok``, ``gold_timeout``, ``gold_error``, ``gold_unsupported``, ``none`` (no gold
    query), ``excluded``, ``no_database``. Every verdict is without a value where the gold is not ``ok``, and where the
    query is ``unsupported``: that says nothing of the query.
    """

    benchmark: str
    database: str
    question: str
    linker: str
    generator: str
    repetition: int = 0
    status: str = "ok"
    reason: str = ""
    rows: int = 0
    digest: str = ""
    gold_status: str = "ok"
    gold_rows: int = 0
    seconds: float = 0.0
    engine: str = ""
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value for one question and linker; ``value`` is None where the metric does not apply.

    ``level`` is ``entity`` or ``field`` for metrics of linking, ``query`` for metrics of a generated query.
    """

    benchmark: str
    database: str
    question: str
    linker: str
    repetition: int
    level: str
    metric: str
    value: float | None
