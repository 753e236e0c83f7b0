"""The prompt that asks a model for Cypher, and the statement in its answer."""

import re
from collections.abc import Sequence

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Message

SYSTEM = """You translate questions about a graph database into statements of the query language Cypher.
Use only the node labels, relationship types and properties of the given schema, spelled exactly as they stand there. \
What the schema does not name does not exist. Follow a relationship in the direction in which its pattern shows it.
Return what the question asks for and nothing besides, and compare texts in the spelling that the question gives them.
Answer with one Cypher statement that reads and returns, whatever the question is. There must be nothing but the \
statement in your answer: no explanation, no apology, no comment, and no other text before or after it."""
START = re.compile(r"\b(?:MATCH|OPTIONAL\s+MATCH|CALL|WITH|UNWIND|RETURN)\b", re.IGNORECASE)
FENCE = re.compile(r"```[ \t]*[a-zA-Z]*[ \t]*\n?(.*?)(?:```|$)", re.DOTALL)
HEADING = re.compile(
    r"\n\s*(?:[#*_]+\s*)?(?:explanation|note|this query|the query|in this query|here,|where:)", re.IGNORECASE
)
PREFIX = re.compile(r"\s*(?:cypher)\b(?!\s*(?:runtime|planner|\d))\s*:?\s*", re.IGNORECASE)


def messages(question: Question, catalog: Catalog, schema: str, joins: Sequence[str] = ()) -> tuple[Message, ...]:
    """The conversation that asks for a question's Cypher over a rendered catalog, with the path to take if known.

    Roles as in Text2Cypher schema filtering (arXiv 2505.05118): the system message has the task and its limits, the
    user message schema and question, the question last.
    """
    path = "Connect the nodes by:\n" + "\n".join(joins) + "\n\n" if joins else ""
    evidence = f"Hint: {question.evidence}\n" if question.evidence else ""
    user = f"Schema:\n{schema}\n\n{path}{evidence}Question: {question.text}\n\nThe Cypher statement for it:"
    return Message("system", SYSTEM), Message("user", user)


def clean(answer: str) -> str:
    """The statement in an answer: cut at a heading of explanations, without fences and a leading word ``cypher``.

    Prefixes are taken off, never characters: ``hyper`` at the end of a query stays.

    >>> clean("```cypher\\nMATCH (c:City) RETURN c.type\\n```\\nExplanation: the cities")
    'MATCH (c:City) RETURN c.type'
    >>> clean("cypher MATCH (c) RETURN c.cypher;")
    'MATCH (c) RETURN c.cypher'
    """
    text = answer.rsplit("</think>", 1)[-1]
    fenced = next((block for block in FENCE.findall(text) if START.search(block)), None)
    text = HEADING.split(text if fenced is None else fenced)[0].replace("```", "")
    text = PREFIX.sub("", text, count=1) if PREFIX.match(text) else text
    start = START.search(text)
    if start is None:
        return ""
    first = text.strip().split("\n", 1)[0]
    begins = START.match(first.strip()) or first.strip().upper().startswith("CYPHER")
    return re.sub(r"[\s;]+$", "", text.strip() if begins else text[start.start() :])
