"""Loads, unloads and keep-alives: A.5.1 to A.5.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.conftest import (
    VLM,
    A,
    Asker,
    B,
    busy,
    loading,
)
from tests.doubles.ollama import (
    LOADED,
    LOADING,
    OLD,
    ON_DISK,
    STOPPING,
    Model,
    OllamaServer,
    Reply,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- loads ------------------------------------------------------------------------------------------------------------
def test_a_load_lasts_as_long_as_scripted_and_not_a_moment_less(double: Make) -> None:
    """A.5.1"""
    ollama, ask = double(Model(VLM, load_s=30))
    answer = ask.later(ask.load)
    loading(ollama)
    ollama.advance(29.9)
    assert ollama.models[VLM].state == LOADING and not answer.done()
    ollama.advance(0.1)
    assert answer.result(10)["done_reason"] == "load"


@pytest.mark.parametrize("body", [{"stream": True}, {"stream": False}, {}])
def test_a_load_is_one_json_object_whatever_stream_says(double: Make, body: dict[str, Any]) -> None:
    """A.5.1, A.1"""
    _ollama, ask = double()
    response = ask.post("/api/generate", model=VLM, **body)
    assert response.headers["content-type"].startswith("application/json")
    assert {key: response.json()[key] for key in ("response", "done", "done_reason")} == {
        "response": "", "done": True, "done_reason": "load",
    }  # fmt: skip


def test_a_chat_without_messages_is_a_load_too(double: Make) -> None:
    """A.5.1"""
    ollama, ask = double()
    said = ask.post("/api/chat", model=VLM, messages=[]).json()
    assert (said["message"], said["done_reason"]) == ({"role": "assistant", "content": ""}, "load")
    assert ollama.models[VLM].loads == 1


def test_hanging_up_during_a_load_aborts_it(double: Make) -> None:
    """A.5.2"""
    ollama, ask = double(Model(VLM, load_s=30))
    asking = ask.hanging(model=VLM)
    loading(ollama)
    asking.close()
    ollama.wait_for(lambda: ollama.models[VLM].aborted_loads == 1)
    assert ollama.models[VLM].state == ON_DISK
    assert ollama.trace == [(0.0, 499, "/api/generate")]
    ollama.advance(60)
    assert ollama.models[VLM].loads == 0 and ollama.ledger.used_mb == 0


def test_after_an_aborted_load_the_next_in_line_is_loaded(double: Make) -> None:
    """A.5.2, A.5.3"""
    ollama, ask = double(Model(A, load_s=30), Model(B))
    first = ask.hanging(model=A)
    loading(ollama, A)
    second = ask.later(ask.load, B)
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 1)
    first.close()
    assert second.result(10)["done_reason"] == "load"


def test_loads_come_one_after_the_other(double: Make) -> None:
    """A.5.3"""
    ollama, ask = double(Model(A, load_s=10), Model(B, load_s=10))
    one = ask.later(ask.load, A)
    loading(ollama, A)
    two = ask.later(ask.load, B)
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 1)
    assert ollama.models[B].state == ON_DISK
    ollama.advance(10)
    assert one.result(10) and ollama.models[B].state == LOADING
    ollama.advance(10)
    assert two.result(10)["done_reason"] == "load"


def test_many_who_wait_for_the_same_model_cost_one_load(double: Make) -> None:
    """A.5.3"""
    ollama, ask = double(Model(VLM, load_s=10))
    answers = [ask.later(ask.load) for _ in range(5)]
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 4)
    ollama.advance(10)
    assert all(answer.result(10)["done"] for answer in answers)
    assert ollama.models[VLM].loads == 1


def test_what_is_loaded_is_not_held_up_by_a_load_of_something_else(double: Make) -> None:
    """A.5.3: profile new"""
    ollama, ask = double(Model(A), Model(B, load_s=60))
    ask.load(A)
    slow = ask.later(ask.load, B)
    loading(ollama, B)
    assert ask.chat(model=A)["done"]
    ollama.advance(60)
    slow.result(10)


def test_an_old_server_lets_what_is_loaded_wait_behind_a_load(double: Make) -> None:
    """A.5.3, A.5.19: profile old"""
    ollama, ask = double(Model(A), Model(B, load_s=60), profile=OLD)
    ask.load(A)
    slow = ask.later(ask.load, B)
    loading(ollama, B)
    behind = ask.later(ask.chat, model=A)
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 1)
    assert not behind.done()
    ollama.advance(60)
    assert slow.result(10)["done"] and behind.result(10)["done"]


# --- unloads ----------------------------------------------------------------------------------------------------------
def test_the_receipt_of_an_unload_comes_before_its_effect(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double(Model(VLM, unload_s=2))
    ask.load()
    assert ask.unload()["done_reason"] == "unload"
    assert ollama.models[VLM].state == STOPPING and len(ask.ps()) == 1
    ollama.advance(2)
    assert ollama.models[VLM].state == ON_DISK and ask.ps() == []


def test_an_unload_of_what_is_not_loaded_is_answered_all_the_same(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    assert ask.unload()["done_reason"] == "unload"
    assert ollama.models[VLM].unloads == 0


def test_an_unload_during_a_load_does_nothing(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double(Model(VLM, load_s=10))
    load = ask.later(ask.load)
    loading(ollama)
    assert ask.unload()["done_reason"] == "unload"
    ollama.advance(10)
    assert load.result(10)["done"] and ollama.models[VLM].state == LOADED


def test_an_old_server_holds_an_unload_until_the_load_is_over(double: Make) -> None:
    """A.4.8, A.5.19: profile old"""
    ollama, ask = double(Model(VLM, load_s=10), profile=OLD)
    load = ask.later(ask.load)
    loading(ollama)
    unload = ask.later(ask.unload)
    ollama.wait_for(lambda: ollama.count("/api/generate") == 2)
    assert not unload.done()
    ollama.advance(10)
    assert load.result(10)["done"] and unload.result(10)["done_reason"] == "unload"
    assert ollama.models[VLM].state == ON_DISK


def test_an_unload_of_a_busy_model_waits_for_its_answer(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    ollama.replies.append(Reply(first_s=5))
    answer = ask.later(ask.chat)
    busy(ollama)
    ask.unload()
    assert ollama.models[VLM].state == STOPPING
    ollama.advance(5)
    assert answer.result(10)["done"] and ollama.models[VLM].state == ON_DISK


def test_a_later_request_with_a_keep_alive_cancels_an_unload(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double(Model(VLM, unload_s=5))
    ask.load()
    ask.unload()
    ask.load(keep_alive="10m")
    ollama.advance(60)
    assert ollama.models[VLM].state == LOADED
    assert (ollama.models[VLM].cancelled_unloads, ollama.models[VLM].loads) == (1, 1)


def test_a_later_request_without_one_waits_for_the_end_and_loads_again(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double(Model(VLM, unload_s=5))
    ask.load()
    ask.unload()
    again = ask.later(ask.load)
    ollama.wait_for(lambda: ollama.scheduler.current is not None)
    ollama.advance(5)
    assert again.result(10)["done"]
    assert (ollama.models[VLM].unloads, ollama.models[VLM].loads) == (1, 2)


def test_a_model_goes_when_its_keep_alive_has_run_out(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    ask.load(keep_alive=60)
    ollama.advance(59)
    assert ollama.models[VLM].state == LOADED
    ollama.advance(1)
    assert ollama.models[VLM].state == ON_DISK


def test_the_keep_alive_begins_when_the_answer_ends(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    ollama.replies.append(Reply(first_s=100))
    answer = ask.later(ask.chat, keep_alive=10)
    busy(ollama)
    ollama.advance(100)
    answer.result(10)
    ollama.advance(9)
    assert ollama.models[VLM].state == LOADED
    ollama.advance(1)
    assert ollama.models[VLM].state == ON_DISK


def test_a_keep_alive_of_nothing_unloads_as_soon_as_the_answer_is_there(double: Make) -> None:
    """A.1: with a prompt it is an answer first"""
    ollama, ask = double()
    assert ask.chat(keep_alive=0)["done_reason"] == "stop"
    ollama.wait_for(lambda: ollama.models[VLM].state == ON_DISK)


def test_a_keep_alive_that_runs_out_during_an_answer_takes_nothing_away(double: Make) -> None:
    """A.5.4, A.5.5"""
    ollama, ask = double()
    ask.load(keep_alive=10)
    ollama.replies.append(Reply(first_s=30))
    answer = ask.later(ask.chat)
    busy(ollama)
    ollama.advance(29)
    assert ollama.models[VLM].state == LOADED and ollama.models[VLM].unloads == 0
    ollama.advance(1)
    assert answer.result(10)["done"]
