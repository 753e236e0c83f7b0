"""The call in which a model picks one of the numbered candidate paths."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._candidates import Candidate, Picker
from tasks.linkers._prompts import Asking, request, words
from tasks.linkers._replies import again, ask, json_in

TASK = """Each numbered line below is a set of {noun}s that can be joined. A query for the question uses one such set.
Choose the one that has every {noun} the query needs and as few others as possible.
{lines}
{form}"""
FORMS = {
    "line": "Answer with this one line: Final Answer: path_id: <ID>",
    "json": 'Answer with compact JSON: {"path_id": <ID>}',
}
GUIDE: dict[str, Any] = {
    "type": "object",
    "properties": {"path_id": {"type": "integer"}},
    "required": ["path_id"],
    "additionalProperties": False,
}
PATH_ID = re.compile(r"path[\s_]?id\W*(\d+)", re.IGNORECASE)


def by_model(question: Question, catalog: Catalog, tools: Tools, asking: Asking) -> Picker:
    """The picker that asks a model."""
    return partial(_pick, question, catalog, tools, asking)


def _pick(
    question: Question, catalog: Catalog, tools: Tools, asking: Asking, candidates: Sequence[Candidate]
) -> Candidate:
    """The candidate whose number the model answers; another answer is a Failure ``parse_error``."""
    lines = "\n".join(f"{number}: {_line(candidate)}" for number, candidate in enumerate(candidates, 1))
    task = TASK.format(**words(catalog), lines=lines, form=FORMS[asking.answer])
    asked = request(question, catalog, asking, task, GUIDE)
    answer = ask(tools, asked, catalog.database)
    number = read(answer)
    if asking.repair and not 1 <= number <= len(candidates):
        tools.note("repaired", value=answer[:200])
        wrong = f"That names none of the lines 1 to {len(candidates)}.\n{FORMS[asking.answer]}"
        answer = ask(tools, again(asked, answer, wrong), catalog.database)
        number = read(answer)
    if not 1 <= number <= len(candidates):
        raise Failure("parse_error", f"no path of 1 to {len(candidates)} in the answer: {answer[:200]!r}")
    return candidates[number - 1]


def read(answer: str) -> int:
    """The number in an answer, in JSON, after ``path_id``, or by itself; 0 where there is none.

    >>> read("**Final Answer: path_id: 2**"), read('{"path_id": 3}'), read("4"), read("the second")
    (2, 3, 4, 0)
    """
    written = json_in(answer)
    if isinstance(written, dict) and isinstance(written.get("path_id"), int):
        return int(written["path_id"])
    numbers = PATH_ID.findall(answer) or re.findall(r"^\W*(\d+)\W*$", answer)
    return int(numbers[-1]) if numbers else 0


def _line(candidate: Candidate) -> str:
    return ", ".join(candidate.tables) + " (all together)" if candidate.union else " - ".join(candidate.tables)
