"""How many hypotheses does EviLink need? Replayed from one recorded run, without a new call.

From a run with K hypotheses the votes of fewer are those of its subsets: for every smaller number the mean over all
subsets of that size, at most ``SUBSETS`` of them, evenly chosen. Exact where hypotheses were sampled apart
(``elicitation`` ``n`` or ``calls``); where one call elicited them together, a call for fewer might name others first.
Only the votes can be replayed: what the agent did depends on them. Tokens are estimated: the selections' in proportion.
"""

import argparse
from itertools import combinations
from typing import NamedTuple

from flows.studies import _evilink as evilink
from flows.studies._evilink import Record, percent
from schemas.catalog import Element

SUBSETS = 70


class Replayed(NamedTuple):
    """Means over subsets of one question's hypotheses; None where nothing is gold."""

    recall: float | None
    strict: float | None
    precision: float | None
    kept: float
    required: float | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    evilink.add_arguments(parser)
    parser.add_argument("--counts", default="1,2,4,6,8", metavar="K,…", help="numbers of hypotheses (1,2,4,6,8)")


def main(arguments: argparse.Namespace) -> int:
    """Print one line a number of hypotheses: what the votes of so many would have kept."""
    from schemas.errors import UserError
    from storage.layout import Store

    records = evilink.read(Store(arguments.storage), arguments.run, arguments.linker, arguments.level)
    voted = [one for one in records if one.voted]
    largest = max((hypotheses_of(one) for one in voted), default=0)
    words = [word.strip() for word in arguments.counts.split(",")]
    if not all(word.isdecimal() and int(word) for word in words):
        raise UserError(f"--counts is {arguments.counts!r}: write whole numbers above zero between commas")
    print(f"{arguments.level} level: {evilink.counted(records)}; hypotheses recorded: {largest}")
    heads = "".join(f"{head:<24}" for head in ("recall", "strict recall", "precision", "recall of required"))
    print(f"{'K':<4}{heads}{'kept':>8}{'tokens':>10}")
    for count in sorted(set(map(int, words))):
        if count > largest:
            print(f"{count:<4}not recorded: run evilink(hypotheses={count})")
        else:
            print(line(count, voted))
    return 0


def line(count: int, records: list[Record]) -> str:
    """One number's means with their intervals."""
    replayed = {id(one): replay(one, count) for one in records}
    columns = (
        percent(evilink.mean(records, lambda one, name=name: getattr(replayed[id(one)], name)))
        for name in ("recall", "strict", "precision", "required")
    )
    kept = sum(each.kept for each in replayed.values()) / len(replayed)
    tokens = sum(tokens_of(one, count) for one in records) / len(records)
    return f"{count:<4}" + "".join(f"{column:<24}" for column in columns) + f"{kept:>8.1f}{tokens:>10.0f}"


def hypotheses_of(record: Record) -> int:
    """How many hypotheses a question had."""
    return max(1, int(record.stages.get("hypotheses", {}).get("hypotheses", 1)))


def replay(record: Record, count: int) -> Replayed:
    """What the votes of so many of a question's hypotheses keep, on the mean over the subsets of that size."""
    numbers = range(1, hypotheses_of(record) + 1)
    subsets = list(combinations(numbers, min(count, len(numbers))))
    step = -(-len(subsets) // SUBSETS)
    kept = [votes_of(record, frozenset(subset)) for subset in subsets[::step]]
    gold = record.gold

    def over(values: list[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    return Replayed(
        over([evilink.recall(gold, working) for working, _ in kept]),
        over([float(gold <= working) for working, _ in kept]) if gold else None,
        over([evilink.precision(gold, working) for working, _ in kept]),
        sum(len(working) for working, _ in kept) / len(kept),
        over([evilink.recall(gold, required) for _, required in kept]),
    )


def votes_of(record: Record, subset: frozenset[int]) -> tuple[frozenset[Element], frozenset[Element]]:
    """The working and the unanimous set of some hypotheses; if all of them abstain on everything, the whole catalog."""
    silent = {each["hypothesis"] for each in record.abstained if each["all"]}
    if subset <= silent:
        return record.everything, frozenset()
    working, required = set(), set()
    for element, vote in record.votes.items():
        named = vote.hypotheses & subset
        against = subset - named - silent - _abstaining(record, element)
        if named or not against:
            working.add(element)
        if named and not against:
            required.add(element)
    return frozenset(working), frozenset(required)


def _abstaining(record: Record, element: Element) -> set[int]:
    """The hypotheses that have no answer about an element."""
    return {
        each["hypothesis"]
        for each in record.abstained
        if element.entity in each["tables"] or (element.field and element.entity in each["fields"])
    }


def tokens_of(record: Record, count: int) -> float:
    """The estimated tokens of the first stage with fewer hypotheses."""
    share = min(count, hypotheses_of(record)) / hypotheses_of(record)
    total: dict[str, float] = {
        name: stage.get("prompt_tokens", 0) + stage.get("completion_tokens", 0) for name, stage in record.stages.items()
    }
    return total.get("hypotheses", 0.0) + share * (total.get("tables", 0.0) + total.get("fields", 0.0))
