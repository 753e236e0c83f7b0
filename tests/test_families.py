"""Which tables are of one family: the fixture, properties, and what scores and the command make of them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from flows.families import described
from schemas.catalog import Catalog, Element, Entity, Field
from schemas.families import PARTITIONS, Family, families, family_of
from schemas.records import Linking, Question, Reference
from tasks.score import score_linking

CASES = Path(__file__).parent / "cases" / "families" / "tables.txt"


@dataclass
class Case:
    title: str
    entities: list[Entity] = field(default_factory=list)
    within: list[Family] = field(default_factory=list)
    across: list[Family] = field(default_factory=list)


def table(name: str, structure: str = "a") -> Entity:
    return Entity(name, (Field("id", "NUMBER"), Field(f"value_{structure}", "TEXT")))


def read() -> Iterator[Case]:
    for block in CASES.read_text().split("\n## ")[1:]:
        title, *lines = block.splitlines()
        case = Case(title)
        for line in filter(None, lines):
            head, _, names = line.removeprefix("= ").removeprefix("~ ").partition(": ")
            if line[0] in "=~":
                (case.within if line[0] == "=" else case.across).append(Family(head, tuple(names.split())))
            else:
                case.entities += [table(name, head) for name in names.split()]
        yield case


@pytest.mark.parametrize("case", list(read()), ids=lambda case: case.title)
def test_tables_fall_into_the_families_of_the_fixture(case: Case) -> None:
    catalog = Catalog("d", tuple(case.entities))
    assert families(catalog, schemas=False) == tuple(case.within)
    assert families(catalog) == tuple(case.across or case.within)


def test_types_and_columns_must_be_the_same_but_not_their_order() -> None:
    one, two = Field("a", "TEXT"), Field("b", "TEXT")
    alike = Catalog("d", (Entity("t_1", (one, two)), Entity("t_2", (two, one))))
    assert families(alike) == (Family("t_*", ("t_1", "t_2")),)
    for other in ((one,), (one, Field("b", "NUMBER")), (one, Field("B", "TEXT"))):
        assert families(Catalog("d", (Entity("t_1", (one, two)), Entity("t_2", other)))) == ()


def test_tables_without_columns_and_labels_of_graphs_are_of_no_family() -> None:
    assert families(Catalog("d", (Entity("t_1"), Entity("t_2")))) == ()
    nodes = (Entity("N_1", (Field("a"),), "node"), Entity("N_2", (Field("a"),), "node"))
    assert families(Catalog("d", nodes, dialect="cypher")) == ()


def test_so_many_words_are_partitions_and_fewer_are_topics() -> None:
    words = [f"S.PLACES_{chr(65 + at // 26)}{chr(65 + at % 26)}" for at in range(PARTITIONS)]
    found = families(Catalog("d", tuple(map(table, words))))
    assert found == (Family("S.PLACES_*", tuple(words)),)
    assert families(Catalog("d", tuple(map(table, words[1:])))) == ()


def test_no_table_is_in_two_families_and_each_keeps_the_order_of_the_catalog() -> None:
    names = [f"{schema}.{base}{key}" for schema in "ST" for key in ("_2", "_1", "", "_R3") for base in ("LOG", "DAY")]
    catalog = Catalog("d", tuple(table(name) for name in names))
    for across in (True, False):
        found = families(catalog, schemas=across)
        members = [name for family in found for name in family.members]
        assert sorted(members) == sorted(names)
        assert all(sorted(family.members, key=names.index) == list(family.members) for family in found)
        assert set(family_of(catalog, schemas=across)) == set(names)
    assert families(catalog) is families(catalog)


def test_seventy_thousand_columns_are_grouped_in_a_moment() -> None:
    wide = tuple(Field(f"MEDIAN_{at}", "FLOAT") for at in range(250))
    catalog = Catalog("d", tuple(Entity(f"S.P{at % 7}_{2000 + at}_5YR", wide) for at in range(288)))
    start = time.perf_counter()
    assert [len(family.members) for family in families(catalog)] == [288]
    assert time.perf_counter() - start < 5


def test_a_shard_stands_for_its_family_in_scores() -> None:
    names = [f"S.LOG_{year}" for year in (2001, 2002, 2003)]
    catalog = Catalog("d", (*map(table, names), table("S.USER", "b")))
    first = {name: family.members[0] for name, family in family_of(catalog, schemas=False).items()}
    gold = tuple(Reference(name, part) for name in names[1:] for part in ("", "id"))
    question = Question("b", "1", "d", "How many?", gold=gold, gold_level="field", gold_status="ok")
    kept = [Element(names[0]), Element(names[0], "id"), Element("S.USER"), Element("S.USER", "value_b")]
    linking = Linking("b", "d", "1", "full", kept=tuple(kept))
    scores = {(each.level, each.metric): each.value for each in score_linking(question, linking, first)}
    assert [scores[level, "gold"] for level in ("entity", "field")] == [1, 1]
    assert [scores[level, "recall"] for level in ("entity", "field")] == [1, 1]
    assert [scores[level, "precision"] for level in ("entity", "field")] == [0.5, 0.5]
    plain = {(each.level, each.metric): each.value for each in score_linking(question, linking)}
    assert (plain["entity", "gold"], plain["entity", "recall"]) == (2, 0)


def test_the_command_tells_what_grouping_saves() -> None:
    catalog = Catalog("d", (*(table(f"D.S.LOG_{at}") for at in range(5)), table("D.T.LOG_7"), table("D.S.USER", "b")))
    assert list(described(catalog, False, 3)) == [
        "d: 7 tables with 14 columns in 1 family: 3 with 6 as one each",
        "  D.S.LOG_*  5 tables: LOG_0, LOG_1, LOG_2 and 2 more",
    ]
    assert list(described(catalog, True, None))[1] == "  D.*.LOG_*  6 tables: " + ", ".join(
        [*(f"S.LOG_{at}" for at in range(5)), "T.LOG_7"]
    )
