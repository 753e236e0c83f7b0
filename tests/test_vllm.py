import json
import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from schemas.errors import Failure
from schemas.tools import Message, Model, Request
from tasks.completions import Unusable
from tasks.models import open_model
from tests.vllm_cpu import CONTEXT, NAME

pytestmark = pytest.mark.slow
CATALOG = "\n".join(
    f"CREATE TABLE orchard_{number} (orchard_id INTEGER PRIMARY KEY, name TEXT);" for number in range(25)
)
LINK = {
    "type": "object",
    "properties": {
        "sources": {"type": "array", "items": {"enum": ["orchard", "harvest"]}, "minItems": 1, "maxItems": 2}
    },
    "required": ["sources"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model(vllm_server: str, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Slow: a real vLLM server takes a minute to start, once for the whole session."""
    return open_model("", [vllm_server], tmp_path_factory.mktemp("replies"))


def asked(text: str, **options: Any) -> Request:
    options = {"max_tokens": 24, "temperature": 0.8, "seed": 1, **options}
    return Request((Message("system", CATALOG), Message("user", text)), **options)


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/metrics") as answer:
        found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", answer.read().decode(), re.MULTILINE)
    return sum(map(float, found))


def test_a_real_server_answers_and_what_it_took_is_known(model: Model) -> None:
    reply = model.reply(asked("Which orchard?", logprobs=True))
    assert model.name == reply.model == NAME
    assert re.fullmatch(r"vllm \d+\.\d+\.\d+\S*", reply.engine)
    assert reply.prompt_tokens > 200
    assert 0 < reply.completion_tokens <= 24
    assert reply.choices[0].finish_reason in ("stop", "length")
    assert len(reply.choices[0].logprobs) == reply.completion_tokens
    assert 0 < reply.seconds < 60
    again = model.reply(asked("Which orchard?", logprobs=True))
    assert (again.cached, again.choices, again.seconds) == (True, reply.choices, reply.seconds)


def test_guided_output_is_json_of_the_schema(model: Model) -> None:
    for seed in range(4):
        reply = model.reply(asked("Which tables?", schema=LINK, max_tokens=64, seed=seed))
        answer = json.loads(reply.text)
        assert set(answer) == {"sources"}
        assert set(answer["sources"]) <= {"orchard", "harvest"}
        assert reply.choices[0].finish_reason == "stop"


def test_several_answers_to_one_request(model: Model) -> None:
    reply = model.reply(asked("Tell me.", n=2))
    assert len(reply.choices) == 2
    assert reply.choices[0].text != reply.choices[1].text
    assert reply.completion_tokens > 24


def test_tools_are_called_and_conversations_go_on(model: Model) -> None:
    look = {
        "name": "look",
        "description": "Look a table up",
        "parameters": {
            "type": "object",
            "properties": {"table": {"enum": ["orchard", "harvest"]}},
            "required": ["table"],
        },
    }
    calls = []
    for seed in range(8):
        reply = model.reply(asked("Look.", tools=(look,), tool_choice="required", max_tokens=80, seed=seed))
        calls += reply.choices[0].tool_calls
    assert {call.name for call in calls} == {"look"}
    assert all(call.id for call in calls)
    turns = (Message("user", "Look."), Message("assistant", "", tuple(calls[:1])))
    answer = Message("tool", "orchard(name)", tool_call_id=calls[0].id)
    grown = model.reply(Request((*turns, answer), tools=(look,), max_tokens=8, temperature=1.0, seed=3))
    assert grown.prompt_tokens > 50


def test_a_prompt_beyond_the_context_is_an_overflow_with_both_figures(model: Model, vllm_server: str) -> None:
    with pytest.raises(Failure, match=rf"context_overflow: .*{CONTEXT} tokens.*{CONTEXT + 1}"):
        model.reply(asked(CATALOG * 40))
    with pytest.raises(Failure, match=r"context_overflow: max_tokens=\d+ cannot be greater than max_model_len"):
        model.reply(asked("short", max_tokens=CONTEXT + 1))


def test_json_that_is_cut_is_truncated_and_its_tokens_are_kept(model: Model) -> None:
    with pytest.raises(Unusable, match="truncated: cut after 3 tokens") as raised:
        model.reply(asked("Which tables?", schema=LINK, max_tokens=3))
    assert raised.value.reply.completion_tokens == 3


def test_questions_of_one_catalog_hit_the_prefix_cache(model: Model, vllm_server: str) -> None:
    model.reply(asked("warm up"), affinity="orchards")
    hits, queries = (metric(vllm_server, f"vllm:prefix_cache_{what}_total") for what in ("hits", "queries"))
    with ThreadPoolExecutor(16) as pool:
        replies = list(
            pool.map(lambda number: model.reply(asked(f"Question {number}"), affinity="orchards"), range(32))
        )
    hit = metric(vllm_server, "vllm:prefix_cache_hits_total") - hits
    share = hit / (metric(vllm_server, "vllm:prefix_cache_queries_total") - queries)
    assert share > 0.5
    assert sum(reply.cached_tokens for reply in replies) == hit
    assert not any(reply.cached for reply in replies)
