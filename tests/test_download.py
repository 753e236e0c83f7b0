"""Downloads from a real HTTP server on this machine, well- and ill-behaved."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from schemas.errors import UserError
from tasks.download import Download, Patience, download, fetch, unpack

CONTENT = bytes(range(256)) * 4096
QUICK = Patience(tries=3, pause=0.01, silence=5.0)


@dataclass
class Behaviour:
    """What the server does, and what it was asked."""

    content: bytes = CONTENT
    etag: str = '"one"'
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ranges: bool = True
    kind: str = "application/zip"
    hangs: list[float] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            behaviour.asked.append(self.headers.get("Range", ""))
            status = behaviour.statuses.pop(0) if behaviour.statuses else 200
            if status != 200:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.answer(behaviour.content)

        def answer(self, content: bytes) -> None:
            begin = 0
            same = self.headers.get("If-Range", behaviour.etag) == behaviour.etag
            if behaviour.ranges and same and "Range" in self.headers:
                begin = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            self.send_response(416 if begin >= len(content) else 206 if begin else 200)
            if begin >= len(content):
                self.send_header("Content-Range", f"bytes */{len(content)}")
                content = b""
            elif begin:
                self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Type", behaviour.kind)
            self.send_header("ETag", behaviour.etag)
            self.send_header("Content-Length", str(len(content[begin:])))
            self.end_headers()
            if behaviour.hangs:
                threading.Event().wait(behaviour.hangs.pop(0))
            self.wfile.write(content[begin : behaviour.cuts.pop(0) if behaviour.cuts else None])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/file.zip"
        server.shutdown()
        thread.join()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_file_arrives_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    with serving(Behaviour()) as url:
        fetch(Download(url, "data.bin", digest(CONTENT)), tmp_path / "data.bin", QUICK)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def test_a_transfer_that_breaks_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    behaviour = Behaviour(cuts=[300_000, 700_000])
    with serving(behaviour) as url:
        fetch(Download(url, "data.bin", digest(CONTENT)), tmp_path / "data.bin", QUICK)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert behaviour.asked == ["", "bytes=300000-", "bytes=700000-"]


def test_a_server_that_knows_no_ranges_is_asked_again_from_the_start(tmp_path: Path) -> None:
    behaviour = Behaviour(cuts=[300_000], ranges=False)
    with serving(behaviour) as url:
        fetch(Download(url, "data.bin", digest(CONTENT)), tmp_path / "data.bin", QUICK)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_server_that_dies_leaves_a_part_from_which_the_next_run_goes_on(tmp_path: Path) -> None:
    behaviour = Behaviour(cuts=[400_000], statuses=[200, 503, 503, 503, 503])
    file = tmp_path / "data.bin"
    with serving(behaviour) as url:
        with pytest.raises(
            UserError, match=r"503 Service Unavailable; what arrived is kept, run again to go on: .*part"
        ):
            fetch(Download(url, "data.bin"), file, QUICK)
        assert not file.exists()
        assert (tmp_path / "data.bin.part").stat().st_size == 400_000
        behaviour.statuses.clear()
        behaviour.asked.clear()
        fetch(Download(url, "data.bin"), file, QUICK)
    assert file.read_bytes() == CONTENT
    assert behaviour.asked == ["bytes=400000-"]


def test_a_server_that_falls_silent_is_asked_again(tmp_path: Path) -> None:
    behaviour = Behaviour(hangs=[0.6])
    with serving(behaviour) as url:
        fetch(Download(url, "data.bin"), tmp_path / "data.bin", QUICK._replace(silence=0.2))
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert len(behaviour.asked) == 2


def test_a_part_of_an_older_version_is_not_mixed_with_the_new_one(tmp_path: Path) -> None:
    behaviour = Behaviour(cuts=[400_000], statuses=[200, 503, 503, 503])
    file = tmp_path / "data.bin"
    with serving(behaviour) as url:
        with pytest.raises(UserError):
            fetch(Download(url, "data.bin"), file, QUICK)
        behaviour.statuses.clear()
        behaviour.etag, behaviour.content = '"two"', CONTENT[::-1]
        fetch(Download(url, "data.bin"), file, QUICK)
    assert file.read_bytes() == CONTENT[::-1]


def test_a_part_that_was_complete_is_taken(tmp_path: Path) -> None:
    (tmp_path / "data.bin.part").write_bytes(CONTENT)
    behaviour = Behaviour()
    with serving(behaviour) as url:
        fetch(Download(url, "data.bin", digest(CONTENT)), tmp_path / "data.bin", QUICK)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert behaviour.asked == [f"bytes={len(CONTENT)}-"]


def test_a_part_that_is_too_long_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "data.bin.part").write_bytes(CONTENT + b"more")
    with serving(Behaviour()) as url:
        fetch(Download(url, "data.bin", digest(CONTENT)), tmp_path / "data.bin", QUICK)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_wrong_checksum_keeps_nothing(tmp_path: Path) -> None:
    with serving(Behaviour()) as url, pytest.raises(UserError, match=rf"sha256 {digest(CONTENT)} instead of 00ff"):
        fetch(Download(url, "data.bin", "00ff"), tmp_path / "data.bin", QUICK)
    assert not (tmp_path / "data.bin").exists()
    assert not (tmp_path / "data.bin.part").exists()


def test_an_address_that_is_gone_is_asked_once(tmp_path: Path) -> None:
    behaviour = Behaviour(statuses=[404])
    with serving(behaviour) as url, pytest.raises(UserError, match="answered 404 Not Found: ask the librarian"):
        fetch(Download(url, "data.bin", by_hand="ask the librarian"), tmp_path / "data.bin", QUICK)
    assert behaviour.asked == [""]


def test_a_web_page_instead_of_the_file_tells_what_to_do_by_hand(tmp_path: Path) -> None:
    behaviour = Behaviour(kind="text/html; charset=utf-8", content=b"<html>Are you sure?</html>")
    with (
        serving(behaviour) as url,
        pytest.raises(UserError, match="a web page instead of the file: open it in a browser"),
    ):
        fetch(Download(url, "data.bin", by_hand="open it in a browser"), tmp_path / "data.bin", QUICK)
    assert list(tmp_path.iterdir()) == []


def test_no_server_at_all_is_one_line(tmp_path: Path) -> None:
    with serving(Behaviour()) as url:
        pass
    with pytest.raises(UserError, match=r"cannot download http://127.0.0.1:\d+/file.zip \(3 tries\): .*refused"):
        fetch(Download(url, "data.bin"), tmp_path / "data.bin", QUICK)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(UserError, match=r"cannot write .*taken.*"):
        fetch(Download("http://127.0.0.1:1/", "data.bin"), tmp_path / "taken" / "data.bin", QUICK)


def test_an_archive_within_an_archive_is_unpacked_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    inner = packed({"databases/shop/shop.sqlite": b"rows"})
    behaviour = Behaviour(content=packed({"release/dev.json": b"[]", "release/databases.zip": inner}))
    with serving(behaviour) as url:
        for _ in range(2):
            folder = download([Download(url, "dev.zip")], tmp_path, QUICK)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert files == ["dev/release/databases/shop/shop.sqlite", "dev/release/dev.json"]
    assert len(behaviour.asked) == 1


@pytest.mark.parametrize("member", ["../outside.txt", "/etc/outside.txt", "a/../../outside.txt", "..\\outside.txt"])
def test_no_member_of_an_archive_leaves_its_folder(tmp_path: Path, member: str) -> None:
    archive = tmp_path / "bad.zip"
    archive.write_bytes(packed({"fine.txt": b"fine", member: b"evil"}))
    with pytest.raises(UserError, match="would be written outside"):
        unpack(archive, tmp_path / "bad")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.zip"]


def test_a_truncated_archive_leaves_nothing(tmp_path: Path) -> None:
    archive = tmp_path / "bad.zip"
    archive.write_bytes(packed({"fine.txt": CONTENT})[:500_000])
    with pytest.raises(UserError, match="not a complete zip file"):
        unpack(archive, tmp_path / "bad")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.zip"]
