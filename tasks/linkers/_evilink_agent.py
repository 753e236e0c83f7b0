"""EviLink's second stage: an agent that decides about what the hypotheses disagree on, and then looks for what is lost.

The agent is asked only where something is uncertain. A working set too large for one prompt is decided upon in parts,
each in a conversation of its own; so are the unselected tables in the recovery phase, which only adds. A conversation
grows at its end only, and ends when the agent calls no tool, when it only repeats calls that changed nothing since, or
at a limit. What it leaves undecided is kept.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.catalog import Catalog, Element
from schemas.records import Question
from schemas.tools import Choice, Message, Request, ToolCall
from tasks.linkers import _evilink_evidence as evidence
from tasks.linkers._evilink_calls import Caller, said
from tasks.linkers._evilink_chunks import Chunk, bare, pack
from tasks.linkers._evilink_prompts import Sizes, asked
from tasks.linkers._evilink_standing import Standing
from tasks.linkers._evilink_text import blocks, narrowed
from tasks.linkers._evilink_tokens import cut, estimate, estimate_messages
from tasks.linkers._evilink_tools import DECLARATIONS, NAMES, Toolset
from tasks.linkers._evilink_turns import FORM, GUIDE, Protocol, answered, calls_of, canonical, described, done

SYSTEM = """You refine which parts of a database's schema the author of a query will see. Several hypotheses of the
query have voted; what all of them name is required, what only some name is uncertain. Decide about what is uncertain.
Two rules stand above everything:
1. Recall first. A needed part that is missing ruins the query, a part too many costs a little. What you do not decide
about is kept.
2. Evidence before a discard. Discard only for what the item itself holds, and say that in the reason: its meaning, its
type, its values, or the better place where the same fact stands. That something is probably not needed, or that the
question does not mention it, is no reason and will be refused.
Call a tool only where what is shown does not decide. When all is decided, stop calling tools and say so."""
RECOVER = """You check which parts of a database's schema the author of a query will see, for the last time.
Below are the tables that were not selected. If one of them could be needed after all (it holds a fact in question, a
link between two selected tables, the same thing at another granularity or for another period), look at its columns and
keep them by name. What is selected stays. If nothing is missing, stop calling tools and say so."""
RECOVERY_TOOLS = ("list_tables", "list_columns", "keep")
CUT_OFF = "Your answer was cut off before it ended. Answer shorter, or call one tool at a time."
RESULT = 2000


@dataclass(frozen=True)
class Limits:
    """What a conversation may take: turns, the tokens of the whole stage, queries; and how its calls are made."""

    sizes: Sizes
    turns: int = 12
    recovery_turns: int = 4
    tokens: int = 200_000
    probes: int = 8
    protocol: Protocol = "native"
    guided: bool = True

    @cached_property
    def fixed(self) -> int:
        """The tokens of instructions and tools."""
        tools = estimate(json.dumps(DECLARATIONS)) if self.protocol == "native" else estimate(described(NAMES))
        return estimate(SYSTEM) + tools + 96

    @cached_property
    def shown(self) -> int:
        """The most that a part of the working set, or of the unselected tables, may have: half of what is left."""
        return max(64, (self.sizes.budget - self.sizes.answer - self.fixed - self.sizes.question) // 2)


@dataclass(frozen=True)
class Agent:
    """Both phases of one question's second stage."""

    question: Question
    catalog: Catalog
    caller: Caller
    standing: Standing
    hypotheses: Sequence[str]
    limits: Limits

    def refine(self) -> None:
        """Decide about the uncertain elements, part by part."""
        uncertain = set(self.standing.undecided())
        chunks = list(self._working()) if uncertain else []
        asked_about = [chunk for chunk in chunks if uncertain & {*chunk.fields(), *map(Element, chunk.tables)}]
        tools = self._toolset("refine")
        ends = [self._talk(tools, NAMES, self._opening(chunk), self.limits.turns) for chunk in asked_about]
        self.caller.note("refine", ended=Counter(ends), probes=tools.probed, refused=tools.refused)

    def recover(self) -> None:
        """Look at the tables that are not selected, part by part."""
        among = narrowed(self.catalog, self.standing.unselected())
        chunks = list(pack(bare(blocks(self.catalog, among, "names")), self.limits.shown))
        tools = self._toolset("recovery")
        ends = [
            self._talk(tools, RECOVERY_TOOLS, self._recovery(chunk), self.limits.recovery_turns) for chunk in chunks
        ]
        self.caller.note("recovery", ended=Counter(ends))

    def _toolset(self, stage: str) -> Toolset:
        room = max(48, self.limits.sizes.budget // 12)
        return Toolset(self.catalog, self.caller.tools, self.standing, self.limits.probes, room, stage)

    def _working(self) -> Iterator[Chunk]:
        """The working set in parts: tables with those of their fields that have votes, and what is known of them."""
        votes = self.standing.votes.votes
        tables = dict.fromkeys(element.entity for element in votes)
        shown = blocks(
            self.catalog,
            narrowed(self.catalog, tables),
            "facts",
            only=lambda table, field: Element(table, field) in votes,
            remark=self._remark,
        )
        return pack(shown, self.limits.shown)

    def _remark(self, element: Element) -> str:
        """An element's set and votes, and the evidence that stands inline."""
        vote = self.standing.votes.votes.get(element)
        by = f" by {', '.join(map(str, vote.hypotheses))}" if vote and vote.hypotheses else ""
        told = self.standing.votes.of(element)
        mark = f"[{told}{by if told == 'uncertain' else ''}]"
        return "; ".join(filter(None, [evidence.inline(self.caller.tools, self.catalog, element), mark]))

    def _opening(self, chunk: Chunk) -> str:
        tools = self.caller.tools
        source = tools.evidence.source if tools.evidence else evidence.NO_DATABASE
        room = self.limits.sizes.question
        ways = "\n".join(f"{number}. {one}" for number, one in enumerate(self.hypotheses, 1) if one)
        told = cut(f"Hypotheses:\n{ways}", room // 3)
        return (
            f"Working set:\n{chunk.text}\n\nEvidence: {cut(source, 100)}\n{told}\n\n{asked(self.question, room // 2)}"
        )

    def _recovery(self, chunk: Chunk) -> str:
        room = self.limits.sizes.question
        kept = {element.entity for element in self.standing.votes.votes if self.standing.kept(element)}
        selected = cut(", ".join(group.name for group in narrowed(self.catalog, kept)), room // 3)
        return f"Not selected:\n{chunk.text}\n\nSelected: {selected}\n\n{asked(self.question, room // 2)}"

    def _talk(self, tools: Toolset, names: Sequence[str], opening: str, turns: int) -> str:
        """Hold one conversation; why it ended."""
        native = self.limits.protocol == "native"
        system = SYSTEM if names == NAMES else RECOVER
        messages = [Message("system", system if native else f"{system}\n{described(names)}"), Message("user", opening)]
        seen: dict[object, int] = {}
        for turn in range(1, turns + 1):
            stopped = self._exhausted(messages)
            if stopped:
                return stopped
            choices = self.caller.choices(tools.stage, self._request(messages, names))
            if not choices:
                return "no answer"
            ended, said_back = self._turn(choices[0], tools, names, seen, turn, turns)
            if ended:
                return ended
            messages += said_back
        return "turns"

    def _turn(
        self, choice: Choice, tools: Toolset, names: Sequence[str], seen: dict[object, int], turn: int, turns: int
    ) -> tuple[str, list[Message]]:
        """Carry out one answer's calls: why the conversation ends, or what it grows by."""
        calls, native = calls_of(choice)
        if not calls:
            return self._without_calls(choice, tools, seen)
        if all(seen.get(canonical(call)) == tools.standing.version for call in calls):
            return "repeated", []
        results = []
        for call in calls:
            result = tools.call(call) if call.name in names or call.name not in NAMES else f"error: no {call.name} here"
            seen[canonical(call)] = tools.standing.version
            self._note_call(tools.stage, turn, call, result)
            results.append(result)
        results[-1] += f"\n[{turns - turn} turns left]"
        return "", answered(choice, calls, results, native)

    def _without_calls(self, choice: Choice, tools: Toolset, seen: dict[object, int]) -> tuple[str, list[Message]]:
        """Natively, no call means the end, unless the answer was cut off; in JSON the end has a word."""
        text = said(choice)
        cut_off = choice.finish_reason == "length"
        if done(choice) or (self.limits.protocol == "native" and not cut_off):
            return "done", []
        if seen.get(text) == tools.standing.version:
            return "repeated", []
        seen[text] = tools.standing.version
        half = self.limits.sizes.repair // 2
        return "", [Message("assistant", cut(text, half)), Message("user", CUT_OFF if cut_off else FORM)]

    def _exhausted(self, messages: Sequence[Message]) -> str:
        """The limit that leaves no room for another turn, or nothing."""
        spent = self.caller.stages
        if sum(spent[stage].tokens for stage in ("refine", "recovery") if stage in spent) >= self.limits.tokens:
            return "tokens"
        sizes = self.limits.sizes
        full = estimate_messages(messages) + self.limits.fixed + sizes.answer > sizes.budget
        return "context" if full else ""

    def _request(self, messages: Sequence[Message], names: Sequence[str]) -> Request:
        native = self.limits.protocol == "native"
        declared = tuple(tool for tool in DECLARATIONS if tool["name"] in names)
        return Request(
            tuple(messages),
            max_tokens=self.limits.sizes.answer,
            tools=declared if native else (),
            schema=GUIDE if self.limits.guided and not native else None,
        )

    def _note_call(self, stage: str, turn: int, call: ToolCall, result: str) -> None:
        said_of_it = {"stage": stage, "turn": turn, "tool": call.name, "arguments": call.arguments[:RESULT]}
        value = json.dumps({**said_of_it, "result": result[:RESULT]}, ensure_ascii=False)
        self.caller.tools.note("tool_call", value=value)
