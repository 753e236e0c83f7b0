"""BIRD's published layout, sound and broken."""

import json
from collections import Counter
from pathlib import Path

import pytest

from schemas.catalog import Catalog, Relation
from schemas.errors import Faults
from tasks.benchmarks import bird
from tests import published
from tests.data import need

REFERENCES_WITHOUT_COLUMN = Relation("book", "branch", ("kept_at",), ("code",), origin="database")


def only(catalogs: list[Catalog]) -> Catalog:
    (catalog,) = catalogs
    return catalog


def faults(root: Path, *, any_length: bool = True) -> str:
    with pytest.raises(Faults) as caught:
        bird.questions(root, "dev", any_length=any_length)
    return str(caught.value)


def test_a_question_keeps_its_id_evidence_and_difficulty(tmp_path: Path) -> None:
    first, *_ = bird.questions(published.bird(tmp_path), "dev", any_length=True)
    assert (first.id, first.database, first.evidence, first.difficulty) == (
        "0",
        "library",
        "kept means kept_at",
        "simple",
    )
    assert first.gold_query.startswith("SELECT b.title")
    assert first.gold_status == "none"


def test_the_catalog_has_nested_primary_keys_and_keys_to_what_is_no_primary_key(tmp_path: Path) -> None:
    catalog = only(bird.catalogs(published.bird(tmp_path), "dev"))
    book = catalog.entity("book")
    assert book is not None
    assert [field.name for field in book.fields if field.primary] == ["isbn", "copy"]
    assert Relation("branch", "branch", ("parent",), ("code",)) in catalog.relations
    assert Relation("loan", "book", ("isbn",), ("isbn",)) in catalog.relations
    assert len(catalog.relations) == 3


def test_readable_names_are_descriptions_where_they_say_more(tmp_path: Path) -> None:
    catalog = only(bird.catalogs(published.bird(tmp_path), "dev"))
    told = {
        f"{entity.name}.{field.name}": field.description
        for entity in catalog.entities
        for field in entity.fields
        if field.description
    }
    assert told == {
        "branch.parent": "branch above this one",
        "book.isbn": "international number",
        "loan.due": "day due",
    }
    assert [entity.description for entity in catalog.entities] == ["branch of the library", "", ""]


def test_foreign_keys_of_the_database_file_are_added_once(tmp_path: Path) -> None:
    root = published.bird(tmp_path, database_file=True)
    catalog = only(bird.catalogs(root, "dev"))
    assert [relation for relation in catalog.relations if relation.origin == "database"] == [REFERENCES_WITHOUT_COLUMN]
    assert len(catalog.relations) == 4
    assert bird.databases(root, "dev") == {"library": root / "dev_databases" / "library" / "library.sqlite"}


def test_differences_from_the_database_file_are_remarks(tmp_path: Path) -> None:
    remarks = bird.remarks(published.bird(tmp_path, database_file=True), "dev")
    assert remarks == [
        "library: only in the database file: loan.rowcode",
        "library: foreign keys only in the database file: book(kept_at) -> branch(code)",
    ]


def test_no_database_file_is_a_remark(tmp_path: Path) -> None:
    assert bird.remarks(published.bird(tmp_path), "dev") == [
        "no database file for all databases: 3 questions cannot be executed"
    ]


def test_sampled_values_are_examples_before_those_of_the_database_file(tmp_path: Path) -> None:
    root = published.bird(tmp_path, database_file=True)
    published.write(root / bird.SAMPLES, {"library": {"book.title": ["Fog", 7], "book.shelf (no)": [9.5]}})
    catalog = only(bird.catalogs(root, "dev"))
    examples = {
        name: field.examples for name in ("title", "Shelf (No)", "copy") if (field := catalog.field("book", name))
    }
    assert examples == {"title": ("Fog", "7"), "Shelf (No)": ("9.5",), "copy": ("1", "2")}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_descriptions_beside_the_database_file_are_read_in_both_encodings(tmp_path: Path, encoding: str) -> None:
    root = published.bird(tmp_path, database_file=True)
    file = root / "dev_databases" / "library" / "database_description" / "Book.csv"
    file.parent.mkdir()
    text = "original_column_name, column_name,column_description,data_format,value_description\r\n"
    text += 'title,title,"the book’s\r\n name",text,\r\nShelf (No),shelf,,integer,0 is the cellar\r\ncopy,,,,\r\n'
    file.write_bytes(text.encode(encoding))
    catalog = only(bird.catalogs(root, "dev"))
    told = [
        field.description for name in ("title", "Shelf (No)", "copy", "isbn") if (field := catalog.field("book", name))
    ]
    assert told == ["the book’s name", "shelf; values: 0 is the cellar", "", "international number"]
    assert file in bird.files(root, "dev")


def test_every_fault_of_both_files_is_named_at_once(tmp_path: Path) -> None:
    root = published.bird(tmp_path)
    items = [*published.questions(), {"question_id": True}, "?"]
    items[0]["db_id"] = "libary"
    items[1]["question_id"] = 2
    del items[2]["evidence"]
    items.append(items[1])
    table = published.tables()
    table["primary_keys"] = [0, [4, 99]]
    table["foreign_keys"] = [[3, 13], [1, 2, 3], [True, 1]]
    published.write(root / "dev.json", items)
    published.write(root / "dev_tables.json", [table, table])
    dev, tables = root / "dev.json", root / "dev_tables.json"
    assert faults(root, any_length=False).splitlines() == [
        f"bird: {tables}: items 0, 1: library: primary key 0: index out of range 1-12",
        f"bird: {tables}: items 0, 1: library: primary key [4, 99]: index out of range 1-12",
        f"bird: {tables}: items 0, 1: library: foreign key [3, 13]: index out of range 1-12",
        f"bird: {tables}: items 0, 1: library: foreign key [1, 2, 3] is not a pair of column indices",
        f"bird: {tables}: items 0, 1: library: foreign key [True, 1]: index out of range 1-12",
        f"bird: {tables}: item 1: library: the database is there twice",
        f"bird: {dev}: holds 6 items where BIRD's dev of June 2024 has 1,534: take the published file, or allow a"
        " subset of your own with --any-length",
        f"bird: {dev}: items 2, 3: no key 'evidence'",
        f"bird: {dev}: item 3: 'question_id' is not a whole number or a text",
        *(f"bird: {dev}: item 3: no key '{key}'" for key in ("db_id", "question", "SQL", "difficulty")),
        f"bird: {dev}: item 4: not an object",
        f"bird: {dev}: item 0: unknown database 'libary'; did you mean 'library'? there are: library",
        f"bird: {dev}: item 5: the question_id 2 is there already",
    ]


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("column_names_original", [[-1, "*"], [3, "code"]], "column 1 ('code'): table index 3 out of range 0-2"),
        (
            "column_names_original",
            [[-1, "*"], [0, "Code"], [0, "code"]],
            "column 'code' of table 'branch' is there 2 times",
        ),
        ("column_names_original", [[-1, "*"], "code"], "column 1 is not a table index and a name: 'code'"),
        ("column_names_original", [[0, "code"]], "column 0 ('code'): table index 0 out of range 0-2"),
        ("table_names_original", ["book", "BOOK", "loan"], "table 'book' is there 2 times"),
        ("table_names", ["branch"], "'table_names' holds 1 entries instead of 3"),
        ("column_types", ["text"], "'column_types' holds 1 entries instead of 13"),
        ("table_names", ["branch", 1, "loan"], "a table name or a column type is not a text"),
        ("column_names", [["*"]] * 13, "an entry of 'column_names' is not a table index and a name"),
        ("primary_keys", 4, "'primary_keys' is not a list"),
    ],
)
def test_a_fault_of_a_catalog_is_named(tmp_path: Path, key: str, value: object, fault: str) -> None:
    root = published.bird(tmp_path)
    published.write(root / "dev_tables.json", [published.tables() | {key: value}])
    assert fault in faults(root)


def test_a_truncated_file_is_named_with_line_and_column(tmp_path: Path) -> None:
    root = published.bird(tmp_path)
    text = json.dumps(published.questions(), indent=1)
    (root / "dev.json").write_text(text[: len(text) // 2])
    assert f"{root / 'dev.json'}: broken JSON at line " in faults(root)
    assert "column" in faults(root)


def test_missing_and_odd_files_are_all_named(tmp_path: Path) -> None:
    published.write(tmp_path / "dev_tables.json", {"db_id": "library"})
    text = faults(tmp_path)
    assert "dev.json: No such file" in text
    assert "dev_tables.json: holds an object instead of a list" in text


def test_a_broken_database_file_is_a_fault(tmp_path: Path) -> None:
    root = published.bird(tmp_path, database_file=True)
    file = root / "dev_databases" / "library" / "library.sqlite"
    file.write_bytes(b"no database at all" * 100)
    assert "as a SQLite database" in faults(root)
    assert str(file) in faults(root)


def test_mini_dev_keeps_items_that_are_repeated_whole(tmp_path: Path) -> None:
    root = published.bird(tmp_path)
    first, second, third = published.questions()
    published.write(root / "mini_dev_sqlite.json", [first, second, first, third, first])
    assert [question.id for question in bird.questions(root, "mini_dev", any_length=True)] == [
        "0",
        "1",
        "0#2",
        "2",
        "0#3",
    ]
    assert bird.remarks(root, "mini_dev")[0] == "repeated whole and kept with a suffix (#2): question_id 0"


def test_mini_dev_refuses_one_id_for_two_questions(tmp_path: Path) -> None:
    root = published.bird(tmp_path)
    first, second, _ = published.questions()
    published.write(root / "mini_dev_sqlite.json", [first, second | {"question_id": 0}])
    with pytest.raises(Faults, match="item 1: the question_id 0 is there already"):
        bird.questions(root, "mini_dev", any_length=True)


def test_the_published_dev_part() -> None:
    root = need("bird", "dev.json").parent
    questions, catalogs = bird.questions(root, "dev"), bird.catalogs(root, "dev")
    levels = Counter(question.difficulty for question in questions)
    relations = [relation for catalog in catalogs for relation in catalog.relations]
    primary = {
        (catalog.database, entity.name, field.name)
        for catalog in catalogs
        for entity in catalog.entities
        for field in entity.fields
        if field.primary
    }
    to_no_key = [
        relation
        for catalog in catalogs
        for relation in catalog.relations
        if (catalog.database, relation.target, relation.target_fields[0]) not in primary
    ]
    assert levels == {"simple": 925, "moderate": 464, "challenging": 145}
    assert len(catalogs) == 11
    assert sum(len(catalog.entities) for catalog in catalogs) == 75
    assert sum(len(entity.fields) for catalog in catalogs for entity in catalog.entities) == 798
    assert len(relations) == 102
    assert len(to_no_key) == 32
    assert sum(relation.source == relation.target for relation in relations) == 1


def test_the_published_mini_dev_part() -> None:
    root = need("bird", "mini_dev_sqlite.json").parent
    questions = bird.questions(root, "mini_dev")
    assert len(questions) == len({question.id for question in questions}) == 500
    assert [question.id for question in questions if "#" in question.id] == ["137#2", "138#2"]
    assert bird.remarks(root, "mini_dev")[0].endswith("question_id 137, 138")
