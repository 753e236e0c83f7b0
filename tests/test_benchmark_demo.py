"""The demo: what each of its databases is awkward in, and that every gold query answers the same each time."""

import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import pytest
import sqlglot
from sqlglot import exp

from flows.__main__ import main
from schemas.catalog import Catalog
from schemas.errors import UserError
from schemas.records import Question
from storage.databases import open_database
from storage.files import read_json
from tasks import plugins
from tasks.benchmarks import demo
from tasks.benchmarks._demo_rows import build
from tasks.benchmarks._sqlite_catalog import connect
from tests.conftest import ROOT

with TemporaryDirectory() as folder:
    shutil.copy(demo.SHIPPED / "questions.jsonl", folder)
    EVERY = demo.questions(Path(folder), "all")
QUESTIONS = [question for question in EVERY if question.database != "trails"]
GRAPH = [question for question in EVERY if question.database == "trails"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.make(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def catalogs(made: Path) -> dict[str, Catalog]:
    return {catalog.database: catalog for catalog in demo.catalogs(made, "all")}


def tables(made: Path) -> dict[str, Path]:
    """The SQLite files by database."""
    return {name: path for name, path in demo.databases(made, "all").items() if path.suffix == ".sqlite"}


def graph(catalog: Catalog) -> "nx.Graph[str]":
    edges = ((relation.source, relation.target) for relation in catalog.relations)
    found: nx.Graph[str] = nx.Graph(edges)
    found.add_nodes_from(entity.name for entity in catalog.entities)
    return found


def answer(path: Path, query: str, *, backwards: bool = False) -> list[tuple[Any, ...]]:
    """The rows of a query with floats rounded, read forwards or, where the query leaves it open, backwards."""
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA reverse_unordered_selects = {int(backwards)}")
        rows = connection.execute(query).fetchall()
    return [tuple(round(value, 6) if isinstance(value, float) else value for value in row) for row in rows]


def gold_entities(question: Question, catalogs: dict[str, Catalog]) -> list[str]:
    catalog = catalogs[question.database]
    found = plugins.language(catalog.dialect).referenced(question.gold_query, catalog)
    return [reference.entity for reference in found.references if not reference.field]


def test_there_are_enough_questions_of_every_kind() -> None:
    assert len(QUESTIONS) >= 100
    assert (
        len({question.id for question in QUESTIONS}) == len({question.text for question in QUESTIONS}) == len(QUESTIONS)
    )
    assert all(re.fullmatch(rf"demo-{question.database}-\d\d", question.id) for question in QUESTIONS)
    difficulties = Counter(question.difficulty for question in QUESTIONS)
    assert set(difficulties) == {"simple", "moderate", "challenging"}
    assert min(difficulties.values()) >= 20
    assert sum(bool(question.evidence) for question in QUESTIONS) >= 20
    databases = Counter(question.database for question in QUESTIONS)
    assert len(databases) == 8
    assert min(databases.values()) >= 10


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        (exp.Join, 50),
        (exp.Group, 25),
        (exp.Subquery, 3),
        (exp.CTE, 6),
        (exp.SetOperation, 4),
        (exp.Exists, 4),
        (exp.Having, 6),
        (exp.Window, 1),
        (exp.Limit, 12),
    ],
)
def test_gold_queries_are_of_all_kinds(kind: type[exp.Expr], least: int) -> None:
    assert (
        sum(sqlglot.parse_one(question.gold_query, "sqlite").find(kind) is not None for question in QUESTIONS) >= least
    )


def test_a_third_of_the_questions_do_not_say_the_names_of_their_tables(catalogs: dict[str, Catalog]) -> None:
    def says(question: Question, entity: str) -> bool:
        words = re.findall(r"[a-z]+", entity.lower())
        return all(word.rstrip("s")[:5] in question.text.lower() for word in words)

    unsaid = [
        question
        for question in QUESTIONS
        if not any(says(question, name) for name in gold_entities(question, catalogs))
    ]
    assert len(unsaid) >= len(QUESTIONS) / 3


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_gold_answers_the_same_in_whatever_order_rows_are_read(question: Question, made: Path) -> None:
    path = demo.databases(made, "all")[question.database]
    rows, again = (answer(path, question.gold_query, backwards=way) for way in (False, True))
    assert rows
    assert any(value not in (None, 0) for row in rows for value in row)
    ordered = sqlglot.parse_one(question.gold_query, "sqlite").args.get("order")
    assert (rows == again) if ordered else (Counter(rows) == Counter(again))


def test_gold_is_readable_and_names_what_there_is(catalogs: dict[str, Catalog]) -> None:
    for question in QUESTIONS:
        found = plugins.language("sqlite").referenced(question.gold_query, catalogs[question.database])
        assert found.references, question.id
        assert not found.unknown, question.id


def test_every_key_holds_and_no_column_is_empty(made: Path, catalogs: dict[str, Catalog]) -> None:
    for name, path in tables(made).items():
        with closing(connect(path)) as connection:
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert [str(e) for e in catalogs[name].entities for f in e.fields if not f.examples] == [], name


def test_clinic_declares_hardly_any_key_but_names_its_ids(catalogs: dict[str, Catalog]) -> None:
    clinic = catalogs["clinic"]
    assert len(clinic.relations) < 2
    keys = {field.name for entity in clinic.entities for field in entity.fields if field.primary}
    ids = {field.name for entity in clinic.entities for field in entity.fields if field.name.endswith("_id")}
    assert ids == keys
    shared = Counter(field.name for entity in clinic.entities for field in entity.fields if field.name in keys)
    assert sum(count - 1 for count in shared.values()) >= 6


def test_bakery_has_names_that_must_be_quoted(catalogs: dict[str, Catalog]) -> None:
    names = {entity.name for entity in catalogs["bakery"].entities}
    assert names >= {"Order", "group", "Order Line", "Case"}
    columns = {field.name for entity in catalogs["bakery"].entities for field in entity.fields}
    assert columns >= {"Unit Price (EUR)", "from", "When", "Vegan?", "km/Day", "Weight [g]", "Discount %"}


def test_campus_is_large_and_website_is_sharded(catalogs: dict[str, Catalog]) -> None:
    assert len(catalogs["campus"].entities) >= 60
    shards = [entity for entity in catalogs["website"].entities if re.fullmatch(r"visits_20\d{4}", entity.name)]
    assert len(shards) == 18
    assert len({tuple((field.name, field.type) for field in shard.fields) for shard in shards}) == 1


def test_people_and_films_are_joined_by_different_paths(catalogs: dict[str, Catalog]) -> None:
    paths = {path[1] for path in nx.all_shortest_paths(graph(catalogs["festival"]), "person", "film")}
    assert paths == {"role", "credit", "award"}
    asked = [set(gold_entities(question, catalogs)) for question in QUESTIONS if question.database == "festival"]
    for table in paths:
        assert any({"person", "film"} <= gold and gold & paths == {table} for gold in asked), table


@pytest.mark.parametrize(
    ("question", "ends", "longer"),
    [
        ("demo-ferries-04", ("passenger", "port"), ["passenger", "booking", "sailing", "route", "port"]),
        ("demo-ferries-05", ("ship", "port"), ["ship", "sailing", "route", "port"]),
        ("demo-ferries-11", ("passenger", "port"), ["passenger", "booking", "sailing", "route", "port"]),
    ],
)
def test_the_shortest_path_is_not_the_one_of_the_gold_query(
    question: str, ends: tuple[str, str], longer: list[str], catalogs: dict[str, Catalog]
) -> None:
    ferries = graph(catalogs["ferries"])
    assert list(nx.all_shortest_paths(ferries, *ends)) == [list(ends)]
    assert all(ferries.has_edge(*step) for step in pairwise(longer))
    (asked,) = (item for item in QUESTIONS if item.id == question)
    assert set(gold_entities(asked, catalogs)) == set(longer)
    found = plugins.language("sqlite").referenced(asked.gold_query, catalogs["ferries"])
    assert not {"home_port_id", "registered_port_id"} & {reference.field for reference in found.references}


def test_the_rest_is_connected(catalogs: dict[str, Catalog]) -> None:
    for name in ("cycles", "bakery", "festival", "ferries"):
        assert nx.is_connected(graph(catalogs[name])), name


def test_the_same_seed_gives_the_same_contents(made: Path, tmp_path: Path) -> None:
    words = "import sys; from pathlib import Path; from tasks.benchmarks.demo import make; make(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", words, str(tmp_path / "again")], cwd=ROOT, check=True)
    assert (tmp_path / "again" / "contents.json").read_bytes() == (made / "contents.json").read_bytes()
    recorded = read_json(made / "contents.json")["dumps"]
    assert len(recorded) == 9
    assert sha256((made / "trails.graph.json").read_bytes()).hexdigest() == recorded["trails"]
    for name, path in tables(made).items():
        with closing(connect(path)) as connection:
            assert sha256("\n".join(connection.iterdump()).encode()).hexdigest() == recorded[name]


def test_another_seed_gives_other_contents() -> None:
    ddl = (demo.SHIPPED / "clinic.sql").read_text()
    dumps = []
    for seed in (1, 2, 1):
        with closing(sqlite3.connect(":memory:")) as connection:
            build(ddl, connection, seed)
            dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[2] != dumps[1]


def test_comments_say_what_columns_hold() -> None:
    ddl = """
CREATE TABLE "the thing" ( -- 200 rows
  id INTEGER PRIMARY KEY, -- number from 10
  kind TEXT NOT NULL, -- each a; b
  colour TEXT, -- one of red; blue | 30% none
  cost REAL, -- 0.50 to 2.00
  "made on" TEXT, -- day 2024-02-28 to 2024-03-01
  sold TEXT, -- "made on" + 1 to 2 days
  who TEXT, -- person
  code TEXT, -- code X-{:03}
  double INTEGER -- sql id * 2
);

-- repeat north south
CREATE TABLE @ ( -- 3 rows
  thing INTEGER REFERENCES "the thing"(id), -- each "the thing".id
  UNIQUE (thing)
);

-- end
-- finish
UPDATE north SET thing = 99 WHERE thing = 10;
"""
    with closing(sqlite3.connect(":memory:")) as connection:
        build(ddl, connection)
        rows = connection.execute('SELECT * FROM "the thing"').fetchall()
        assert connection.execute("SELECT * FROM north").fetchall() == [(99,), (11,), (12,)]
        assert connection.execute("SELECT * FROM south").fetchall() == [(10,), (11,), (12,)]
    ids, kinds, colours, costs, made_on, sold, people, codes, doubles = zip(*rows, strict=True)
    assert ids == tuple(range(10, 210))
    assert kinds == ("a", "b") * 100
    assert set(colours) == {"red", "blue", None}
    assert 30 < colours.count(None) < 90
    assert all(0.5 <= cost <= 2 and round(cost, 2) == cost for cost in costs)
    assert {0.5, 2.0} <= set(costs)
    assert set(made_on) == {"2024-02-28", "2024-02-29", "2024-03-01"}
    assert set(sold) == {"2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"}
    assert all(len(person.split()) == 2 for person in people)
    assert codes[:2] == ("X-001", "X-002")
    assert doubles == tuple(2 * number for number in ids)


def test_a_comment_that_says_nothing_known_is_an_error() -> None:
    ddl = "CREATE TABLE t ( -- 1 rows\n  x TEXT -- whatever comes\n);\n"
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(ValueError, match="whatever comes"):
        build(ddl, connection)


def test_prepare_makes_the_demo_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prepare", "demo", "--storage", str(tmp_path)]
    assert main(words) == 0
    assert f"  gold       {len(EVERY)} ok" in capsys.readouterr().out.splitlines()
    assert main(words) == 0
    assert "nothing has changed" in capsys.readouterr().out
    database = tmp_path / "downloads" / "demo" / "ferries.sqlite"
    before = database.read_bytes()
    database.unlink()
    assert main(words) == 0
    assert database.read_bytes() == before
    (tmp_path / "downloads" / "demo" / "contents.json").write_text("[]")
    database.with_name("former.sqlite").write_bytes(before)
    assert main(words) == 0
    described = read_json(tmp_path / "benchmarks" / "demo" / "benchmark.json")
    assert set(described["files"]) == {"questions.jsonl", "contents.json"}
    assert len(described["databases"]) == 9


def test_the_graph_has_questions_of_every_kind(catalogs: dict[str, Catalog]) -> None:
    assert len(GRAPH) == 20
    assert [question.id for question in GRAPH] == [f"demo-trails-{number:02}" for number in range(1, 21)]
    assert min(Counter(question.difficulty for question in GRAPH).values()) >= 6
    uses = Counter(entity for question in GRAPH for entity in set(gold_entities(question, catalogs)))
    assert set(uses) == {entity.name for entity in catalogs["trails"].entities}
    for question in GRAPH:
        found = plugins.language("cypher").referenced(question.gold_query, catalogs["trails"])
        assert not found.unknown, question.id


def test_the_graph_is_awkward(catalogs: dict[str, Catalog]) -> None:
    trails = catalogs["trails"]
    hut, peak, warden, hiker = (trails.entity(name) for name in ("Hut", "Peak", "Warden", "Hiker"))
    assert hut
    assert peak
    assert {"name", "altitude"} <= {one.name for one in hut.fields} & {one.name for one in peak.fields}
    assert warden
    assert hiker
    assert [one.name for one in warden.fields] == [one.name for one in hiker.fields]
    joined = {edge.via for edge in trails.relations if {edge.source, edge.target} == {"Warden", "Hut"}}
    assert joined == {"RUNS", "SLEPT_AT"}


@pytest.mark.slow
@pytest.mark.parametrize("question", GRAPH, ids=lambda question: question.id)
def test_the_graphs_gold_answers_alike_on_both_engines(
    question: Question, made: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in ("graphdblite", "graphqlite"):
        pytest.importorskip(engine)
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path_factory.getbasetemp() / "graphs"))
    path = demo.databases(made, "all")["trails"]
    answers = []
    for address in (str(path), f"graphqlite:{path}"):
        with closing(open_database(address)) as database:
            answers.append([tuple(map(shown, row)) for row in database.run(question.gold_query).rows])
    assert answers[0]
    assert any(value not in (None, 0) for row in answers[0] for value in row)
    ordered = "ORDER BY" in question.gold_query.split("RETURN")[-1]
    assert (answers[0] == answers[1]) if ordered else (Counter(answers[0]) == Counter(answers[1]))


def shown(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("a file in the way")
    with pytest.raises(UserError, match="cannot write ") as caught:
        demo.make(tmp_path / "demo")
    assert "\n" not in str(caught.value)
