"""What does a filter lose where questions do not repeat the schema's words?

A hundred questions of the demo, each beside a paraphrase that names none of the entities and fields that its gold
query references. Both are asked over the same catalogs; the difference is paired by question. A filter that finds
nothing keeps everything, which hides what it lost: recall is told both with that and without.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flows.studies._filtering import LEVELS, Tried, mean, percentile, print_table, shown
from flows.studies.formats import add_trial_arguments, formats_of, trial_of
from schemas.errors import UserError
from schemas.records import Question
from storage.intervals import Interval, cluster_bootstrap

WORDS = ("found", "kept")
PARAPHRASES = Path(__file__).parent / "paraphrases" / "demo.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("benchmark", nargs="?", default="demo", metavar="BENCHMARK", help="the prepared demo (demo)")
    parser.add_argument(
        "--paraphrases", type=Path, default=PARAPHRASES, metavar="FILE", help="JSON lines of id and question"
    )
    add_trial_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print recall, strict recall and tokens of every format on originals and paraphrases, and the difference."""
    from storage import benchmarks
    from storage.layout import Store

    folder = Store(arguments.storage).benchmark(arguments.benchmark)
    pairs = paired(benchmarks.questions(folder), arguments.paraphrases)
    catalogs = [benchmarks.catalog(folder, question.database) for question, _ in pairs]
    trial = trial_of(arguments)
    print(f"{arguments.benchmark}: {len(pairs)} questions and their paraphrases; tokens by {trial.tokenizer.label}")
    print("found: recall with nothing found counted as nothing kept; kept: as it is, all kept where nothing is found")
    lines = [
        ["format", "questions", "tokens p50", "empty %", *(f"{level} {word}" for level in LEVELS for word in WORDS)]
    ]
    for name, label in formats_of(arguments).items():
        originals, others = (
            trial.run(label, zip([pair[side] for pair in pairs], catalogs, strict=True)) for side in (0, 1)
        )
        lines += [[name, "original", *told(originals)], [name, "paraphrase", *told(others)]]
        lost = [difference(*both, (level, "recall")) for level in LEVELS for both in sides(originals, others)]
        lines.append([name, "difference", "", "", *(shown(value, times=100, digits=1) for value in lost)])
    print_table(lines)
    return 0


def told(tried: Sequence[Tried]) -> list[str]:
    """One side's tokens, the share of questions in which nothing was found, and recall at each level in both ways."""
    empty = f"{100 * sum(one.empty for one in tried) / max(1, len(tried)):.1f}"
    recalls = (mean(rows, level, "recall") for level in LEVELS for rows in (found(tried), tried))
    return [shown(percentile(tried, 0.5)), empty, *(shown(value, times=100, digits=1) for value in recalls)]


def found(tried: Sequence[Tried]) -> list[Tried]:
    """The same questions, what was kept only because nothing was found counted as nothing."""
    return [one._replace(scores=dict.fromkeys(one.scores, 0.0)) if one.empty else one for one in tried]


def sides(one: Sequence[Tried], other: Sequence[Tried]) -> list[tuple[Sequence[Tried], Sequence[Tried]]]:
    """Both sides as found, and as kept."""
    return [(found(one), found(other)), (one, other)]


def paired(questions: Sequence[Question], path: Path) -> list[tuple[Question, Question]]:
    """Questions with their paraphrases, in the order of the file; an id that is not there is a UserError."""
    from storage.files import read_text

    known = {question.id: question for question in questions}
    pairs = []
    for line in filter(str.strip, read_text(path).split("\n")):
        told = json.loads(line)
        if told["id"] not in known:
            raise UserError(f"{path}: no question {told['id']!r} in the benchmark; prepare the one it was written for")
        pairs.append((known[told["id"]], replace(known[told["id"]], text=told["question"])))
    return pairs


def difference(originals: Sequence[Tried], paraphrases: Sequence[Tried], key: tuple[str, str]) -> Interval:
    """The mean over questions of paraphrase less original, with an interval by a bootstrap over databases."""
    lost: dict[str, list[float]] = defaultdict(list)
    for one, other in zip(originals, paraphrases, strict=True):
        if key in one.scores and key in other.scores:
            lost[one.database].append(other.scores[key] - one.scores[key])
    return cluster_bootstrap([sum(values) for values in lost.values()], [len(values) for values in lost.values()])
