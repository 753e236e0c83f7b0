"""Calls of EviLink's stages: what each stage spent, and answers that may not come."""

import json
import threading
from dataclasses import dataclass, field

from schemas.errors import Failure
from schemas.tools import Choice, Message, Reply, Request, Tools
from tasks.linkers._replies import plain

NO_ANSWER = ("truncated", "empty", "refused")


@dataclass
class Spending:
    """What the calls of one stage took, as the server says."""

    stage: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass
class Caller:
    """The model of one question, with a meter for each stage; safe under threads."""

    tools: Tools
    affinity: str
    stages: dict[str, Spending] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, stage: str, request: Request) -> Reply | None:
        """The model's reply, or None where it came without an answer: cut off in its thoughts, empty, or refused.

        What a cut reply holds is given back where the failure carries it. Other failures are the question's.
        """
        try:
            reply = self.tools.need_model().reply(request, affinity=self.affinity)
        except Failure as failure:
            if failure.status not in NO_ANSWER:
                raise
            paid: Reply | None = getattr(failure, "reply", None)
            self._count(stage, paid)
            return paid
        self._count(stage, reply)
        return reply

    def choices(self, stage: str, request: Request) -> list[Choice]:
        """The answers that came, of which some may be empty."""
        reply = self.reply(stage, request)
        return list(reply.choices) if reply else []

    def _count(self, stage: str, reply: Reply | None) -> None:
        with self.lock:
            spent = self.stages.setdefault(stage, Spending(stage))
            spent.calls += 1
            spent.prompt_tokens += reply.prompt_tokens if reply else 0
            spent.completion_tokens += reply.completion_tokens if reply else 0

    def note(self, stage: str, **more: object) -> None:
        """Note what a stage took, and what else is said of it."""
        spent = self.stages.get(stage, Spending(stage))
        value = {
            "stage": stage,
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            **more,
        }
        self.tools.note("stage", value=json.dumps(value, ensure_ascii=False))


def said(choice: Choice) -> str:
    """An answer's text without thoughts and fences."""
    return plain(choice.text)


def turn(choice: Choice) -> Message:
    """An answer as the conversation's next message."""
    return Message("assistant", choice.text, choice.tool_calls)
