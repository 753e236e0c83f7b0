"""What the execution metrics make of rows."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.answers import Executed
from schemas.tools import Rows
from tasks.judge import execution_metrics, ordered, rewritten
from tasks.metrics._rows import asks_for_order, equal_bags, equal_but_for_columns, words

Table = tuple[tuple[object, ...], ...]


def values(gold: Table, predicted: Table, counts: bool = False) -> dict[str, float | None]:
    answer = Executed(Rows((), gold), Rows((), predicted), counts)
    return {name: metric.score(answer) for name, metric in execution_metrics().items()}


def passed(gold: Table, predicted: Table, counts: bool = False) -> set[str]:
    return {name for name, value in values(gold, predicted, counts).items() if value == 1.0}


EVERY = {"ex_bird", "ex_bag", "ex_ordered", "ex_test_suite"}


@pytest.mark.parametrize(
    ("gold", "predicted", "counts", "expected"),
    [
        (((1,), (2,)), ((1,), (2,)), True, EVERY),
        (((1,), (2,)), ((2,), (1,)), False, EVERY),
        (((1,), (2,)), ((2,), (1,)), True, {"ex_bird", "ex_bag"}),
        (((1,), (2,)), ((1,), (2,), (2,)), False, {"ex_bird"}),
        (((1, "a"),), (("a", 1),), False, {"ex_test_suite"}),
        (((1, "a"), (2, "b")), (("a", 1), ("b", 2)), True, {"ex_test_suite"}),
        (((1, "a"), (2, "b")), (("b", 2), ("a", 1)), True, set()),
        (((1,),), ((1.0,),), False, EVERY),
        (((1,),), (("1",),), False, set()),
        (((None,),), ((None,),), False, EVERY),
        (((None,),), ((0,),), False, set()),
        (((b"a",),), (("a",),), False, set()),
        (((0.1 + 0.2,),), ((0.3,),), False, set()),
        ((), (), True, EVERY | {"both_empty"}),
        ((), ((1,),), False, set()),
        (((1,),), (), False, set()),
        (((1, 2),), ((1,),), False, set()),
        (((),), ((),), False, EVERY),
        (((1, 1), (2, 2)), ((1, 2), (2, 1)), False, set()),
        (((1, 2), (2, 1)), ((2, 1), (1, 2)), False, EVERY),
        (((1, 2, 3), (4, 5, 6)), ((3, 1, 2), (6, 4, 5)), False, {"ex_test_suite"}),
        (((1, 2, 3), (4, 5, 6)), ((3, 1, 2), (6, 5, 4)), False, set()),
    ],
)
def test_rows_pass_the_metrics_that_they_should(
    gold: Table, predicted: Table, counts: bool, expected: set[str]
) -> None:
    assert passed(gold, predicted, counts) == expected


CELLS = st.sampled_from([0, 1, 1.0, "a", None])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Table]:
    """Two tables of one shape; the second is often the first with its rows and columns in another order."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    table = st.lists(st.tuples(*[CELLS] * width), min_size=height, max_size=height)
    gold = draw(table)
    if draw(st.booleans()):
        return tuple(gold), tuple(draw(table))
    columns = draw(st.permutations(range(width)))
    return tuple(gold), tuple(tuple(row[column] for column in columns) for row in draw(st.permutations(gold)))


@settings(max_examples=400, deadline=None)
@given(tables(), st.booleans())
def test_columns_are_matched_as_trying_all_their_orders_would(pair: tuple[Table, Table], counts: bool) -> None:
    gold, predicted = pair
    width = len(gold[0]) if gold else 0
    turned = [
        tuple(tuple(row[column] for column in order) for row in predicted) for order in permutations(range(width))
    ]
    expected = any(gold == rows if counts else equal_bags(gold, rows) for rows in turned)
    assert equal_but_for_columns(gold, predicted, counts) == expected


@settings(max_examples=100, deadline=None)
@given(tables(), st.booleans())
def test_a_stricter_metric_never_passes_where_a_laxer_fails(pair: tuple[Table, Table], counts: bool) -> None:
    found = values(*pair, counts)
    for stricter, laxer in [("ex_ordered", "ex_bag"), ("ex_bag", "ex_bird"), ("ex_ordered", "ex_test_suite")]:
        assert (found[stricter] or 0) <= (found[laxer] or 0)


def test_many_like_columns_are_matched_without_trying_all_their_orders() -> None:
    rows = tuple(tuple((row * 7 + column * column) % 11 % 2 for column in range(40)) for row in range(200))
    turned = tuple(tuple(row[(column * 9 + 4) % 40] for column in range(40)) for row in reversed(rows))
    assert equal_but_for_columns(rows, turned, ordered=False)
    wide = tuple((row, *range(1500)) for row in range(3))
    assert equal_but_for_columns(wide, tuple(row[::-1] for row in wide), ordered=False)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("select a from t\norder\n by a", True),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True),
        ("(SELECT a FROM t ORDER BY a);", True),
        ("WITH c AS (SELECT 1) SELECT * FROM c /* ( */ ORDER BY 1 -- )", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 1)", False),
        ("(SELECT a FROM t ORDER BY a LIMIT 1) UNION (SELECT 2)", False),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", False),
        ("SELECT 'ORDER BY' FROM t", False),
        ('SELECT "order by" FROM t', False),
        ("SELECT a FROM [order by]", False),
        ("SELECT a FROM t -- ORDER BY a", False),
        ("SELECT a FROM `order` GROUP BY a", False),
        ("SELECT ')' FROM t ORDER BY '('", True),
        ("", False),
        (")))", False),
    ],
)
def test_the_outermost_order_by_is_found(query: str, expected: bool) -> None:
    assert asks_for_order(query) is expected
    assert ordered("ex_ordered", query) is expected
    assert "".join(words(query)) == query


@pytest.mark.parametrize(
    ("query", "run"),
    [
        ("SELECT DISTINCT a FROM t", "SELECT  a FROM t"),
        (
            "select count(distinct a) from t where b > = 1 and c ! = 2",
            "select count( a) from t where b >= 1 and c != 2",
        ),
        ("SELECT 'distinct' FROM \"DISTINCT\"", "SELECT 'distinct' FROM \"DISTINCT\""),
        ("SELECT year(curdate()) - 1", "SELECT 2020- 1"),
        ("SELECT a FROM t", "SELECT a FROM t"),
    ],
)
def test_the_test_suite_runs_queries_without_distinct(query: str, run: str) -> None:
    assert rewritten("ex_test_suite", query) == run
    assert rewritten("ex_bird", query) == query


def test_the_test_suite_minds_order_wherever_the_gold_query_says_order_by() -> None:
    assert ordered("ex_test_suite", "SELECT a FROM (SELECT a FROM t ORDER  BY a LIMIT 1)")
    assert not ordered("ex_test_suite", "SELECT a FROM t")
