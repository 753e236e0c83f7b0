"""How well does a model find joins whose foreign keys are hidden from it? SchemaGraphSQL's joinability discovery.

One call a database reads the schema without its foreign keys; the joins that it names are compared with the declared
ones as pairs of columns, without direction. Calls go through the reply cache like those of a run.
"""

import argparse
from typing import TYPE_CHECKING

from flows.arguments import add_model_arguments, toolbox

if TYPE_CHECKING:
    from schemas.catalog import Catalog
    from tasks.linkers._discovery import Agreement
    from tasks.toolbox import Toolbox


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="a prepared benchmark")
    parser.add_argument("--style", choices=["ddl", "compact"], default="ddl", help="how the schema is shown (ddl)")
    add_model_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print precision and recall of discovered joins a database, and pooled over all."""
    from schemas.errors import Failure, UserError
    from storage import benchmarks
    from storage.layout import Store
    from tasks.linkers._discovery import Agreement

    box = toolbox(arguments)
    if not box.has_model:
        raise UserError("this study asks a language model: name one with --model embedded or --endpoint URL")
    box.check()
    folder = Store(arguments.storage).benchmark(arguments.benchmark)
    total, failed = Agreement(0, 0, 0), 0
    for database in dict.fromkeys(question.database for question in benchmarks.questions(folder)):
        try:
            found = judged(benchmarks.catalog(folder, database), box, arguments.style)
        except Failure as failure:
            print(f"{database:<28}  {failure}")
            failed += 1
            continue
        total = Agreement(
            total.agreed + found.agreed, total.discovered + found.discovered, total.declared + found.declared
        )
        print(told(database, found))
    print(told("all databases", total) + (f"; {failed} databases failed" if failed else ""))
    return int(failed > 0 and not total.declared)


def judged(catalog: "Catalog", box: "Toolbox", style: str) -> "Agreement":
    """How the joins that a model discovers in one catalog agree with its declared ones."""
    from tasks.linkers._discovery import agreement, discover

    tools = box.open(catalog.database).tools
    declared = [relation for relation in catalog.relations if relation.origin in ("declared", "database")]
    return agreement(discover(catalog, tools, "compact" if style == "compact" else "ddl"), declared)


def told(name: str, found: "Agreement") -> str:
    """One line: a name, precision, recall, and the counts that they are made of."""
    shares = (f"{share * 100:6.2f}" if share is not None else "     –" for share in (found.precision, found.recall))
    precision, recall = shares
    counts = f"{found.agreed} of {found.discovered} discovered and {found.declared} declared"
    return f"{name:<28}  precision {precision}  recall {recall}  ({counts})"
