"""A turn of the agent: which calls an answer makes, natively or as JSON in its text, and what is sent back."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from schemas.tools import Choice, Message, ToolCall
from tasks.linkers._evilink_calls import said
from tasks.linkers._evilink_tools import DECLARATIONS, NAMES

Protocol = Literal["native", "json"]
DONE = "done"
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
GUIDE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "enum": [*NAMES, DONE]},
        "arguments": {
            "type": "object",
            "properties": {
                "items": TEXTS,
                "fields": TEXTS,
                "table": TEXT,
                "query": TEXT,
                "reason": TEXT,
                "page": {"type": "integer"},
            },
            "additionalProperties": False,
        },
    },
    "required": ["tool", "arguments"],
    "additionalProperties": False,
}
FORM = 'Write nothing but {"tool":"NAME","arguments":{…}}, or {"tool":"done","arguments":{}} when all is decided.'


def described(names: Sequence[str]) -> str:
    """The tools as text, for a model that is not told of them by its server."""
    lines = [
        f"- {tool['name']}({', '.join(tool['parameters']['properties'])}): {tool['description']}"
        for tool in DECLARATIONS
        if tool["name"] in names
    ]
    return "\n".join(["Tools:", *lines, FORM])


def calls_of(choice: Choice) -> tuple[list[ToolCall], bool]:
    """The calls of an answer, and whether they were native; calls written as JSON in the text count where none is.

    >>> calls_of(Choice('{"tool":"list_columns","arguments":{"table":"sale"}}'))[0][0].arguments
    '{"table": "sale"}'
    """
    if choice.tool_calls:
        return [replace(call, id=call.id or f"call_{at}") for at, call in enumerate(choice.tool_calls)], True
    return list(_written(said(choice))), False


def done(choice: Choice) -> bool:
    """Whether an answer without calls says that all is decided."""
    return any(_name(one) == DONE for one in _objects(said(choice)))


def answered(choice: Choice, calls: Sequence[ToolCall], results: Sequence[str], native: bool) -> list[Message]:
    """The answer and the results of its calls, as the next messages of the conversation."""
    if not native:
        told = "\n".join(f"{call.name}: {result}" for call, result in zip(calls, results, strict=True))
        return [Message("assistant", said(choice)), Message("user", told)]
    sent = tuple(replace(call, arguments=_sendable(call.arguments)) for call in calls)
    turns = [Message("assistant", choice.text, sent)]
    return turns + [Message("tool", result, tool_call_id=call.id) for call, result in zip(calls, results, strict=True)]


def canonical(call: ToolCall) -> tuple[str, str]:
    """What makes two calls the same: the tool, and its arguments whatever their order and spacing."""
    try:
        return call.name, json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except json.JSONDecodeError:
        return call.name, call.arguments


def _sendable(arguments: str) -> str:
    """Arguments that a server can read back: templates of some models fail on what is no JSON object."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except json.JSONDecodeError:
        return "{}"


def _written(text: str) -> Iterator[ToolCall]:
    for at, one in enumerate(_objects(text)):
        name = _name(one)
        if name and name != DONE:
            given = next((one[key] for key in ("arguments", "parameters", "args") if key in one), None)
            rest = {key: value for key, value in one.items() if key not in ("tool", "name", "function")}
            yield ToolCall(f"call_{at}", name, given if isinstance(given, str) else json.dumps(given or rest))


def _name(one: dict[str, Any]) -> str:
    found = next((one[key] for key in ("tool", "name", "function") if isinstance(one.get(key), str)), "")
    return str(found)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, those of its lists taken out."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            end = at + 1
        else:
            inner = next((value for key in ("calls", "tool_calls") if isinstance(value := found.get(key), list)), None)
            yield from (one for one in (inner or [found]) if isinstance(one, dict))
        at = text.find("{", end)
