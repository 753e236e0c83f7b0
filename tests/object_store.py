"""An S3-compatible server of the tests' own, in a process of its own; the environment names it as long as it runs."""

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SERVE = """
import logging, sys, threading
logging.disable(logging.CRITICAL)
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(*server.get_host_and_port(), flush=True)
sys.stdin.read()
"""
BUCKET = "schemalink-tests"


@contextmanager
def object_store(bucket: str = BUCKET) -> Iterator[str]:
    """Start the server with an empty bucket, and give the bucket's URL."""
    command = [sys.executable, "-c", SERVE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with pytest.MonkeyPatch.context() as patch, subprocess.Popen(command, **pipes, text=True) as server:
        try:
            assert select.select([server.stdout], [], [], 60)[0], "the server does not start"
            host, port = server.stdout.readline().split()
            patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
            patch.setenv("AWS_ACCESS_KEY_ID", "tester")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            patch.delenv("AWS_PROFILE", raising=False)
            patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
            _filesystem().mkdir(bucket)
            yield f"s3://{bucket}"
        finally:
            server.kill()


def _filesystem():
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    return s3fs.S3FileSystem(use_listings_cache=False)


def objects(url: str) -> list[str]:
    """The names of all objects below a URL."""
    from storage.places import listed, place

    return sorted(listed(place(url)))
