"""Plug-ins by convention: a file in a family's folder is a plug-in, and its name is the word people use."""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from schemas.errors import unknown

HERE = Path(__file__).parent


@cache
def names(family: str) -> tuple[str, ...]:
    """The plug-ins of a family (``linkers``, ``benchmarks``, ``metrics``, ``languages``), sorted."""
    return tuple(sorted(path.stem for path in (HERE / family).glob("[a-z]*.py")))


def load(family: str, name: str) -> ModuleType:
    """Import one plug-in; an unknown name answers with what exists and what is near."""
    if name not in names(family):
        raise unknown(family.removesuffix("s"), name, names(family))
    return import_module(f"tasks.{family}.{name}")


def metrics(answer: type, language: str) -> dict[str, ModuleType]:
    """The metrics that judge such answers, by name: those of a language and those that name none in ``LANGUAGES``."""
    modules = {name: load("metrics", name) for name in names("metrics")}
    return {
        name: module
        for name, module in modules.items()
        if module.ANSWER is answer and language in getattr(module, "LANGUAGES", (language,))
    }


def language(dialect: str) -> ModuleType:
    """The query language of a catalog's dialect: ``cypher`` has its own, every other dialect is one of SQL."""
    return load("languages", "cypher" if dialect == "cypher" else "sql")
