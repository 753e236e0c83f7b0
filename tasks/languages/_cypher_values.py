"""Reading the expressions of a Cypher query: which properties they use, and which things they may give."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cypherast import ast

from schemas.records import Role
from tasks.languages._cypher_parse import nodes
from tasks.languages._cypher_things import Thing, Use, Value, merged

if TYPE_CHECKING:
    from tasks.languages._cypher_reader import Reader

Scope = dict[str, Value]
AGGREGATES = {"avg", "collect", "count", "max", "min", "percentilecont", "percentiledisc", "stdev", "stdevp", "sum"}
COMPARISONS = (ast.EQ, ast.NEQ, ast.In)
HANDING_ON = {"nodes", "relationships", "rels", "startnode", "endnode", "head", "last", "tail", "reverse"}
NAMING = {"type": True, "labels": False}


class Values:
    """Evaluates expressions for a reader, which remembers what they use."""

    def __init__(self, reader: "Reader") -> None:
        self.reader = reader

    def use(self, node: Any, role: Role, scope: Scope) -> Value:
        """Read an expression in a role; what it stands for counts as used."""
        value = self.value(node, role, scope)
        if carries(node):
            self.reader.note(value.below, role)
        return value

    def inside(self, node: Any, role: Role, scope: Scope) -> Value:
        """Read what something is taken from: what only hands it on is not used by that."""
        return (self.value if carries(node) else self.use)(node, role, scope)

    def value(self, node: Any, role: Role, scope: Scope) -> Value:
        """Read an expression; of a variable and the like, only what it stands for."""
        read = READ.get(type(node))
        if read is not None:
            return read(self, node, role, scope)
        return merged(self.parts(node.args.values() if isinstance(node, ast.AstNode) else (), role, scope))

    def parts(self, parts: Iterable[Any], role: Role, scope: Scope) -> list[Value]:
        """Read whatever expressions there are in lists and pairs."""
        found: list[Value] = []
        for part in parts:
            if isinstance(part, ast.AstNode):
                found.append(self.use(part, role, scope))
            elif isinstance(part, list | tuple):
                found += self.parts(part, role, scope)
        return found

    def variable(self, node: ast.AstNode, _: Role, scope: Scope) -> Value:
        """What a variable stands for; one that nothing binds is unknown."""
        name = node.args["this"]
        if name not in scope:
            self.reader.unknown.setdefault(name)
        return scope.get(name, Value())

    def property(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read ``owner.name``."""
        return self.named(self.inside(node.args["this"], role, scope), node.args["name"], role)

    def named(self, owner: Value, name: str, role: Role) -> Value:
        """Read a property: a map's entry, a property of things, or a part of a value such as a date's year."""
        if name in owner.entries:
            return owner.entries[name]
        uses = tuple(Use(thing, name) for thing in owner.things)
        self.reader.note(uses, role)
        return Value(uses or owner.below)

    def index(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read an item of a list, or ``n['name']``, which is a property."""
        key = node.args.get("index")
        if isinstance(key, ast.String):
            return self.named(self.inside(node.args["this"], role, scope), key.args["this"], role)
        self.parts([node.args.get(part) for part in ("index", "start", "end")], role, scope)
        return self.inside(node.args["this"], role, scope)

    def label(self, node: ast.AstNode, role: Role, scope: Scope, *, denied: bool = False) -> Value:
        """Read ``n:Label``, which also tells what ``n`` is, unless it is denied."""
        value = self.value(node.args["this"], role, scope)
        labels = node.args["labels"]
        names, others = labels.args["labels"], labels.args["expression"] or []
        for thing in value.things:
            self.reader.mention(thing, *((others, names) if denied else (names, others)))
        return Value(value.things)

    def condition(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read a comparison or a negation; ``type(r) = 'T'`` and ``'L' IN labels(n)`` name types and labels."""
        if isinstance(node, ast.Not) and isinstance(node.args["this"], ast.LabelPredicate):
            return self.label(node.args["this"], role, scope, denied=True)
        sides = [node.args["this"], node.args["expression"]] if isinstance(node, COMPARISONS) else []
        texts = [text.args["this"] for side in sides for text in _texts(side)]
        for call in (part for side in sides for part in _calls(side) if texts):
            for thing in self.value(call.args["expressions"][0], role, scope).things:
                if thing.relationship == NAMING[call.args["name"].lower()]:
                    self.reader.mention(thing, *(([], texts) if isinstance(node, ast.NEQ) else (texts, [])))
        return merged(self.parts(node.args.values(), role, scope))

    def map(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read a map."""
        entries = {name: self.use(value, role, scope) for name, value in node.args["entries"]}
        return Value(merged(entries.values()).below, (), entries)

    def projection(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read ``n {.name, .*, key: value, variable}``; ``.*`` is every property."""
        owner = self.inside(node.args["this"], role, scope)
        entries: dict[str, Value] = {}
        for entry in node.args["entries"]:
            if isinstance(entry, ast.Star):
                self.reader.whole(owner.things, role)
            elif isinstance(entry, ast.PropertySelector):
                entries[entry.args["name"]] = self.named(owner, entry.args["name"], role)
            elif isinstance(entry, str):
                entries[entry] = self.use(ast.Identifier(this=entry), role, scope)
            else:
                entries[entry[0]] = self.use(entry[1], role, scope)
        return Value(merged(entries.values()).below or owner.below, owner.things, entries)

    def comprehension(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read what goes through a list: its variable stands for the list's items, its condition filters."""
        args = node.args
        given = [args[part] for part in ("projection", "expression") if args.get(part)]
        through = bool(given) or isinstance(node, ast.Quantifier)
        source = (self.inside if through else self.use)(args["source"], role, scope)
        here = {**scope, args["variable"].args["this"]: source}
        if args.get("accumulator"):
            here[args["accumulator"].args["this"]] = self.use(args["initial"], role, scope)
        self.parts([args.get("where")], "filter", here)
        return merged(self.parts(given, role, here)) if given else source

    def inner(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read a pattern or a query inside an expression; it sees all variables, and its own stay inside."""
        if isinstance(node, ast.CountSubquery):
            return merged(self.reader.statement(node.args["query"], dict(scope)).values())
        here = dict(scope)
        self.reader.paths([node.args["pattern"]], here)
        if node.args.get("variable"):
            here[node.args["variable"].args["this"]] = Value()
        self.parts([node.args.get("where")], "filter", here)
        return merged(self.parts([node.args.get("projection")], role, here))

    def function(self, node: ast.AstNode, role: Role, scope: Scope) -> Value:
        """Read a call; what takes a path or list of things apart gives these things."""
        name, given = node.args["name"].lower(), node.args["expressions"]
        read = self.inside if carries(node) else self.use
        value = merged(read(part, role, scope) for part in given if isinstance(part, ast.AstNode))
        if name in ("nodes", "relationships", "rels"):
            kept = tuple(thing for thing in value.things if thing.relationship == (name != "nodes"))
            return Value(kept, kept)
        if name in ("startnode", "endnode"):
            ends = self.reader.ends(value.things, name == "startnode")
            return Value(ends, ends)
        if name == "properties":
            self.reader.whole(value.things, role)
        return value


def carries(node: Any) -> bool:
    """Whether an expression only hands on what it is made of: a variable, an item, a property, the nodes of a path."""
    if isinstance(node, ast.FunctionCall):
        return node.args["name"].lower() in HANDING_ON
    return isinstance(node, (ast.Identifier, ast.Property, ast.ListSubscript, ast.ListSlice))


def aggregates(node: Any) -> bool:
    """Whether an expression counts over rows, what its inner queries do left aside."""
    return any(isinstance(part, ast.FunctionCall) and part.args["name"].lower() in AGGREGATES for part in nodes(node))


def _texts(side: Any) -> list[ast.AstNode]:
    listed = side.args["expressions"] if isinstance(side, ast.List) else [side]
    return [item for item in listed if isinstance(item, ast.String)]


def _calls(side: Any) -> list[ast.AstNode]:
    """The calls of ``type`` and ``labels`` on one side of a comparison."""
    side = side.args["this"] if isinstance(side, ast.ListSubscript) else side
    told = isinstance(side, ast.FunctionCall) and side.args["name"].lower() in NAMING and side.args["expressions"]
    return [side] if told else []


def things_of(values: Mapping[str, Value]) -> tuple[Thing, ...]:
    """The things that variables stand for."""
    return tuple(dict.fromkeys(thing for value in values.values() for thing in value.things))


READ: Mapping[type, Callable[[Values, Any, Role, Scope], Value]] = {
    ast.Identifier: Values.variable,
    ast.Property: Values.property,
    ast.LabelPredicate: Values.label,
    ast.Map: Values.map,
    ast.MapProjection: Values.projection,
    ast.FunctionCall: Values.function,
    **dict.fromkeys((ast.ListSubscript, ast.ListSlice), Values.index),
    **dict.fromkeys((ast.Not, *COMPARISONS), Values.condition),
    **dict.fromkeys((ast.ListComprehension, ast.Quantifier, ast.ListLambda), Values.comprehension),
    **dict.fromkeys((ast.PatternPredicate, ast.PatternComprehension, ast.CountSubquery), Values.inner),
}
