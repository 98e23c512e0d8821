"""Crashes, restarts, clouds, and the other API: A.5.15, A.5.17, A.5.18."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from tests.doubles.conftest import (
    ASKED,
    PNG,
    VLM,
    Asker,
    image,
)
from tests.doubles.ollama import (
    LOADED,
    LOADING,
    NEW,
    OLD,
    ON_DISK,
    End,
    Model,
    OllamaServer,
    Profile,
    Reply,
    Settings,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


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


def test_a_runner_dies_in_the_middle_of_an_answer(double: Make) -> None:
    """A.5.15"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.CRASH, after=1))
    lines = ask.stream()
    assert len(lines) == 2 and "model runner has unexpectedly stopped" in lines[-1]["error"]
    assert ollama.models[VLM].state == ON_DISK and ollama.ledger.used_mb == 0


def test_a_runner_that_is_killed_takes_everybody_in_its_line_along(double: Make) -> None:
    """A.5.15"""
    ollama, ask = double()
    ollama.reply = Reply(first_s=100)
    answers = [ask.later(ask.chat) for _ in range(3)]
    ollama.wait_for(lambda: ollama.models[VLM].runner is not None and ollama.models[VLM].runner.refs == 3)
    ollama.crash_runner(VLM)
    assert all("unexpectedly stopped" in answer.result(10)["error"] for answer in answers)
    ollama.reply = Reply()
    assert ask.chat()["done"] and ollama.models[VLM].loads == 2


def test_repeats_end_an_old_answer_without_a_word_and_a_new_one_with_an_error(double: Make) -> None:
    """A.4.5"""
    for profile, tokens in ((OLD, 30), (NEW, 100)):
        ollama, ask = double(profile=profile)
        ollama.reply = Reply(end=End.REPEAT)
        lines = ask.stream()
        whole = ask.post("/api/chat", **ASKED, stream=False)
        if profile is OLD:
            assert (len(lines), lines[-1]["done"], whole.status_code) == (tokens, False, 200)
            assert whole.json()["done"] is False
        else:
            assert lines[tokens] == {"error": "prediction aborted, token repeat limit reached"}
            assert whole.status_code == 500


# --- restarts ---------------------------------------------------------------------------------------------------------
def test_a_server_that_is_killed_refuses_connections_and_has_forgotten_everything_when_it_is_back(double: Make) -> None:
    """A.5.17"""
    ollama, ask = double()
    ask.load()
    ollama.stop()
    with pytest.raises(httpx.ConnectError):
        ask.ps()
    ollama.start(version="0.34.0")
    assert ask.ps() == [] and ollama.ledger.used_mb == 0
    assert ask.client.get("/api/version").json() == {"version": "0.34.0"}


def test_a_kill_resets_who_waits(double: Make) -> None:
    """A.5.17"""
    ollama, ask = double(Model(VLM, load_s=10))
    answer = ask.later(ask.load)
    ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
    ollama.stop()
    assert isinstance(answer.exception(10), httpx.HTTPError)
    ollama.start()
    again = ask.later(ask.load)
    ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
    ollama.advance(10)
    assert again.result(10)["done"]


# --- clouds -----------------------------------------------------------------------------------------------------------
def test_a_cloud_model_tells_where_it_runs(double: Make) -> None:
    """A.5.18"""
    _ollama, ask = double(Model("big:480b-cloud", remote_host="https://ollama.com:443"))
    entry = ask.client.get("/api/tags").json()["models"][0]
    assert (entry["remote_host"], entry["remote_model"], entry["size"]) == ("https://ollama.com:443", "big:480b", 384)
    assert ask.post("/api/show", model="big:480b-cloud").json()["remote_host"] == "https://ollama.com:443"


@pytest.mark.security
def test_what_goes_to_a_cloud_is_kept_for_the_test_to_see(double: Make) -> None:
    """A.5.18, T9"""
    ollama, ask = double(Model("big:480b-cloud", remote_host="https://ollama.com:443"), Model(VLM))
    ask.chat()
    assert ollama.left_machine == []
    said = ask.chat(messages=[{"role": "user", "content": "x", "images": [image()]}], model="big:480b-cloud")
    assert said["remote_host"] and ollama.left_machine[0].images == [PNG] and ollama.ledger.held == {VLM: 4000}


def test_a_server_without_clouds_refuses_them(double: Make) -> None:
    """A.2, T9"""
    ollama, ask = double(Model("small:cloud"), settings=Settings(no_cloud=True))
    response = ask.post("/api/chat", model="small:cloud", messages=[{"role": "user", "content": "x"}])
    assert response.status_code == 403 and "cloud is disabled" in response.json()["error"]
    assert ollama.left_machine == []


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
