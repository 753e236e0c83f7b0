"""Spider's published layout, sound and broken, and its official hardness."""

from collections import Counter
from pathlib import Path

import pytest

from schemas.catalog import Relation
from schemas.errors import Faults
from tasks.benchmarks import spider
from tasks.benchmarks._spider_hardness import hardness
from tests import published
from tests.data import need

PLAIN = {
    "select": [False, [[0, [0, [0, 1, False], None]]]],
    "from": {"conds": [], "table_units": [["table_unit", 0]]},
    "where": [],
    "groupBy": [],
    "having": [],
    "orderBy": [],
    "limit": None,
    "intersect": None,
    "union": None,
    "except": None,
}
CONDITION = [False, 2, [0, [0, 2, False], None], 4.0, None]
COUNT = [3, [0, [0, 0, False], None]]


def test_ids_are_positions_and_only_asked_databases_have_catalogs(tmp_path: Path) -> None:
    root = published.spider(tmp_path)
    questions = spider.questions(root, "dev", any_length=True)
    assert [(question.id, question.database, question.difficulty) for question in questions] == [
        ("0", "library", ""),
        ("1", "library", ""),
        ("2", "library", ""),
    ]
    assert [catalog.database for catalog in spider.catalogs(root, "dev")] == ["library"]


def test_the_database_file_adds_keys_and_examples(tmp_path: Path) -> None:
    root = published.spider(tmp_path)
    (catalog,) = spider.catalogs(root, "dev")
    title = catalog.field("book", "title")
    assert title is not None
    assert title.examples == ("Tides", "Moss")
    assert Relation("book", "branch", ("kept_at",), ("code",), origin="database") in catalog.relations
    assert len(catalog.relations) == 4
    assert root / "database" / "library" / "library.sqlite" in spider.files(root, "dev")


def test_a_missing_database_file_is_a_remark_not_a_fault(tmp_path: Path) -> None:
    root = published.spider(tmp_path, database_file=False)
    assert spider.remarks(root, "dev") == ["no database file for all databases: 3 questions cannot be executed"]
    assert spider.databases(root, "dev") == {}


def test_a_primary_key_that_only_the_database_file_has_is_taken_over(tmp_path: Path) -> None:
    root = published.spider(tmp_path)
    published.write(root / "tables.json", [published.tables() | {"primary_keys": [1]}])
    (catalog,) = spider.catalogs(root, "dev")
    keys = {entity.name: [field.name for field in entity.fields if field.primary] for entity in catalog.entities}
    assert keys == {"branch": ["code"], "book": ["isbn", "copy"], "loan": []}


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    root = published.spider(tmp_path)
    items = [
        {"db_id": "libary", "question": " ", "query": "SELECT 1"},
        {"db_id": "library", "question": "?", "query": 1},
    ]
    items.append({"db_id": "libary", "question": "How?", "query": "SELECT 1", "sql": {"select": []}})
    path = published.write(root / "dev.json", items)
    with pytest.raises(Faults) as caught:
        spider.questions(root, "dev")
    assert caught.value.faults == (
        f"{path}: holds 3 items where Spider 1.0's dev has 1,034: take the published file, or allow a subset of your"
        " own with --any-length",
        f"{path}: item 0: 'question' is empty",
        f"{path}: item 1: 'query' is not a text",
        f"{path}: item 2: unknown database 'libary'; did you mean 'library'? there are: archive, library",
        f"{path}: item 2: 'sql' is not a parsed query of Spider's",
    )


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "easy"),
        ({"where": [CONDITION]}, "easy"),
        ({"where": [CONDITION, "and", CONDITION]}, "medium"),
        ({"where": [CONDITION, "or", CONDITION]}, "medium"),
        ({"where": [CONDITION], "limit": 1}, "medium"),
        ({"where": [CONDITION], "limit": 1, "orderBy": ["asc", [[0, [0, 2, False], None]]]}, "hard"),
        ({"select": [False, [COUNT, COUNT]], "where": [CONDITION], "limit": 1}, "extra"),
        ({"select": [False, [COUNT, COUNT]], "where": [CONDITION, "and", CONDITION], "limit": 1}, "hard"),
        ({"union": PLAIN}, "hard"),
        ({"union": PLAIN, "except": PLAIN}, "extra"),
        ({"where": [[False, 8, [0, [0, 2, False], None], PLAIN, None]], "limit": 1}, "extra"),
        ({"where": [[False, 9, [0, [0, 2, False], None], "a%", None]]}, "medium"),
    ],
)
def test_hardness_counts_parts(changes: dict[str, object], level: str) -> None:
    assert hardness(PLAIN | changes) == level


def test_the_published_dev_part_has_the_official_hardness() -> None:
    root = need("spider", "dev.json").parent
    questions = spider.questions(root, "dev")
    assert Counter(question.difficulty for question in questions) == {
        "easy": 248,
        "medium": 446,
        "hard": 174,
        "extra": 166,
    }
    assert [question.id for question in questions] == [str(number) for number in range(1034)]


def test_the_published_dev_part_lacks_one_database_file() -> None:
    root = need("spider", "tables.json").parent
    catalogs = spider.catalogs(root, "dev")
    files = spider.databases(root, "dev")
    assert len(catalogs) == 20
    assert {catalog.database for catalog in catalogs} - set(files) == {"wta_1"}
    assert spider.remarks(root, "dev") == ["no database file for wta_1: 62 questions cannot be executed"]
