"""A real PostgreSQL server for a test, in a temporary folder and as a user that may run one."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def programs() -> Path:
    """The folder of PostgreSQL's programs; skips the test where there is none."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name)
    if found:
        return Path(found).parent
    if not folders:
        pytest.skip("PostgreSQL's initdb is not installed: no PATH entry, nothing in /usr/lib/postgresql")
    return folders[-1]


def unprivileged() -> str | None:
    """The user to run the server as, since root cannot; None where the present user can."""
    if os.geteuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    name = next((name for name in ("postgres", "nobody") if name in known), None)
    if name is None or shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is no other user or no setpriv")
    return name


@contextmanager
def server() -> Iterator[str]:
    """The address of a fresh server's database; the server ends with the context."""
    bin_folder, user = programs(), unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    become = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups"] if user else []
    if user:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str) -> None:
        command = [*become, str(bin_folder / program), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync")
        settings = f"-c listen_addresses='' -c fsync=off -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://owner@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
