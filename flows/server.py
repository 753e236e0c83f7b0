"""The Prefect server that a flow reports to: the one that is named, else one of our own that ends with us."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from schemas.errors import UserError
from storage.layout import nearby

PATIENCE = 120.0
QUIET = {
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
    "PREFECT_CLI_PROMPT": "false",
    "DO_NOT_TRACK": "1",
}


@contextmanager
def prefect_server(storage: Path) -> Iterator[str]:
    """Give the API address: of ``PREFECT_API_URL``, else of a server of our own, which is stopped at the end.

    Our own server keeps its history in ``PREFECT_HOME``, writes its log below the storage folder (or the local one
    that stands for it), and dies with this process, however that ends. Call it before anything imports Prefect.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if named := os.environ.get("PREFECT_API_URL"):
        yield named
        return
    log = nearby(storage) / "prefect-server.log"
    port = _free_port()
    url = f"http://127.0.0.1:{port}/api"
    process = _start(port, log)
    try:
        _wait(process, url, log)
        os.environ["PREFECT_API_URL"] = url
        yield url
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _start(port: int, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "flows.server", str(port), str(os.getpid())]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        raise UserError(f"cannot write {log}: {error.strerror or error}") from error


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"{url}/health", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    tail = log.read_text(errors="replace").splitlines()[-1:] or ["no output"]
    raise UserError(f"the Prefect server did not start within {PATIENCE:.0f} s (see {log}): {tail[0]}")


def _serve(port: int, parent: int) -> None:
    """Serve Prefect's API in this process until its parent ends; Linux tells, even of a ``kill -9``."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != parent:
        return
    import uvicorn

    uvicorn.run("prefect.server.api.server:create_app", factory=True, host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))
