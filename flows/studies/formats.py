"""What do five formats of a schema cost and keep: tokens, linking, the filter's time, and money with both?

The formats are those of Text2Cypher schema filtering (arXiv 2505.05118). Tokens are those of the whole prompt, by an
offline tokenizer; time is the filter's own, on databases met for the first time (cold: its index is built) and later
(warm). Cost tables add up N questions at given prices, with and without the machine that filters.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.arguments import add_model_arguments, positive, toolbox
from flows.studies._filtering import (
    FORMATS,
    LEVELS,
    METRICS,
    Trial,
    Tried,
    first,
    mean,
    milliseconds,
    percentile,
    print_table,
    shown,
)

if TYPE_CHECKING:
    from storage.layout import Store

SHARES = {"p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("benchmarks", metavar="BENCHMARK,…", help="prepared benchmarks, or parts of one")
    add_trial_arguments(parser)
    parser.add_argument("--all", action="store_true", help="count tokens of questions without gold too")
    group = parser.add_argument_group("costs")
    group.add_argument("--questions", type=positive, default=20_000, metavar="N", help="questions asked (20000)")
    group.add_argument("--prices", default="0.15,0.80", metavar="P,…", help="dollars a million prompt tokens")
    group.add_argument("--output-tokens", type=positive, default=50, metavar="N", help="tokens of an answer (50)")
    group.add_argument(
        "--output-ratio", type=float, default=4.0, metavar="X", help="an answer's token costs X of these"
    )
    group.add_argument("--machine", type=float, default=0.10, metavar="P", help="dollars an hour of filtering (0.10)")
    group.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON, too")


def add_trial_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what every study of filters reads."""
    parser.add_argument("--limit-per-database", type=int, default=0, metavar="N", help="so many questions a database")
    parser.add_argument("--tokenizer", default="llama3", help="llama3 or qwen3 (llama3)")
    parser.add_argument("--formats", default="", metavar="LABEL,…", help="linkers to compare (the five formats)")
    add_model_arguments(parser)


def trial_of(arguments: argparse.Namespace) -> Trial:
    """The tools and the tokenizer that the arguments name."""
    from tasks.generate import Generator
    from tasks.tokens import open_tokenizer

    return Trial(toolbox(arguments), open_tokenizer(arguments.tokenizer), Generator())


def formats_of(arguments: argparse.Namespace) -> dict[str, str]:
    """The formats to compare by name; their tools are checked."""
    from tasks.labels import label, parse, split
    from tasks.toolbox import check_tools

    chosen = {label(parse(text)): label(parse(text)) for text in split(arguments.formats)} or FORMATS
    canonical = {name: label(parse(text)) for name, text in chosen.items()}
    check_tools(list(canonical.values()), toolbox(arguments))
    return canonical


def main(arguments: argparse.Namespace) -> int:
    """Try every format on every benchmark and print what it takes and keeps, then what it costs."""
    from storage.files import write_json
    from storage.layout import Store

    trial, formats = trial_of(arguments), formats_of(arguments)
    told = []
    for name in filter(None, map(str.strip, arguments.benchmarks.split(","))):
        tried = try_all(Store(arguments.storage), name, trial, formats, arguments)
        print_formats(name, trial.tokenizer.label, tried)
        print_costs(tried, arguments)
        told += [{"benchmark": name, "format": format_, **figures(rows)} for format_, rows in tried.items()]
    if arguments.out:
        write_json(arguments.out, {"tokenizer": trial.tokenizer.label, "formats": formats, "rows": told})
    return 0


def try_all(
    store: "Store", name: str, trial: Trial, formats: dict[str, str], arguments: argparse.Namespace
) -> dict[str, list[Tried]]:
    """Every format on the questions of one benchmark."""
    from storage import benchmarks

    folder = store.benchmark(name)
    known = benchmarks.questions(folder)
    asked = known if getattr(arguments, "all", False) else first(known, arguments.limit_per_database)
    pairs = [(question, benchmarks.catalog(folder, question.database)) for question in asked]
    return {format_: trial.run(label, pairs) for format_, label in formats.items()}


def figures(tried: Sequence[Tried]) -> dict[str, Any]:
    """All figures of one format as plain numbers; intervals as lists of mean, low and high."""
    found: dict[str, Any] = {"questions": len(tried), "databases": len({one.database for one in tried})}
    found |= {name: list(percentile(tried, share)) for name, share in SHARES.items()}
    found |= {f"{level}_{metric}": list(mean(tried, level, metric)) for level in LEVELS for metric in METRICS}
    found |= {"cold_ms": milliseconds(tried, cold=True), "warm_ms": milliseconds(tried, cold=False)}
    return found | {"empty": sum(one.empty for one in tried) / max(1, len(tried))}


def print_formats(name: str, tokenizer: str, tried: dict[str, list[Tried]]) -> None:
    """Print two tables: tokens and the filter's time, then linking at both levels."""
    count = max(map(len, tried.values()))
    print(f"{name}: {count:,} questions; tokens by {tokenizer}; 95 % intervals by a bootstrap over databases")
    lines = [["format", *SHARES, "cold ms", "warm ms", "empty %"]]
    for format_, rows in tried.items():
        sizes = [shown(percentile(rows, share)) for share in SHARES.values()]
        times = [f"{milliseconds(rows, cold=cold):.2f}" for cold in (True, False)]
        lines.append([format_, *sizes, *times, f"{100 * sum(one.empty for one in rows) / max(1, len(rows)):.2f}"])
    print_table(lines)
    lines = [["format", *(f"{level} {metric}" for level in LEVELS for metric in METRICS)]]
    for format_, rows in tried.items():
        linked = [shown(mean(rows, level, metric), times=100, digits=1) for level in LEVELS for metric in METRICS]
        lines.append([format_, *linked])
    print_table(lines)


def print_costs(tried: dict[str, list[Tried]], arguments: argparse.Namespace) -> None:
    """Print what N questions cost at each price: prompt, answer, the filter's machine, and all together."""
    asked = f"{arguments.questions:,} questions, {arguments.output_tokens} answer tokens each"
    print(f"dollars for {asked}, an hour of the machine that filters at {arguments.machine}")
    lines = [["format", "$/M", "prompt", "answer", "without filter", "filter", "with filter"]]
    for price in map(float, arguments.prices.split(",")):
        for format_, rows in tried.items():
            prompt, answer, machine = costs(rows, arguments.questions, price, arguments)
            paid = [f"{value:.2f}" for value in (price, prompt, answer, prompt + answer)]
            lines.append([format_, *paid, f"{machine:.4f}", f"{prompt + answer + machine:.2f}"])
    print_table(lines)


def costs(tried: Sequence[Tried], n: int, price: float, arguments: argparse.Namespace) -> tuple[float, float, float]:
    """What N such questions cost: N times mean tokens times price, the answers, and the hours of filtering."""
    tokens = sum(one.tokens for one in tried) / max(1, len(tried))
    seconds = sum(one.seconds for one in tried) / max(1, len(tried))
    answer = n * arguments.output_tokens * price * arguments.output_ratio / 1e6
    return n * tokens * price / 1e6, answer, n * seconds / 3600 * arguments.machine
