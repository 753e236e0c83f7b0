"""How well do EviLink's votes tell what is needed, and what do all hypotheses miss?

Calibration: of the elements with a given share of votes, the share that is gold, pooled over questions. An element
about which every hypothesis abstains has no share. Misses of *required = unanimous*: gold elements that not every
hypothesis names. What no hypothesis names is counted by cause: whether its table was named, and what the gold query
uses it for (the first of output, filter, group or order, join that applies; tables: whether they are only joined).
"""

import argparse
from collections import Counter

from flows.studies import _evilink as evilink
from flows.studies._evilink import Record, percent
from schemas.catalog import Element

USES = ("output", "filter", "nested", "group", "order", "join")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    evilink.add_arguments(parser)
    parser.add_argument("--list", action="store_true", help="list what every hypothesis misses with its question's id")


def main(arguments: argparse.Namespace) -> int:
    """Print the calibration, the misses of unanimity, and what every hypothesis misses by cause."""
    from storage.layout import Store

    records = evilink.read(Store(arguments.storage), arguments.run, arguments.linker, arguments.level)
    print(f"{arguments.level} level: {evilink.counted(records)}")
    voted = [one for one in records if one.voted]
    print_calibration(voted)
    print_unanimity(voted)
    print_missed(voted, listed=arguments.list)
    return 0


def share_of(record: Record, element: Element) -> str:
    """The share of votes on an element as a word: ``none`` without a vote, ``abstained`` without an answer."""
    vote = record.votes.get(element)
    if vote is None:
        return "none"
    return "abstained" if vote.share is None else f"{vote.share:.2f}"


def print_calibration(records: list[Record]) -> None:
    """Print one line a share of votes: how many elements have it, and how many of them are gold."""
    counts = {id(one): Counter(share_of(one, element) for element in one.votes) for one in records}
    for one in records:
        counts[id(one)]["none"] = len(one.everything - one.votes.keys())
    gold = {id(one): Counter(share_of(one, element) for element in one.gold) for one in records}
    shares = sorted({share for each in counts.values() for share in each}, key=lambda share: (share.isalpha(), share))
    print(f"{'share of votes':<16}{'elements':>10}{'gold':>8}  % gold")
    for share in shares:
        total = sum(each[share] for each in counts.values())
        right = sum(each[share] for each in gold.values())
        pooled = evilink.ratio(records, lambda one, share=share: (gold[id(one)][share], counts[id(one)][share]))
        print(f"{share:<16}{total:>10}{right:>8}  {percent(pooled)}")


def print_unanimity(records: list[Record]) -> None:
    """Print how much of the gold the unanimous and the voted elements hold."""

    def required(one: Record) -> frozenset[Element]:
        return frozenset(element for element, vote in one.votes.items() if vote.share == 1)

    def misses(one: Record, kept: frozenset[Element]) -> float | None:
        return None if not one.gold else float(not one.gold <= kept)

    unanimous = evilink.mean(records, lambda one: misses(one, required(one)))
    lost = evilink.ratio(records, lambda one: (len(one.gold - required(one)), len(one.gold)))
    working = evilink.mean(records, lambda one: misses(one, frozenset(one.votes)))
    print(
        f"required = unanimous misses gold in {percent(unanimous)} % of questions, {percent(lost)} % of gold elements"
    )
    print(f"the working set misses gold in {percent(working)} % of questions")


def print_missed(records: list[Record], *, listed: bool) -> None:
    """Print what no hypothesis names, by cause, and how much of it the agent or the recovery kept after all."""
    missed = [(one, element) for one in records for element in one.missed_by_all]
    causes = Counter(cause(one, element) for one, element in missed)
    saved = Counter(cause(one, element) for one, element in missed if element in one.steps["after recovery"])
    questions = len({one.linking.question for one, _ in missed})
    print(f"missed by every hypothesis: {len(missed)} gold elements of {questions} questions")
    for name, count in causes.most_common():
        print(f"  {name}: {count}, kept in the end {saved[name]}")
    for one, element in missed if listed else ():
        print(f"  {one.linking.question}  {element}  {cause(one, element)}")


def cause(record: Record, element: Element) -> str:
    """Why a gold element may have been missed: whether its table was named, and what the gold query uses it for."""
    roles = {
        role
        for reference in record.question.gold
        if record.folding.get(reference.entity, reference.entity) == element.entity and reference.field == element.field
        for role in reference.roles
    }
    if not element.field:
        inside = {
            role for ref in record.question.gold if ref.entity == element.entity and ref.field for role in ref.roles
        }
        return "table that only joins" if inside and inside <= {"join"} else "table that holds what is asked for"
    use = next((name for name in USES if name in roles), "other")
    named = {record.folding.get(table, table) for table in record.tables}
    where = "its table was named" if element.entity in named else "its table was not named"
    return f"{use}, {where}"
