"""Answer a methodological question from benchmarks and runs."""

import argparse
from importlib import import_module
from pathlib import Path
from types import ModuleType

from flows.arguments import storage

STUDIES = Path(__file__).parent / "studies"


def names() -> list[str]:
    """The studies: the files of their folder, with dashes."""
    return sorted(path.stem.replace("_", "-") for path in STUDIES.glob("[a-z]*.py"))


def load(name: str) -> ModuleType:
    """One study's module."""
    return import_module(f"flows.studies.{name.replace('-', '_')}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare one sub-command a study, each with its own arguments."""
    studies = parser.add_subparsers(dest="study", metavar="STUDY", required=True, parser_class=type(parser))
    for name in names():
        module = load(name)
        summary = (module.__doc__ or "").splitlines()[0]
        study = studies.add_parser(name, help=summary, description=summary)
        study.add_argument(
            "--storage", type=storage, default=argparse.SUPPRESS, help="the folder of all results, or its URL (results)"
        )
        module.add_arguments(study)


def main(arguments: argparse.Namespace) -> int:
    """Run the study."""
    status: int = load(arguments.study).main(arguments)
    return status
