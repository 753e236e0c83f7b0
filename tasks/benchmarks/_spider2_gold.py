"""Spider 2's golds: tables for every question, and queries for some."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from schemas.catalog import Catalog
from schemas.errors import Failure, unknown
from schemas.families import KEY, family_of
from schemas.records import Question, Reference
from storage.files import read_text
from tasks import plugins
from tasks.benchmarks._findings import Findings

SHOWN = 3


def read_queries(folder: Path) -> dict[str, str]:
    """The gold queries by question id."""
    return {path.stem: read_text(path) for path in sorted(folder.glob("*.sql"))}


def tables_gold(names: Sequence[str], catalog: Catalog, path: Path, findings: Findings) -> tuple[Reference, ...]:
    """A published list of tables as references in the catalog's spelling; ``EVENTS_*`` means every table begun so."""
    found: dict[str, None] = {}
    for name in names:
        matching = _matching(name, catalog)
        if not matching:
            known = (entity.name for entity in catalog.entities)
            findings.add(path, str(unknown(f"table of {catalog.database}", name, known)))
        found |= dict.fromkeys(matching)
    return tuple(Reference(name, roles=("from",)) for name in found)


def _matching(name: str, catalog: Catalog) -> list[str]:
    if not name.endswith(KEY):
        entity = catalog.entity(name)
        return [entity.name] if entity else []
    start = name.removesuffix(KEY).casefold()
    return [entity.name for entity in catalog.entities if entity.name.casefold().startswith(start)]


def with_query(question: Question, catalog: Catalog) -> Question:
    """The question with the elements that its query references, where that can be read; else with its tables."""
    try:
        found = plugins.language(catalog.dialect).referenced(question.gold_query, catalog)
    except Failure as failure:
        return replace(question, gold_reason=f"its query cannot be read ({failure.reason}): its tables are the gold")
    if found.unknown:
        missing = ", ".join(found.unknown)
        return replace(question, gold_reason=f"its query names {missing}, which is not there: its tables are the gold")
    return replace(question, gold=found.references, gold_level="field")


def disagreements(
    questions: Iterable[Question], tables: Mapping[str, tuple[Reference, ...]], catalogs: Mapping[str, Catalog]
) -> list[str]:
    """Remarks on the questions whose query references other tables, families as one, than the published list names."""
    more, less, read = [], [], 0
    for question in questions:
        if question.gold_level == "field":
            read += 1
            families = family_of(catalogs[question.database], schemas=False)
            query = _families(question.gold, families)
            listed = _families(tables[question.id], families)
            more += [question.id] * bool(query - listed)
            less += [question.id] * bool(listed - query)
    count = len({*more, *less})
    if not count:
        return []
    return [
        f"gold queries and gold tables disagree on {count} of {read} questions, families counted as one table: "
        f"{len(more)} queries read a table that is not listed ({_some(more)}), "
        f"{len(less)} leave out a listed one ({_some(less)}); the queries are the gold"
    ]


def _families(references: Iterable[Reference], families: Mapping[str, object]) -> set[object]:
    return {families.get(each.entity, each.entity) for each in references if not each.field}


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + ("…" if len(ids) > SHOWN else "")
