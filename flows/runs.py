"""List the runs, or remove some of them: ``python -m flows runs [list|prune] [RUN…]``."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from flows.arguments import listed, positive

if TYPE_CHECKING:
    from storage.layout import Store

FORMATS = ("table", "csv", "json", "jsonl", "markdown")
ACTIONS = ("list", "prune")
STATUSES = ("begun", "stopped", "failed", "done", "removed", "broken")


@dataclass(frozen=True)
class Run:
    """What is known of a run; ``questions`` each linker was asked, ``bytes`` on disk."""

    name: str
    status: str
    created: str
    finished: str
    benchmarks: tuple[str, ...]
    linkers: tuple[str, ...]
    questions: int
    bytes: int
    configuration: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="[list|prune] RUN",
        help="list (default) or prune; runs by name or pattern such as 'trial-*' (all)",
    )
    parser.add_argument("--status", type=listed, default=[], metavar="STATUS,…", help=f"of {', '.join(STATUSES)}")
    parser.add_argument("--format", choices=FORMATS, default="table")
    group = parser.add_argument_group("prune")
    group.add_argument("--older-than", type=_days, metavar="DAYS", help="only what ended, or else began, before that")
    group.add_argument("--keep", type=positive, metavar="N", help="keep the N newest runs of each configuration")
    group.add_argument("--dry-run", action="store_true", help="only tell what would be removed, as without --yes")
    group.add_argument("--yes", action="store_true", help="remove it")


def main(arguments: argparse.Namespace) -> int:
    """List or prune; 1 where a run could not be removed."""
    from schemas.errors import UserError, unknown
    from storage.layout import Store

    for status in arguments.status:
        if status not in STATUSES:
            raise unknown("status", status, STATUSES)
    action = arguments.words[0] if arguments.words[:1] and arguments.words[0] in ACTIONS else ""
    names = arguments.words[bool(action) :]
    chosen = [names, arguments.status, arguments.older_than is not None, arguments.keep]
    if action != "prune" and (chosen[2] or chosen[3] or arguments.yes or arguments.dry_run):
        raise UserError("--older-than, --keep, --yes and --dry-run belong to: python -m flows runs prune")
    if action == "prune" and not any(chosen):
        raise UserError("say which runs: by name or pattern, --status, --older-than DAYS or --keep N")
    store = Store(arguments.storage)
    known = read_runs(store, count=action != "prune")
    found = matching(known, names, arguments.status)
    if action != "prune":
        print_runs(found, arguments.format)
        return 0
    found = [run for run in found if run.name not in kept(known, arguments.keep)]
    if arguments.older_than is not None:
        found = [run for run in found if before(run, arguments.older_than)]
    return prune(store, found, remove=arguments.yes and not arguments.dry_run)


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if 0 <= days <= timedelta.max.days:
        return days
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of days from 0 on")


def read_runs(store: "Store", *, count: bool = True) -> list[Run]:
    """All runs, the oldest first; without ``count`` nothing is read of what they found."""
    from storage.inventory import Inventory, run_facts

    inventory = Inventory(store.root)
    files = inventory.runs()
    answers = inventory.rows("linkings", files) if count else {}
    facts = run_facts(inventory, list(files))
    runs = (
        _run(name, about, sum(files[name].values()), answers.get(name, 0))
        for name, about in zip(files, facts, strict=True)
    )
    return sorted(runs, key=lambda run: (run.created, run.name))


def _run(name: str, about: dict[str, Any], size: int, answers: int) -> Run:
    asked = about.get("configuration", {})
    linkers = tuple(asked.get("linkers") or ([name] if "adopted" in asked else []))
    questions = answers // (max(1, len(linkers)) * asked.get("repetitions", 1))
    status, created, finished, configuration = (
        str(about.get(key) or "") for key in ("status", "created", "finished", "hash")
    )
    benchmarks = tuple(asked.get("benchmarks", ()))
    return Run(name, status, created, finished, benchmarks, linkers, questions, size, configuration)


def matching(runs: Iterable[Run], patterns: Sequence[str], statuses: Sequence[str]) -> list[Run]:
    """The runs of the names or patterns (all) and of the statuses (all); a pattern of none is a UserError."""
    from schemas.errors import unknown

    known = list(runs)
    for pattern in patterns:
        if not any(_named(run, pattern) for run in known):
            raise unknown("run", pattern, [run.name for run in known])
    named = [run for run in known if not patterns or any(_named(run, pattern) for pattern in patterns)]
    return [run for run in named if not statuses or run.status in statuses]


def _named(run: Run, pattern: str) -> bool:
    return run.name == pattern or fnmatchcase(run.name, pattern)


def kept(runs: Iterable[Run], count: int | None) -> set[str]:
    """The newest runs of each configuration, so many of each; none where no number is given."""
    newest: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda run: (run.created, run.name), reverse=True):
        newest.setdefault(run.configuration, []).append(run.name)
    return {name for names in newest.values() for name in names[: count or 0]}


def before(run: Run, days: float) -> bool:
    """Whether a run ended, or else began, so many days ago; one that does not say when did not."""
    told = run.finished or run.created
    if not told:
        return False
    try:
        at = datetime.fromisoformat(told)
    except ValueError:
        return False
    age = datetime.now(UTC) - (at if at.tzinfo else at.replace(tzinfo=UTC))
    return age > timedelta(days=days)


def prune(store: "Store", runs: Sequence[Run], *, remove: bool) -> int:
    """Remove runs, or tell which would be; one that is being written stays. Replies and benchmarks are not touched."""
    from flows.cache import size
    from schemas.errors import UserError

    refused, freed = 0, 0
    for run in runs:
        try:
            if remove:
                remove_run(store, run.name)
        except UserError as error:
            print(f"{run.name}: not removed: {error}", file=sys.stderr)
            refused += 1
            continue
        freed += run.bytes
        told = run.finished or run.created
        print(f"{'removed' if remove else 'would remove'} {run.name}  {run.status}  {told}  {size(run.bytes)}")
    end = "freed" if remove else "would be freed; add --yes to remove them"
    count = len(runs) - refused
    print(f"{count} run{'s' * (count != 1)}, {size(freed)} {end}" if runs else "no run is to be removed")
    return int(refused > 0)


def remove_run(store: "Store", name: str) -> None:
    """Remove one run; where that is cut short what is left is no result any more, and is removed the next time."""
    from schemas.errors import UserError
    from storage.files import read_json, remove_tree, write_json
    from storage.runs import exclusive

    folder = store.run(name)
    with exclusive(folder):
        told: Any = {}
        with suppress(UserError, UnicodeDecodeError):
            told = read_json(folder / "run.json")
        facts = told if isinstance(told, dict) else {}
        write_json(folder / "run.json", {**facts, "name": name, "status": "removed"})
        for dataset in ("scores", "executions", "queries", "notes", "linkings"):
            (folder / f"{dataset}.parquet").unlink(missing_ok=True)
        remove_tree(folder)


def print_runs(runs: Sequence[Run], form: str) -> None:
    """Print a line a run."""
    import polars as pl

    from flows.answers import print_frame
    from flows.cache import size

    if form in ("csv", "json", "jsonl"):
        kinds: dict[str, Any] = {
            **{field.name: pl.String for field in fields(Run)},
            **dict.fromkeys(("benchmarks", "linkers"), pl.List(pl.String)),
            **dict.fromkeys(("questions", "bytes"), pl.Int64),
        }
        print_frame(pl.DataFrame([asdict(run) for run in runs], schema=kinds), form)
        return
    if not runs:
        print("no runs; make one with: python -m flows evaluate")
        return
    lines = [
        {
            "run": run.name,
            "created": run.created[:16].replace("T", " "),
            "finished": run.finished[:16].replace("T", " "),
            "status": run.status,
            "benchmarks": ", ".join(run.benchmarks),
            "linkers": _short(run.linkers),
            "questions": f"{run.questions:,}",
            "size": size(run.bytes),
        }
        for run in runs
    ]
    print_frame(pl.DataFrame(lines), form)


def _short(linkers: Sequence[str]) -> str:
    text = ", ".join(linkers)
    return text if len(text) <= 48 else f"{len(linkers)} linkers"
