"""Reading the FROM clause of one SELECT: its tables, inner queries, table functions and joins."""

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from schemas.catalog import Element
from tasks.languages._sql_sources import (
    FLATTENED,
    TABLE_FUNCTIONS,
    Beneath,
    Columns,
    Scope,
    Source,
    Table,
    find_entity,
)

if TYPE_CHECKING:
    from tasks.languages._sql_scopes import Reader


def read(reader: "Reader", node: exp.Select, scope: Scope) -> list[exp.Expr]:
    """Bring the sources of a SELECT into its scope; give the conditions of its joins, to be read with all in scope."""
    conditions: list[exp.Expr] = []
    if from_ := node.args.get("from_"):
        item(reader, from_.this, scope, conditions)
    follow(reader, node, scope, 0, conditions)
    return conditions


def follow(reader: "Reader", node: exp.Expr, scope: Scope, start: int, conditions: list[exp.Expr]) -> None:
    """Add the joins that hang on a node; the sources from ``start`` on are their left side."""
    for join in node.args.get("joins") or ():
        middle = len(scope.sources)
        item(reader, join.this, scope, conditions)
        left, right = scope.sources[start:middle], scope.sources[middle:]
        names = [reader.spelled(name) for name in join.args.get("using") or ()]
        if join.method == "NATURAL":
            names = [name for each in right for name, _ in each.columns.all() if _owned(left, name) is not None]
        for name in names:
            for side in (left, right):
                found = _owned(side, name)
                if found is None:
                    reader.unknown.setdefault(name)
                reader.note(found or (), "join")
        conditions += [join.args[key] for key in ("on", "match_condition") if isinstance(join.args.get(key), exp.Expr)]
        if join.kind in ("SEMI", "ANTI"):
            scope.sources[middle:] = [replace(each, hidden=True) for each in right]
    for lateral in node.args.get("laterals") or ():
        item(reader, lateral, scope, conditions)


def _owned(sources: list[Source], name: str) -> Beneath | None:
    """The fields beneath the first column of that name; none where only a table function could have it."""
    for source in sources:
        if (found := source.columns.beneath(name)) is not None:
            return found
    return () if any(source.columns.open for source in sources) else None


def item(reader: "Reader", node: exp.Expr, scope: Scope, conditions: list[exp.Expr]) -> None:
    """Add one item of a FROM clause to the scope, with the joins inside it."""
    start = len(scope.sources)
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        scope.sources.append(_table(reader, node, scope))
    elif isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Table, exp.Subquery)):
        _parentheses(reader, node, scope, conditions)
    elif isinstance(node, exp.Subquery):
        around = scope if reader.catalog.dialect == "duckdb" else scope.outer or scope
        columns = reader.query(_bare(node), around).named(node.alias_column_names)
        scope.sources.append(Source(node.alias.casefold(), columns, node.alias))
    else:
        scope.sources.append(_function(reader, node, scope))
    for pivot in node.args.get("pivots") or ():
        scope.sources[start:] = [_pivot(reader, pivot, scope.sources[start])]
    if isinstance(node, (exp.Table, exp.Subquery)):
        follow(reader, node, scope, start, conditions)


def _table(reader: "Reader", node: exp.Table, scope: Scope) -> Source:
    """A table of the catalog, a common table expression, or a name that neither has."""
    parts = tuple(reader.spelled(part) for part in node.parts)
    alias = (node.alias or node.name).casefold()
    path = tuple(part.casefold() for part in parts)
    inner = scope.visible.get(path[0]) if len(path) == 1 else None
    entity = None if inner else find_entity(parts, reader.catalog)
    columns: Columns | Table
    if inner:
        columns = reader.inner(inner)
    elif entity:
        reader.entities.setdefault(entity.name, entity)
        columns = Table(reader.catalog, entity)
    else:
        reader.unknown.setdefault(".".join(parts))
        columns = Columns({})
    if names := node.alias_column_names:
        columns = _renamed(columns, names)
    return Source(alias, columns, entity.name if entity else ".".join(parts), path)


def _renamed(columns: Columns | Table, names: list[str]) -> Columns:
    """The same columns under the names that ``AS t(a, b)`` gives them by position."""
    declared = list(columns.all())
    renamed = {name.casefold(): below for name, (_, below) in zip(names, declared, strict=False)}
    return Columns({**renamed, **dict(declared[len(names) :])}, columns.open, columns.below)


def _bare(node: exp.Subquery) -> exp.Expr:
    """The query inside a FROM item's parentheses, unless they carry an ORDER BY or a WITH of their own."""
    return node if any(node.args.get(key) for key in ("order", "with_", "limit")) else node.this


def _parentheses(reader: "Reader", node: exp.Subquery, scope: Scope, conditions: list[exp.Expr]) -> None:
    """Add the items in parentheses; under an alias they are one source, else they stand as if without parentheses."""
    if not node.alias:
        item(reader, node.this, scope, conditions)
        return
    within, inside = Scope(scope.outer, scope.visible), list[exp.Expr]()
    item(reader, node.this, within, inside)
    for condition in inside:
        reader.use(condition, "join", within)
    merged: dict[str, Beneath] = {}
    for source in within.sources:
        for name, below in source.columns.all():
            merged.setdefault(name, below)
    columns = _renamed(Columns(merged, any(each.columns.open for each in within.sources)), node.alias_column_names)
    scope.sources.append(Source(node.alias.casefold(), columns, node.alias))


def _function(reader: "Reader", node: exp.Expr, scope: Scope) -> Source:
    """VALUES, UNNEST, LATERAL or another table function: its columns stand over the fields in its arguments."""
    names = list(node.alias_column_names) if isinstance(node, (exp.Table, exp.DerivedTable)) else []
    alias = node.alias or (names[0] if len(names) == 1 else "")
    call = node.this if isinstance(node.this, exp.Expr) else node
    if isinstance(call, exp.Subquery):
        return Source(alias.casefold(), reader.query(call, scope).named(names), alias)
    arguments = [call] if call is not node else node.expressions
    below = tuple(dict.fromkeys(element for part in arguments for element in reader.use(part, "join", scope)))
    listed = _listed(call, reader.sqlite)
    columns = _renamed(Columns(dict.fromkeys(listed, below), not listed, below), names)
    if not listed:
        offset = call.args.get("offset")
        counted = {offset.name.casefold(): ()} if isinstance(offset, exp.Identifier) else {}
        named = dict.fromkeys((name.casefold() for name in names or [alias] if name), below)
        columns = Columns({**named, **counted}, True, below)
    return Source(alias.casefold() or call.name.casefold(), columns, alias or call.name)


def _listed(call: exp.Expr, sqlite: bool) -> tuple[str, ...]:
    """The columns of a table function as far as they are known: none means any."""
    if isinstance(call, exp.Values):
        first = call.expressions[0] if call.expressions else call
        return tuple(f"column{i + 1}" for i in range(len(first.expressions)))
    if isinstance(call, exp.Explode):
        return FLATTENED
    name = call.name if isinstance(call, exp.Anonymous) else call.sql_name() if isinstance(call, exp.Func) else ""
    return TABLE_FUNCTIONS.get(name.casefold(), ()) if sqlite else ()


def _pivot(reader: "Reader", pivot: exp.Pivot, source: Source) -> Source:
    """A pivoted source: what it pivots on is referenced, and its columns are whatever its values are called."""
    scope = Scope(sources=[source])
    made = {column.name.casefold() for column in pivot.find_all(exp.Column)} if pivot.args.get("unpivot") else set()
    below: dict[Element, None] = {}
    for part in (*pivot.expressions, *(pivot.args.get("fields") or ())):
        for column in part.find_all(exp.Column):
            found = scope.find(reader.path(column))
            if found is None and column.name.casefold() not in made:
                reader.unknown.setdefault(f"{source.shown}.{column.name}")
            reader.note(found or (), "nested")
            below.update(dict.fromkeys(found or ()))
    names = [name.casefold() for name in pivot.alias_column_names]
    columns = {**dict(source.columns.all()), **dict.fromkeys(names, tuple(below))}
    return replace(source, alias=(pivot.alias or source.alias).casefold(), columns=Columns(columns, True, tuple(below)))
