"""What is said, in which form, cut where, refused in which words, and the other API: A.1, A.4.9, A.5.10 to A.5.16."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.conftest import ASKED, THINKER, VLM, Asker, image, with_image
from tests.doubles.ollama import LOADED, NEW, OLD, ON_DISK, End, Fault, Kind, Model, OllamaServer, Profile, Reply

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- format -----------------------------------------------------------------------------------------------------------
def test_a_thinking_model_takes_two_passes_for_a_format(double: Make) -> None:
    """A.3"""
    ollama, ask = double(Model(THINKER, capabilities=("completion", "thinking")))
    ask.chat(model=THINKER, format="json")
    ask.chat(model=THINKER)
    assert [asked.passes for asked in ollama.asks] == [2, 1]


@pytest.mark.parametrize("value", ["yaml", 7, ["json"]])
def test_a_format_that_is_none_is_found_out_late(double: Make, value: Any) -> None:
    """A.1: 500, and the model has been loaded for it"""
    ollama, ask = double()
    response = ask.post("/api/chat", **ASKED, format=value)
    assert response.status_code == 500 and response.json()["error"].startswith("invalid format: ")
    assert ollama.models[VLM].state == LOADED and ask.chat()["done"]


# --- think ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("think", "thinks"), [({}, True), ({"think": True}, True), ({"think": "low"}, True),
                                               ({"think": False}, False)])  # fmt: skip
def test_a_thinking_model_thinks_unless_it_is_told_not_to(double: Make, think: dict[str, Any], thinks: bool) -> None:
    """A.5.13"""
    _ollama, ask = double(Model(THINKER, capabilities=("completion", "thinking")))
    assert ("thinking" in ask.chat(model=THINKER, **think)["message"]) is thinks


def test_another_model_refuses_to_think_and_accepts_not_to(double: Make) -> None:
    """A.5.13"""
    _ollama, ask = double()
    assert ask.chat(think=True) == {"error": f'"{VLM}" does not support thinking'}
    assert ask.chat(think=False)["done"]
    assert "invalid think value" in ask.chat(think="hard")["error"]


# --- history ----------------------------------------------------------------------------------------------------------
def talk(*words: int) -> list[dict[str, str]]:
    """A system message and turns of so many words."""
    turns = [{"role": "user" if at % 2 == 0 else "assistant", "content": "w " * n} for at, n in enumerate(words)]
    return [{"role": "system", "content": "Be short."}, *turns]


def test_the_oldest_messages_are_dropped_without_a_word_and_it_is_told_which(double: Make) -> None:
    """A.5.16"""
    ollama, ask = double()
    assert ask.chat(messages=talk(50, 50, 50, 50, 50), options={"num_ctx": 120})["done"]
    assert ollama.asks[-1].kept == [0, 4, 5]  # the system message, and what fits from the end
    assert ollama.asks[-1].prompt_tokens == 102


def test_an_image_counts_768_tokens(double: Make) -> None:
    """A.3"""
    ollama, ask = double()
    ask.post("/api/chat", **with_image(image()))
    assert ollama.asks[-1].prompt_tokens == 769


def test_the_context_depends_on_the_size_of_the_gpu(double: Make) -> None:
    """A.3"""
    for total_mb, context in ((12_000, 4096), (24_000, 32_768), (80_000, 128_000)):
        _ollama, ask = double(total_mb=total_mb)
        ask.load()
        assert ask.ps()[0]["context_length"] == context  # no more than the model was trained with


# --- the wire ---------------------------------------------------------------------------------------------------------
def pieces(ask: Asker) -> list[bytes]:
    with ask.client.stream("POST", "/api/chat", json=ASKED) as response:
        return list(response.iter_raw())


def test_pieces_end_where_the_script_says_in_the_middle_of_a_line(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(cuts=(10, 150)))
    got = pieces(ask)
    assert [len(piece) for piece in got[:2]] == [10, 140]
    assert [json.loads(line)["done"] for line in b"".join(got).splitlines()] == [False, False, True]


def test_pieces_end_in_the_middle_of_a_character(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(content="Größe €", every=1))
    got = pieces(ask)
    assert set(map(len, got)) == {1} and "ö".encode()[:1] in got
    assert "Größe" in b"".join(got).decode()


@pytest.mark.parametrize("stream", [True, False])
def test_answers_are_packed(double: Make, stream: bool) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.GZIP))
    response = ask.client.post("/api/chat", json=ASKED | {"stream": stream})
    assert response.headers["content-encoding"] == "gzip"
    assert json.loads(response.text.splitlines()[-1])["done"]


def test_an_answer_comes_late_without_anything_being_loaded(double: Make) -> None:
    """A.4.8: /api/ps blocks while a lock is held"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.LATE, path="/api/ps", delay_s=4))
    answer = ask.later(ask.ps)
    ollama.wait_for(lambda: ollama.count("/api/ps") == 1)
    assert ask.client.get("/api/version").status_code == 200 and not answer.done()
    ollama.advance(4)
    assert answer.result(60) == []


# --- refusals ---------------------------------------------------------------------------------------------------------
def test_an_unknown_model_has_one_text_and_one_that_vanishes_another(double: Make) -> None:
    """A.5.10: match on the status"""
    _ollama, ask = double(Model(VLM, vanishes=True))
    first, second = ask.post("/api/chat", model="nobody:1b", messages=[]), ask.post("/api/chat", model=VLM)
    assert (first.status_code, first.json()) == (404, {"error": "model 'nobody:1b' not found"})
    assert (second.status_code, second.json()["error"]) == (404, f'model "{VLM}" not found, try pulling it first')
    assert ask.post("/api/chat", model=VLM).json()["error"] == f"model '{VLM}' not found"


def test_a_foreign_host_gets_403_and_nothing_else(double: Make) -> None:
    """A.5.10"""
    _ollama, ask = double()
    response = ask.client.get("/api/tags", headers={"Host": "rebound.example:11434"})
    assert (response.status_code, response.content) == (403, b"")
    assert ask.client.get("/api/tags", headers={"Host": "localhost:1"}).status_code == 200


@pytest.mark.parametrize(("verb", "path", "status"), [
    ("GET", "/api/generate", 405), ("POST", "/api/tags", 405), ("GET", "/api/nothing", 404), ("HEAD", "/", 200),
])  # fmt: skip
def test_verbs_and_paths_are_checked(double: Make, verb: str, path: str, status: int) -> None:
    """A.5.10"""
    _ollama, ask = double()
    assert ask.client.request(verb, path).status_code == status


@pytest.mark.parametrize(("raw", "text"), [
    (b"", "missing request body"), (b"{oops", "invalid character 'o' looking for beginning of value"),
    (b'{"model": ', "unexpected EOF"), (b"[]", "json: cannot unmarshal array"),
    (b'{"model": 7}', "json: cannot unmarshal number"),
])  # fmt: skip
def test_a_body_that_is_no_request_is_refused(double: Make, raw: bytes, text: str) -> None:
    """A.5.10"""
    _ollama, ask = double()
    response = ask.client.post("/api/chat", content=raw)
    assert response.status_code == 400 and text in response.json()["error"]


@pytest.mark.parametrize(("value", "status"), [
    (10, 200), ("10m", 200), ("1h30m", 200), ("0", 200), (-1, 200), ("-1s", 200), (0.5, 200),
    ("10", 400), ("-1", 400), ("soon", 400), ("", 400), (True, 400), ([], 400),
])  # fmt: skip
def test_a_keep_alive_is_a_number_or_a_duration_with_its_unit(double: Make, value: Any, status: int) -> None:
    """A.1, A.5.10"""
    _ollama, ask = double()
    assert ask.post("/api/generate", model=VLM, keep_alive=value).status_code == status


# --- images -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("encoded", ["data:image/png;base64,AAAA", "https://x.example/a.png", "!!!!"])
def test_anything_else_is_refused_at_the_byte(double: Make, encoded: str) -> None:
    """A.5.14"""
    _ollama, ask = double()
    response = ask.post("/api/chat", **with_image(encoded))
    assert response.status_code == 400 and "illegal base64 data at input byte" in response.json()["error"]


# --- out of memory, crashes, repeats ----------------------------------------------------------------------------------
@pytest.mark.parametrize(("profile", "other"), [(NEW, ON_DISK), (OLD, LOADED)])
def test_out_of_memory_while_answering_unloads_everything(double: Make, profile: Profile, other: str) -> None:
    """A.5.15; an old server loses the one model"""
    ollama, ask = double(Model(VLM), Model("b:latest"), profile=profile)
    ask.load("b:latest")
    ollama.replies.append(Reply(end=End.OOM))
    assert ask.stream()[-1] == {"error": "CUDA error: out of memory"}
    assert (ollama.models[VLM].state, ollama.models["b:latest"].state) == (ON_DISK, other)
    assert ask.chat()["done"]  # and then it is loaded again


def test_a_runner_that_is_killed_takes_everybody_in_its_line_along(double: Make) -> None:
    """A.5.15"""
    ollama, ask = double()
    ollama.reply = Reply(first_s=100)
    answers = [ask.later(ask.chat) for _ in range(3)]
    ollama.wait_for(lambda: ollama.models[VLM].runner is not None and ollama.models[VLM].runner.refs == 3)
    ollama.crash_runner(VLM)
    assert all("unexpectedly stopped" in answer.result(60)["error"] for answer in answers)
    ollama.reply = Reply()
    assert ask.chat()["done"] and ollama.models[VLM].loads == 2


# --- the other API ----------------------------------------------------------------------------------------------------
def test_the_compatible_api_answers_whole_and_as_events_and_knows_no_keep_alive(double: Make) -> None:
    """A.4.9, S4"""
    ollama, ask = double()
    whole = ask.post("/v1/chat/completions", **ASKED, keep_alive=-1).json()
    assert whole["choices"][0]["message"]["content"] == "Hello there." and whole["usage"]["completion_tokens"] == 2
    assert not ask.ps()[0]["expires_at"].startswith("2318")
    events = ask.client.post("/v1/chat/completions", json=ASKED | {"stream": True}).text.split("\n\n")
    assert events[-2] == "data: [DONE]" and json.loads(events[0][6:])["choices"][0]["delta"]["content"] == "Hello"
    assert ask.post("/v1/chat/completions", model="nobody", messages=[]).json()["error"]["message"]
    assert ask.client.get("/v1/models").json()["data"][0]["id"] == VLM
    assert ollama.count("/v1/chat/completions") == 3
