import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UserError
from schemas.tools import Message, Request
from tasks.models import open_model
from tasks.servers import free_ports

ROOT = Path(__file__).parents[1]
ENGINE = """#!{python}
import json, os, runpy, subprocess, sys
words = sys.argv[1:]
option = lambda name: words[words.index(name) + 1]
child = subprocess.Popen(["sleep", "300"])
about = {{"words": words, "gpus": os.environ.get("CUDA_VISIBLE_DEVICES"), "pids": [os.getpid(), child.pid]}}
with open(f"{folder}/{{option('--port')}}.json", "w") as file:
    json.dump(about, file)
print("Loading weights of", option("--model"), flush=True)
if "--dies" in words:
    sys.exit("ValueError: the weights do not fit into memory")
sys.argv = ["stub", "--port", option("--port"), "--models", option("--served-model-name"), "--version", "0.32.0"]
runpy.run_path("{stub}", run_name="__main__")
"""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """An interpreter that starts a stub where vLLM is asked for, with a child of its own as vLLM has."""
    folder = tmp_path / "engine"
    folder.mkdir()
    path = folder / "python"
    path.write_text(ENGINE.format(python=sys.executable, folder=folder, stub=ROOT / "tests" / "stub_server.py"))
    path.chmod(0o755)
    return path


@contextmanager
def serving(engine: Path, storage: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "flows", "serve", *words[:1], "--python", str(engine), "--port", "0"]
    command += ["--storage", str(storage), *words[1:]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def until(process: "subprocess.Popen[str]", word: str) -> list[str]:
    assert process.stdout is not None
    seen = []
    for said in process.stdout:
        seen.append(said.rstrip())
        if said.startswith(word):
            return seen
    raise AssertionError(f"{word!r} was never said: {seen}")


def started(engine: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(engine.parent.glob("*.json"))]


def gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) for pid in pids)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_servers_are_started_announced_used_and_stopped(engine: Path, tmp_path: Path, number: signal.Signals) -> None:
    storage = tmp_path / "store"
    words = ("org/tiny", "--replicas", "2", "--gpus", "0,1;2,3", "--", "--max-model-len", "4096")
    with serving(engine, storage, *words) as process:
        said = until(process, "serving")
        urls = [text.removeprefix("endpoint ") for text in said if text.startswith("endpoint ")]
        (stored,) = (storage / "endpoints").glob("*.json")
        assert json.loads(stored.read_text()) == {"model": "org/tiny", "endpoints": urls, "engine": "stub 0.32.0"}
        assert len(set(urls)) == 2
        model = open_model("org/tiny", [], storage)
        assert model.reply(Request((Message("user", "hello"),))).text == "answer to hello"
        first, second = started(engine)
        assert {first["gpus"], second["gpus"]} == {"0,1", "2,3"}
        assert first["words"][:4] == ["-m", "vllm.entrypoints.openai.api_server", "--model", "org/tiny"]
        assert first["words"][-5:] == [
            "--enable-prompt-tokens-details",
            "--tensor-parallel-size",
            "2",
            "--max-model-len",
            "4096",
        ]
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
        assert gone(first["pids"] + second["pids"])
        assert not stored.exists()


def test_servers_end_with_a_parent_that_is_killed(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "store", "tiny") as process:
        until(process, "serving")
        ((server, child),) = [about["pids"] for about in started(engine)]
        os.kill(process.pid, signal.SIGKILL)
        assert eventually(lambda: gone([server]))
        os.kill(child, signal.SIGKILL)


def test_a_server_that_dies_at_start_is_told_with_the_end_of_its_log(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "store", "tiny", "--replicas", "2", "--", "--dies") as process:
        said = process.communicate(timeout=20)[0]
    assert process.returncode == 2
    assert "ended with status 1; the end of" in said
    assert "Loading weights of tiny\nValueError: the weights do not fit into memory" in said
    assert gone([pid for about in started(engine) for pid in about["pids"]])
    assert list((tmp_path / "store" / "endpoints").glob("*.json")) == []


def test_a_server_that_dies_later_is_told_and_the_others_go_on(engine: Path, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "store", "tiny", "--replicas", "2") as process:
        until(process, "serving")
        first, second = started(engine)
        assert {first["gpus"], second["gpus"]} == {"0", "1"}
        os.kill(first["pids"][0], signal.SIGKILL)
        assert "ended by itself; 1 left" in until(process, "http")[-1]
        os.kill(second["pids"][0], signal.SIGKILL)
        assert "ended by itself; 0 left" in until(process, "http")[-1]
        assert process.wait(timeout=10) == 1
    assert gone(first["pids"] + second["pids"])


def test_a_server_that_never_gets_healthy_is_told(tmp_path: Path) -> None:
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\necho still loading\nexec sleep 60\n")
    sleeper.chmod(0o755)
    with serving(sleeper, tmp_path / "store", "tiny", "--wait", "1") as process:
        said = process.communicate(timeout=20)[0]
    assert process.returncode == 2
    assert "is not healthy after 1 s; the end of" in said
    assert said.endswith("still loading\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--replicas", "0"], "--replicas must be at least 1, not 0"),
        (["--replicas", "2", "--gpus", "0,1"], "--gpus '0,1' does not name GPUs for 2 replica(s)"),
        (["--gpus", "a"], "--gpus 'a' does not name GPUs"),
        (["--python", "/nowhere/python"], "/nowhere/python"),
    ],
)
def test_mistakes_are_told(engine: Path, tmp_path: Path, words: list[str], reason: str) -> None:
    with serving(engine, tmp_path / "store", "tiny", *words) as process:
        said = process.communicate(timeout=20)[0]
    assert process.returncode == 2
    assert reason in said
    assert started(engine) == []


def test_a_port_in_use_is_told() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"cannot listen on 127.0.0.1:{port} .*: choose another --port"):
            free_ports("127.0.0.1", port, 1)
    assert len(set(free_ports("127.0.0.1", 0, 5))) == 5
