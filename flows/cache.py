"""Show the size of the reply cache, or prune it: ``python -m flows cache [prune]``."""

import argparse
import time
from datetime import UTC, datetime

from schemas.errors import UserError, unknown
from storage.pruning import Usage, prune, usage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``cache`` takes."""
    parser.add_argument("action", nargs="?", choices=["show", "prune"], default="show", help="show (default) or prune")
    parser.add_argument("--model", default="", metavar="NAME", help="only this model's replies")
    parser.add_argument(
        "--older-than", type=float, metavar="DAYS", help="prune replies that old; without it only what no longer counts"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell what pruning would remove")


def main(arguments: argparse.Namespace) -> int:
    """Show or prune; always 0."""
    folder = arguments.storage / "replies"
    found = chosen(usage(folder), arguments.model)
    if arguments.action == "show" and (arguments.older_than is not None or arguments.dry_run):
        raise UserError("--older-than and --dry-run belong to: python -m flows cache prune")
    if not found:
        print(f"no replies in {folder}")
    elif arguments.action == "show":
        _show(found)
    else:
        _prune(found, arguments.older_than, dry_run=arguments.dry_run)
    return 0


def chosen(found: list[Usage], model: str) -> list[Usage]:
    """The usage of one model, or of all where no name is given."""
    names = [each.model for each in found]
    if model and model not in names:
        raise unknown("model in the cache", model, names)
    return [each for each in found if model in ("", each.model)]


def _show(found: list[Usage]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("model", "replies", "size", "segments", "first", "last", box=None)
    for each in found:
        times = [f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}" if at else "" for at in (each.oldest, each.newest)]
        table.add_row(each.model, f"{each.replies:,}", size(each.bytes), str(each.segments), *times)
    if len(found) > 1:
        table.add_row("all", f"{sum(each.replies for each in found):,}", size(sum(each.bytes for each in found)))
    Console().print(table)


def _prune(found: list[Usage], days: float | None, *, dry_run: bool) -> None:
    before = 0.0 if days is None else time.time() - days * 86400
    would = "would remove" if dry_run else "removed"
    for each in found:
        gone = prune(each.folder, before, dry_run=dry_run)
        busy = f"; {gone.in_use} segment(s) left alone, their processes are running" if gone.in_use else ""
        print(
            f"{each.model}: {would} {gone.expired:,} old and {gone.stale:,} replaced replies, {size(gone.bytes)}{busy}"
        )


def size(count: int) -> str:
    """Bytes in a unit that reads well.

    >>> size(900), size(2_500_000)
    ('900 B', '2.5 MB')
    """
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{value:.0f} B" if units[0] == "B" else f"{value:.1f} {units[0]}"
