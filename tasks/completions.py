"""The chat-completions format of OpenAI-compatible servers: requests out, replies and failures in."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from schemas.errors import Failure
from schemas.tools import Choice, Message, Reply, Request, ToolCall

OVERFLOW = re.compile(
    r"context (length|size|window)|model length|exceed_context|context_length|max_model_len"
    r"|must have less than \d+ tokens"
    r"|max_tokens.*(too large|exceed)|input.*too long",
    re.IGNORECASE | re.DOTALL,
)
SHOWN = 400


class Unusable(Failure):
    """A reply that came and was paid for but holds no answer: ``truncated``, ``empty`` or ``refused``."""

    def __init__(self, status: str, reason: str, reply: Reply) -> None:
        super().__init__(status, reason)
        self.reply = reply

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes with the reply."""
        return type(self), (self.status, self.reason, self.reply)


def payload(request: Request, model: str) -> dict[str, Any]:
    """The body of a chat-completions call.

    >>> body = payload(Request((Message("user", "Which tables?"),), seed=7, max_tokens=64), "qwen")
    >>> body["messages"], body["seed"], body["max_tokens"]
    ([{'role': 'user', 'content': 'Which tables?'}], 7, 64)
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.n != 1:
        body["n"] = request.n
    if request.schema is not None:
        guided = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": guided}
    if request.tools:
        body["tools"] = [{"type": "function", "function": dict(tool)} for tool in request.tools]
        body["tool_choice"] = request.tool_choice
    if request.logprobs:
        body["logprobs"] = True
    return body


def _message(message: Message) -> dict[str, Any]:
    encoded: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        encoded["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        encoded["tool_call_id"] = message.tool_call_id
    return encoded


def parse(data: bytes, *, seconds: float, engine: str) -> Reply:
    """Read a server's answer; what is no chat completion is a ``model_error`` that quotes its beginning."""
    try:
        body = json.loads(data)
        usage = body.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
        return Reply(
            choices=_one_or_more(_choice(choice) for choice in body["choices"]),
            model=str(body.get("model") or ""),
            engine=engine or str(body.get("system_fingerprint") or ""),
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            cached_tokens=int(details.get("cached_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
            seconds=seconds,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        shown = data[:80].decode("utf-8", "replace")
        raise Failure("model_error", f"the server's answer is no chat completion: {shown!r}") from error


def _one_or_more(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    found = tuple(choices)
    if not found:
        raise ValueError("no choices")
    return found


def _choice(choice: Mapping[str, Any]) -> Choice:
    message = choice["message"]
    text, inline = split_reasoning(message.get("content") or "")
    refused = "refusal" if message.get("refusal") else None
    pairs = (choice.get("logprobs") or {}).get("content") or ()
    return Choice(
        text=text or str(message.get("refusal") or ""),
        reasoning=str(message.get("reasoning_content") or message.get("reasoning") or inline),
        finish_reason=refused or str(choice.get("finish_reason") or "stop"),
        tool_calls=tuple(
            ToolCall(str(call.get("id") or ""), call["function"]["name"], call["function"].get("arguments") or "")
            for call in message.get("tool_calls") or ()
        ),
        logprobs=tuple((pair["token"], float(pair["logprob"])) for pair in pairs),
    )


def split_reasoning(text: str) -> tuple[str, str]:
    """Part an answer from the thoughts before it; thoughts that never end leave no answer.

    >>> split_reasoning("<think>two tables</think>\\nsrc=A, dst=B")
    ('src=A, dst=B', 'two tables')
    >>> split_reasoning("the prompt opened the thought</think>SELECT 1")
    ('SELECT 1', 'the prompt opened the thought')
    >>> split_reasoning("<think>and so on")
    ('', 'and so on')
    """
    opened = text.lstrip().startswith("<think>")
    thought, closed, answer = text.partition("</think>")
    if not opened and (not closed or "<think>" in thought):
        return text, ""
    return answer.strip(), thought.strip().removeprefix("<think>").strip()


def judged(request: Request, reply: Reply) -> Reply:
    """Give a reply back, or raise Unusable where no choice holds an answer.

    A text that was cut at ``max_tokens`` is returned (``finish_reason`` is ``length``: its reader judges), save where
    nothing but thoughts came, or where JSON was asked for, which is worth nothing when cut.
    """
    verdicts = [_verdict(request, choice) for choice in reply.choices]
    if "" in verdicts:
        return reply
    shown = reply.text.strip()[:SHOWN]
    reasons = {
        "truncated": f"cut after {reply.completion_tokens} tokens (max_tokens {request.max_tokens}), before the answer",
        "empty": f"no text and no tool call, finish reason {reply.choices[0].finish_reason!r}",
        "refused": f"the server refused: {shown}" if shown else "the server withheld the answer (content filter)",
    }
    raise Unusable(verdicts[0], reasons[verdicts[0]], reply)


def _verdict(request: Request, choice: Choice) -> str:
    if choice.finish_reason in ("refusal", "content_filter"):
        return "refused"
    answered = bool(choice.text.strip() or choice.tool_calls)
    if choice.finish_reason == "length" and not (answered and request.schema is None):
        return "truncated"
    return "" if answered else "empty"


def rejected(status: int, data: bytes) -> Failure:
    """The failure that a 4xx answer means; an overflow of the context quotes the server's message with its figures.

    >>> print(rejected(400, b'{"error": {"message": "request (4531 tokens) exceeds the context size (2048 tokens)"}}'))
    context_overflow: request (4531 tokens) exceeds the context size (2048 tokens)
    """
    text = message_of(data)
    if status in (400, 413, 422) and OVERFLOW.search(text):
        return Failure("context_overflow", text)
    return Failure("model_error", f"HTTP {status}: {text}")


def message_of(data: bytes) -> str:
    """The message in an error answer of any server, on one line and cut to a readable length."""
    text = data.decode("utf-8", "replace")
    try:
        body = json.loads(text)
        for name in ("error", "message", "detail"):
            body = body.get(name, body) if isinstance(body, dict) else body
        text = body if isinstance(body, str) else json.dumps(body)
    except ValueError:
        pass
    return " ".join(text.split())[:SHOWN]


def merged(replies: Iterable[Reply]) -> Reply:
    """One reply of several choices from replies of one each, with what they took added up."""
    parts = tuple(replies)
    return replace(
        parts[0],
        choices=tuple(choice for part in parts for choice in part.choices),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        completion_tokens=sum(part.completion_tokens for part in parts),
        seconds=sum(part.seconds for part in parts),
    )
