"""What a sweep will take: per cell its calls, tokens, money and hours, each with what the figure rests on."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from flows.plan import Cell, Plan, make_plan
from flows.sweeps import assumptions, record
from flows.sweeps.grid import Asked, Sweep
from flows.sweeps.history import History, Measured, Stage
from flows.sweeps.prompts import Pairs, counted
from flows.sweeps.record import Run
from flows.sweeps.rehearsal import Known, Rehearsal, Rehearsed, known, rehearse
from schemas.records import Linking, Question
from schemas.tools import Reply, Request
from storage import benchmarks
from storage.layout import Store
from tasks.generate import prompt
from tasks.shard import SIZE, Selection

SAMPLE = 50


@dataclass
class Estimate:
    """One cell of the grid: what is there, what it will ask, and what that takes; ``new`` calls are those sent.

    ``calls`` are all that its unfinished shards make; ``stored`` are answered from the cache of replies, ``shared``
    by a reply that another cell of the sweep asks for first.
    """

    run: str
    model: str
    benchmark: str
    linker: str
    shards: int = 0
    shards_done: int = 0
    questions: int = 0
    calls: float = 0.0
    stored: float = 0.0
    shared: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    seconds: float = 0.0
    money: float | None = 0.0
    basis: list[str] = field(default_factory=list)

    @property
    def new(self) -> float:
        """The calls that are sent."""
        return self.calls - self.stored - self.shared

    def rests_on(self, words: str) -> None:
        """Remember what a figure rests on."""
        if words and words not in self.basis:
            self.basis.append(words)


@dataclass
class Sent:
    """New requests of one cell and stage, and how many more are expected: with so many tokens, or as long as others."""

    requests: list[Request] = field(default_factory=list)
    further: float = 0.0
    further_prompt: float = 0.0
    alike: list[Request] = field(default_factory=list)
    stored: list[tuple[Request, Reply]] = field(default_factory=list)


def estimates(sweep: Sweep, storage: Path) -> list[Estimate]:
    """The estimates of all cells in the order in which they run; nothing is sent to any model, nothing is written."""
    history = History.read(Store(storage))
    models = {model.name: model for model in sweep.models}
    runs = record.planned(sweep, storage)
    found: list[Estimate] = []
    for name, group in groupby(runs, key=lambda run: run.model):
        if name:
            found += _Estimator(sweep, storage, history, models[name]).of(list(group))
        else:
            found += [each for run in group for each in _without_model(sweep, storage, history, run)]
    return found


def plan_of(sweep: Sweep, storage: Path, run: Run, model: Asked | None, endpoints: tuple[str, ...] = ()) -> Plan:
    """The plan of one run of a sweep."""
    chosen = next(each for each in sweep.benchmarks if each.name == run.benchmark)
    return make_plan(
        storage=storage,
        run=run.name,
        names=[run.benchmark],
        linkers=run.linkers,
        selection=Selection(**vars(chosen.selection)),
        repetitions=run.repetitions,
        toolbox=sweep.toolbox(model, storage, endpoints),
        generator=sweep.generator if model else None,
        seconds=sweep.seconds if model else 0.0,
        graphs=sweep.graphs if model else "",
    )


def _cells(plan: Plan, run: Run) -> dict[str, Estimate]:
    """An empty estimate for every linker of a run, with its shards and questions."""
    missing = {cell.name for cell in plan.missing()}
    found = {linker: Estimate(run.name, run.model, run.benchmark, linker) for linker in run.linkers}
    for cell in plan.cells:
        each = found[cell.linker]
        each.shards += 1
        each.questions += cell.shard.questions
        each.shards_done += cell.name not in missing
    return found


def _without_model(sweep: Sweep, storage: Path, history: History, run: Run) -> Iterable[Estimate]:
    plan = plan_of(sweep, storage, run, None)
    found = _cells(plan, run)
    for cell in plan.missing():
        each = found[cell.linker]
        seconds = history.own_seconds(cell.linker)
        each.seconds += (assumptions.OWN_SECONDS if seconds is None else seconds) * cell.shard.questions
        each.rests_on(
            f"{assumptions.OWN_SECONDS * 1000:g} ms a question assumed, nothing was measured"
            if seconds is None
            else "the linker's own time measured by earlier runs"
        )
    return found.values()


class _Estimator:
    """The estimates of one model's runs: requests that are equal are counted once over all of them."""

    def __init__(self, sweep: Sweep, storage: Path, history: History, model: Asked) -> None:
        self.sweep = sweep
        self.storage = storage
        self.history = history
        self.model = model
        self.known: Known = known(model, storage)
        self.asked: set[str] = set()

    def of(self, runs: Sequence[Run]) -> list[Estimate]:
        found: list[Estimate] = []
        sent: dict[tuple[int, Stage], Sent] = defaultdict(Sent)
        for run in runs:
            plan = plan_of(self.sweep, self.storage, run, self.model)
            cells = _cells(plan, run)
            questions = {shard.path: asked for shard, asked in plan.shards}
            for cell in plan.missing():
                each = cells[cell.linker]
                each.rests_on(f"no stored reply can be told: {self.known.reason}" if self.known.reason else "")
                each.rests_on("the time of running queries is not counted" if cell.execute else "")
                parts: dict[Stage, Sent] = {stage: sent[id(each), stage] for stage in ("link", "generate")}
                asked = questions[cell.shard.path]
                for question, rehearsal in zip(asked, rehearse(cell, asked, self.known), strict=True):
                    self._add(each, parts, cell, question, rehearsal)
            found += cells.values()
        pairs = [pair for part in sent.values() for pair in part.stored]
        for each in found:
            for stage in ("link", "generate"):
                self._price(each, stage, sent[id(each), stage], pairs)
        return found

    def _add(self, each: Estimate, parts: dict[Stage, Sent], cell: Cell, question: Question, told: Rehearsal) -> None:
        self._count(each, parts["link"], told.link)
        if not told.link.whole:
            self._beyond(each, parts["link"], told.link)
        if cell.generate is None:
            return
        if told.query:
            self._count(each, parts["generate"], told.query)
        else:
            self._generated(each, parts["generate"], cell, question)

    def _count(self, each: Estimate, sent: Sent, rehearsed: Rehearsed) -> None:
        """Count the requests of one stage of one question, each by where its reply comes from."""
        each.calls += len(rehearsed.stored) + len(rehearsed.unknown)
        each.stored += len(rehearsed.stored)
        sent.stored += rehearsed.stored
        for key, request in rehearsed.unknown.items():
            if key in self.asked:
                each.shared += 1
                sent.alike += [request] * (len(sent.alike) < SAMPLE)
            else:
                self.asked.add(key)
                sent.requests.append(request)

    def _beyond(self, each: Estimate, sent: Sent, rehearsed: Rehearsed) -> None:
        """Expect the calls that follow on replies which are not there yet."""
        measured, words = self.history.of("link", each.linker, self.known.name, each.benchmark)
        certain = len(rehearsed.stored) + len(rehearsed.unknown)
        total = measured.calls / measured.questions if measured else assumptions.calls(each.linker)
        further = max(0.0, total - certain)
        if measured:
            each.rests_on(f"{total:.3g} calls a question, measured: {words}")
        elif further:
            each.rests_on(f"{total:g} calls a question assumed, this linker was not measured")
        each.calls += further
        sent.further += further
        if measured:
            sent.further_prompt += further * measured.prompt / measured.calls

    def _generated(self, each: Estimate, sent: Sent, cell: Cell, question: Question) -> None:
        """Expect the query of a question whose link is not known: one call, over what was kept by earlier runs."""
        linked, _ = self.history.of("link", each.linker, self.known.name, each.benchmark)
        share = linked.linked / linked.questions if linked else 1.0
        each.calls += share
        measured, words = self.history.of("generate", each.linker, self.known.name, each.benchmark)
        if measured:
            each.rests_on(f"prompts of queries as measured: {words}")
            sent.further += share
            sent.further_prompt += share * measured.prompt / measured.calls
            return
        each.rests_on("prompts of queries over the whole catalog, an upper bound: nothing is linked yet")
        assert cell.generate is not None
        catalog = benchmarks.catalog(cell.link.benchmark, question.database)
        kept = Linking(each.benchmark, question.database, question.id, each.linker, kept=tuple(catalog.elements))
        generator = cell.generate.generator
        messages = prompt(question, catalog, kept, [], generator)
        sent.requests.append(Request(messages, generator.temperature, max_tokens=generator.max_tokens))

    def _price(self, each: Estimate, stage: Stage, sent: Sent, pairs: Pairs) -> None:
        """Add the tokens, the money and the time of one stage's new calls."""
        calls = len(sent.requests) + sent.further
        if not calls:
            return
        tokens, words = counted(sent.requests, self.known.name, self.model.endpoints, pairs)
        prompt_tokens = sum(tokens) + sent.further_prompt
        each.rests_on(words)
        if sent.further and not sent.further_prompt:
            like, words = (tokens, "") if tokens else counted(sent.alike, self.known.name, self.model.endpoints, pairs)
            prompt_tokens += sent.further * sum(like) / len(like) if like else 0.0
            each.rests_on(words)
        measured, words = self.history.speaking(stage, each.linker, self.known.name, each.benchmark)
        said = self._said(each, stage, sent, measured, words)
        seconds = self._call_seconds(each, measured, words) * calls
        cached = prompt_tokens * measured.cached / measured.prompt if measured and measured.prompt else 0.0
        each.prompt_tokens += prompt_tokens
        each.completion_tokens += said * calls
        each.seconds += seconds / self._at_once(each)
        price = self.sweep.prices.of(self.known.name)
        cost = price.money(prompt_tokens, cached, said * calls, seconds) if price else None
        each.money = None if cost is None or each.money is None else each.money + cost

    def _said(self, each: Estimate, stage: Stage, sent: Sent, measured: Measured | None, words: str) -> float:
        """The completion tokens of one call."""
        what = "a query" if stage == "generate" else "a link's call"
        if measured:
            said = measured.completion / measured.calls
            each.rests_on(f"{said:.1f} completion tokens {what}, measured: {words}")
        elif sent.stored:
            said = sum(reply.completion_tokens for _, reply in sent.stored) / len(sent.stored)
            each.rests_on(f"{said:.1f} completion tokens {what}, of {len(sent.stored)} stored replies")
        else:
            said = assumptions.SAID[stage]
            each.rests_on(f"{said:g} completion tokens {what} assumed, nothing was measured")
        return said

    def _call_seconds(self, each: Estimate, measured: Measured | None, words: str) -> float:
        number = self._at_once(each)
        at_once = "one call at a time" if number == 1 else f"{number:,.0f} calls at a time"
        if measured:
            each.rests_on(f"{measured.seconds / measured.calls:.2f} s a call, measured: {words}; {at_once}")
            return measured.seconds / measured.calls
        kind = "embedded" if self.model.name.startswith("embedded") else "server"
        each.rests_on(f"{assumptions.CALL_SECONDS[kind]:g} s a call assumed, nothing was measured; {at_once}")
        return assumptions.CALL_SECONDS[kind]

    def _at_once(self, each: Estimate) -> float:
        """How many calls are under way at the same time: an embedded model has one slot and one call that waits."""
        if self.model.name.startswith("embedded"):
            return min(self.model.in_flight, 2)
        shards = self.sweep.runner.workers or 8
        return max(1, min(self.model.in_flight, shards * SIZE, each.questions * len(self.sweep.linkers)))
