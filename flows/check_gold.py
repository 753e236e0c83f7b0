"""Run a benchmark's gold queries against themselves: what a perfect prediction could reach, and what is shaky."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flows.arguments import positive

if TYPE_CHECKING:
    from schemas.records import Question
    from storage.workers import Pool
    from tasks.check_gold import Checked

CAUSES = {
    "rows": "different rows",
    "order": "another order although they ask for one (ties)",
    "digits": "the last digits of floats differ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="a prepared benchmark")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="time limit of one query (30)")
    parser.add_argument(
        "--times", type=positive, default=2, metavar="N", help="runs in the same order (2); one in another is added"
    )
    parser.add_argument("--workers", type=positive, default=0, metavar="N", help="queries at the same time (cores)")


def main(arguments: argparse.Namespace) -> int:
    """Check every gold query that has a database, and print ceilings and lists; 1 where no query could run."""
    from storage import benchmarks
    from storage.layout import Store
    from storage.workers import Pool
    from tasks.judge import warm_up

    folder = Store(arguments.storage).benchmark(arguments.benchmark)
    questions = benchmarks.questions(folder)
    addresses: Mapping[str, str] = benchmarks.description(folder)["databases"]
    usable = [question for question in questions if question.gold_query.strip() and question.gold_status != "excluded"]
    runnable = [question for question in usable if question.database in addresses]
    with Pool(min(arguments.workers, len(runnable)), warm_up=warm_up) as pool:
        checked = check(runnable, addresses, pool, arguments.seconds, arguments.times)
    print(
        f"{arguments.benchmark}: {len(questions)} questions, {len(usable)} with a usable gold query, "
        f"{len(usable) - len(runnable)} of them without a database; {len(runnable)} gold queries ran"
    )
    print_ceilings(list(checked.values()))
    for line in findings(checked):
        print(line)
    return int(bool(usable) and not any(result.status == "ok" for result in checked.values()))


def check(
    questions: "list[Question]", addresses: Mapping[str, str], pool: "Pool", seconds: float, times: int
) -> "dict[str, Checked]":
    """What became of every gold query, by question id, in order."""
    from concurrent.futures import ThreadPoolExecutor
    from dataclasses import replace

    from rich.progress import track

    from schemas.errors import Failure
    from storage.databases import prepare
    from storage.workers import MARGIN
    from tasks.check_gold import Checked, check_gold
    from tasks.execute import LIMITS

    limits = replace(LIMITS, seconds=seconds)
    for database in sorted({question.database for question in questions}):
        prepare(addresses[database])

    def run(question: "Question") -> Checked:
        try:
            return pool.call(
                seconds + MARGIN, check_gold, addresses[question.database], limits, question.gold_query, times
            )
        except Failure as failure:
            status = "gold_timeout" if failure.status == "timeout" else "gold_error"
            return Checked(status, f"{failure.status}: {failure.reason}")

    with ThreadPoolExecutor(2 * pool.size) as threads:
        results = track(threads.map(run, questions), "gold queries", total=len(questions), transient=True)
        return {question.id: result for question, result in zip(questions, results, strict=True)}


def print_ceilings(checked: "list[Checked]") -> None:
    """Print what each metric gives the gold queries against themselves, in percent."""
    from rich.console import Console
    from rich.table import Table

    judged = [result for result in checked if result.status == "ok"]
    table = Table(title="reachable ceiling: gold against itself, %", title_justify="left")
    for head in ("metric", "same order", "open order turned", "of all, a failing gold 0"):
        table.add_column(head, justify="left" if head == "metric" else "right")
    for metric in dict.fromkeys(name for result in judged for name in result.again):
        asked = [result for result in judged if metric in result.again]
        same, turned = (sum(getattr(result, run)[metric] for result in asked) * 100 for run in ("again", "turned"))
        failing = len(checked) - len(judged)
        shares = (same / len(asked), turned / len(asked), same / (len(asked) + failing))
        table.add_row(metric, *(f"{share:.2f}" for share in shares))
    Console(width=100).print(table)


def findings(checked: "Mapping[str, Checked]") -> list[str]:
    """The lists of gold queries that fail, differ between runs or are empty: ids, with reasons where they fail."""
    lines = []
    for status, told in (("gold_timeout", "too slow"), ("gold_error", "failing")):
        failed = {name: result.reason for name, result in checked.items() if result.status == status}
        lines.append(f"{status}: {len(failed)} ({told})")
        lines += [f"  {name}: {reason}" for name, reason in failed.items()]
    for run, when in (("again_differs", "run again"), ("turned_differs", "run with the open order turned")):
        for cause, told in CAUSES.items():
            names = [name for name, result in checked.items() if getattr(result, run) == cause]
            lines.append(f"unstable, {when}: {told}: {_listed(names)}")
    return [
        *lines,
        f"empty: {_listed([n for n, result in checked.items() if result.status == 'ok' and not result.rows])}",
    ]


def _listed(names: list[str]) -> str:
    return f"{len(names)}" + (f" ({', '.join(names)})" if names else "")
