"""``sweep plan``: the cells with their estimates, and what these rest on."""

from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from flows.answers import print_frame
from flows.sweeps.estimate import Estimate, estimates
from flows.sweeps.grid import WITHOUT_MODEL, Sweep

FIGURES = (
    "shards",
    "shards_done",
    "questions",
    "calls",
    "stored",
    "shared",
    "new",
    "prompt_tokens",
    "completion_tokens",
)


def print_plan(sweep: Sweep, storage: Path, form: str = "table") -> None:
    """Print what a sweep will do and take; no model is asked anything."""
    import polars as pl

    found = estimates(sweep, storage)
    if form in ("json", "csv"):
        rows = [{**_row(each), "basis": "; ".join(each.basis)} for each in found]
        print_frame(pl.DataFrame(rows), form)
        return
    letters = _letters(found)
    runs = dict.fromkeys(each.run for each in found)
    shards, done = sum(each.shards for each in found), sum(each.shards_done for each in found)
    print(f"sweep {sweep.name}: {len(runs)} runs, {len(found)} cells, {shards} shards of which {done} are done")
    print_frame(pl.DataFrame([_shown(each, letters) for each in found] + [_total(found)]), form)
    if form == "markdown":
        print()
    for words, letter in letters.items():
        print(f"  {letter}  {words}")
    for line in _against_budget(sweep, found):
        print(line)


def _row(each: Estimate) -> dict[str, Any]:
    """An estimate's figures as they are."""
    names = {"run": each.run, "model": each.model, "benchmark": each.benchmark, "linker": each.linker}
    figures = {name: round(getattr(each, name), 3) for name in FIGURES}
    return {**names, **figures, "money": each.money, "hours": each.seconds / 3600}


def _shown(each: Estimate, letters: dict[str, str]) -> dict[str, str]:
    """An estimate's figures as people read them."""
    return {
        "model": each.model or WITHOUT_MODEL,
        "benchmark": each.benchmark,
        "linker": each.linker,
        **_figures([each]),
        "basis": " ".join(letters[words] for words in each.basis),
    }


def _total(found: Sequence[Estimate]) -> dict[str, str]:
    return {"model": "all", "benchmark": "", "linker": "", **_figures(found), "basis": ""}


def _figures(found: Sequence[Estimate]) -> dict[str, str]:
    done = sum(each.shards_done for each in found)
    sums = {name: sum(getattr(each, name) for each in found) for name in FIGURES[2:]}
    return {
        "shards": f"{sum(each.shards for each in found)}" + (f" ({done} done)" if done else ""),
        **{name.replace("_tokens", " tok."): f"{value:,.0f}" for name, value in sums.items()},
        "$": dollars(money_of(found)),
        "time": duration(sum(each.seconds for each in found)),
    }


def money_of(found: Sequence[Estimate]) -> float | None:
    """The money of some cells; None where a model has no price."""
    costs = [each.money for each in found]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def dollars(money: float | None) -> str:
    """An amount in dollars; nothing known is a question mark.

    >>> dollars(12.3), dollars(0.00042), dollars(None)
    ('12.30', '0.00042', '?')
    """
    if money is None:
        return "?"
    return f"{money:.2f}" if money == 0 or money >= 1 else f"{money:.2g}"


def duration(seconds: float) -> str:
    """A time in a unit that reads well.

    >>> duration(0.2), duration(42), duration(600), duration(9000)
    ('<1 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 1:
        return "<1 s" if seconds else "0 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _letters(found: Sequence[Estimate]) -> dict[str, str]:
    """A letter for everything that estimates rest on, in the order of the cells."""
    words = dict.fromkeys(word for each in found for word in each.basis)
    marks = [*ascii_lowercase, *(one + other for one in ascii_lowercase for other in ascii_lowercase)]
    return dict(zip(words, marks, strict=False))


def _against_budget(sweep: Sweep, found: Sequence[Estimate]) -> list[str]:
    """A line for every limit of the budget: what is estimated, and whether it suffices."""
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in found)
    rows = (
        ("money", sweep.budget.money, money_of(found) or 0.0, "${:,.2f}"),
        ("tokens", sweep.budget.tokens, tokens, "{:,.0f}"),
        ("hours", sweep.budget.hours, sum(each.seconds for each in found) / 3600, "{:,.2f}"),
    )
    return [
        f"budget: {shape.format(asked)} of {shape.format(limit)} {what}"
        + ("" if asked <= limit else f": it ends after about {limit / asked:.0%}; what is done then counts")
        for what, limit, asked, shape in rows
        if limit is not None
    ]
