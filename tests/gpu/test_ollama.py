from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpu.config import GPUResourceConfig
from gpu.exceptions import CloudModelRefused, VLMUnavailable
from gpu.ollama import OllamaManager
from tests.doubles.ollama import LOADED, LOADING, ON_DISK, STOPPING, OllamaServer
from tests.gpu.conftest import VLM

Make = Callable[..., OllamaManager]


@pytest.fixture
def client(config: Callable[..., GPUResourceConfig]) -> Iterator[Make]:
    made: list[OllamaManager] = []

    def make(**fields: Any) -> OllamaManager:
        made.append(OllamaManager(config(**fields)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_server_that_answers_is_healthy_and_one_that_is_away_is_not(client: Make) -> None:
    assert client().health()
    assert not client(ollama_url="http://127.0.0.1:9").health()


def test_the_environments_proxy_never_sees_what_goes_to_loopback(client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """RELIABILITY.md A.4.10"""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert client().health()


def test_models_are_listed_and_a_name_without_a_tag_is_the_latest(ollama: OllamaServer, client: Make) -> None:
    asking = client()
    assert [entry["name"] for entry in asking.list_models()] == [VLM, "llama3:latest", "big:480b-cloud"]
    assert asking.loaded_models() == []
    ollama.models["llama3:latest"].state = LOADED
    assert asking.is_model_loaded("llama3")
    assert not asking.is_model_loaded("llama")


def test_a_load_blocks_until_the_model_is_there_and_is_hidden_until_then(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md A.5.1, A.5.5"""
    ollama.hold_loads = True
    asking, returned = client(), threading.Event()
    load = threading.Thread(target=lambda: (asking.load_model(VLM), returned.set()))
    load.start()
    ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
    assert not asking.is_model_loaded(VLM)
    assert not returned.is_set()
    ollama.let_loads_end()
    load.join(10)
    assert returned.is_set()
    assert asking.is_model_loaded(VLM)


def test_a_load_has_a_time_limit_of_its_own_far_above_that_of_questions(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md finding 9: with one short limit for all, no cold load ever finishes."""
    ollama.hold_loads = True
    asking, problems = client(ask_timeout_s=0.05), []
    load = threading.Thread(target=lambda: problems.append(asking.load_model(VLM)))
    load.start()
    ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
    load.join(0.3)  # six times the limit of a question
    assert load.is_alive()
    ollama.let_loads_end()
    load.join(10)
    assert problems == [None]


def test_hanging_up_aborts_the_load_on_the_server_as_it_really_does(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md A.4.1: the double keeps what our limits are made for."""
    ollama.hold_loads = True
    with pytest.raises(VLMUnavailable, match="did not answer /api/generate in time") as caught:
        client(load_timeout_s=0.05).load_model(VLM)
    assert caught.value.passing
    ollama.wait_for(lambda: ollama.models[VLM].aborted_loads == 1)
    assert ollama.models[VLM].state == ON_DISK


def test_the_answer_to_an_unload_is_a_receipt(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md finding 10"""
    asking = client()
    asking.load_model(VLM)
    ollama.hold_unloads = True
    asking.unload_model(VLM)
    assert ollama.models[VLM].state == STOPPING
    assert asking.is_model_loaded(VLM)
    ollama.let_unloads_end()
    assert not asking.is_model_loaded(VLM)


@pytest.mark.security
def test_a_model_of_the_cloud_is_refused_and_nothing_is_sent_to_it(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md T9, S10.6: by its name, and by what the server says of one with an innocent name."""
    ollama.models["llama3:latest"].remote_host = "https://models.example"
    for model in ("big:480b-cloud", "small:cloud", "llama3:latest"):
        with pytest.raises(CloudModelRefused, match="screens do not leave this machine"):
            client().load_model(model)
    assert ollama.count("/api/generate") == 0


def test_an_unknown_model_is_refused_for_good_in_the_servers_words(client: Make) -> None:
    with pytest.raises(VLMUnavailable, match=r"model 'nobody:1b' not found \(404\)") as caught:
        client().load_model("nobody:1b")
    assert not caught.value.passing


def test_a_failing_server_may_be_asked_again(ollama: OllamaServer, client: Make) -> None:
    ollama.fail_loads = [(503, "server busy, please try again.  maximum pending requests exceeded")]
    with pytest.raises(VLMUnavailable, match="server busy") as caught:
        client().load_model(VLM)
    assert caught.value.passing


@pytest.mark.parametrize("body", ["<html>502 Bad Gateway</html>", "", "[]", "null"])
def test_something_else_that_listens_there_is_called_by_its_name(ollama: OllamaServer, client: Make, body: str) -> None:
    ollama.body_instead = body
    with pytest.raises(VLMUnavailable, match="is no Ollama"):
        client().is_model_loaded(VLM)


def test_a_server_that_says_nothing_costs_the_limit_of_a_question(ollama: OllamaServer, client: Make) -> None:
    ollama.silent = True
    with pytest.raises(VLMUnavailable, match="did not answer /api/ps in time"):
        client(ask_timeout_s=0.05).is_model_loaded(VLM)


def test_an_answer_without_done_is_no_load(ollama: OllamaServer, client: Make) -> None:
    """RELIABILITY.md A.4.5"""
    ollama.body_instead = '{"response": ""}'
    with pytest.raises(VLMUnavailable, match="without saying that it is done"):
        client().load_model(VLM)


def test_a_server_that_is_away_is_named_with_its_address(client: Make) -> None:
    with pytest.raises(VLMUnavailable, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        client(ollama_url="http://127.0.0.1:9").list_models()
