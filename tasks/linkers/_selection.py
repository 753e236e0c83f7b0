"""Single-step linking: one call in which a model selects from the schema by itself."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from schemas.catalog import Catalog
from schemas.errors import Failure
from schemas.records import Question
from schemas.tools import Tools
from tasks.linkers._names import Named
from tasks.linkers._prompts import Asking, lists_of_names, request, words
from tasks.linkers._replies import again, ask, json_in, listed, names_in


@dataclass(frozen=True)
class Selection:
    """What is selected: the key of the list, the task, the form of the answer, and how names are matched."""

    key: str
    task: str
    lines: str
    matched: Callable[[Catalog, Iterable[str]], Named]

    def form(self, asking: Asking) -> str:
        """How the answer has to look."""
        if asking.answer == "json":
            return f'Answer with compact JSON: {{"{self.key}": ["NAME"]}}'
        return self.lines


def select(question: Question, catalog: Catalog, tools: Tools, asking: Asking, selection: Selection) -> Named:
    """What a model selects; made-up names are noted, an unreadable answer is a Failure ``parse_error``.

    With ``repair``, an answer that is unreadable or makes names up is asked for once more.
    """
    form = selection.form(asking)
    task = selection.task.format(**words(catalog), form=form)
    asked = request(question, catalog, asking, task, lists_of_names(selection.key))
    answer = ask(tools, asked, catalog.database)
    named = _read(answer, catalog, selection)
    if asking.repair and (named is None or named.made_up):
        wrong = f"The schema has no {', '.join(named.made_up)}." if named else "That is not the form asked for."
        tools.note("repaired", value=wrong)
        answer = ask(tools, again(asked, answer, f"{wrong}\n{form}"), catalog.database)
        named = _read(answer, catalog, selection)
    if named is None:
        raise Failure("parse_error", f"no {selection.key} in the answer: {answer[:200]!r}")
    for name in named.made_up:
        tools.note("made_up", value=name)
    return named


def _read(answer: str, catalog: Catalog, selection: Selection) -> Named | None:
    """The names of an answer's list, in JSON, after its key, or by themselves; None where it cannot be read."""
    written = json_in(answer)
    if isinstance(written, dict):
        names = _in_object(written, selection.key)
        return None if names is None else selection.matched(catalog, names)
    marks = list(re.finditer(rf"\b{selection.key}\b[\s*\"'`]*[=:]", answer, re.IGNORECASE))
    if marks:
        return selection.matched(catalog, listed(answer[marks[-1].end() :]))
    named = selection.matched(catalog, names_in(answer))
    return None if named.made_up else named


def _in_object(written: dict[str, Any], key: str) -> list[str] | None:
    """The names under a key, else the names of all lists after the names of their keys, as in ``{"sale": ["id"]}``."""
    if isinstance(written.get(key), list):
        return [str(name) for name in written[key]]
    lists = {outer: value for outer, value in written.items() if isinstance(value, list)}
    return [f"{outer}.{name}" for outer, value in lists.items() for name in value] if lists else None
