"""RSL-SQL's linked schema (arXiv 2411.00073): a JSON list of ``{"tables": […], "columns": ["table.`column`", …]}``."""

from pathlib import Path

from schemas.errors import Faults
from schemas.predictions import Prediction
from storage.files import read_json


def predictions(path: Path) -> list[Prediction]:
    """The linked tables and columns of a file in the benchmark's order."""
    items = read_json(path)
    odd = [
        at for at, item in enumerate(items) if not isinstance(item, dict) or not {"tables", "columns"} <= item.keys()
    ]
    if odd:
        raise Faults(str(path), [f"item {at} has no 'tables' and 'columns'" for at in odd])
    return [Prediction(names=(*map(str, item["tables"]), *map(str, item["columns"]))) for item in items]
