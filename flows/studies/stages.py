"""What does each of EviLink's steps keep, lose and cost?

Recall, precision, strict recall and the number kept after the vote, after the discards, after the agent's keeps, and
after the recovery; the precision of discards (the share of them that is not gold, pooled); calls and tokens of each
stage as the model's server counts them; tool calls by kind, refusals, and why conversations ended.
"""

import argparse
import json
from collections import Counter

from flows.studies import _evilink as evilink
from flows.studies._evilink import STEPS, Record, percent

STAGES = ("hypotheses", "tables", "fields", "refine", "recovery")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    evilink.add_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print the steps, the discards, the stages' costs and the agent's calls."""
    from storage.layout import Store

    records = evilink.read(Store(arguments.storage), arguments.run, arguments.linker, arguments.level)
    print(f"{arguments.level} level: {evilink.counted(records)}")
    print_steps(records)
    print_discards(records)
    print_costs(records)
    print_calls(records)
    return 0


def print_steps(records: list[Record]) -> None:
    """Print one line a step: macro means with their intervals."""
    print(f"{'step':<18}{'recall':<24}{'strict recall':<24}{'precision':<24}kept")
    for step in STEPS:
        found = evilink.mean(records, lambda one, step=step: evilink.recall(one.gold, one.steps[step]))
        strict = evilink.mean(
            records, lambda one, step=step: None if not one.gold else float(one.gold <= one.steps[step])
        )
        right = evilink.mean(records, lambda one, step=step: evilink.precision(one.gold, one.steps[step]))
        kept = evilink.mean(records, lambda one, step=step: float(len(one.steps[step])))
        print(f"{step:<18}{percent(found):<24}{percent(strict):<24}{percent(right):<24}{kept.mean:.1f}")


def print_discards(records: list[Record]) -> None:
    """Print how many elements were discarded, and how many of them rightly."""
    right = evilink.ratio(records, lambda one: (len(one.dropped - one.gold), len(one.dropped)))
    total = sum(len(one.dropped) for one in records)
    wrong = sum(len(one.dropped & one.gold) for one in records)
    refused = sum(one.stages.get("refine", {}).get("refused", 0) for one in records)
    print(f"discards: {total}, of gold {wrong}, precision {percent(right)}; refused for their reason: {refused}")


def print_costs(records: list[Record]) -> None:
    """Print the mean calls and tokens a question of every stage."""
    print(f"{'stage':<18}{'calls':>8}{'prompt tokens':>16}{'completion tokens':>20}   a question")
    sums: Counter[str] = Counter()
    for stage in STAGES:
        values = [one.stages.get(stage, {}) for one in records]
        means = {
            key: sum(value.get(key, 0) for value in values) / len(records)
            for key in ("calls", "prompt_tokens", "completion_tokens")
        }
        sums.update(means)
        print(_costs(stage, means))
    print(_costs("all", dict(sums)))


def _costs(name: str, means: dict[str, float]) -> str:
    calls, prompt, completion = (means[key] for key in ("calls", "prompt_tokens", "completion_tokens"))
    return f"{name:<18}{calls:>8.1f}{prompt:>16.1f}{completion:>20.1f}"


def print_calls(records: list[Record]) -> None:
    """Print the tool calls by kind and how the conversations ended."""
    tools = Counter(call["tool"] for one in records for call in one.calls)
    print(f"tool calls: {json.dumps(dict(tools.most_common()))}")
    for stage in ("refine", "recovery"):
        ends: Counter[str] = Counter()
        for one in records:
            ends.update(one.stages.get(stage, {}).get("ended", {}))
        print(f"{stage} ended: {json.dumps(dict(ends.most_common()))}")
