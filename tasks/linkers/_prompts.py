"""Prompts of linkers: the schema and fixed words first, the question last, so that requests share a prefix."""

from dataclasses import dataclass
from typing import Any, Literal

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Message, Request
from tasks import plugins
from tasks.linkers._memo import per_catalog

Answer = Literal["line", "json"]
Style = Literal["ddl", "compact"]
SYSTEM = """You are an expert in databases who reads a schema closely before anything else.
Use names exactly as the schema spells them. Answer in the form that is asked for and write nothing besides it."""


@dataclass(frozen=True)
class Asking:
    """How a linker asks: the form of the answer, the rendering of the schema, and what is sampled."""

    answer: Answer = "line"
    style: Style = "ddl"
    temperature: float = 0.2
    max_tokens: int = 512
    repair: bool = False


def request(question: Question, catalog: Catalog, asking: Asking, task: str, guide: dict[str, Any]) -> Request:
    """Ask for a task about one question; ``guide`` is the JSON schema of the answer where JSON is asked for."""
    hint = f"Hint: {question.evidence}\n" if question.evidence else ""
    user = f"Schema:\n{schema(catalog, asking.style)}\n\n{task}\n\n{hint}Question: {question.text}"
    return Request(
        (Message("system", SYSTEM), Message("user", user)),
        temperature=asking.temperature,
        max_tokens=asking.max_tokens,
        schema=guide if asking.answer == "json" else None,
    )


@per_catalog
def schema(catalog: Catalog, style: Style) -> str:
    """A catalog's text in a prompt; graphs have one layout."""
    language = plugins.language(catalog.dialect)
    text: str = language.render(catalog) if catalog.dialect == "cypher" else language.render(catalog, style=style)
    return text


def lists_of_names(*keys: str) -> dict[str, Any]:
    """The JSON schema of an object of lists of names: one grammar for all databases."""
    names = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, names),
        "required": list(keys),
        "additionalProperties": False,
    }


def words(catalog: Catalog) -> dict[str, str]:
    """What prompts call the parts of a catalog: ``noun`` for where queries start from, ``field`` for what they hold."""
    graph = catalog.dialect == "cypher"
    return {"noun": "node label", "field": "property"} if graph else {"noun": "table", "field": "column"}


def noun(catalog: Catalog) -> str:
    """What the entities of a catalog that queries start from are called."""
    return words(catalog)["noun"]
