"""A benchmark folder and query files for tests and benchmarks of execution."""

import csv
import json
from pathlib import Path

from schemas.records import Query, Question
from storage import parquet
from storage.files import write_json
from tests.data import need

PREDICTIONS = {
    "dail_sql_gpt4": ("dail_sql", "DAIL-SQL+GPT-4.txt"),
    "c3": ("c3", "predicted_sql.txt"),
    "codes_15b": ("codes", "pred_sqls-codes-15b-spider.txt"),
}


def benchmark(folder: Path, databases: dict[str, Path], questions: list[Question]) -> Path:
    """An ingested benchmark without catalogs."""
    parquet.write(folder / "questions.parquet", Question, questions)
    write_json(folder / "benchmark.json", {"databases": {name: str(path) for name, path in databases.items()}})
    return folder


def spider(folder: Path) -> Path:
    """Spider dev: the questions whose database is at hand, their ids are positions in ``dev.json``."""
    files = {path.stem: path for path in sorted(need("spider", "database").glob("*/*.sqlite"))}
    items = json.loads(need("spider", "dev.json").read_text(encoding="utf-8"))
    questions = [
        Question("spider", str(index), item["db_id"], item["question"], gold_query=item["query"])
        for index, item in enumerate(items)
        if item["db_id"] in files
    ]
    return benchmark(folder, files, questions)


def predicted(name: str, questions: list[Question]) -> list[Query]:
    """The queries of a published file of Spider predictions, one a line in the order of ``dev.json``."""
    lines = need("predictions", *PREDICTIONS[name]).read_text(encoding="utf-8").split("\n")
    return [
        Query("spider", question.database, question.id, name, "published", query=lines[int(question.id)].split("\t")[0])
        for question in questions
    ]


def verdicts(name: str) -> dict[str, dict[str, str]]:
    """What the official scripts say, by question id."""
    with need("verdicts", f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {row["index"]: row for row in csv.DictReader(file)}
