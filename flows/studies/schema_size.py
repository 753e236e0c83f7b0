"""What becomes of recall, tokens and the filter's time as a schema grows: catalogs unioned to 2, 5, 10 and 20?

Every question is asked of its own catalog united with others drawn from a seed. Entities of one name become one with
the fields of all, as they would in one database; relations stay. Gold stays what it is.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.studies._filtering import LEVELS, first, mean, milliseconds, percentile, print_table, shown
from flows.studies.formats import add_trial_arguments, formats_of, trial_of
from schemas.catalog import Catalog, Entity, Field
from schemas.records import Question

SIZES = (1, 2, 5, 10, 20)
SEED = 20250508


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study's arguments."""
    parser.add_argument(
        "benchmark", metavar="BENCHMARK", help="a prepared benchmark of several databases of one language"
    )
    add_trial_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print, for every size and format, recall and strict recall at both levels, tokens, and the filter's time."""
    from storage import benchmarks
    from storage.layout import Store

    folder = Store(arguments.storage).benchmark(arguments.benchmark)
    asked = first(benchmarks.questions(folder), arguments.limit_per_database or 20)
    known = {name: benchmarks.catalog(folder, name) for name in dict.fromkeys(question.database for question in asked)}
    trial, formats = trial_of(arguments), formats_of(arguments)
    head = ["databases", "format", "fields", "tokens p95", "warm ms", *(f"{level} recall" for level in LEVELS)]
    lines = [[*head, *(f"{level} strict" for level in LEVELS)]]
    for size in sizes(known):
        pairs = list(grown(asked, known, size))
        fields = sum(len(entity.fields) for _, catalog in pairs for entity in catalog.entities) / max(1, len(pairs))
        for name, label in formats.items():
            rows = trial.run(label, pairs)
            told = [f"{fields:,.0f}", shown(percentile(rows, 0.95)), f"{milliseconds(rows, cold=False):.2f}"]
            keys = [(level, metric) for metric in ("recall", "strict_recall") for level in LEVELS]
            lines.append([str(size), name, *told, *(shown(mean(rows, *key), times=100, digits=1) for key in keys)])
    print(f"{arguments.benchmark}: {len(asked):,} questions, {len(known)} databases; tokens by {trial.tokenizer.label}")
    print_table(lines)
    return 0


def sizes(known: dict[str, Catalog]) -> list[int]:
    """The numbers of databases to unite: the usual ones, and all there are in place of more than there are."""
    groups = [sum(other.dialect == one.dialect for other in known.values()) for one in known.values()]
    return list(dict.fromkeys(min(size, max(groups, default=1)) for size in SIZES))


def grown(asked: Sequence[Question], known: dict[str, Catalog], size: int) -> Iterator[tuple[Question, Catalog]]:
    """Every question with its catalog united with others of its language, the same ones for one database."""
    united: dict[str, Catalog] = {}
    for question in asked:
        own = known[question.database]
        if question.database not in united:
            others = [name for name, one in known.items() if one is not own and one.dialect == own.dialect]
            drawn = random.Random(f"{SEED}/{question.database}").sample(others, len(others))[: size - 1]
            united[question.database] = union([own, *(known[name] for name in drawn)]) if drawn else own
        yield question, united[question.database]


def union(catalogs: Sequence[Catalog]) -> Catalog:
    """One catalog of several, called after the first; fields of entities of one name stand together.

    >>> one = Catalog("a", (Entity("Person", (Field("name"),)),))
    >>> two = Catalog("b", (Entity("Person", (Field("name"), Field("born"))), Entity("Film")))
    >>> [(entity.name, [field.name for field in entity.fields]) for entity in union([one, two]).entities]
    [('Person', ['name', 'born']), ('Film', [])]
    """
    entities: dict[str, Entity] = {}
    for catalog in catalogs:
        for entity in catalog.entities:
            mine = entities.setdefault(entity.name, replace(entity, fields=()))
            fields: dict[str, Field] = {one.name: one for one in entity.fields} | {one.name: one for one in mine.fields}
            order = dict.fromkeys([*(one.name for one in mine.fields), *(one.name for one in entity.fields)])
            entities[entity.name] = replace(mine, fields=tuple(fields[name] for name in order))
    relations = dict.fromkeys(relation for catalog in catalogs for relation in catalog.relations)
    return replace(catalogs[0], entities=tuple(entities.values()), relations=tuple(relations))
