"""A language model for tests of logic: it answers what a case says, in turn, and remembers what it was asked."""

from collections.abc import Sequence
from typing import Any

from schemas.errors import Failure
from schemas.tools import Choice, Reply, Request


class Scripted:
    """A model whose replies are texts, or objects with ``text``, ``reasoning``, ``finish_reason`` or a ``failure``."""

    name = "scripted"

    def __init__(self, replies: Sequence[str | dict[str, Any]]) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.affinities: list[str] = []

    def reply(self, request: Request, *, affinity: str = "") -> Reply:
        self.requests.append(request)
        self.affinities.append(affinity)
        assert self.replies, f"asked once more than scripted: {request.messages[-1].content[-300:]}"
        said = self.replies.pop(0)
        parts = {"text": said} if isinstance(said, str) else dict(said)
        if "failure" in parts:
            raise Failure(parts["failure"], "scripted")
        return Reply((Choice(**parts),), self.name)
