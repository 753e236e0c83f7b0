"""The prompt that asks a model for SQL, and the statement in its answer."""

import re
from collections.abc import Sequence

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Message

DIALECTS = {"sqlite": "SQLite", "postgres": "PostgreSQL", "duckdb": "DuckDB", "snowflake": "Snowflake"}
SYSTEM = """You translate questions into {dialect} queries.
Use only the tables and columns of the given schema, spelled as they are there and quoted where that is needed.
Answer with one SELECT statement and nothing else: no explanation, no comment."""
FENCE = re.compile(r"```[ \t]*[a-zA-Z]*[ \t]*\n?(.*?)(?:```|$)", re.DOTALL)
START = re.compile(r"\b(?:SELECT|WITH)\b", re.IGNORECASE)
STRINGS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|(;)""", re.DOTALL)
PROSE = re.compile(r"\n\s*\n\s*(?=(?:This|The|Note|Here|Explanation|In this|It |We |Where|###|\*\*|\d+\. ))")


def messages(question: Question, catalog: Catalog, schema: str, joins: Sequence[str] = ()) -> tuple[Message, ...]:
    """The conversation that asks for a question's SQL over a rendered catalog, with its join conditions if known.

    What questions share stands first, so that a server can reuse it: instructions, schema, joins; the question is last.
    """
    system = SYSTEM.format(dialect=DIALECTS.get(catalog.dialect, catalog.dialect))
    path = "Join the tables by:\n" + "\n".join(joins) + "\n\n" if joins else ""
    evidence = f"Hint: {question.evidence}\n" if question.evidence else ""
    user = f"Schema:\n{schema}\n\n{path}{evidence}Question: {question.text}"
    return Message("system", system), Message("user", user)


def clean(answer: str) -> str:
    """The statement in an answer: without thoughts, fences, prose around it, and further statements.

    >>> clean("Sure!\\n```sql\\nSELECT a FROM t WHERE b = ';';\\nSELECT 2\\n```\\nThis counts…")
    "SELECT a FROM t WHERE b = ';'"
    """
    text = answer.rsplit("</think>", 1)[-1]
    fenced = next((block for block in FENCE.findall(text) if START.search(block)), None)
    text = fenced if fenced is not None else text
    start = START.search(text)
    if start is None:
        return ""
    statement = PROSE.split(text[start.start() :])[0].replace("```", "")
    end = next((match.start() for match in STRINGS.finditer(statement) if match[1]), len(statement))
    return statement[:end].strip()
