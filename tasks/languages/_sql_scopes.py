"""Walking a query scope by scope: which fields it references, and what for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from sqlglot import exp

from schemas.catalog import Catalog, Element, Entity
from schemas.records import Role
from tasks.languages import _sql_from
from tasks.languages._sql_sources import Beneath, Columns, Inner, Scope, Source, folding

CLAUSES: Mapping[str, Role] = {"group": "group", "distinct": "group", "order": "order", "windows": "order"}
ELSEWHERE = frozenset({"with_", "from_", "joins", "laterals", "expressions"})
COUNTING = frozenset({"limit", "offset", "fetch"})
WORDLESS = frozenset({"sqlite", "snowflake", "oracle", "tsql"})
LATERAL_ALIASES = frozenset({"duckdb", "snowflake", "redshift", "databricks"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query hands to the query around it: its columns in order, and the sources that its ORDER BY may name."""

    columns: tuple[tuple[str, Beneath], ...]
    sources: tuple[Source, ...] = ()
    open: bool = False

    @property
    def beneath(self) -> Beneath:
        """Every field beneath any of its columns."""
        return tuple(dict.fromkeys(element for _, below in self.columns for element in below))

    def named(self, names: list[str]) -> Columns:
        """Its columns by name, the first of them renamed to ``names``."""
        renamed = [(names[i] if i < len(names) else name, below) for i, (name, below) in enumerate(self.columns)]
        by_name: dict[str, Beneath] = {}
        for name, below in renamed:
            by_name.setdefault(name.casefold(), below)
        return Columns(by_name, self.open, self.beneath)


class Reader:
    """Reads one query and remembers its tables in the order of mention, its fields with their roles, unknown names."""

    def __init__(self, text: str, catalog: Catalog) -> None:
        self.text = text
        self.catalog = catalog
        self.sqlite = catalog.dialect == "sqlite"
        self.fold = folding(catalog.dialect)
        self.entities: dict[str, Entity] = {}
        self.fields: dict[Element, set[Role]] = {}
        self.unknown: dict[str, None] = {}

    def query(self, node: exp.Expr, around: Scope, *, outermost: bool = False, probing: bool = False) -> Answer:
        """Read a SELECT, a set operation or a query in parentheses; a ``probing`` one stands in EXISTS."""
        around, inners = self.define(node, around)
        if isinstance(node, exp.Select):
            answer = self.select(node, around, outermost=outermost, probing=probing)
        elif isinstance(node, exp.SetOperation):
            left = self.query(node.this, around, outermost=outermost, probing=probing)
            right = self.query(node.expression, around, outermost=outermost, probing=probing)
            answer = _union(left, right)
            self.tail(node, answer, right, around)
        elif isinstance(node, exp.Subquery):
            answer = self.query(node.this, around, outermost=outermost, probing=probing)
            self.tail(node, answer, answer, around)
        else:
            below = self.use(node, "output" if outermost else "nested", around)
            answer = Answer((("", below),), open=True)
        for inner in inners:
            self.inner(inner)
        return answer

    def define(self, node: exp.Expr, around: Scope) -> tuple[Scope, list[Inner]]:
        """Bring a query's common table expressions into scope: SQLite's see each other, elsewhere only earlier ones."""
        with_ = node.args.get("with_")
        if with_ is None:
            return around, []
        forward = self.sqlite or bool(with_.args.get("recursive"))
        inners: dict[str, Inner] = {}
        for cte in with_.expressions:
            recursive = (forward or self.catalog.dialect in WORDLESS) and isinstance(cte.this, exp.SetOperation)
            inners[cte.alias.casefold()] = Inner(cte, replace(around, visible={**around.visible, **inners}), recursive)
        for name, inner in inners.items():
            later = inners if forward else {name: inner}
            seen = {other: each for other, each in later.items() if other != name or each.recursive}
            inner.around.visible = {**inner.around.visible, **seen}
        return replace(around, visible={**around.visible, **inners}), list(inners.values())

    def inner(self, inner: Inner) -> Columns:
        """The columns of a common table expression; where it mentions itself they are those of its first branch."""
        if inner.columns is None:
            body, names = inner.node.this, inner.node.alias_column_names
            inner.columns = Columns({name.casefold(): () for name in names}, open=not names)
            if inner.recursive:
                around, _ = self.define(body, inner.around)
                inner.columns = self.query(body.this, around).named(names)
            inner.columns = self.query(body, inner.around).named(names)
        return inner.columns

    def select(self, node: exp.Select, around: Scope, *, outermost: bool, probing: bool) -> Answer:
        """Read one SELECT: its FROM, its list, then every other clause, which may use the list's aliases."""
        scope = Scope(around, around.visible)
        conditions = _sql_from.read(self, node, scope)
        aliases = scope.aliases if self.catalog.dialect in LATERAL_ALIASES else {}
        columns: list[tuple[str, Beneath]] = []
        for item in node.expressions:
            columns += self.item(item, "output" if outermost else "nested", scope, probing=probing)
            if isinstance(item, exp.Alias):
                aliases.setdefault(*columns[-1])
        scope.aliases = aliases
        for condition in conditions:
            self.use(condition, "join", scope)
        beyond = any(item.is_star for item in node.expressions) and any(each.columns.open for each in scope.sources)
        answer = Answer(tuple(columns), tuple(scope.sources), beyond)
        for key, value in node.args.items():
            if key not in ELSEWHERE:
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, exp.Expr):
                        self.clause(part, CLAUSES.get(key, "filter"), around if key in COUNTING else scope, answer)
        return answer

    def item(self, node: exp.Expr, role: Role, scope: Scope, *, probing: bool) -> list[tuple[str, Beneath]]:
        """Read one item of a SELECT list: the columns it stands for, each with the fields beneath it."""
        if node.is_star and isinstance(node, (exp.Star, exp.Column, exp.Dot)):
            return [] if probing else self.star(node, role, scope)
        value = node.this if isinstance(node, exp.Alias) else node
        below = self.use(value, role, scope)
        named = isinstance(node, (exp.Alias, exp.Column, exp.Dot))
        return [((node.alias_or_name if named else node.sql(self.catalog.dialect)).casefold(), below)]

    def star(self, node: exp.Expr, role: Role, scope: Scope) -> list[tuple[str, Beneath]]:
        """Read a star: every column of the tables it covers, but for those it leaves out or puts another value for."""
        star = node if isinstance(node, exp.Star) else node.find(exp.Star) or exp.Star()
        sources = [source for source in scope.sources if not source.hidden]
        if isinstance(node, exp.Column):
            path = self.path(node)[:-1]
            sources = [each for each in scope.sources if each.answers(tuple(part.casefold() for part in path))]
            if not sources and (found := scope.inside(path)) is not None:
                self.note(found, role)
                return [("", found)]
            if not sources:
                self.unknown.setdefault(".".join((*path, "*")))
        changed = {each.alias_or_name.casefold(): each.unalias() for each in star.args.get("replace") or ()}
        left_out = {each.name.casefold() for each in star.args.get("except_") or ()} | set(changed)
        columns = [(name, below) for each in sources for name, below in each.columns.all() if name not in left_out]
        for _, below in columns:
            self.note(below, role)
        return columns + [(name, self.use(each, role, scope)) for name, each in changed.items()]

    def clause(self, node: exp.Expr, role: Role, scope: Scope, answer: Answer) -> None:
        """Read a clause after the SELECT list; ORDER BY and GROUP BY may count columns or name them."""
        if not isinstance(node, (exp.Order, exp.Group)):
            self.use(node, role, scope)
            return
        for term in node.expressions:
            self.term(term, role, scope, answer)
        for key, value in node.args.items():
            for part in value if key != "expressions" and isinstance(value, list) else ():
                self.use(part, role, scope)

    def term(self, node: exp.Expr, role: Role, scope: Scope, answer: Answer) -> None:
        """Read one term of ORDER BY or GROUP BY: a column's number, in ORDER BY its name first, or a value."""
        value = node
        while isinstance(value, (exp.Ordered, exp.Collate, exp.Paren)):
            value = value.this
        names = dict(reversed(answer.columns))
        by_name = role == "order" or self.catalog.dialect == "bigquery"
        if value.name.upper() == "ALL" and role == "order" and not self.sqlite:
            self.note(answer.beneath, role)
        elif isinstance(value, exp.Literal) and value.is_int:
            for _, below in answer.columns[int(value.name) - 1 : int(value.name)]:
                self.note(below, role)
        elif by_name and isinstance(value, exp.Column) and not value.table and value.name.casefold() in names:
            self.note(names[value.name.casefold()], role)
        else:
            self.use(node, role, scope)

    def tail(self, node: exp.Expr, answer: Answer, last: Answer, around: Scope) -> None:
        """Read what follows a set operation or parentheses: an ORDER BY over the columns' names in any branch."""
        others = tuple((name, below) for (name, _), (_, below) in zip(last.columns, answer.columns, strict=False))
        answer = replace(answer, columns=answer.columns + others)
        scope = Scope(around, around.visible, list(answer.sources))
        for key in ("order", "limit", "offset"):
            if part := node.args.get(key):
                self.clause(part, CLAUSES.get(key, "filter"), scope, answer)

    def use(self, node: exp.Expr, role: Role, scope: Scope) -> Beneath:
        """Read an expression: note its columns in their roles, read its inner queries; give all fields beneath it."""
        below: list[Element] = []
        for part, its_role in mentions(node, role):
            if isinstance(part, exp.Query):
                returned = self.query(part, scope, probing=isinstance(part.parent, exp.Exists)).beneath
                if its_role == "output" and not isinstance(part.parent, (exp.Exists, exp.In)):
                    self.note(returned, its_role)
                below += returned
            elif part.is_star:
                below += (element for _, each in self.star(part, its_role, scope) for element in each)
            else:
                below += self.column(part, its_role, scope)
        return tuple(dict.fromkeys(below))

    def column(self, node: exp.Expr, role: Role, scope: Scope) -> Beneath:
        """The fields beneath a column, noted; a name that nothing in scope has is unknown, or SQLite's string."""
        path = self.path(node)
        found = self.look_up(path, scope)
        if found is None and not self.is_string(node):
            self.unknown.setdefault(self.shown(path, scope))
        self.note(found or (), role)
        return found or ()

    def look_up(self, path: tuple[str, ...], scope: Scope) -> Beneath | None:
        """Resolve a column from the innermost scope outwards, and where that fails more loosely."""
        for manner in (Scope.find, Scope.loosely) if self.sqlite else (Scope.find, Scope.inside, Scope.loosely):
            here: Scope | None = scope
            while here is not None:
                if (found := manner(here, path)) is not None:
                    return found
                here = here.outer
        return None

    def note(self, below: Beneath, role: Role) -> None:
        """Remember that fields are used in a role."""
        for element in below:
            self.fields.setdefault(element, set()).add(role)

    def path(self, node: exp.Expr) -> tuple[str, ...]:
        """A column's written name part by part, each as its database reads it."""
        parts = [node.args[key] for key in ("catalog", "db", "table", "this") if node.args.get(key)]
        while isinstance(node.parent, exp.Dot) and node is node.parent.this:
            node = node.parent
            parts.append(node.expression)
        return tuple(self.spelled(part) for part in parts)

    def spelled(self, name: exp.Expr) -> str:
        """A name as its database reads it."""
        return name.name if name.args.get("quoted") or not isinstance(name, exp.Identifier) else self.fold(name.name)

    def is_string(self, node: exp.Expr) -> bool:
        """Whether an unresolvable name is one that SQLite takes for a string: unqualified, in double quotes."""
        start = node.this.meta.get("start")
        return self.sqlite and not node.args.get("table") and start is not None and self.text[start] == '"'

    def shown(self, path: tuple[str, ...], scope: Scope) -> str:
        """How an unknown column is called: by its table's name in the catalog where its qualifier means one."""
        qualifier = tuple(part.casefold() for part in path[:-1])
        here: Scope | None = scope
        while here is not None and qualifier:
            for source in here.sources:
                if source.answers(qualifier):
                    return f"{source.shown}.{path[-1]}"
            here = here.outer
        return ".".join(path)


def _union(left: Answer, right: Answer) -> Answer:
    """A set operation's columns: the left branch's names, over the fields of both."""
    pairs = zip_longest(left.columns, right.columns, fillvalue=("", ()))
    columns = tuple((name, tuple(dict.fromkeys(mine + theirs))) for (name, mine), (_, theirs) in pairs)
    return Answer(columns, left.sources + right.sources, left.open or right.open)


def mentions(node: exp.Expr, role: Role) -> Iterator[tuple[exp.Expr, Role]]:
    """The columns, stars and inner queries of an expression in their order, each with its role."""
    stack: list[tuple[exp.Expr, Role]] = [(node, role)]
    while stack:
        node, role = stack.pop()
        if isinstance(node, (exp.Column, exp.Star, exp.Query)):
            yield node, role
            continue
        for key, value in reversed(node.args.items()):
            for child in reversed(value) if isinstance(value, list) else (value,):
                if isinstance(child, exp.Expr) and not (isinstance(node, exp.Count) and child.is_star):
                    stack.append((child, _role(node, key, role)))


def _role(node: exp.Expr, key: str, role: Role) -> Role:
    """The role within a part of an expression: a window's own, a FILTER's, an aggregate's ORDER BY, else as around."""
    if isinstance(node, exp.Where):
        return "filter"
    if isinstance(node, exp.Window) and key == "partition_by":
        return "group"
    if isinstance(node, exp.Order) and key == "expressions" and not isinstance(node.parent, exp.WithinGroup):
        return "order"
    return role
