"""A sweep's grid: models, benchmarks and linkers, and the runs that its cells make."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flows.runners import Runner
from storage.layout import slug
from storage.prices import Prices
from tasks import labels
from tasks.generate import Generator
from tasks.shard import Selection
from tasks.toolbox import Toolbox

WITHOUT_MODEL = "no-model"


@dataclass(frozen=True)
class Served:
    """What ``sweep run`` starts and stops by itself: weights, how many servers of them, and vLLM's own options."""

    weights: str
    replicas: int = 1
    gpus: str = ""
    host: str = "127.0.0.1"
    port: int = 0
    python: str = ""
    wait: float = 1800.0
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A model by the name that its servers know, where they answer, or what to serve, and how hard it is asked."""

    name: str
    endpoints: tuple[str, ...] = ()
    serve: Served | None = None
    in_flight: int = 256
    timeout: float = 600.0


@dataclass(frozen=True)
class Chosen:
    """A prepared benchmark, its part, and which of its questions are asked."""

    name: str
    part: str = ""
    selection: Selection = field(default_factory=Selection)


@dataclass(frozen=True)
class Budget:
    """What the whole sweep may take: dollars, tokens, hours of running; None is without limit."""

    money: float | None = None
    tokens: float | None = None
    hours: float | None = None


@dataclass(frozen=True)
class Part:
    """Cells that belong into one run: the linkers of one model (none: those that ask none) on one benchmark."""

    model: Asked | None
    benchmark: Chosen
    linkers: tuple[str, ...]
    repetitions: int

    @property
    def key(self) -> tuple[str, str]:
        """The names of model and benchmark."""
        return self.model.name if self.model else "", self.benchmark.name


@dataclass(frozen=True)
class Sweep:
    """A checked sweep file."""

    name: str
    benchmarks: tuple[Chosen, ...]
    linkers: tuple[str, ...]
    models: tuple[Asked, ...]
    repetitions: int = 1
    generator: Generator | None = None
    seconds: float = 0.0
    graphs: str = ""
    embedder: str = ""
    tagger: str = ""
    prices: Prices = field(default_factory=lambda: Prices(0.0, ()))
    budget: Budget = field(default_factory=Budget)
    runner: Runner = field(default_factory=Runner)

    def parts(self) -> Iterator[Part]:
        """The parts in the order in which they run: first what asks no model, then model by model.

        What asks no model and has no queries generated is the same whatever the model is: it is a run of its own, once,
        without repetitions, which needs no server and stays as it is when models come and go.
        """
        asking = tuple(label for label in self.linkers if self.asks(label))
        silent = tuple(label for label in self.linkers if label not in asking)
        for benchmark in self.benchmarks if silent else ():
            yield Part(None, benchmark, silent, 1)
        for model in self.models if asking else ():
            for benchmark in self.benchmarks:
                yield Part(model, benchmark, asking, self.repetitions)

    def asks(self, label: str) -> bool:
        """Whether a cell of this linker asks the model, for links or for queries."""
        return self.generator is not None or "model" in labels.needs(label)

    def run_name(self, part: Part) -> str:
        """The name of a part's first run."""
        model, benchmark = part.key
        return f"{self.name}-{slug(model) if model else WITHOUT_MODEL}-{slug(benchmark)}"

    def toolbox(self, model: Asked | None, storage: Path, endpoints: tuple[str, ...] = ()) -> Toolbox:
        """What the cells of a model may ask; ``endpoints`` are those of servers that the sweep started."""
        if model is None:
            return Toolbox(storage, embedder=self.embedder, tagger=self.tagger)
        return Toolbox(
            storage,
            model=model.name,
            endpoints=endpoints or model.endpoints,
            in_flight=model.in_flight,
            timeout=model.timeout,
            embedder=self.embedder,
            tagger=self.tagger,
        )

    def settings(self) -> dict[str, Any]:
        """What holds for every cell and changes its results."""
        return {
            "repetitions": self.repetitions,
            "generate": self.generator.label if self.generator else "",
            "execute": self.seconds,
            "graphs": self.graphs,
            "embedder": self.embedder,
            "tagger": self.tagger,
        }

    def described(self) -> dict[str, Any]:
        """The grid as JSON: what makes its cells, without servers, prices, budget and runner."""
        chosen = {each.name: {"part": each.part, **asdict(each.selection)} for each in self.benchmarks}
        models = [model.name for model in self.models]
        return {"benchmarks": chosen, "models": models, "linkers": list(self.linkers), "settings": self.settings()}
