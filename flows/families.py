"""Show a benchmark's families of isomorphic tables: ``python -m flows families spider2 GA360``."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.catalog import Catalog

SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("benchmark", help="a prepared benchmark")
    parser.add_argument("database", nargs="?", default="", help="only this database's families")
    parser.add_argument("--across-schemas", action="store_true", help="also group duplicated schemas")
    parser.add_argument("--all", action="store_true", help="name every member")


def main(arguments: argparse.Namespace) -> int:
    """Print every family with its members, or nothing but a count where a database has none."""
    from storage import benchmarks
    from storage.layout import Store

    folder = Store(arguments.storage).benchmark(arguments.benchmark)
    for name in [arguments.database] if arguments.database else benchmarks.databases(folder):
        lines = described(benchmarks.catalog(folder, name), arguments.across_schemas, None if arguments.all else SHOWN)
        print("\n".join(lines))
    return 0


def described(catalog: "Catalog", across: bool, shown: int | None) -> Iterator[str]:
    """One database's families: its counts before and after grouping, then a line a family."""
    from schemas.families import KEY, families

    found = families(catalog, schemas=across)
    grouped = {member for family in found for member in family.members[1:]}
    left = [entity for entity in catalog.entities if entity.name not in grouped]
    before, after = (sum(len(each.fields) for each in entities) for entities in (catalog.entities, left))
    counts = f"{len(catalog.entities):,} tables with {before:,} columns"
    grouping = f"{len(found):,} famil{'y' if len(found) == 1 else 'ies'}"
    yield f"{catalog.database}: {counts} in {grouping}: {len(left):,} with {after:,} as one each"
    for family in found:
        same = family.pattern.partition(KEY)[0].rpartition(".")[0]
        names = [name.removeprefix(f"{same}.") for name in family.members[:shown]]
        more = f" and {len(family.members) - len(names)} more" if len(family.members) > len(names) else ""
        yield f"  {family.pattern}  {len(family.members)} tables: {', '.join(names)}{more}"
