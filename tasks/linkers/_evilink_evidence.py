"""Evidence as the agent reads it: what is inline in the working set (L2), and statistics on request (L3)."""

from collections.abc import Iterator

from schemas.catalog import Catalog, Element
from schemas.errors import Failure
from schemas.evidence import Profile
from schemas.tools import Tools

SHORT = 40
TOP = 5
NO_STATISTICS = "no statistics are at hand for this database: decide by names, types, descriptions and sample values"
NO_DATABASE = "no database is at hand to run queries on: decide without it"


def profile(tools: Tools, element: Element) -> Profile | None:
    """A field's profile; None where none is at hand."""
    if tools.evidence is None or not element.field:
        return None
    try:
        return tools.evidence.profile(element)
    except Failure:
        return None


def inline(tools: Tools, catalog: Catalog, element: Element) -> str:
    """What the working set says of a field besides what the catalog declares: samples where it has none, nulls."""
    known = profile(tools, element)
    declared = catalog.field(element.entity, element.field) if element.field else None
    if known is None or declared is None:
        return ""
    samples = "" if declared.examples else ", ".join(value[:SHORT] for value in known.samples[:3])
    nulls = f"null {known.null_share:.0%}" if known.null_share else ""
    return "; ".join(filter(None, [f"e.g. {samples}" if samples else "", nulls]))


def statistics(tools: Tools, catalog: Catalog, element: Element) -> str:
    """A field's statistics on one line, or that there are none."""
    known = profile(tools, element)
    if known is not None:
        return f"{element}: {'; '.join(_told(known))}"
    declared = catalog.field(element.entity, element.field)
    listed = [f"{one.name} {one.value}" for one in declared.statistics] if declared else []
    return f"{element}: {'; '.join(listed) or 'no statistics'}"


def _told(known: Profile) -> Iterator[str]:
    rows = f"{'all ' if known.whole else ''}{known.rows} rows" if known.rows else "values"
    yield f"{rows} looked at" if known.source == "database" else f"{rows} that were published"
    if known.null_share is not None:
        yield f"null {known.null_share:.1%}"
    if known.distinct is not None:
        yield f"distinct {known.distinct}"
    if known.minimum is not None and known.maximum is not None:
        yield f"from {known.minimum[:SHORT]} to {known.maximum[:SHORT]}"
    for name in ("mean", "median", "deviation"):
        value = getattr(known, name)
        if value is not None:
            yield f"{name} {value:.6g}"
    if known.top:
        yield "most frequent " + ", ".join(f"{one.value[:SHORT]} ({one.count})" for one in known.top[:TOP])
    if known.histogram:
        yield "histogram " + ", ".join(f"{one.low:.4g}–{one.high:.4g}: {one.count}" for one in known.histogram)


def semantics(tools: Tools, catalog: Catalog, element: Element) -> list[str]:
    """The texts that say what an element is: a reason for discarding it has to cite one of their words."""
    entity = catalog.entity(element.entity)
    if entity is None:
        return []
    if not element.field:
        return [entity.name, entity.description, *(field.name for field in entity.fields)]
    declared = catalog.field(element.entity, element.field)
    if declared is None:
        return []
    known = profile(tools, element)
    values = [*known.samples, *(one.value for one in known.top)] if known else []
    edges = [known.minimum or "", known.maximum or ""] if known else []
    return [declared.name, declared.type, declared.description, *declared.examples, *values, *edges]


def probed(tools: Tools, query: str) -> str:
    """A query's first rows, or the database's error, as text."""
    assert tools.evidence is not None
    try:
        found = tools.evidence.probe(query)
    except Failure as failure:
        return NO_DATABASE if failure.status == "no_database" else f"the database refuses: {failure.reason}"
    lines = [" | ".join(found.columns), *(" | ".join(str(value)[:SHORT] for value in row) for row in found.rows)]
    return "\n".join(lines) if found.rows else f"{lines[0]}\nno rows"
