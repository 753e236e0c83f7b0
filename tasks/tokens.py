"""How many tokens a prompt takes, by tokenizers that need no network: estimates, labelled as such.

What a run is charged for is the server's own ``usage``; these counts say what a prompt would take before it is sent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from schemas.errors import UserError, unknown
from schemas.tools import Message

INSTALL = "install it with: pip install -e '.[tokens]'"


@dataclass(frozen=True)
class Template:
    """How a family of models lays a conversation out: around all of it, and around each message."""

    start: str
    message: str
    end: str


TEMPLATES = {
    "llama3": Template(
        "<|begin_of_text|>",
        "<|start_header_id|>{role}<|end_header_id|>\n\n{content}<|eot_id|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "qwen3": Template("", "<|im_start|>{role}\n{content}<|im_end|>\n", "<|im_start|>assistant\n"),
}


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer by name with the conversation template of its models; ``label`` says where its counts come from."""

    name: str
    label: str
    encode: Callable[..., Any]

    def text(self, text: str) -> int:
        """The tokens of a plain text, in which nothing stands for a special token."""
        return len(self.encode(text))

    def prompt(self, messages: Sequence[Message]) -> int:
        """The tokens of a whole conversation up to where the answer begins, the template's own included."""
        template = TEMPLATES[self.name]
        laid_out = "".join(
            template.message.format(role=message.role, content=message.content.strip()) for message in messages
        )
        return len(self.encode(template.start + laid_out + template.end, with_special=True))


@cache
def open_tokenizer(name: str = "llama3") -> Tokenizer:
    """An offline tokenizer: ``llama3`` (Llama 3 and 3.1) or ``qwen3`` (Qwen 2, 2.5 and 3); a missing package is told.

    >>> open_tokenizer("llama3").text("MATCH (n) RETURN n")
    6
    """
    if name not in TEMPLATES:
        raise unknown("tokenizer", name, TEMPLATES)
    try:
        quicktok = import_module("quicktok")
    except ImportError as error:
        raise UserError(f"tokenizer {name!r} needs the package quicktok-v1; {INSTALL}") from error
    encoding = quicktok.get_encoding(name)

    def encode(text: str, *, with_special: bool = False) -> Any:
        return encoding.encode(text, allowed_special="all") if with_special else encoding.encode_ordinary(text)

    return Tokenizer(name, f"{name}, offline (quicktok {version('quicktok-v1')})", encode)
