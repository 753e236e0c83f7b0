"""Link one question on a database of one's own."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flows.arguments import add_model_arguments, toolbox

if TYPE_CHECKING:
    from schemas.catalog import Catalog


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("question", help="the question, in quotes")
    parser.add_argument(
        "--database", required=True, type=Path, metavar="FILE", help="a SQLite, DuckDB or graph file, or DDL"
    )
    parser.add_argument("--linker", default="schemagraphsql(endpoints=similarity)", metavar="LABEL")
    parser.add_argument("--evidence", default="", help="what a reader of the question has to know besides")
    parser.add_argument("--show", choices=["story", "ddl", "compact"], default="story", help="what to print (story)")
    add_model_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print what one linker keeps of one database for one question, and what that took; no Prefect."""
    from flows.show import tell
    from schemas.records import Question
    from tasks.evidence import open_evidence
    from tasks.generate import render, shown
    from tasks.labels import label, linker, parse
    from tasks.link import link_question
    from tasks.toolbox import check_tools

    name = label(parse(arguments.linker))
    box = toolbox(arguments)
    check_tools([name], box)
    catalog = read_catalog(arguments.database)
    question = Question("own", "question", catalog.database, arguments.question, arguments.evidence)
    metered = box.open(catalog.database, question=question.text)
    contents = "" if arguments.database.suffix.lower() == ".sql" else str(arguments.database)
    metered.tools.evidence = open_evidence(catalog, contents, None)
    linking, notes = link_question(question, catalog, linker(name), name, metered)
    if arguments.show == "story":
        print("\n".join(tell(str(arguments.database), question, linking, notes)))
    else:
        print(render(shown(catalog, linking, notes), arguments.show))
    return int(linking.status not in ("ok", "fallback"))


def read_catalog(path: Path) -> "Catalog":
    """The catalog of a database file or of DDL."""
    from schemas.errors import UserError
    from tasks.benchmarks._sqlite_catalog import file_catalog

    if not path.exists():
        raise UserError(f"no such database: {path}")
    return file_catalog(path, path.stem)
