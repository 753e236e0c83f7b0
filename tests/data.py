"""Where the published benchmark files lie, for tests that need them."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("SCHEMALINK_DATA", Path(__file__).parents[2] / "shared" / "data"))


def need(*parts: str) -> Path:
    """The path of published data below the data folder; skips the test, saying so, where it is absent."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"published benchmark data is absent: {Path(*parts)} (set SCHEMALINK_DATA to its folder)")
    return path
