import email.utils
import json
import logging
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import Failure, UserError
from schemas.tools import Choice, Message, Reply, Request, ToolCall
from storage.endpoints import store
from tasks import fleet, replica
from tasks.completions import Unusable
from tasks.fleet import Fleet, Limits
from tasks.models import Remembering, open_model
from tests.stub_server import Stub, running, script

ROOT = Path(__file__).parents[1]
QUICK = Limits(timeout=1.0, tries=4, pause=0.01, probe=0.05)


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def model(stub: Stub) -> Remembering:
    return Remembering(Fleet([stub.url], "stub", QUICK), None)


def asked(text: str, **options: Any) -> Request:
    return Request((Message("system", "You link schemas."), Message("user", text)), **options)


def saying(message: dict[str, Any], finish_reason: str = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish_reason, **more}]}


def failed(model: Remembering, *steps: dict[str, Any], **options: Any) -> Failure:
    with pytest.raises(Failure) as raised:
        model.reply(asked(script(*steps, salt=os.urandom(4).hex()), **options))
    return raised.value


def test_a_request_is_sent_as_it_is_and_its_reply_tells_what_it_took(stub: Stub, model: Remembering) -> None:
    look = {"name": "look", "description": "Look a table up", "parameters": {"type": "object"}}
    request = Request(
        messages=(
            Message("system", "rules"),
            Message("user", "first"),
            Message("assistant", "", (ToolCall("c1", "look", '{"t": "a"}'),)),
            Message("tool", "a(x)", tool_call_id="c1"),
            Message("user", "everything"),
        ),
        temperature=0.2,
        top_p=0.9,
        seed=3,
        max_tokens=77,
        n=2,
        schema={"type": "object"},
        tools=(look,),
        tool_choice="required",
        logprobs=True,
    )
    reply = model.reply(request, affinity="db")
    (sent,) = [body for body in stub.state()["log"] if body["messages"][-1]["content"] == "everything"]
    assert sent == {
        "model": "stub",
        "messages": [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": "first"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"t": "a"}'}}
                ],
            },
            {"role": "tool", "content": "a(x)", "tool_call_id": "c1"},
            {"role": "user", "content": "everything"},
        ],
        "temperature": 0.2,
        "top_p": 0.9,
        "seed": 3,
        "max_tokens": 77,
        "n": 2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": {"type": "object"}},
        },
        "tools": [{"type": "function", "function": look}],
        "tool_choice": "required",
        "logprobs": True,
    }
    assert [choice.text for choice in reply.choices] == ["answer to everything"] * 2
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens) == (100, 90, 5)
    assert (reply.model, reply.engine, reply.cached) == ("stub", "stub 1.0", False)
    assert 0 < reply.seconds < 1


def test_what_is_left_out_of_a_request_is_left_out_of_the_call(stub: Stub, model: Remembering) -> None:
    model.reply(Request((Message("user", "bare"),)))
    (sent,) = [body for body in stub.state()["log"] if body["messages"][-1]["content"] == "bare"]
    assert set(sent) == {"model", "messages", "temperature", "top_p", "max_tokens"}


def test_tool_calls_log_probabilities_and_thoughts_are_read(model: Remembering) -> None:
    call = {"id": "c9", "type": "function", "function": {"name": "look", "arguments": '{"t": 1}'}}
    step = {
        "choices": [
            {"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"},
            {"message": {"content": None, "reasoning_content": "hm"}, "finish_reason": "length"},
            {"message": {"content": "<think>a\nb</think>\n\nSELECT 1"}},
            {
                "message": {"content": "A", "reasoning": "short"},
                "logprobs": {"content": [{"token": "A", "logprob": -0.5, "top_logprobs": []}]},
            },
        ]
    }
    reply = model.reply(asked(script(step), n=4))
    assert reply.choices == (
        Choice("", finish_reason="tool_calls", tool_calls=(ToolCall("c9", "look", '{"t": 1}'),)),
        Choice("", "hm", "length"),
        Choice("SELECT 1", "a\nb"),
        Choice("A", "short", logprobs=(("A", -0.5),)),
    )


@pytest.mark.parametrize(
    ("step", "schema", "status", "reason"),
    [
        (saying({"content": '{"a": ['}, "length"), {}, "truncated", "cut after 5 tokens (max_tokens 512)"),
        (saying({"content": "<think>and"}, "length"), None, "truncated", "cut after 5 tokens"),
        (saying({"content": None}), None, "empty", "no text and no tool call"),
        (saying({"content": " \n"}), {}, "empty", "finish reason 'stop'"),
        (saying({"content": None, "refusal": "I can't."}), None, "refused", "the server refused: I can't."),
        (saying({"content": ""}, "content_filter"), None, "refused", "content filter"),
    ],
)
def test_replies_without_an_answer_are_statuses_that_carry_the_reply(
    model: Remembering, step: dict[str, Any], schema: dict[str, Any] | None, status: str, reason: str
) -> None:
    failure = failed(model, step, schema=schema)
    assert isinstance(failure, Unusable)
    assert failure.status == status
    assert reason in failure.reason
    assert failure.reply.completion_tokens == 5
    again = pickle.loads(pickle.dumps(failure))
    assert (again.status, again.reason, again.reply) == (failure.status, failure.reason, failure.reply)


def test_a_text_that_was_cut_is_given_to_its_reader(model: Remembering) -> None:
    reply = model.reply(asked(script(saying({"content": "src=A, dst=B\nbecause"}, "length"))))
    assert (reply.text, reply.choices[0].finish_reason) == ("src=A, dst=B\nbecause", "length")


def test_one_good_choice_among_empty_ones_is_enough(model: Remembering) -> None:
    step = {"choices": [{"message": {"content": ""}}, {"message": {"content": "yes"}}]}
    assert model.reply(asked(script(step), n=2)).choices[1].text == "yes"


OVERFLOWS = json.loads((Path(__file__).parent / "cases" / "overflow_messages.json").read_text())


@pytest.mark.parametrize("case", OVERFLOWS, ids=[case["server"] for case in OVERFLOWS])
def test_an_overflow_quotes_both_figures_and_is_not_sent_again(model: Remembering, case: dict[str, Any]) -> None:
    good: dict[str, Any] = {}
    failure = failed(model, {"status": case["status"], "raw": json.dumps(case["body"])}, good)
    assert failure.status == "context_overflow"
    assert all(figure in failure.reason for figure in case["figures"])


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_rejected_request_is_not_sent_again(model: Remembering, status: int) -> None:
    failure = failed(model, {"status": status, "message": "top_p must be in (0, 1]"}, {})
    assert (failure.status, failure.reason) == ("model_error", f"HTTP {status}: top_p must be in (0, 1]")


@pytest.mark.parametrize("step", [{"status": 429}, {"status": 500}, {"status": 503}, {"drop": True}, {"length": 9999}])
def test_busy_broken_and_lost_calls_are_sent_again(model: Remembering, step: dict[str, Any]) -> None:
    steps = [step, step, saying({"content": "at last"})]
    assert model.reply(asked(script(*steps))).text == "at last"


def test_tries_end(stub: Stub, model: Remembering) -> None:
    before = stub.state()["counts"].get("503", 0)
    failure = failed(model, {"status": 503, "message": "loading"})
    assert failure.status == "model_error"
    assert failure.reason == f"HTTP 503 from {stub.url}: loading (last of 4 tries)"
    assert stub.state()["counts"]["503"] == before + 4


def test_the_servers_retry_after_wins_over_the_back_off(stub: Stub) -> None:
    slow = Remembering(Fleet([stub.url], "stub", Limits(tries=2, pause=30.0)), None)
    start = time.monotonic()
    step = {"status": 429, "headers": {"Retry-After": "0.3"}}
    assert slow.reply(asked(script(step, saying({"content": "now"})))).text == "now"
    assert 0.3 <= time.monotonic() - start < 2


def test_the_wait_that_a_server_asks_for_is_capped_and_may_be_a_date(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "LONGEST_PAUSE", 0.2)
    model = Remembering(Fleet([stub.url], "stub", Limits(tries=3, pause=30.0)), None)
    date = email.utils.format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    waits = [{"status": 503, "headers": {"Retry-After": value}} for value in ("3600", date)]
    start = time.monotonic()
    assert model.reply(asked(script(*waits, saying({"content": "now"})))).text == "now"
    assert 0.4 <= time.monotonic() - start < 2


@pytest.mark.parametrize("raw", ["", "<html>gateway</html>", "null", "[]", '{"choices": []}', '{"choices": [{}]}'])
def test_junk_is_a_model_error_that_quotes_it(model: Remembering, raw: str) -> None:
    failure = failed(model, {"raw": raw}, saying({"content": "second"}))
    assert failure.status == "model_error"
    assert failure.reason == f"the server's answer is no chat completion: {raw!r}"


@pytest.mark.parametrize("step", [{"hang": True}, {"drip": 0.02}, {"drip": 0.02, "headers": {"Connection": "close"}}])
def test_the_limit_is_on_the_whole_call(model: Remembering, step: dict[str, Any]) -> None:
    start = time.monotonic()
    failure = failed(model, step)
    assert failure.status == "timeout"
    assert "within 1 s" in failure.reason
    assert 0.9 < time.monotonic() - start < 1.6


def test_a_server_that_closes_idle_connections_costs_no_question(stub: Stub) -> None:
    fleet = Fleet([stub.url], "stub", Limits(tries=1))
    closing = saying({"content": "bye"}) | {"close": True}
    for number in range(20):
        assert fleet.send(asked(script(closing, salt=f"close {number}"))).text == "bye"


def test_hundreds_of_calls_are_in_flight_and_no_more_than_allowed() -> None:
    with running("--latency", "0.4") as slow, ThreadPoolExecutor(300) as pool:
        fleet = Fleet([slow.url], "stub", Limits(in_flight=200))
        assert len(list(pool.map(lambda number: fleet.send(asked(f"flight {number}")), range(600)))) == 600
        assert slow.state()["most"] == 200


def test_every_request_to_a_bad_server_ends_in_a_reply_or_a_status() -> None:
    with running("--fail", "0.1", "--hang", "0.01", "--junk", "0.05", "--latency", "0.02") as bad:
        model = Remembering(Fleet([bad.url], "stub", replace(QUICK, timeout=2.0)), None)

        def outcome(number: int) -> str:
            try:
                return f"answered {model.reply(asked(f'question {number}')).completion_tokens}"
            except Failure as failure:
                return failure.status

        with ThreadPoolExecutor(64) as pool:
            outcomes = Counter(pool.map(outcome, range(800)))
        counts = bad.state()["counts"]
    assert set(outcomes) == {"answered 5", "model_error", "timeout"}
    assert outcomes["answered 5"] == counts["200"]
    assert outcomes["timeout"] == counts["hang"] > 0
    assert outcomes["model_error"] >= counts["junk"] > 0
    assert counts["429"] + counts["500"] + counts["503"] > outcomes["model_error"] - counts["junk"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_servers_are_reached_over_tls_and_their_certificates_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = tmp_path / "both.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    options = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(["openssl", "req", "-x509", *options, *names], cwd=tmp_path, check=True, capture_output=True)
    certificate.write_text((tmp_path / "key.pem").read_text() + (tmp_path / "cert.pem").read_text())
    with running("--certificate", str(certificate)) as server:
        url = server.url.replace("http:", "https:")
        replica._certificates.cache_clear()
        with pytest.raises(UserError, match=r"no model server answers: .*CERTIFICATE_VERIFY_FAILED"):
            Fleet([url], "stub", QUICK)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        replica._certificates.cache_clear()
        model = Remembering(Fleet([url], "stub", QUICK), None)
        assert [model.reply(asked(f"secret {number}")).text for number in range(3)][2] == "answer to secret 2"
        assert failed(model, {"hang": True}).status == "timeout"
        assert failed(model, {"drip": 0.02}).status == "timeout"
    replica._certificates.cache_clear()


KEY = "sk-hush-1234567890"


def test_the_key_comes_from_the_environment_and_stands_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", "not this one")
    monkeypatch.setenv("SCHEMALINK_API_KEY", KEY)
    with running("--key", KEY, "--models", "hosted") as hosted:
        model = open_model("hosted", [hosted.url], tmp_path)
        assert isinstance(model, Remembering)
        assert model.reply(asked("keyed")).text == "answer to keyed"
        echo = {"status": 400, "message": f"Incorrect API key provided: {KEY}"}
        failure = failed(model, echo)
        late = failed(model, {"status": 500, "message": KEY, "headers": {"Retry-After": "0"}})
        sender = model.sender
        assert isinstance(sender, Fleet)
        shown = f"{model!r} {sender!r} {sender.members!r} {failure} {late} {caplog.text}"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert failure.reason == "HTTP 400: Incorrect API key provided: ***"
    assert KEY not in shown
    assert len(written) > 100
    assert KEY.encode() not in written
    assert "hush" not in shown


def test_a_missing_and_a_broken_key_are_told_without_showing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCHEMALINK_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with running("--key", KEY) as hosted:
        with pytest.raises(UserError, match=r"wants a key \(HTTP 401\): set SCHEMALINK_API_KEY"):
            Fleet([hosted.url])
        monkeypatch.setenv("SCHEMALINK_API_KEY", "sk-two\nlines")
        with pytest.raises(UserError, match="holds characters that no key has") as raised:
            Fleet([hosted.url])
    assert "sk-two" not in str(raised.value)


def test_an_endpoint_with_a_password_is_refused() -> None:
    with pytest.raises(UserError, match="must hold no key or password") as raised:
        Fleet(["http://user:secret@localhost/v1"])
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("endpoint", ["ftp://x/v1", "http://", "http://x:99999", "http://x/v1?key=1"])
def test_what_is_no_endpoint_is_told(endpoint: str) -> None:
    with pytest.raises(UserError, match="not an endpoint"):
        Fleet([endpoint])


def test_the_only_model_of_a_server_needs_no_name(stub: Stub) -> None:
    assert Fleet([stub.url]).name == "stub"


def test_an_unknown_model_answers_with_what_is_served() -> None:
    with running("--models", "qwen-7b", "llama-8b") as two:
        with pytest.raises(UserError, match="unknown model 'qwen7b'; did you mean 'qwen-7b'"):
            Fleet([two.url], "qwen7b")
        with pytest.raises(UserError, match="serves 2 models: name one with --model: qwen-7b, llama-8b"):
            Fleet([two.url])
        assert Fleet([two.url], "llama-8b").send(asked("x")).model == "llama-8b"


def test_no_server_no_model() -> None:
    with pytest.raises(UserError, match=r"no model server answers: no answer from http://127\.0\.0\.1:9/v1"):
        Fleet(["127.0.0.1:9"])


def test_a_finished_run_is_read_without_a_call_and_with_the_server_down(tmp_path: Path) -> None:
    requests = [asked(f"question {number}", seed=number % 3) for number in range(50)]
    with running() as server:
        first = open_model("", [server.url], tmp_path)
        told = [first.reply(request) for request in requests]
        assert len(server.texts()) == 50
        again = open_model("stub", [server.url], tmp_path)
        assert [again.reply(request) for request in requests] == [replace(reply, cached=True) for reply in told]
        assert len(server.texts()) == 50
        url = server.url
    code = (
        "import sys; from pathlib import Path; from tests.test_models import *\n"
        "model = open_model('', [sys.argv[1]], Path(sys.argv[2]))\n"
        "print(model.name, [model.reply(asked(f'question {n}', seed=n % 3)).cached for n in range(50)].count(True))\n"
        "print(failed(model, {}))"
    )
    command = [sys.executable, "-c", code, url, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == "stub 50"
    assert done.stdout.splitlines()[1].startswith("model_error: no model server answers")
    assert "only stored replies can be read" in done.stderr


def test_every_part_of_a_request_and_the_engine_is_in_the_key(tmp_path: Path) -> None:
    request = asked("same")
    others = [
        replace(request, temperature=0.2),
        replace(request, top_p=0.5),
        replace(request, seed=1),
        replace(request, max_tokens=3),
        replace(request, n=2),
        replace(request, schema={}),
        replace(request, tools=({"name": "t"},)),
        replace(request, tools=({"name": "t"},), tool_choice="required"),
        replace(request, logprobs=True),
        replace(request, repetition=1),
        replace(request, messages=request.messages[1:]),
    ]
    with running() as old, running("--version", "2.0") as new:
        for number, each in enumerate([request, *others], 1):
            assert not open_model("stub", [old.url], tmp_path).reply(each).cached
            assert len(old.texts()) == number
        assert open_model("stub", [old.url], tmp_path).reply(request, affinity="elsewhere").cached
        assert not open_model("stub", [new.url], tmp_path).reply(request).cached


def test_fresh_asks_anew_and_overwrites(tmp_path: Path) -> None:
    request = asked(script(saying({"content": "one"}), saying({"content": "two"}), saying({"content": "three"})))
    with running() as server:
        plain = open_model("stub", [server.url], tmp_path)
        assert plain.reply(request).text == "one"
        fresh = open_model("stub", [server.url], tmp_path, since=time.time())
        assert [(fresh.reply(request).text, fresh.reply(request).cached) for _ in range(2)] == [("two", True)] * 2
        assert plain.reply(request).text == "two"
        assert open_model("stub", [server.url], tmp_path, cache=False).reply(request).text == "three"
        assert plain.reply(request).text == "two"


def test_equal_requests_in_flight_are_sent_once(tmp_path: Path) -> None:
    with running("--latency", "0.3") as server:
        model = open_model("stub", [server.url], tmp_path)
        with ThreadPoolExecutor(40) as pool:
            replies = list(pool.map(lambda number: model.reply(asked(f"same {number % 2}")), range(40)))
        assert len(server.texts()) == 2
    assert Counter((reply.text, reply.cached) for reply in replies) == {
        ("answer to same 0", False): 1,
        ("answer to same 0", True): 19,
        ("answer to same 1", False): 1,
        ("answer to same 1", True): 19,
    }


def test_failures_are_not_stored_but_paid_replies_are(stub: Stub, tmp_path: Path) -> None:
    model = Remembering(Fleet([stub.url], "stub", QUICK), None)
    stored = open_model("stub", [stub.url], tmp_path)
    text = script({"status": 400, "message": "no"}, saying({"content": "yes"}), salt="fail")
    with pytest.raises(Failure, match="HTTP 400: no"):
        stored.reply(asked(text))
    assert stored.reply(asked(text)).text == "yes"
    cut = script(saying({"content": "{"}, "length"), saying({"content": "{}"}), salt="cut")
    for _ in range(2):
        with pytest.raises(Unusable, match="truncated"):
            stored.reply(asked(cut, schema={}))
    assert model.reply(asked(cut, schema={})).text == "{}"


def test_waiting_for_a_failing_twin_fails_too(tmp_path: Path) -> None:
    with running("--latency", "0.3") as server:
        model = open_model("stub", [server.url], tmp_path)
        text = script({"status": 400, "message": "no"}, {})
        with ThreadPoolExecutor(8) as pool:
            failures = [pool.submit(model.reply, asked(text)).exception() for _ in range(1)]
            failures += [
                flight.exception() for flight in [pool.submit(model.reply, asked(text + " ")) for _ in range(7)]
            ]
    assert all(failure is None or isinstance(failure, Failure) for failure in failures)
    assert isinstance(failures[0], Failure)


def test_stored_endpoints_are_used_and_their_absence_told(stub: Stub, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no endpoint of a model is known: give --endpoint URL"):
        open_model("", [], tmp_path)
    store(tmp_path, "stub", [stub.url], "stub 1.0")
    assert open_model("", [], tmp_path).name == "stub"
    with pytest.raises(UserError, match=r"no endpoint of model 'other' is known \(stored: stub\)"):
        open_model("other", [], tmp_path)
    store(tmp_path, "two", [stub.url], "stub 1.0")
    with pytest.raises(UserError, match="2 models are served: name one with --model: stub, two"):
        open_model("", [], tmp_path)


def test_openings_in_one_process_share_connections_and_replies(stub: Stub, tmp_path: Path) -> None:
    first, second = (open_model("stub", [stub.url, stub.url], tmp_path) for _ in range(2))
    assert isinstance(first, Remembering)
    assert isinstance(second, Remembering)
    assert first.sender is second.sender
    assert first.replies is second.replies
    assert isinstance(first.sender, Fleet)
    assert len(first.sender.members) == 1


def test_a_reply_that_cannot_be_stored_ends_the_flight(stub: Stub) -> None:
    class Full:
        def get(self, key: str, since: float) -> Reply | None:
            return None

        def put(self, key: str, reply: Reply) -> None:
            raise UserError("cannot write replies: No space left on device")

    model = Remembering(Fleet([stub.url], "stub", QUICK), Full())  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(UserError, match="No space left"):
            model.reply(asked("full"))
    assert model.flights == {}
    assert threading.active_count() < 200
