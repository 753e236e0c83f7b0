"""How does the threshold of the similarity filter trade size for recall, from 0.1 to 0.9?"""

import argparse

from flows.studies._filtering import LEVELS, mean, percentile, print_table, shown
from flows.studies.formats import add_trial_arguments, trial_of, try_all

THRESHOLDS = tuple(round(0.1 * step, 1) for step in range(1, 10))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="a prepared benchmark")
    parser.add_argument(
        "--against", choices=["question", "terms", "both"], default="both", help="what is compared (both)"
    )
    parser.add_argument(
        "--level", choices=LEVELS, default="entity", help="keep whole entities or single fields (entity)"
    )
    add_trial_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print, for every threshold, how much is kept, what of the gold is in it, and the tokens of the prompt."""
    from storage.layout import Store
    from tasks.labels import label, parse
    from tasks.toolbox import check_tools

    options = f"top=none, level={arguments.level}, against={arguments.against}"
    labels = {f"{at}": f"base > similarity({options}, threshold={at})" for at in THRESHOLDS}
    check_tools([label(parse(one)) for one in labels.values()], trial_of(arguments).toolbox)
    tried = try_all(Store(arguments.storage), arguments.benchmark, trial_of(arguments), labels, arguments)
    metrics = [(level, metric) for level in LEVELS for metric in ("recall", "precision", "strict_recall")]
    lines = [["threshold", "tokens p50", "tokens p95", "empty %", *(f"{level} {metric}" for level, metric in metrics)]]
    for threshold, rows in tried.items():
        sizes = [shown(percentile(rows, share)) for share in (0.5, 0.95)]
        empty = f"{100 * sum(one.empty for one in rows) / max(1, len(rows)):.2f}"
        lines.append([threshold, *sizes, empty, *(shown(mean(rows, *key), times=100, digits=1) for key in metrics)])
    print_table(lines)
    return 0
