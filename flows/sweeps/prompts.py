"""How many tokens requests take as a server counts them, the conversation's template included."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

from schemas.errors import Failure, UserError
from schemas.tools import Reply, Request
from tasks.completions import payload
from tasks.fleet import api_key
from tasks.replica import Replica, Trouble
from tasks.tokens import Tokenizer, open_tokenizer

ASKED_AT_MOST = 400
LIMIT = 30.0
Pairs = Sequence[tuple[Request, Reply]]


def counted(requests: Sequence[Request], name: str, endpoints: Sequence[str], pairs: Pairs) -> tuple[list[float], str]:
    """The prompt tokens of every request, and in words where the counts come from.

    A server that answers is asked itself; else the offline tokenizer counts, corrected by stored replies of the same
    model, which tell what the server counted for their prompts.
    """
    if not requests:
        return [], ""
    offline = [_offline(request, name) for request in requests]
    every = max(1, len(requests) // ASKED_AT_MOST)
    told = _by_server([requests[at] for at in range(0, len(requests), every)], name, endpoints)
    if told and every == 1:
        return told, "prompts counted by the server's own tokenizer"
    if told:
        factor = sum(told) / sum(offline[::every])
        return [count * factor for count in offline], f"prompts by the server's own tokenizer on {len(told)} of them"
    label = _tokenizer(name)
    source = f"prompts by the tokenizer {label.label}" if label else "prompts at four characters a token"
    usable = [(request, reply) for request, reply in pairs if reply.prompt_tokens]
    if not usable:
        return offline, f"{source}, no stored reply to check it by"
    counts = [_offline(request, name) for request, _ in usable]
    true = [float(reply.prompt_tokens) for _, reply in usable]
    shift, factor = fmean(true) - fmean(counts), sum(true) / sum(counts)
    by_shift = sum(abs(one + shift - other) for one, other in zip(counts, true, strict=True))
    by_factor = sum(abs(one * factor - other) for one, other in zip(counts, true, strict=True))
    corrected = [one + shift for one in offline] if by_shift <= by_factor else [one * factor for one in offline]
    return corrected, f"{source}, corrected by {len(usable)} stored replies"


def _tokenizer(name: str) -> Tokenizer | None:
    """The tokenizer of a model's family; a stand-in for others; none where the package is not installed."""
    with suppress(UserError):
        return open_tokenizer("qwen3" if "qwen" in name.casefold() else "llama3")
    return None


def _offline(request: Request, name: str) -> float:
    tokenizer = _tokenizer(name)
    tools = json.dumps([dict(tool) for tool in request.tools]) if request.tools else ""
    if tokenizer is None:
        return (sum(len(message.content) for message in request.messages) + len(tools)) / 4
    return float(tokenizer.prompt(request.messages) + (tokenizer.text(tools) if tools else 0))


def _by_server(requests: Sequence[Request], name: str, endpoints: Sequence[str]) -> list[float]:
    """What a server of the model says; nothing where none tells for all of them."""
    if not endpoints:
        return []
    replicas = [Replica(url, api_key()) for url in endpoints]
    try:
        first = _told(replicas[0], requests[0], name)
        with ThreadPoolExecutor(16) as pool:
            rest = pool.map(
                lambda pair: _told(replicas[pair[0] % len(replicas)], pair[1], name), enumerate(requests[1:])
            )
            return [first, *rest]
    except (Trouble, Failure, ValueError, KeyError, TypeError):
        return []


def _told(replica: Replica, request: Request, name: str) -> float:
    """One request's prompt tokens by vLLM's or llama.cpp's own endpoints; ValueError where the server has neither."""
    sent = payload(request, name)
    body = {"model": name, "messages": sent["messages"], "add_generation_prompt": True}
    root = urlsplit(replica.url).path.rsplit("/", 1)[0]
    told = _asked(replica, f"{root}/tokenize", {**body, **({"tools": sent["tools"]} if "tools" in sent else {})})
    if "count" in told:
        return float(told["count"])
    laid_out = _asked(replica, f"{root}/apply-template", {"messages": sent["messages"]})["prompt"]
    text = {"content": laid_out, "add_special": True, "parse_special": True}
    return float(len(_asked(replica, f"{root}/tokenize", text)["tokens"]))


def _asked(replica: Replica, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = replica.call("POST", path, json.dumps(body).encode(), LIMIT)
    if answer.status != 200:
        raise ValueError(f"HTTP {answer.status}")
    told: dict[str, Any] = json.loads(answer.data)
    return told
