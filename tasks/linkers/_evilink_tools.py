"""The agent's six tools: their declarations, and what each answers to a call.

A call that cannot be carried out is answered with what is wrong with it and changes nothing.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from schemas.catalog import Catalog, Element
from schemas.tools import ToolCall, Tools
from tasks.linkers import _evilink_evidence as evidence
from tasks.linkers._evilink_answers import meant
from tasks.linkers._evilink_chunks import bare, pack
from tasks.linkers._evilink_reasons import objection
from tasks.linkers._evilink_standing import Standing
from tasks.linkers._evilink_text import blocks, narrowed
from tasks.linkers._evilink_tokens import cut

ITEMS = {"type": "array", "items": {"type": "string"}, "description": "exact names: TABLE or TABLE.FIELD"}
PAGE = {"type": "integer", "description": "where a list is long: which page of it (1)"}
MOST_FIELDS = 20


def _declared(name: str, description: str, required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "parameters": parameters}


DECLARATIONS: tuple[Mapping[str, Any], ...] = (
    _declared(
        "get_field_stats",
        "Statistics of fields of the working set: ranges, distinct counts, frequent values, histograms. "
        "For where what is shown does not decide.",
        ("fields",),
        fields=ITEMS,
    ),
    _declared(
        "probe_sql",
        "Run one read-only query and see at most five rows, or the database's error. Only to verify.",
        ("query",),
        query={"type": "string"},
    ),
    _declared("list_tables", "The tables that are not selected, isomorphic ones as one.", (), page=PAGE),
    _declared(
        "list_columns",
        "The columns of one table with types, descriptions and sample values. It selects nothing.",
        ("table",),
        table={"type": "string"},
        page=PAGE,
    ),
    _declared("keep", "Keep tables or fields, selected or not; a field brings its table.", ("items",), items=ITEMS),
    _declared(
        "discard",
        "Discard tables or fields of the working set. The reason has to say what they hold and why that cannot enter "
        "the query; guesses at need and the question's silence are refused.",
        ("items", "reason"),
        items=ITEMS,
        reason={"type": "string"},
    ),
)
NAMES = tuple(tool["name"] for tool in DECLARATIONS)


@dataclass
class Toolset:
    """The tools of one question; ``stage`` is entered into decisions, ``room`` is the most tokens of one answer."""

    catalog: Catalog
    tools: Tools
    standing: Standing
    probes: int
    room: int
    stage: str
    probed: int = 0
    refused: int = 0
    handlers: dict[str, Callable[..., str]] = field(init=False)

    def __post_init__(self) -> None:
        self.handlers = {
            "get_field_stats": self._get_field_stats,
            "probe_sql": self._probe_sql,
            "list_tables": self._list_tables,
            "list_columns": self._list_columns,
            "keep": self._keep,
            "discard": self._discard,
        }

    def call(self, asked: ToolCall) -> str:
        """Carry a call out and answer it, in at most ``room`` estimated tokens."""
        if asked.name not in self.handlers:
            return f"error: there is no tool {asked.name!r}; there are {', '.join(NAMES)}"
        arguments, wrong = read_arguments(asked)
        return cut(wrong or self.handlers[asked.name](**arguments), self.room)

    def _get_field_stats(self, fields: list[str]) -> str:
        if self.tools.evidence is None and not self._has_statistics():
            return evidence.NO_STATISTICS
        lines = []
        for name in fields[:MOST_FIELDS]:
            for element in self._meant(name)[:1]:
                if not element.field:
                    lines.append(f"error: {name!r} is a table: name fields")
                elif not self.standing.works(element):
                    lines.append(f"error: {name!r} is not in the working set: keep it first, or use list_columns")
                else:
                    lines.append(evidence.statistics(self.tools, self.catalog, element))
            lines += [self._unknown(name)] if not self._meant(name) else []
        lines += [f"error: at most {MOST_FIELDS} fields a call"] if len(fields) > MOST_FIELDS else []
        return "\n".join(lines)

    def _probe_sql(self, query: str) -> str:
        if self.tools.evidence is None:
            return evidence.NO_DATABASE
        if self.probed >= self.probes:
            return f"error: all {self.probes} probes are used up: decide by what is known"
        self.probed += 1
        return evidence.probed(self.tools, query)

    def _list_tables(self, page: int = 1) -> str:
        among = narrowed(self.catalog, self.standing.unselected())
        chunks = list(pack(bare(blocks(self.catalog, among, "names")), self.room - 32))
        return _page([chunk.text for chunk in chunks], page) if chunks else "every table is selected"

    def _list_columns(self, table: str, page: int = 1) -> str:
        tables = list(dict.fromkeys(element.entity for element in self._meant(table)))
        if not tables:
            return self._unknown(table)
        group = narrowed(self.catalog, tables)[0]
        shown = blocks(self.catalog, [group], "facts", remark=self._inline)
        return _page([chunk.text for chunk in pack(shown, self.room - 32)], page)

    def _keep(self, items: list[str]) -> str:
        lines = []
        for name in items:
            elements = self._meant(name)
            fresh = [one for element in elements for one in self.standing.keep(element, self.stage)]
            known = f"kept: {_few(fresh)}" if fresh else f"{name} was kept already"
            lines.append(known if elements else self._unknown(name))
        return "\n".join(lines)

    def _discard(self, items: list[str], reason: str) -> str:
        lines = []
        for name in items:
            elements = [element for element in self._meant(name) if self.standing.works(element)]
            outside = f"error: {name!r} is not in the working set" if self._meant(name) else self._unknown(name)
            lines.append(self._discarded(name, elements, reason) if elements else outside)
        return "\n".join(lines)

    def _discarded(self, name: str, elements: list[Element], reason: str) -> str:
        """Discard what one name means unless the reason or the item's standing forbids it."""
        said = [text for element in elements[:1] for text in evidence.semantics(self.tools, self.catalog, element)]
        own = elements[0].field or elements[0].entity.rpartition(".")[2]
        wrong = objection(reason, own, said)
        if wrong:
            self.refused += 1
            return f"refused: {name} stays, the reason does not do: {wrong}"
        left = [element for element in elements if not self.standing.refusal(element)]
        for element in left:
            self.standing.discard(element, self.stage, reason)
        return f"discarded: {_few(left)}" if left else f"refused: {name} stays: {self.standing.refusal(elements[0])}"

    def _meant(self, name: str) -> list[Element]:
        tables = [entity.name for entity in self.catalog.entities if self.standing.kept(Element(entity.name))]
        return list(meant(self.catalog, [name], tables).found)

    def _unknown(self, name: str) -> str:
        """That a name means nothing, and the names near it."""
        folded = {str(element).casefold(): str(element) for element in self.standing.votes.votes}
        folded |= {entity.name.casefold(): entity.name for entity in self.catalog.entities}
        near = get_close_matches(name.casefold(), list(folded)[:5000], n=3, cutoff=0.5)
        hint = f"; near it are {', '.join(folded[one] for one in near)}" if near else ""
        return f"error: there is no {name!r}{hint}"

    def _inline(self, element: Element) -> str:
        return evidence.inline(self.tools, self.catalog, element)

    def _has_statistics(self) -> bool:
        return any(one.statistics for entity in self.catalog.entities for one in entity.fields)


def read_arguments(asked: ToolCall) -> tuple[dict[str, Any], str]:
    """A call's arguments, or what is wrong with them; a single text where a list is wanted is a list of one."""
    try:
        given = json.loads(asked.arguments or "{}")
    except json.JSONDecodeError as error:
        return {}, f"error: the arguments of {asked.name} are no JSON: {error.msg} at character {error.pos}"
    tool = next(tool for tool in DECLARATIONS if tool["name"] == asked.name)
    wanted = tool["parameters"]["properties"]
    if not isinstance(given, dict):
        return {}, f"error: the arguments of {asked.name} are no object with {', '.join(wanted)}"
    read: dict[str, Any] = {}
    for name, kind in wanted.items():
        value, wrong = _value(given.get(name), kind["type"])
        if wrong or (value is None and name in tool["parameters"]["required"]):
            return {}, f"error: {asked.name} needs {name!r}, {wrong or 'which is missing'}"
        read |= {} if value is None else {name: value}
    return read, ""


def _value(given: Any, kind: str) -> tuple[Any, str]:
    if given is None:
        return None, ""
    if kind == "array":
        listed = given if isinstance(given, list) else [given]
        good = listed and all(isinstance(one, str) and one.strip() for one in listed)
        return (listed, "") if good else (None, "a list of names")
    if kind == "integer":
        return (int(given), "") if isinstance(given, int) and given > 0 else (None, "a number from 1 on")
    return (given, "") if isinstance(given, str) and given.strip() else (None, "a text")


def _page(texts: list[str], page: int) -> str:
    if page > len(texts):
        return f"error: there are only {len(texts)} pages"
    more = f"\n[page {page} of {len(texts)}]" if len(texts) > 1 else ""
    return texts[page - 1] + more


def _few(elements: list[Element], most: int = 12) -> str:
    more = f" and {len(elements) - most} more" if len(elements) > most else ""
    return ", ".join(map(str, elements[:most])) + more
