"""Records become Arrow tables and come back equal, whatever they hold."""

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from schemas.arrow import arrow_schema, from_table, to_table
from schemas.catalog import Catalog
from schemas.records import Execution, Linking, Note, Query, Question, Score

RECORDS = [Catalog, Question, Linking, Note, Query, Execution, Score]


@given(st.data())
def test_any_records_survive_parquet(data: st.DataObject) -> None:
    record = data.draw(st.sampled_from(RECORDS))
    numbers = st.integers(-(2**63), 2**63 - 1)
    st.register_type_strategy(int, numbers)
    st.register_type_strategy(float, st.floats(allow_nan=False))
    rows = data.draw(st.lists(st.builds(record), max_size=4))
    buffer = pa.BufferOutputStream()
    pq.write_table(to_table(record, rows), buffer)
    table = pq.read_table(pa.BufferReader(buffer.getvalue()))
    assert table.schema.equals(arrow_schema(record))
    assert from_table(record, table) == rows


def test_slices_and_chunks_are_read_as_they_stand() -> None:
    rows = [Linking("b", "d", str(number), "full") for number in range(5)]
    table = pa.concat_tables([to_table(Linking, rows[:2]), to_table(Linking, rows[2:])])
    assert from_table(Linking, table) == rows
    assert from_table(Linking, table.slice(1, 3)) == rows[1:4]
