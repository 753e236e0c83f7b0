"""DTS-SQL's linked schema (arXiv 2402.01117): a CSV file whose ``predicted_tables`` are names between commas."""

import csv
from io import StringIO
from pathlib import Path

from schemas.errors import UserError
from schemas.predictions import Prediction
from storage.files import read_text


def predictions(path: Path) -> list[Prediction]:
    """The linked tables of a file in the benchmark's order, with the query where the file has one."""
    reader = csv.DictReader(StringIO(read_text(path)))
    columns = reader.fieldnames or []
    if "predicted_tables" not in columns:
        raise UserError(f"{path}: no column 'predicted_tables'; there are: {', '.join(columns)}")
    names = [row["predicted_tables"].split(",") for row in reader]
    return [Prediction(names=tuple(name.strip() for name in each), whole=True) for each in names]
