"""The Arrow schema of a record, derived from its dataclass so that it is never written twice."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import pyarrow as pa

T = TypeVar("T")
SCALARS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


@cache
def arrow_schema(record: Any) -> pa.Schema:
    """The Arrow schema of a record: str, int, float, bool, Literal, optional values, tuples and nested records.

    >>> from schemas.catalog import Element
    >>> arrow_schema(Element).names
    ['entity', 'field']
    """
    hints = get_type_hints(record)
    return pa.schema([_arrow_field(field.name, hints[field.name]) for field in fields(record)])


def _arrow_field(name: str, hint: Any) -> pa.Field:
    optional = get_origin(hint) is UnionType and NoneType in get_args(hint)
    inner = next(arg for arg in get_args(hint) if arg is not NoneType) if optional else hint
    return pa.field(name, _arrow_type(inner), nullable=optional)


def _arrow_type(hint: Any) -> pa.DataType:
    if is_dataclass(hint) and isinstance(hint, type):
        return pa.struct(list(arrow_schema(hint)))
    if get_origin(hint) is tuple:
        return pa.list_(pa.field("item", _arrow_type(get_args(hint)[0]), nullable=False))
    if get_origin(hint) is Literal:
        return pa.string()
    return SCALARS[hint]


def to_table(record: type[T], rows: Iterable[T]) -> pa.Table:
    """The Arrow table of records of one type, in their order."""
    kind: Any = record
    return pa.Table.from_pylist([_to_dict(row) for row in rows], schema=arrow_schema(kind))


def _to_dict(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _to_dict(getattr(value, field.name)) for field in fields(value)}
    return [_to_dict(item) for item in value] if isinstance(value, tuple) else value


def from_table(record: type[T], table: pa.Table) -> list[T]:
    """The records of an Arrow table of exactly that schema, in their order."""
    kind: Any = record
    build = _reader(kind)
    return [build(row) for row in table.to_pylist()]


@cache
def _reader(hint: Any) -> Any:
    """A function from what Arrow gives back to a value of the hinted type."""
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        readers = {field.name: _reader(hints[field.name]) for field in fields(hint)}
        return lambda row: hint(**{name: read(row[name]) for name, read in readers.items()})
    if get_origin(hint) is tuple:
        read_item = _reader(get_args(hint)[0])
        return lambda items: tuple(read_item(item) for item in items)
    return lambda value: value
