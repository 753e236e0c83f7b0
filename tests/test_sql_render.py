"""A catalog as text: SQLite makes the same database of it, and queries find every name as it is written there."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.catalog import Catalog, Element, Entity, Field, Relation
from schemas.errors import UserError
from tasks.benchmarks._sqlite_catalog import ddl_catalog
from tasks.languages.sql import qualified, quoted, referenced, render
from tests.sql_cases import SCHEMAS, catalog, ddl

KEYWORDS = (Path(__file__).parent / "cases" / "sql_render" / "keywords.txt").read_text().split()

SHOP = Catalog(
    "shop",
    (
        Entity(
            "item",
            (
                Field("id", "INTEGER", "Number on the\nlabel", primary=True, examples=("1", "2", "3")),
                Field("Name (short)", "VARCHAR(20)", examples=("pen", "pan's")),
                Field("price", "REAL", "in euros"),
                Field("code", "TEXT", examples=("007",)),
            ),
            description="What is sold",
        ),
        Entity(
            "order",
            (Field("item", "INTEGER", primary=True), Field("day", "", primary=True), Field("note", "others, free")),
        ),
    ),
    (Relation("order", "item", ("item",), ("id",)),),
)
DDL = """\
-- What is sold
CREATE TABLE item (
  id INTEGER PRIMARY KEY,  -- Number on the label; e.g. 1, 2
  "Name (short)" VARCHAR(20),  -- e.g. 'pen', 'pan''s'
  price REAL,  -- in euros
  code TEXT  -- e.g. '007'
);

CREATE TABLE "order" (
  item INTEGER,
  day,
  note,
  PRIMARY KEY (item, day),
  FOREIGN KEY (item) REFERENCES item (id)
);"""
COMPACT = """\
item(id INTEGER pk, "Name (short)" VARCHAR(20), price REAL, code TEXT)
"order"(item INTEGER pk, day pk, note others, free)
"order"(item) -> item(id)"""


def remade(found: Catalog) -> Catalog:
    """What SQLite says of the database that a rendered catalog makes."""
    return ddl_catalog(render(found), found.database)


def test_a_catalog_as_ddl() -> None:
    assert render(SHOP) == DDL
    assert "e.g." not in render(SHOP, examples=0)
    assert "e.g. 1, 2, 3" in render(SHOP, examples=5)


def test_a_catalog_in_compact_lines() -> None:
    assert render(SHOP, style="compact") == COMPACT


def test_another_style_is_an_error_that_lists_the_styles() -> None:
    with pytest.raises(UserError, match="unknown style 'dll'; did you mean 'ddl'"):
        render(SHOP, style="dll")  # type: ignore[arg-type]


@pytest.mark.parametrize("schema", [schema for schema in SCHEMAS if ddl(schema)[0] == "sqlite"])
def test_sqlite_makes_the_same_catalog_of_it(schema: str) -> None:
    found = catalog(schema)
    again = remade(found)
    assert again.entities == found.entities
    assert set(again.relations) == set(found.relations)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_query_finds_every_name_as_it_is_written(schema: str) -> None:
    found = catalog(schema)
    for entity in found.entities:
        table = qualified(entity.name, found.dialect)
        for field in entity.fields:
            column = quoted(field.name, found.dialect)
            references = referenced(f"SELECT {column} FROM {table} AS t WHERE t.{column} = 1", found).references
            assert [reference.element for reference in references] == [
                Element(entity.name),
                Element(entity.name, field.name),
            ]


@pytest.mark.parametrize("schema", [schema for schema in SCHEMAS if ddl(schema)[0] != "sqlite"])
def test_ddl_of_another_dialect_reads_as_the_same_names(schema: str) -> None:
    found = catalog(schema)
    assert ddl_catalog(render(found), schema, found.dialect).elements == found.elements


@pytest.mark.parametrize("word", KEYWORDS)
def test_every_keyword_serves_as_a_name(word: str) -> None:
    names = {word, word.upper()}
    for name in names:
        found = Catalog("words", (Entity(name, (Field(name, "TEXT"), Field("other", "TEXT"))),))
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(render(found))
            written = quoted(name, "sqlite")
            query = f"SELECT {written}, w.{written} FROM {written} AS w ORDER BY w.{written}"
            connection.execute(query)
        assert Element(name, name) in {reference.element for reference in referenced(query, found).references}


def test_what_no_create_table_can_make_is_a_comment() -> None:
    inner = Entity("sqlite_sequence", (Field("name"), Field("seq")))
    found = Catalog("odd", (Entity("bare"), inner, Entity("kept", (Field("a"),))))
    assert remade(found).entities == (Entity("kept", (Field("a"),)),)
    assert "sqlite_sequence" in render(found)
    assert "bare" in render(found)


def test_nasty_types_descriptions_and_examples_leave_the_ddl_sound() -> None:
    nasty = Field("a", "TEXT); DROP TABLE x; --", "one\n-- two /* three", examples=("x\n);", "y" * 500))
    check = Field("b", "INTEGER CHECK (b > 0)", "'")
    double = Field("A", "TEXT")
    found = Catalog("odd", (Entity("t", (nasty, check, double), description="a\n); b"),))
    (table,) = remade(found).entities
    assert [field.name for field in table.fields] == ["a", "b"]
    assert len(max(render(found).splitlines(), key=len)) < 150


def test_keys_that_join_no_columns_and_patterns_are_left_out_and_repeated_ones_stand_once() -> None:
    whole = Relation("order", "item", ("item",), ("id",))
    odd = (Relation("order", "item"), Relation("order", "item", ("item", "day"), ("id",)))
    found = replace(SHOP, relations=(whole, whole, *odd, Relation("order", "item", via="OF")))
    assert render(found) == DDL
    assert render(found, style="compact") == COMPACT


def test_a_key_without_target_columns_means_the_primary_key() -> None:
    found = replace(SHOP, relations=(Relation("order", "item", ("item",)),))
    assert "REFERENCES item\n" in render(found)
    assert render(found, style="compact").endswith('"order"(item) -> item')
