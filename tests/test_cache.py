import argparse
import time
from dataclasses import replace
from pathlib import Path

import pytest

from flows.cache import add_arguments, main
from schemas.errors import UserError
from schemas.tools import Choice, Reply
from storage import replies
from storage.replies import Replies, request_key


def cache(storage: Path, *words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(argparse.Namespace(storage=storage, **vars(parser.parse_args(words))))


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replies of two models: one of 10 days ago and one of now each, one of them replaced."""
    now = time.time()
    for model, texts in (("org/qwen", ["a", "b"]), ("llama", ["c", "d"])):
        store = Replies(tmp_path / "replies" / model.replace("/", "-"))
        for number, text in enumerate([*texts, texts[0]]):
            age = 10 if number == 1 else 0
            monkeypatch.setattr(replies.time, "time", lambda days=age: now - days * 86400)
            reply = Reply((Choice(text * 100),), model)
            store.put(request_key({"text": text}), replace(reply, seconds=float(number)))
        store.close()
    monkeypatch.undo()
    return tmp_path


def test_the_size_is_shown_by_model(storage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cache(storage) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["model", "replies", "size", "segments", "first", "last"]
    assert {line[0]: line[1] for line in lines[1:]} == {"org/qwen": "2", "llama": "2", "all": "4"}
    assert cache(storage, "--model", "llama") == 0
    assert "qwen" not in capsys.readouterr().out


def test_pruning_tells_what_it_removes(storage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cache(storage, "prune", "--older-than", "7", "--model", "llama", "--dry-run") == 0
    assert capsys.readouterr().out.startswith("llama: would remove 1 old and 1 replaced replies, ")
    assert cache(storage, "prune", "--older-than", "7", "--model", "llama") == 0
    assert capsys.readouterr().out.startswith("llama: removed 1 old and 1 replaced replies, ")
    assert Replies(storage / "replies" / "llama").get(request_key({"text": "d"})) is None
    assert Replies(storage / "replies" / "llama").get(request_key({"text": "c"})) is not None
    assert Replies(storage / "replies" / "org-qwen").get(request_key({"text": "b"})) is not None
    assert cache(storage, "prune") == 0
    assert "org/qwen: removed 0 old and 1 replaced replies" in capsys.readouterr().out


def test_mistakes_and_emptiness_are_told(storage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="unknown model in the cache 'lama'; did you mean 'llama'"):
        cache(storage, "--model", "lama")
    with pytest.raises(UserError, match="belong to: python -m flows cache prune"):
        cache(storage, "--dry-run")
    assert cache(tmp_path / "empty") == 0
    assert capsys.readouterr().out == f"no replies in {tmp_path}/empty/replies\n"
