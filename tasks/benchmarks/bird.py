"""BIRD (Li et al. 2023, arXiv 2305.03111): the development part of June 2024 and its mini-dev of 500 questions.

Read in place: ``dev.json`` or ``mini_dev_sqlite.json``, ``dev_tables.json``, and where they are there
``sampled_values/bird_db_id2sampled_db_values.json``, ``dev_databases/DB/DB.sqlite`` (or ``databases/``) and the
``database_description/TABLE.csv`` beside it. Foreign keys of the SQLite files are added to those of
``dev_tables.json``, which lacks the two of european_football_2 that name no target column.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas.catalog import Catalog, Entity, Field
from schemas.records import Question
from tasks.benchmarks._bird_descriptions import described
from tasks.benchmarks._findings import Findings, Release
from tasks.benchmarks._published import Published, absences, sqlite_files, with_databases
from tasks.benchmarks._tables_json import read_catalogs
from tasks.download import Download

PARTS = ("dev", "mini_dev")
FILES = {"dev": "dev.json", "mini_dev": "mini_dev_sqlite.json"}
RELEASES = {"dev": Release("BIRD's dev of June 2024", 1534), "mini_dev": Release("BIRD's mini-dev of June 2024", 500)}
TABLES = "dev_tables.json"
SAMPLES = "sampled_values/bird_db_id2sampled_db_values.json"
KEYS = {"question_id": (int, str), "db_id": (str,), "question": (str,), "evidence": (str,), "SQL": (str,)}
KEYS |= {"difficulty": (str,)}
ADDRESS = "https://bird-bench.oss-cn-beijing.aliyuncs.com"
BY_HAND = "follow the links of https://bird-bench.github.io, unpack the archive, and name its folder with --from DIR"
SHA256 = {
    "dev": "cdd6d19faeb45a23970b98d3ef6c40a87987c95459c2cf12076897a60cf5a630",
    "mini_dev": "cc48ba16838204e4e214512030cb572eeb5f7bcdd999bae4b9b6ff12ec13b92f",
}
DOWNLOADS: Mapping[str, tuple[Download, ...]] = {
    "dev": (Download(f"{ADDRESS}/dev.zip", "dev.zip", SHA256["dev"], BY_HAND),),
    "mini_dev": (Download(f"{ADDRESS}/minidev.zip", "minidev.zip", SHA256["mini_dev"], BY_HAND),),
}


def files(root: Path, part: str) -> list[Path]:
    """The files that the part is read from; only the first two have to be there."""
    found = databases(root, part).values()
    described_in = (path for file in found for path in sorted(file.parent.glob("database_description/*.csv")))
    samples = [root / SAMPLES] if (root / SAMPLES).exists() else []
    return [root / FILES[part], root / TABLES, *samples, *found, *described_in]


def databases(root: Path, part: str) -> dict[str, Path]:
    """The SQLite files that are there, by database."""
    return sqlite_files((root / "dev_databases", root / "databases"))


def questions(root: Path, part: str, *, any_length: bool = False) -> list[Question]:
    """The questions in file order, gold not yet resolved; a question's id is its ``question_id``.

    Mini-dev repeats two items whole: such a repeat is kept as ``137#2``. Any other repeated id is a fault.
    """
    return _read(root, part, any_length).questions


def catalogs(root: Path, part: str) -> list[Catalog]:
    """The catalogs of all databases of the development part, in file order."""
    return _read(root, part, True).catalogs


def remarks(root: Path, part: str) -> list[str]:
    """What is odd without being a fault."""
    return _read(root, part, True).remarks


def _read(root: Path, part: str, any_length: bool) -> Published:
    findings = Findings("bird")
    path, found = root / FILES[part], databases(root, part)
    declared = read_catalogs(root / TABLES, findings)
    items = findings.items(path, KEYS, None if any_length else RELEASES[part])
    findings.databases(path, items, declared)
    asked, repeats = _questions(path, items, part, findings)
    sampled = _sampled(root / SAMPLES, declared, findings)
    full, differing = with_databases(sampled, found, findings)
    told = [described(catalog, found[name].parent) if name in found else catalog for name, catalog in full.items()]
    findings.check()
    return Published(asked, told, [*repeats, *differing, *absences(asked, found)])


def _questions(
    path: Path, items: list[tuple[int, dict[str, Any]]], part: str, findings: Findings
) -> tuple[list[Question], list[str]]:
    seen: dict[str, dict[str, Any]] = {}
    times: Counter[str] = Counter()
    asked = []
    for at, item in items:
        name = str(item["question_id"])
        times[name] += 1
        if seen.setdefault(name, item) != item or (times[name] > 1 and part == "dev"):
            findings.add(path, f"the question_id {name} is there already", at)
        label = name if times[name] == 1 else f"{name}#{times[name]}"
        text, evidence, level, query = (item[key] for key in ("question", "evidence", "difficulty", "SQL"))
        asked.append(Question("bird", label, item["db_id"], text, evidence, level, query))
    repeated = [name for name, count in times.items() if count > 1]
    remark = f"repeated whole and kept with a suffix (#2): question_id {', '.join(repeated)}"
    return asked, [remark] if repeated else []


def _sampled(path: Path, declared: Mapping[str, Catalog], findings: Findings) -> dict[str, Catalog]:
    """The catalogs with the sampled values as examples, where there are samples (``table.column`` in lower case)."""
    samples = findings.read(path, dict) if path.exists() else {}
    if not all(isinstance(values, dict) for values in samples.values()):
        findings.add(path, "is not values by column by database")
        return dict(declared)
    return {name: _with_samples(catalog, samples.get(name, {})) for name, catalog in declared.items()}


def _with_samples(catalog: Catalog, samples: Mapping[str, Any]) -> Catalog:
    def sampled(entity: Entity, field: Field) -> Field:
        values = samples.get(f"{entity.name}.{field.name}".lower(), ())
        return replace(field, examples=tuple(str(value) for value in values if value is not None))

    return replace(
        catalog,
        entities=tuple(
            replace(entity, fields=tuple(sampled(entity, field) for field in entity.fields))
            for entity in catalog.entities
        ),
    )
