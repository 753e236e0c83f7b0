"""What tests of clusters share: commands in folders of their own, and who of them is still there."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from schemas.records import Linking
from storage import parquet
from tests.conftest import ROOT

TOKEN = "SCHEMALINK_TEST_TOKEN"


def command(*words: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a module of Python in a folder that is not the checkout, in a session of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{words[0]}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
        )


def marked(token: str) -> list[int]:
    """The processes whose environment holds the token."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{TOKEN}={token}".encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def until(true: Callable[[], object], seconds: float = 60.0, pause: float = 0.02) -> bool:
    """Wait until something is true; whether it became so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(pause)
    return bool(true())


def timeless(run: Path) -> list[Linking]:
    """A run's linkings without what was measured with a clock."""
    from dataclasses import replace

    linkings = parquet.read(run / "linkings.parquet", Linking)
    return [replace(linking, seconds=0.0, model_seconds=0.0, cached_calls=0) for linking in linkings]
