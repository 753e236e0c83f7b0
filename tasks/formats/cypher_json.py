"""Cypher predictions as a JSON list of objects with the query as ``pred_cypher`` (null where there is none)."""

from pathlib import Path

from schemas.errors import Faults
from schemas.predictions import Prediction
from storage.files import read_json

KEY = "pred_cypher"


def predictions(path: Path) -> list[Prediction]:
    """The queries of a file in the benchmark's order."""
    items = read_json(path)
    if not isinstance(items, list):
        raise Faults(str(path), ["no list of objects"])
    odd = [at for at, item in enumerate(items) if not isinstance(item, dict) or KEY not in item]
    if odd:
        raise Faults(str(path), [f"item {at} has no {KEY!r}" for at in odd])
    return [Prediction(str(item[KEY] or "").strip()) for item in items]
