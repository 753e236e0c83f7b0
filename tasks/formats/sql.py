"""One query a question in the benchmark's order: a line each, or a JSON object from positions to queries.

A line is cut at a tab, a JSON value at the mark with which BIRD's own files append the database's name.
"""

from pathlib import Path

from schemas.predictions import Prediction
from storage.files import read_json, read_text

MARK = "\t----- bird -----\t"


def predictions(path: Path) -> list[Prediction]:
    """The queries of a file in the benchmark's order."""
    if path.suffix == ".json":
        found = read_json(path)
        values = [found[key] for key in sorted(found, key=int)] if isinstance(found, dict) else found
        return [Prediction(str(value).split(MARK)[0].strip()) for value in values]
    lines = read_text(path).removesuffix("\n").split("\n")
    return [Prediction(line.split("\t")[0].strip()) for line in lines]
