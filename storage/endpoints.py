"""Where models are served: endpoints stored by ``flows serve``, and what servers said when they were last reached."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from schemas.errors import UserError
from storage.files import read_json, write_json
from storage.layout import slug
from storage.places import matching


@dataclass(frozen=True)
class Known:
    """A model as its server told it: name, the weights' root where it differs, engine with version."""

    name: str
    root: str
    engine: str


def store(storage: Path, model: str, endpoints: Sequence[str], engine: str) -> Path:
    """Write down a model's endpoints; keys stand in the environment and nowhere else."""
    path = storage / "endpoints" / f"{slug(model)}.json"
    write_json(path, {"model": model, "endpoints": list(endpoints), "engine": engine})
    return path


def stored(storage: Path, model: str) -> list[str]:
    """The endpoints stored for a model, or for the only one there is where no name is given."""
    files = [read_json(path) for path in matching(storage, "endpoints/*.json")]
    found = [file for file in files if model in ("", file["model"])]
    if len(found) == 1:
        return [str(url) for url in found[0]["endpoints"]]
    if found:
        raise UserError(
            f"{len(found)} models are served: name one with --model: {', '.join(f['model'] for f in found)}"
        )
    named = f"model {model!r}" if model else "a model"
    served = f" (stored: {', '.join(file['model'] for file in files)})" if files else ""
    raise UserError(
        f"no endpoint of {named} is known{served}: give --endpoint URL, start one with python -m flows serve MODEL, "
        "or use --model embedded"
    )


def remember(storage: Path, urls: Sequence[str], known: Known) -> None:
    """Remember what servers said, so that stored replies can be read when they are down."""
    for url in urls:
        path = _memory(storage, url)
        models = read_json(path) if path.exists() else {}
        if models.get(known.name) != asdict(known):
            write_json(path, {**models, known.name: asdict(known)})


def remembered(storage: Path, urls: Sequence[str], model: str) -> Known | None:
    """What was remembered of a model at any of the endpoints, or of the only one there where no name is given."""
    for url in urls:
        path = _memory(storage, url)
        models = read_json(path) if path.exists() else {}
        names = [name for name in models if model in ("", name)]
        if len(names) == 1:
            return Known(**models[names[0]])
    return None


def agreed(storage: Path, model: str) -> Known | None:
    """What all servers of a model said, wherever they were, where they said the same."""
    told = [read_json(path) for path in sorted((storage / "endpoints" / "known").glob("*.json"))]
    found = {Known(**models[model]) for models in told if model in models}
    return found.pop() if len(found) == 1 else None


def _memory(storage: Path, url: str) -> Path:
    return storage / "endpoints" / "known" / f"{slug(url)}.json"
