"""Scripted models for EviLink: they answer by what a request shows, so that the order of threads does not matter."""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.catalog import Catalog, Element
from schemas.errors import Failure
from schemas.tools import Choice, Reply, Request, ToolCall
from tasks.linkers._evilink_text import groups

HEAD = re.compile(r"^(\S.*?)(?: \(.*\))?(?: \[columns [^\]]*\])?(?:: (.*))?$")


def stage_of(request: Request) -> str:
    """The stage that a request belongs to: ``hypotheses``, ``tables``, ``fields``, ``refine`` or ``recovery``."""
    text = request.messages[1].content
    marks = {'{"hypotheses"': "hypotheses", '{"selected_tables"': "tables", '{"selected_fields"': "fields"}
    found = [stage for mark, stage in marks.items() if mark in text]
    return found[0] if found else ("refine" if text.startswith("Working set:") else "recovery")


def part_of(request: Request) -> str:
    """The part of the catalog that a request shows."""
    return request.messages[1].content.partition("\n")[2].partition("\n\n")[0]


def hypothesis_of(request: Request) -> str:
    return request.messages[1].content.partition("\nHypothesis: ")[2]


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall("", tool, json.dumps(arguments))


@dataclass
class Rules:
    """A model told by rules: the first unused rule whose words all stand in a request answers it.

    A rule has ``when`` (texts that must occur), ``reply`` (a text), or ``calls``, ``finish_reason``, ``failure``, and
    ``always`` where it may be used again.
    """

    rules: list[dict[str, Any]]
    name: str = "rules"
    requests: list[Request] = field(default_factory=list)
    affinities: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        with self.lock:
            self.requests.append(request)
            self.affinities.add(affinity)
            rule = next((rule for rule in self.rules if self._fits(rule, request)), None)
            assert rule is not None, f"no rule for {stage_of(request)}: {request.messages[-1].content[-400:]}"
            if not rule.get("always"):
                self.rules.remove(rule)
        if "failure" in rule:
            raise Failure(rule["failure"], "scripted")
        texts = rule.get("reply", "")
        calls = tuple(
            ToolCall(f"id{at}", one["tool"], one["raw"] if "raw" in one else json.dumps(one.get("arguments", {})))
            for at, one in enumerate(rule.get("calls", ()))
        )
        listed = texts if isinstance(texts, list) else [texts]
        said = [one if isinstance(one, str) else json.dumps(one) for one in listed]
        finish = rule.get("finish_reason", "stop")
        choices = tuple(Choice(text, finish_reason=finish, tool_calls=calls) for text in said)
        return Reply(choices, self.name, prompt_tokens=rule.get("tokens", 100), completion_tokens=10)

    def _fits(self, rule: dict[str, Any], request: Request) -> bool:
        said = "\n".join(message.content for message in request.messages)
        words = [rule["when"]] if isinstance(rule.get("when"), str) else rule.get("when", [])
        return rule.get("stage", stage_of(request)) == stage_of(request) and all(word in said for word in words)


@dataclass
class Answering:
    """What scripted agents share: they count their requests by stage and never fail."""

    catalog: Catalog
    name: str = "answering"
    requests: list[Request] = field(default_factory=list)
    stages: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        stage = stage_of(request)
        with self.lock:
            self.requests.append(request)
            self.stages[stage] += 1
        size = sum(len(message.content) for message in request.messages) // 3
        return Reply((getattr(self, stage)(request),), self.name, prompt_tokens=size, completion_tokens=10)

    def hypotheses(self, request: Request) -> Choice:
        return Choice(json.dumps({"hypotheses": [{"path": f"way {number}"} for number in range(1, 5)]}))


def shown_elements(catalog: Catalog, text: str) -> dict[str, set[str]]:
    """The columns that a part shows of every table, read from its text alone: a family's name stands for its tables."""
    patterns = {entity.name: [entity.name] for entity in catalog.entities}
    for group in groups(catalog):
        patterns.setdefault(group.name, list(group.members))
    found: dict[str, set[str]] = {}
    owned: dict[str, set[str]] = {}
    known: set[str] = set()
    names: list[str] = []
    for line in text.splitlines():
        if not line.startswith("  "):
            match = HEAD.match(line)
            assert match, line
            names = patterns.get(match[1], [])
            assert names, f"unknown head {line[:200]!r}"
            owned = {name: {one.name for one in catalog.entity(name).fields} for name in names}  # type: ignore[union-attr]
            known = set().union(*owned.values())
            listed = set((match[2] or "").split(", ")) & known
        else:
            words = line[2:].split(" ")
            starts = (" ".join(words[:end]) for end in range(1, 9))
            listed = {next((word for start in starts for word in (start, start[:-1]) if word in known), "")} - {""}
            assert listed, line
        for name in names:
            found.setdefault(name, set()).update(listed & owned[name])
    return found


@dataclass
class Perfect(Answering):
    """It selects the gold that it is shown, with noise and gaps on purpose, discards the noise, and recovers the rest.

    Of the four hypotheses the first and second name all gold, the third names gold and noise, the fourth misses some
    gold; ``hidden`` gold tables are named by none, so that only recovery can find them.
    """

    gold: frozenset[Element] = frozenset()
    hidden: frozenset[str] = frozenset()
    recovered: set[Element] = field(default_factory=set)

    def _gold_tables(self) -> list[str]:
        return sorted({element.entity for element in self.gold} - self.hidden)

    def tables(self, request: Request) -> Choice:
        shown = shown_elements(self.catalog, part_of(request))
        named = [name for name in self._gold_tables() if name in shown]
        if "way 3" in hypothesis_of(request):
            named += [name for name in shown if name not in named][:2]
        if "way 4" in hypothesis_of(request):
            named = named[:1] or list(shown)[:1]
        return Choice(json.dumps({"selected_tables": named}))

    def fields(self, request: Request) -> Choice:
        shown = shown_elements(self.catalog, part_of(request))
        named = [str(one) for one in sorted(self.gold) if one.field in shown.get(one.entity, ())]
        if "way 3" in hypothesis_of(request):
            named += [f"{name}.{one}" for name, fields in shown.items() for one in sorted(fields)[:2]]
        if "way 4" in hypothesis_of(request):
            named = named[:-1] or [f"{name}.{one}" for name, fields in shown.items() for one in sorted(fields)[:1]]
        return Choice(json.dumps({"selected_fields": named}))

    def refine(self, request: Request) -> Choice:
        if len(request.messages) > 2:
            return Choice("All is decided.")
        shown = shown_elements(self.catalog, part_of(request))
        fields = [Element(name, one) for name, listed in shown.items() for one in sorted(listed)]
        keep = [str(one) for one in fields if one in self.gold]
        calls = [call("keep", items=keep)] if keep else []
        for one in fields:
            if one not in self.gold and self._uncertain(request, one):
                kind = self.catalog.field(one.entity, one.field)
                reason = f"{one.field} ({kind.type if kind else ''}) stores another fact than the one that is computed"
                calls.append(call("discard", items=[str(one)], reason=reason))
        return Choice("", tool_calls=tuple(calls)) if calls else Choice("done")

    def _uncertain(self, request: Request, element: Element) -> bool:
        lines = [line for line in part_of(request).splitlines() if line.startswith(f"  {element.field}")]
        return any("[uncertain" in line for line in lines)

    def recovery(self, request: Request) -> Choice:
        missing = [one for one in sorted(self.gold) if one.entity in self.hidden and one not in self.recovered]
        shown = shown_elements(self.catalog, part_of(request))
        missing = [one for one in missing if one.entity in shown]
        if not missing:
            return Choice("Nothing is missing.")
        if len(request.messages) == 2:
            return Choice("", tool_calls=(call("list_columns", table=missing[0].entity),))
        table = [one for one in missing if one.entity == missing[0].entity]
        self.recovered.update(table)
        return Choice("", tool_calls=(call("keep", items=[str(one) for one in table]),))


@dataclass
class Adversary(Perfect):
    """It selects as the perfect one does, then discards everything that it is shown, for bad reasons."""

    reasons: Sequence[str] = ("probably not needed",)

    def refine(self, request: Request) -> Choice:
        shown = shown_elements(self.catalog, part_of(request))
        items = list(shown) + [f"{name}.{one}" for name, listed in shown.items() for one in listed]
        turn = len([message for message in request.messages if message.role == "assistant"])
        reason = self.reasons[turn % len(self.reasons)]
        said = [call("discard", items=[item], reason=reason.format(item=item.rpartition(".")[2])) for item in items]
        return Choice("", tool_calls=tuple(said[:40]))

    def recovery(self, request: Request) -> Choice:
        return Choice("done")


@dataclass
class Greedy(Answering):
    """It selects ``most`` tables of a part under the first hypothesis, and asks for long answers afterwards."""

    most: int = 15

    def tables(self, request: Request) -> Choice:
        shown = list(shown_elements(self.catalog, part_of(request)))
        many = shown[: self.most] if "way 1" in hypothesis_of(request) else shown[:1]
        return Choice(json.dumps({"selected_tables": many}))

    def fields(self, request: Request) -> Choice:
        shown = shown_elements(self.catalog, part_of(request))
        named = [f"{name}.{one}" for name, fields in shown.items() for one in fields]
        return Choice(json.dumps({"selected_fields": named if "way 1" in hypothesis_of(request) else named[:3]}))

    def refine(self, request: Request) -> Choice:
        turn = len(request.messages)
        shown = list(shown_elements(self.catalog, part_of(request)))
        calls = (
            call("list_tables"),
            call("list_columns", table=shown[0], page=turn),
            call("probe_sql", query="x" * 500),
        )
        return Choice("", tool_calls=(*calls, call("discard", items=shown[:20], reason="not needed")))

    def recovery(self, request: Request) -> Choice:
        return self.refine(request)


def kinds(notes: Iterable[Any], kind: str) -> list[Any]:
    return [note for note in notes if note.kind == kind]
