"""The contents of graphs as files: JSON, Cypher scripts, CSV folders; and the engines' own files made of them."""

import csv
import fcntl
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from schemas.errors import Faults, UserError
from storage.engines.cypher import words
from storage.files import read_json, read_text, sha256, whole
from storage.places import cache_folder

ENGINES = ("graphdblite", "graphqlite")
SUFFIXES = (".json", ".cypher", ".csv")
LAYOUT = "1"
SHELL = re.compile(r"^:\w+.*$", re.MULTILINE)
TIMES = {"date", "datetime", "localdatetime", "time", "localtime", "duration"}
SCHEMA_STATEMENTS = ("CREATE CONSTRAINT", "CREATE INDEX", "DROP", "CALL DB.", "SCHEMA", "BEGIN", "COMMIT")
CASTS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "boolean": lambda text: text.casefold() == "true",
}


class Moment(NamedTuple):
    """A time among the properties: the Cypher function that reads its ISO text."""

    function: str
    text: str


class Node(NamedTuple):
    """A node of a graph's contents."""

    id: str | int
    labels: tuple[str, ...]
    properties: Mapping[str, Any]


class Link(NamedTuple):
    """A relationship of a graph's contents."""

    source: str | int
    target: str | int
    type: str
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class Contents:
    """Nodes and relationships, or the statements that create them."""

    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    script: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphAddress:
    """An embedded engine and the file or folder whose contents it is to hold."""

    engine: str
    path: Path


def graph_address(address: str) -> GraphAddress | None:
    """The graph that an address names: a ``.json`` or ``.cypher`` file or a folder; ``ENGINE:`` may come first.

    None for every other kind of database.

    >>> graph_address("graphqlite:graphs/movies.json")
    GraphAddress(engine='graphqlite', path=PosixPath('graphs/movies.json'))
    """
    engine, found, rest = address.partition(":")
    if found and engine in ENGINES:
        return GraphAddress(engine, Path(rest))
    path = Path(address)
    named = bool(address) and (path.suffix in {".json", ".cypher"} or path.is_dir())
    return GraphAddress(ENGINES[0], path) if named else None


def files(path: Path) -> list[Path]:
    """The files that a graph's contents come from."""
    found = [path] if path.is_file() else sorted(each for each in path.glob("*") if each.suffix in SUFFIXES)
    if not found:
        raise UserError(f"{path}: no graph; give a .json or .cypher file, or a folder of .cypher or .csv files")
    return found


def engine_version(engine: str) -> str:
    """The installed version of an embedded engine."""
    try:
        return version(engine)
    except PackageNotFoundError as error:
        raise UserError(f"graphs need {engine}: pip install -e '.[graph]'") from error


def stamp(graph: GraphAddress) -> str:
    """A text that changes with the engine, its version, or the files by size and time of change."""
    found = [(each.name, each.stat()) for each in files(graph.path)]
    sizes = " ".join(f"{name} {info.st_size} {info.st_mtime_ns}" for name, info in found)
    return f"{graph.engine} {engine_version(graph.engine)} {LAYOUT} {sizes}"


def engine_file(graph: GraphAddress) -> Path:
    """The engine's own file of a graph, made once for these contents by SHA-256, this engine and its version."""
    return _engine_file(graph, stamp(graph))


@lru_cache(maxsize=64)
def _engine_file(graph: GraphAddress, _stamp: str) -> Path:
    key = hashlib.sha256(b"".join(f"{each.name}\0{sha256(each)}\0".encode() for each in files(graph.path))).hexdigest()
    name = f"{key[:32]}.{graph.engine}-{engine_version(graph.engine)}-{LAYOUT}.db"
    path = cache() / name
    if not path.exists():
        with _alone(path):
            if not path.exists():
                _build(graph, path)
    return path


def _build(graph: GraphAddress, path: Path) -> None:
    from storage.engines import graphdblite, graphqlite

    with whole(path) as temporary:
        if graph.engine == "graphdblite":
            graphdblite.build(read(graph.path), temporary)
        elif (contents := read(graph.path)).script:
            graphqlite.build(graphdblite.contents(engine_file(GraphAddress("graphdblite", graph.path))), temporary)
        else:
            graphqlite.build(contents, temporary)


def cache() -> Path:
    """Where the engines' files are kept: below ``SCHEMALINK_CACHE`` or the user's cache."""
    return cache_folder() / "graphs"


class _alone:  # noqa: N801
    """Hold other processes back while one builds a file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.with_suffix(".lock").open("w")

    def __enter__(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.file.close()


def read(path: Path) -> Contents:
    """A graph's contents: JSON (``nodes: id, labels, props``; ``rels: s, e, type, props``), Cypher, or CSV files.

    CSV files have the header of ``neo4j-admin import``: ``:ID``, ``:LABEL``, ``:START_ID``, ``:END_ID``, ``:TYPE``,
    ``name:type`` with ``[]`` for lists between semicolons; a file of nodes without labels is named by them.
    """
    found = files(path)
    if scripts := [each for each in found if each.suffix == ".cypher"]:
        return Contents(script=tuple(statement for each in scripts for statement in statements(read_text(each))))
    if tables := [each for each in found if each.suffix == ".csv"]:
        return _tables(tables)
    return _json(found[0])


def _json(path: Path) -> Contents:
    data = read_json(path)
    try:
        nodes = tuple(Node(each["id"], tuple(each["labels"]), _properties(each["props"])) for each in data["nodes"])
        links = tuple(
            Link(
                each.get("s", each.get("start")),
                each.get("e", each.get("end")),
                each["type"],
                _properties(each.get("props", {})),
            )
            for each in data.get("rels", data.get("relationships", ()))
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: no graph: nodes need id, labels, props, rels s, e, type ({error!r})") from error
    return _checked(path, Contents(nodes, links))


def _checked(path: Path, contents: Contents) -> Contents:
    known = {node.id for node in contents.nodes}
    loose = [link for link in contents.links if not {link.source, link.target} <= known]
    if loose or len(known) != len(contents.nodes):
        faults = [f"relationship {each.type} from {each.source!r} to {each.target!r}: no such node" for each in loose]
        raise Faults(str(path), faults[:20] or ["two nodes have the same id"])
    return contents


def _properties(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(value) for key, value in found.items() if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((key, text),) = value.items()
        if key.removeprefix("$") in TIMES:
            return Moment(key.removeprefix("$"), str(text))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def statements(script: str) -> Iterator[str]:
    """The statements of a Cypher script that create contents: those of indexes, constraints and shells are left out."""
    tokens = [*words(SHELL.sub("", script)), ";"]
    start = 0
    for at, token in enumerate(tokens):
        if token == ";":
            statement = "".join(tokens[start:at]).strip()
            start = at + 1
            if statement and not " ".join(statement.upper().split()).startswith(SCHEMA_STATEMENTS):
                yield statement


def _tables(paths: list[Path]) -> Contents:
    nodes: list[Node] = []
    links: list[Link] = []
    for path in paths:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            roles = {(name.partition(":")[2].partition("(")[0]).upper(): name for name in reader.fieldnames or ()}
            if not ({"ID"} <= roles.keys() or {"START_ID", "END_ID"} <= roles.keys()):
                raise UserError(f"{path}: no column :ID, nor :START_ID and :END_ID; there are: {reader.fieldnames}")
            for row in reader:
                properties = {key: value for name, text in row.items() if text for key, value in _cell(name, text)}
                if "ID" in roles:
                    labels = row.get(roles.get("LABEL", ""), path.stem).split(";")
                    nodes.append(Node(row[roles["ID"]], tuple(filter(None, labels)), properties))
                else:
                    kind = row.get(roles.get("TYPE", ""), path.stem)
                    links.append(Link(row[roles["START_ID"]], row[roles["END_ID"]], kind, properties))
    return _checked(paths[0].parent, Contents(tuple(nodes), tuple(links)))


def _cell(column: str, text: str) -> Iterator[tuple[str, Any]]:
    """The property of one cell; a column of roles without a name is none."""
    name, _, kind = column.partition(":")
    kind = kind.partition("(")[0].casefold()
    if not name or kind in {"label", "start_id", "end_id", "type", "ignore"}:
        return
    scalar = kind.removesuffix("[]")
    if scalar in TIMES:
        yield name, Moment(scalar, text)
        return
    cast = CASTS.get(scalar, str)
    yield name, [cast(part) for part in text.split(";")] if kind.endswith("[]") else cast(text)
