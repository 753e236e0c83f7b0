"""What a linker asks a model and how its answer is read: without thoughts, fences and prose around it."""

import json
import re
from dataclasses import replace
from typing import Any

from schemas.errors import Failure
from schemas.tools import Message, Request, Tools

THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
CLOSED = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
NAME = re.compile(r"""(?:"[^"]*"|`[^`]*`|\[[^\]]*\]|\([^)]*\)|[^,;\n])+""")
FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)


def ask(tools: Tools, request: Request, affinity: str) -> str:
    """The model's answer without its thoughts; one that is cut off or empty is a Failure."""
    choice = tools.need_model().reply(request, affinity=affinity).choices[0]
    if choice.finish_reason == "length":
        raise Failure("truncated", f"the answer was cut off at {request.max_tokens} tokens")
    answer = plain(choice.text)
    if not answer:
        raise Failure("empty", "the model answered nothing")
    return answer


def again(request: Request, answer: str, complaint: str) -> Request:
    """The same conversation, grown by the answer and what is wrong with it."""
    turns = (Message("assistant", answer), Message("user", complaint))
    return replace(request, messages=request.messages + turns)


def plain(text: str) -> str:
    """An answer without thoughts and the lines of code fences.

    >>> plain("so the user wants</think>```json\\n{}\\n```")
    '{}'
    """
    return FENCE.sub("", CLOSED.sub("", THOUGHT.sub("", text))).strip()


def json_in(text: str) -> Any:
    """The first JSON object in a text; None where there is none.

    >>> json_in('Here it is: {"tables": ["sale"]}. Done')
    {'tables': ['sale']}
    """
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", text):
        try:
            return decoder.raw_decode(text, match.start())[0]
        except json.JSONDecodeError:
            continue
    return None


def names_in(text: str) -> list[str]:
    """The names in a written list: between commas, semicolons and line ends, outside quotes and brackets.

    >>> names_in("[sale, `order, items`]")
    ['sale', '`order, items`']
    """
    inner = text.strip().strip("*").strip()
    if inner[:1] + inner[-1:] in ("[]", "{}", "()") and not re.search(r"[\[\]{}()]", inner[1:-1]):
        inner = inner[1:-1]
    return [name.strip() for name in NAME.findall(inner) if name.strip()]


def listed(text: str) -> list[str]:
    """The names on the first line, or where it has none, on the lines below up to an empty one."""
    line, _, below = text.partition("\n")
    return names_in(line) or names_in(below.split("\n\n")[0])
