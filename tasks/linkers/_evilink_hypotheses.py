"""EviLink's first step: hypotheses of how a query could reach the answer."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Literal

from schemas.catalog import Catalog
from schemas.records import Question
from schemas.tools import Request
from tasks.linkers._evilink_answers import hypotheses_in
from tasks.linkers._evilink_calls import Caller, said
from tasks.linkers._evilink_chunks import Chunk, outline, whole
from tasks.linkers._evilink_prompts import Asking, as_text, elicit

Elicitation = Literal["one", "n", "calls"]
STAGE = "hypotheses"


def elicited(
    question: Question, catalog: Catalog, caller: Caller, asking: Asking, how: Elicitation, count: int
) -> list[str]:
    """As many hypotheses as were asked for, or fewer where fewer came; one that says nothing where none came.

    A catalog too large for one request is shown by its tables' names; where even those take several, each part is
    asked about, and the hypotheses of the same number are one.
    """
    chunks = whole(catalog, "names", asking.sizes.schema)
    if len(chunks) > 1:
        chunks = outline(catalog, asking.sizes.schema)
    parts = [_of_chunk(question, catalog, caller, asking, how, count, chunk) for chunk in chunks]
    found = [" ".join(as_text(one) for one in ways if one) for ways in zip_longest(*parts)][:count]
    if len(found) < count:
        caller.tools.note("hypotheses_missing", value=json.dumps({"asked": count, "came": len(found)}))
    for number, hypothesis in enumerate(found, 1):
        value = json.dumps({"number": number, "hypothesis": hypothesis}, ensure_ascii=False)
        caller.tools.note("hypothesis", value=value)
    caller.note(STAGE, hypotheses=len(found), chunks=len(chunks))
    return found or [""]


def _of_chunk(
    question: Question, catalog: Catalog, caller: Caller, asking: Asking, how: Elicitation, count: int, chunk: Chunk
) -> list[Any]:
    if how == "one":
        request = elicit(question, catalog, chunk.text, count, asking)
        answers = [said(choice) for choice in caller.choices(STAGE, request)]
        return [way for answer in answers if answer for way in hypotheses_in(answer)][:count]
    single = replace(elicit(question, catalog, chunk.text, 1, asking), temperature=asking.temperature)
    requests = iter([replace(single, n=count)]) if how == "n" else _seeded(single, count)
    answers = [said(choice) for request in requests for choice in caller.choices(STAGE, request)]
    return [hypotheses_in(answer)[0] for answer in answers if answer and hypotheses_in(answer)]


def _seeded(request: Request, count: int) -> Iterator[Request]:
    """The same request under different seeds, so that a server and the cache of replies tell them apart."""
    return (replace(request, seed=seed) for seed in range(count))
