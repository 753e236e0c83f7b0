"""What models cost: a small TOML file, checked, as a table for SQL."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from schemas.errors import UserError, unknown
from storage.files import read_text

DEFAULT = Path(__file__).parent / "prices.toml"


@dataclass(frozen=True, slots=True)
class Price:
    """One model's price in dollars: per million tokens (hosted), or per GPU-hour over ``concurrency`` calls."""

    pattern: str
    prompt: float = 0.0
    cached: float = 0.0
    completion: float = 0.0
    gpu_hour: float = 0.0
    gpus: float = 1.0
    concurrency: float = 1.0


@dataclass(frozen=True, slots=True)
class Prices:
    """All prices; ``machine_hour`` is what the machine costs on which linkers run."""

    machine_hour: float
    models: tuple[Price, ...]


def read_prices(path: Path = DEFAULT) -> Prices:
    """Read a price file; a wrong key or value is a UserError that quotes it."""
    try:
        told = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: broken TOML: {error}") from error
    for key in told:
        if key not in ("machine_hour", "models"):
            raise unknown(f"key in {path}", key, ("machine_hour", "models"))
    known = [field.name for field in fields(Price)][1:]
    prices = []
    for pattern, price in told.get("models", {}).items():
        for key, value in price.items():
            if key not in known:
                raise unknown(f"price of {pattern!r} in {path}", key, known)
            if not isinstance(value, int | float) or value < 0:
                raise UserError(f"{path}: {key} of {pattern!r} is {value!r}, must be a number of dollars, not below 0")
        prices.append(Price(pattern, **{key: float(value) for key, value in price.items()}))
    return Prices(float(told.get("machine_hour", 0.0)), tuple(prices))
