"""What models cost: a small TOML file, checked, as a table for SQL."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from schemas.errors import UserError, unknown
from storage.files import read_text

DEFAULT = Path(__file__).parent / "prices.toml"
KEYS = ("machine_hour", "models")


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

    def money(self, prompt: float, cached: float, completion: float, seconds: float) -> float:
        """What calls cost by their tokens (those read from the server's prefix cache among the prompt's) or seconds.

        >>> Price("small", prompt=1.0, cached=0.5, completion=2.0).money(2e6, 1e6, 1e6, 60.0)
        3.5
        """
        if self.gpu_hour > 0:
            return seconds / self.concurrency * self.gpus * self.gpu_hour / 3600
        return ((prompt - cached) * self.prompt + cached * self.cached + completion * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Prices:
    """All prices; ``machine_hour`` is what the machine costs on which linkers run."""

    machine_hour: float
    models: tuple[Price, ...]

    def of(self, model: str) -> Price | None:
        """A model's price: the longest pattern that matches its name counts."""
        found = [price for price in self.models if fnmatchcase(model, price.pattern)]
        return max(found, key=lambda price: len(price.pattern), default=None)


def read_prices(path: Path = DEFAULT) -> Prices:
    """Read a price file; a wrong key or value is a UserError that quotes it."""
    try:
        told = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: broken TOML: {error}") from error
    return prices_of(told, str(path))


def prices_of(told: Mapping[str, Any], where: str) -> Prices:
    """The prices of a table of TOML; every wrong key and value is told, a line each, in one UserError."""
    faults = [str(unknown(f"key in {where}", key, KEYS)) for key in told if key not in KEYS]
    hour = told.get("machine_hour", 0.0)
    faults += [] if _dollars(hour) else [f"{where}: machine_hour is {hour!r}, must be a number of dollars, not below 0"]
    known = [field.name for field in fields(Price)][1:]
    models = told.get("models", {})
    if not (isinstance(models, dict) and all(isinstance(price, dict) for price in models.values())):
        raise UserError("\n".join([*faults, f'{where}: models must be tables such as [models."gpt-*"]']))
    for pattern, price in models.items():
        for key, value in price.items():
            if key not in known:
                faults.append(str(unknown(f"price of {pattern!r} in {where}", key, known)))
            elif not _dollars(value):
                faults.append(f"{where}: {key} of {pattern!r} is {value!r}, must be a number of dollars, not below 0")
    if faults:
        raise UserError("\n".join(faults))
    listed = (
        Price(pattern, **{key: float(value) for key, value in price.items()}) for pattern, price in models.items()
    )
    return Prices(float(hour), tuple(listed))


def _dollars(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
