"""The questions of a run, cut into shards: at most a few hundred questions of one database."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from schemas.errors import unknown
from schemas.records import Question
from storage import benchmarks, parquet
from storage.places import is_remote

SIZE = 200


@dataclass(frozen=True)
class Selection:
    """Which questions of a benchmark are asked: the first ``limit``, so many a database, or ``only`` these ids.

    Limits draw evenly: ``limit`` takes questions in turn from every database, so that a small run sees them all.
    """

    limit: int | None = None
    limit_per_database: int | None = None
    only: tuple[str, ...] = ()

    def choose(self, questions: Sequence[Question]) -> list[Question]:
        """The chosen questions in their given order; an unknown id answers with what is near."""
        known = {question.id for question in questions}
        for name in self.only:
            if name not in known:
                raise unknown("question id", name, known)
        wanted = [question for question in questions if not self.only or question.id in self.only]
        turns: dict[str, int] = {}
        ranked = []
        for position, question in enumerate(wanted):
            turns[question.database] = turns.get(question.database, 0) + 1
            if self.limit_per_database is None or turns[question.database] <= self.limit_per_database:
                ranked.append((turns[question.database], position, question))
        first = sorted(ranked, key=lambda item: item[:2])[: self.limit]
        return [question for _, _, question in sorted(first, key=lambda item: item[1])]


@dataclass(frozen=True)
class Shard:
    """Some questions of one database, in a file of their own."""

    benchmark: str
    database: str
    name: str
    path: Path
    questions: int


def cut(folder: Path, target: Path, selection: Selection, size: int = SIZE) -> list[tuple[Shard, list[Question]]]:
    """Cut a benchmark's chosen questions into shards that would lie below ``target``; nothing is written."""
    chosen = sorted(selection.choose(benchmarks.questions(folder)), key=lambda question: question.database)
    shards = []
    for database, group in groupby(chosen, key=lambda question: question.database):
        members = list(group)
        for number, start in enumerate(range(0, len(members), size)):
            part = members[start : start + size]
            name = f"{database}-{number:04d}" if len(members) > size else database
            path = target / folder.name / f"{name}.parquet"
            shards.append((Shard(folder.name, database, name, path, len(part)), part))
    return shards


def write(shards: Sequence[tuple[Shard, list[Question]]]) -> list[Shard]:
    """Write the shards that are not there yet and give them all back."""

    def put(shard: Shard, questions: list[Question]) -> Shard:
        if not shard.path.exists():
            parquet.write(shard.path, Question, questions)
        return shard

    with ThreadPoolExecutor(16 if shards and is_remote(shards[0][0].path) else 1) as pool:
        return list(pool.map(lambda each: put(*each), shards))
