"""The queries that the reports are made of, one a file."""

from functools import cache
from pathlib import Path


@cache
def sql(name: str) -> str:
    """The text of one report's query."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
