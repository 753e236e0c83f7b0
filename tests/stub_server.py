"""An OpenAI-compatible server for tests, a process of its own: latency, failures, hangs, junk, scripted answers.

A user message that is JSON of the form {"script": [step, ...]} is answered by its steps in turn, the last one again and
again; a step has any of: status, message, headers, raw, delay, hang, drop, drip, choices, usage.
With --count it counts words and marks as tokens, in ``usage`` as at vLLM's /tokenize. With --refuse it answers 400 to
prompts that hold a text, until its mode is ``accept``.
"""

import argparse
import asyncio
import json
import random
import re
import ssl
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.random = random.Random(options.seed)
        self.mode = "ok"
        self.turns: Counter[str] = Counter()
        self.log: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.active = self.most = 0

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                path = first.split(" ")[1]
                if not await self.answer(path, headers, body, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> bool:
        key = self.options.key
        if path == "/stub":
            if body:
                self.mode = json.loads(body)["mode"]
            state = {"log": self.log, "counts": self.counts, "most": self.most, "active": self.active}
            return await self.write(writer, {"raw": json.dumps(state)})
        if path == "/health":
            return await self.write(writer, {"raw": ""})
        if path == "/version":
            return await self.write(writer, {"raw": json.dumps({"version": self.options.version})})
        if key and headers.get("authorization") != f"Bearer {key}":
            given = headers.get("authorization", "no key").removeprefix("Bearer ")
            return await self.write(writer, {"status": 401, "message": f"Incorrect API key provided: {given}"})
        if path == "/v1/models":
            listed = [{"id": name, "owned_by": "stub"} for name in self.options.models]
            return await self.write(writer, {"raw": json.dumps({"data": listed})})
        if path == "/tokenize" and self.options.count:
            return await self.write(writer, {"raw": json.dumps({"count": tokens(json.loads(body)["messages"])})})
        if path != "/v1/chat/completions":
            return await self.write(writer, {"status": 404, "message": f"no such path: {path}"})
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            return await self.complete(json.loads(body), writer)
        finally:
            self.active -= 1

    async def complete(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        text = body["messages"][-1]["content"]
        if not self.options.quiet:
            self.log.append(body)
        if body["model"] not in self.options.models:
            return await self.write(writer, {"status": 404, "message": f"The model {body['model']} does not exist."})
        step: dict[str, Any] = {}
        if text.startswith('{"script"'):
            steps = json.loads(text)["script"]
            step = steps[min(self.turns[text], len(steps) - 1)]
            self.turns[text] += 1
        elif self.options.refuse and self.options.refuse in text and self.mode != "accept":
            step = {"status": 400, "message": "refused"}
        elif self.mode not in ("ok", "accept"):
            step = {"hang": {"hang": True}, "fail": {"status": 500}, "busy": {"status": 429}}[self.mode]
        else:
            step = self.chance()
        self.counts["junk" if "raw" in step else str(step.get("status", "hang" if step.get("hang") else 200))] += 1
        await asyncio.sleep(step.get("delay", self.options.latency))
        if step.get("hang"):
            await asyncio.sleep(3600)
        if step.get("drop"):
            return False
        return await self.write(writer, step, body)

    def chance(self) -> dict[str, Any]:
        drawn = self.random.random()
        for share, step in (
            (self.options.fail, {"status": self.random.choice([429, 500, 503])}),
            (self.options.hang, {"hang": True}),
            (
                self.options.junk,
                {"raw": self.random.choice(["", "<html>502</html>", '{"choices": []}', "[1]", "null"])},
            ),
        ):
            if drawn < share:
                return step
            drawn -= share
        return {}

    async def write(
        self, writer: asyncio.StreamWriter, step: dict[str, Any], body: dict[str, Any] | None = None
    ) -> bool:
        status = step.get("status", 200)
        if status != 200:
            text = step.get("raw", json.dumps({"error": {"message": step.get("message", "scripted"), "code": status}}))
        else:
            given = {**(body or {}), "text": self.options.text, "count": self.options.count}
            text = step["raw"] if "raw" in step else completion(step, given)
        data = text.encode()
        extra = "".join(f"{name}: {value}\r\n" for name, value in step.get("headers", {}).items())
        length = step.get("length", len(data))
        head = (
            f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{extra}\r\n".encode()
        )
        if step.get("drip"):
            for byte in head + data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(step["drip"])
        else:
            writer.write(head + data)
            await writer.drain()
        return length == len(data) and not step.get("close")


def completion(step: dict[str, Any], body: dict[str, Any]) -> str:
    text = body.get("text") or f"answer to {body['messages'][-1]['content'][:60]}"
    texts = [{"message": {"content": text}}] * body.get("n", 1)
    choices = [
        {"index": number, "finish_reason": "stop", **choice, "message": {"role": "assistant", **choice["message"]}}
        for number, choice in enumerate(step.get("choices", texts))
    ]
    usage: dict[str, Any] = {
        "prompt_tokens": 100,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 90},
    }
    if body.get("count"):
        asked = tokens(body["messages"])
        usage = {"prompt_tokens": asked, "completion_tokens": 12 + asked % 5}
    return json.dumps({"id": "x", "model": body["model"], "choices": choices, "usage": step.get("usage", usage)})


def tokens(messages: list[dict[str, Any]]) -> int:
    return 3 + sum(4 + len(re.findall(r"\w+|[^\w\s]", message["content"])) for message in messages)


async def serve(options: argparse.Namespace) -> None:
    secure = None
    if options.certificate:
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(options.certificate)
    accept = Server(options).connection
    server = await asyncio.start_server(accept, "127.0.0.1", options.port, backlog=1024, ssl=secure)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Stub:
    """A running stub server as tests see it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self.process = process
        self.port = int(process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def state(self, mode: str = "") -> dict[str, Any]:
        """The requests that came, their outcomes by count, the most at one time; sets the mode where one is given."""
        data = json.dumps({"mode": mode}).encode() if mode else None
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stub", data=data) as answer:
            return dict(json.load(answer))

    def texts(self) -> list[str]:
        return [body["messages"][-1]["content"] for body in self.state()["log"]]


@contextmanager
def running(*options: str) -> Iterator[Stub]:
    """Start a stub with options as on its command line, and end it."""
    command = [sys.executable, str(Path(__file__)), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Stub(process)
        finally:
            process.kill()


def script(*steps: dict[str, Any], salt: str = "") -> str:
    """A user message that makes the stub answer by these steps."""
    return json.dumps({"script": steps, "salt": salt})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    for name in ("latency", "fail", "hang", "junk"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", nargs="*", default=["stub"])
    parser.add_argument("--version", default="1.0")
    parser.add_argument("--key", default="")
    parser.add_argument("--certificate", default="")
    parser.add_argument("--text", default="")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--refuse", default="")
    asyncio.run(serve(parser.parse_args()))
