"""Object stores of the tests' own, each a server in a process; the environment names it as long as it runs."""

import base64
import secrets
import select
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

S3 = """
import logging, sys, threading
logging.disable(logging.CRITICAL)
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
GCS = """
import logging, sys
logging.disable(logging.CRITICAL)
from gcp_storage_emulator.server import create_server
server = create_server("127.0.0.1", 0, in_memory=True, default_bucket=sys.argv[1])
server.start()
print(server._api._httpd.server_address[1], flush=True)
sys.stdin.read()
server.stop()
"""
AZURITE = "azurite-blob"
ACCOUNT = "tests"
BUCKET = "schemalink-tests"


@contextmanager
def object_store(bucket: str = BUCKET) -> Iterator[str]:
    """Start an S3-compatible server with an empty bucket, and give the bucket's URL."""
    with pytest.MonkeyPatch.context() as patch, _served(S3) as port:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "tester")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.delenv("AWS_PROFILE", raising=False)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        _filesystem().mkdir(bucket)
        yield f"s3://{bucket}"


@contextmanager
def google_store(bucket: str = BUCKET) -> Iterator[str]:
    """Start an emulator of Google's store, which ignores conditions: whoever creates an object there succeeds."""
    with pytest.MonkeyPatch.context() as patch, _served(GCS, bucket) as port:
        patch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
        patch.setenv("GOOGLE_CLOUD_PROJECT", "tests")
        patch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
        yield f"gs://{bucket}"


@contextmanager
def azure_store(container: str = BUCKET) -> Iterator[str]:
    """Start Azurite, Microsoft's own emulator, where it is installed; a test that needs it is skipped elsewhere."""
    pytest.importorskip("adlfs")
    if shutil.which(AZURITE) is None:
        pytest.skip(f"{AZURITE} is not on the PATH: npm install --global azurite")
    port = _free_port()
    key = base64.b64encode(secrets.token_bytes(64)).decode()
    address = f"http://127.0.0.1:{port}/{ACCOUNT}"
    options = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobPort", str(port)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AZURITE_ACCOUNTS", f"{ACCOUNT}:{key}")
        told = f"AccountName={ACCOUNT};AccountKey={key};BlobEndpoint={address};"
        patch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"DefaultEndpointsProtocol=http;{told}")
        with subprocess.Popen([AZURITE, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                _until_open(port)
                from adlfs import AzureBlobFileSystem

                AzureBlobFileSystem.clear_instance_cache()
                AzureBlobFileSystem().mkdir(container)
                yield f"abfs://{container}"
            finally:
                server.kill()


STORES = {"s3": object_store, "gs": google_store, "abfs": azure_store}


@contextmanager
def _served(script: str, *words: str) -> Iterator[int]:
    """Run a script that prints its port and serves until its input ends."""
    command: Sequence[str] = [sys.executable, "-c", script, *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, text=True) as server:
        try:
            assert select.select([server.stdout], [], [], 60)[0], "the server does not start"
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until_open(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not start")


def _filesystem():
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    return s3fs.S3FileSystem(use_listings_cache=False)


def objects(url: str) -> list[str]:
    """The names of all objects below a URL."""
    from storage.places import listed, place

    return sorted(listed(place(url)))
