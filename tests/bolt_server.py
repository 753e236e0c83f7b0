"""A server that speaks Bolt 5.4 as Neo4j does, answers by script, and remembers what it was told."""

import socketserver
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
NAMES = {
    0x01: "HELLO",
    0x02: "GOODBYE",
    0x0F: "RESET",
    0x10: "RUN",
    0x11: "BEGIN",
    0x12: "COMMIT",
    0x13: "ROLLBACK",
    0x2F: "DISCARD",
    0x3F: "PULL",
    0x54: "TELEMETRY",
    0x66: "ROUTE",
    0x6A: "LOGON",
    0x6B: "LOGOFF",
}


class Struct(NamedTuple):
    tag: int
    fields: list[Any]


class Answer(NamedTuple):
    """What a query gives: columns, rows, and the kind that its plan says."""

    columns: Sequence[str] = ()
    rows: Sequence[list[Any]] = ()
    kind: str | None = "r"


class Refusal(Exception):
    """A server's error: code and message."""


def pack(value: Any) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xcb" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xc1" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xd2" + struct.pack(">I", len(data)) + data
    if isinstance(value, Struct):
        return bytes([0xB0 + len(value.fields), value.tag]) + b"".join(map(pack, value.fields))
    if isinstance(value, list):
        return b"\xd6" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    pairs = (pack(part) for pair in value.items() for part in pair)
    return b"\xda" + struct.pack(">I", len(value)) + b"".join(pairs)


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def many(self, count: int) -> list[Any]:
        return [self.value() for _ in range(count)]

    def map(self, count: int) -> dict[str, Any]:
        found = self.many(2 * count)
        return dict(zip(found[::2], found[1::2], strict=True))

    def value(self) -> Any:
        mark = self.take(1)[0]
        sizes = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q", 0xC1: ">d"}
        lengths = {0xD0: ">B", 0xD1: ">H", 0xD4: ">B", 0xD5: ">H", 0xD8: ">B", 0xD9: ">H"}
        if mark in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[mark]
        if mark < 0x80 or mark >= 0xF0:
            return mark if mark < 0x80 else mark - 256
        if mark in sizes:
            return struct.unpack(sizes[mark], self.take(struct.calcsize(sizes[mark])))[0]
        if mark in lengths:
            (count,) = struct.unpack(lengths[mark], self.take(struct.calcsize(lengths[mark])))
            return self.sized({0xD0: 0x80, 0xD4: 0x90, 0xD8: 0xA0}[mark & 0xFC], count)
        return self.sized(mark & 0xF0, mark & 0x0F)

    def sized(self, kind: int, count: int) -> Any:
        if kind == 0x80:
            return self.take(count).decode()
        if kind == 0x90:
            return self.many(count)
        return self.map(count) if kind == 0xA0 else Struct(self.take(1)[0], self.many(count))


@dataclass
class BoltServer:
    address: str
    heard: list[tuple[str, list[Any]]] = field(default_factory=list)

    def said(self, name: str) -> list[list[Any]]:
        return [fields for each, fields in self.heard if each == name]


@contextmanager
def serving(answer: Callable[[str, dict[str, Any]], Answer]) -> Iterator[BoltServer]:
    """Serve ``answer(query, what BEGIN said)`` on a port of this machine until the block ends."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.read(20)
            self.wfile.write(b"\x00\x00\x04\x05")
            self.begun: dict[str, Any] = {}
            self.rows: list[list[Any]] = []
            self.kind: str | None = None
            self.failed = False
            while (message := self.message()) is not None:
                name = NAMES[message.tag]
                told.heard.append((name, message.fields))
                if name == "GOODBYE":
                    return
                for reply in self.reply(name, message.fields):
                    self.send(reply)
                self.wfile.flush()

        def message(self) -> Struct | None:
            data = b""
            while size := self.rfile.read(2):
                if size == b"\0\0":
                    if data:
                        return Reader(data).value()
                    continue
                data += self.rfile.read(struct.unpack(">H", size)[0])
            return None

        def send(self, reply: Struct) -> None:
            data = pack(reply)
            for start in range(0, len(data), 60000):
                part = data[start : start + 60000]
                self.wfile.write(struct.pack(">H", len(part)) + part)
            self.wfile.write(b"\0\0")

        def reply(self, name: str, fields: list[Any]) -> Iterator[Struct]:
            if name == "RESET":
                self.failed = False
            elif self.failed:
                yield Struct(IGNORED, [])
                return
            if name == "HELLO":
                yield Struct(SUCCESS, [{"server": "Neo4j/5.26.0", "connection_id": "bolt-1", "hints": {}}])
            elif name == "RUN":
                yield self.run(*fields)
            elif name == "PULL":
                yield from self.pull(fields[0]["n"])
            else:
                self.begun = fields[0] if name == "BEGIN" else self.begun
                self.rows = self.rows if name != "DISCARD" else []
                yield Struct(SUCCESS, [{"type": self.kind} if name == "DISCARD" and self.kind else {}])

        def run(self, query: str, _: dict[str, Any], __: dict[str, Any]) -> Struct:
            try:
                found = answer(query, self.begun)
            except Refusal as refusal:
                self.failed = True
                code, message = refusal.args
                return Struct(FAILURE, [{"code": code, "message": message}])
            explains = query.upper().startswith("EXPLAIN")
            self.rows, self.kind = ([] if explains else list(found.rows)), found.kind
            return Struct(SUCCESS, [{"fields": [] if explains else list(found.columns)}])

        def pull(self, count: int) -> Iterator[Struct]:
            count = len(self.rows) if count < 0 else count
            now, self.rows = self.rows[:count], self.rows[count:]
            for row in now:
                yield Struct(RECORD, [row])
            kind = {"type": self.kind} if self.kind else {}
            yield Struct(SUCCESS, [{"has_more": True} if self.rows else kind])

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        told = BoltServer(f"bolt://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield told
        server.shutdown()
