"""Walking a Cypher query clause by clause: what its patterns bind, and which elements it references what for."""

from collections.abc import Iterable, Sequence
from typing import Any

from cypherast import ast

from schemas.catalog import Catalog, Element
from schemas.records import Role
from tasks.languages._cypher_things import Graph, Hop, Thing, Use, Value, merged
from tasks.languages._cypher_values import Scope, Values, aggregates, things_of


class Reader:
    """Reads one query and remembers labels and types in the order of their mention, uses with roles, unknown names."""

    def __init__(self, catalog: Catalog) -> None:
        self.graph = Graph(catalog)
        self.values = Values(self)
        self.mentioned: dict[tuple[str, bool], None] = {}
        self.uses: dict[Thing | Use, dict[Role, None]] = {}
        self.unknown: dict[str, None] = {}

    def note(self, below: Iterable[Thing | Use], role: Role) -> None:
        """Remember that things or properties are used in a role."""
        for part in below:
            self.uses.setdefault(part, {})[role] = None

    def mention(self, thing: Thing, names: Sequence[str], denied: Sequence[str] = ()) -> None:
        """Remember labels or types that a query names, and that a thing has, or has not."""
        for name in (*names, *denied):
            self.mentioned.setdefault((name, thing.relationship))
        thing.names.update(dict.fromkeys(names))
        thing.denied.update(dict.fromkeys(denied))

    def whole(self, things: Iterable[Thing], role: Role) -> None:
        """Remember that every property of things is used, as far as they are labelled."""
        for thing in things:
            known = self.graph.known(thing)
            for name in [name for name in thing.names if name in known]:
                self.note((Use(thing, one.name) for one in known[name].fields), role)

    def ends(self, things: Sequence[Thing], first: bool) -> tuple[Thing, ...]:
        """The nodes that relationships start from, or end at."""
        found: dict[Thing, None] = {}
        for hop in self.graph.hops:
            if hop.via in things:
                found.update({(hop.source if first else hop.target): None})
                found.update({(hop.target if first else hop.source): None} if hop.both else {})
        return tuple(found)

    def statement(self, node: ast.AstNode, scope: Scope, *, outermost: bool = False) -> Scope:
        """Read a query or a union of queries; the columns that it returns."""
        if isinstance(node, ast.Query):
            return self.query(node, scope, outermost=outermost)
        one = self.statement(node.args["this"], dict(scope), outermost=outermost)
        other = self.statement(node.args["expression"], dict(scope), outermost=outermost)
        return {name: merged([value, other[name]]) if name in other else value for name, value in one.items()}

    def query(self, node: ast.AstNode, scope: Scope, *, outermost: bool) -> Scope:
        """Read one query's clauses in their order; the columns that its RETURN gives, else none."""
        for clause in node.args["clauses"]:
            if isinstance(clause, ast.Match):
                self.paths(clause.args["pattern"].args["paths"], scope)
                self.condition(clause, scope)
            elif isinstance(clause, ast.With):
                scope = self.projection(clause, "nested", scope)
            elif isinstance(clause, ast.Return):
                return self.projection(clause, "output" if outermost else "nested", scope)
            elif isinstance(clause, (ast.Unwind, ast.For)):
                listed = clause.args["expression"]
                read = self.values.value if isinstance(listed, ast.Identifier) else self.values.use
                scope[_name(clause.args["alias"])] = read(listed, "nested", scope)
            elif isinstance(clause, ast.CallSubquery):
                scope.update(self.statement(clause.args["query"], self.imported(clause, scope)))
            elif isinstance(clause, ast.CallProcedure):
                self.procedure(clause, scope)
            else:
                self.values.parts(clause.args.values(), "filter", scope)
        return {}

    def imported(self, clause: ast.AstNode, scope: Scope) -> Scope:
        """What a CALL subquery sees: the variables that it lists, or that a WITH at its beginning takes."""
        listed = clause.args.get("variables")
        if isinstance(listed, list):
            return {name: scope[name] for name in map(_name, listed) if name in scope}
        first = clause.args["query"]
        while not isinstance(first, ast.Query):
            first = first.args["this"]
        takes = isinstance(first.args["clauses"][0], ast.With) or isinstance(listed, ast.Star)
        return dict(scope) if takes else {}

    def procedure(self, clause: ast.AstNode, scope: Scope) -> None:
        """Read a procedure's arguments; a ``node`` that it yields may be any."""
        self.values.parts(clause.args["expressions"], "filter", scope)
        yielded = clause.args.get("yield_")
        for item in yielded.args["expressions"] if yielded else ():
            given = item.args["this"] if isinstance(item, ast.Alias) else item
            if not isinstance(given, ast.Star):
                alias = item.args["alias"] if isinstance(item, ast.Alias) else item
                found = Thing(False) if _name(given) == "node" else None
                scope[_name(alias)] = Value((found,), (found,)) if found else Value()
        self.condition(clause, scope)

    def condition(self, clause: ast.AstNode, scope: Scope) -> None:
        """Read a clause's WHERE."""
        if where := clause.args.get("where"):
            self.values.use(where.args["this"], "filter", scope)

    def projection(self, clause: ast.AstNode, role: Role, scope: Scope) -> Scope:
        """Read WITH or RETURN: its items, then its ORDER BY and WHERE, which may name items and what was before.

        A variable that WITH only passes on is not used by that. Beside an aggregate, the other items are groups.
        """
        columns: Scope = {}
        counts = [aggregates(item) for item in clause.args["expressions"]]
        for item, counted in zip(clause.args["expressions"], counts, strict=True):
            if isinstance(item, ast.Star):
                columns.update(scope)
                self.note(things_of(scope) if isinstance(clause, ast.Return) else (), role)
                continue
            given = item.args["this"] if isinstance(item, ast.Alias) else item
            passed = isinstance(given, ast.Identifier) and isinstance(clause, ast.With)
            value = (self.values.value if passed else self.values.use)(given, role, scope)
            if any(counts) and not counted:
                self.note(value.below, "group")
            columns[_name(item.args["alias"] if isinstance(item, ast.Alias) else given)] = value
        here = {**scope, **columns}
        if order := clause.args.get("order"):
            self.values.parts((term.args["this"] for term in order.args["expressions"]), "order", here)
        self.values.parts([clause.args.get("skip"), clause.args.get("limit")], "filter", here)
        self.condition(clause, here)
        return columns

    def paths(self, paths: Iterable[ast.AstNode], scope: Scope) -> None:
        """Bind the variables of patterns, then read what stands inside of them."""
        for path in paths:
            inside: list[tuple[Thing, ast.AstNode]] = []
            self.path(path, scope, inside)
            for thing, pattern in inside:
                entries = pattern.args["properties"].args["entries"] if pattern.args.get("properties") else ()
                for name, value in entries:
                    self.note([Use(thing, name)], "filter")
                    self.values.use(value, "filter", scope)
                self.condition(pattern, scope)

    def path(self, node: ast.AstNode, scope: Scope, inside: list[tuple[Thing, ast.AstNode]]) -> list[Thing]:
        """Bind the things of a path in their order, and remember its hops."""
        if isinstance(node, (ast.ShortestPath, ast.QuantifiedPath)):
            return self.path(node.args["this"], scope, inside)
        if isinstance(node, ast.Query):
            self.statement(node, dict(scope))
            return []
        things: list[Thing] = []
        for element in node.args["elements"]:
            if isinstance(element, (ast.NodePattern, ast.RelationshipPattern)):
                things.append(self.thing(element, scope))
                inside.append((things[-1], element))
            else:
                things += self.path(element, scope, inside)
        for at, element in enumerate(node.args["elements"]):
            if isinstance(element, ast.RelationshipPattern):
                self.hop(element, *things[at - 1 : at + 2])
        if node.args.get("variable"):
            scope[_name(node.args["variable"])] = Value(tuple(things), tuple(things))
        return things

    def thing(self, pattern: ast.AstNode, scope: Scope) -> Thing:
        """The node or relationship of a pattern: that of its variable, if that is bound, else a new one."""
        relationship = isinstance(pattern, ast.RelationshipPattern)
        name = _name(pattern.args["variable"]) if pattern.args.get("variable") else ""
        bound = scope[name].things if name in scope else ()
        thing = bound[0] if len(bound) == 1 and bound[0].relationship == relationship else Thing(relationship)
        if name:
            scope[name] = Value((thing,), (thing,))
        if relationship:
            types = [one for one in pattern.args.get("types") or () if one != "%"]
            denied = [one[1:] for one in types if one.startswith("!")]
            self.mention(thing, [one for one in types if not one.startswith("!")], denied)
        elif labels := pattern.args.get("labels"):
            self.mention(thing, labels.args["labels"], labels.args["expression"] or ())
        return thing

    def hop(self, pattern: ast.AstNode, left: Thing, via: Thing, right: Thing) -> None:
        """Remember a relationship from its start to its end."""
        if pattern.args["direction"] is ast.Direction.INCOMING:
            left, right = right, left
        both, far = pattern.args["direction"] is ast.Direction.BOTH, bool(pattern.args.get("variable_length"))
        self.graph.hops.append(Hop(left, via, right, both, far))

    def references(self) -> tuple[dict[str, set[Role]], dict[Element, set[Role]]]:
        """The entities in the order of their mention, implied ones last, and the fields; unknown names are noted."""
        entities: dict[str, set[Role]] = {}
        fields: dict[Element, set[Role]] = {}
        for name, relationship in self.mentioned:
            if name in (self.graph.types if relationship else self.graph.nodes):
                entities[name] = set()
            else:
                self.unknown.setdefault(name)
        for part, roles in self.uses.items():
            if isinstance(part, Thing):
                for name in part.names:
                    entities.get(name, set()).update(roles)
                continue
            owners = self.graph.owners(part)
            if not owners:
                self.missing(part)
            for owner in owners:
                entities.setdefault(owner, set())
                fields.setdefault(Element(owner, part.name), set()).update(roles)
        return entities, fields

    def missing(self, use: Use) -> None:
        """Note a property that none of its thing's entities has, unless the thing is unknown itself."""
        known = [name for name in use.thing.names if name in self.graph.known(use.thing)]
        if known or not use.thing.names:
            self.unknown.setdefault(f"{known[0]}.{use.name}" if known else use.name)


def _name(node: Any) -> str:
    """A variable's name; an expression without alias has none that could be used again."""
    return str(node.args["this"]) if isinstance(node, ast.Identifier) else repr(node)
