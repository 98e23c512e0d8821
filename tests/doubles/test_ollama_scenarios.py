"""Scenario files: the double does what they say, and a real server answers in the same shapes (A.1, A.2)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx
import pytest

from tests.doubles.conftest import VLM, Asker
from tests.doubles.ollama import NEW, OLD, OllamaServer, Profile, scenarios

Make = Callable[..., tuple[OllamaServer, Asker]]
REAL = os.environ.get("OLLAMA_HOST", "")


@pytest.mark.parametrize("profile", [NEW, OLD], ids=lambda profile: profile.name)
@pytest.mark.parametrize("name", scenarios.names())
def test_the_double_does_what_the_file_says(double: Make, name: str, profile: Profile) -> None:
    server, _ask = double(profile=profile)
    scenario = scenarios.read(name)
    assert scenarios.failures(scenario, scenarios.replay(scenario, server.url, VLM)) == []


def test_an_answer_that_is_not_as_the_file_says_is_named(double: Make) -> None:
    server, _ask = double()
    scenario = {"steps": [
        {"name": "tags", "method": "GET", "path": "/api/tags", "expect": {"status": 404, "has": ["nothing"]}},
    ]}  # fmt: skip
    found = scenarios.failures(scenario, scenarios.replay(scenario, server.url, VLM))
    assert found == ["tags: status 200", "tags: no nothing"]


def test_a_shape_that_differs_is_named(double: Make) -> None:
    new, old = double(profile=NEW)[0], double(profile=OLD)[0]
    scenario = scenarios.read("contract")
    ours, theirs = scenarios.replay(scenario, new.url, VLM), scenarios.replay(scenario, old.url, VLM)
    assert scenarios.differences(ours, theirs) == [
        "tags.models[]: the real one has no capabilities",
        "ps.models[]: the real one has no context_length",
    ]


@pytest.mark.slow
@pytest.mark.allow_hosts([urlsplit(REAL if "//" in REAL else f"//{REAL}").hostname or "127.0.0.1", "127.0.0.1"])
@pytest.mark.skipif(not REAL, reason="OLLAMA_HOST names no real Ollama to compare the double with")
@pytest.mark.parametrize("name", scenarios.names())
def test_a_real_server_answers_in_the_same_shapes(double: Make, name: str) -> None:
    """OLLAMA_HOST as Ollama reads it: host:port or a URL. It is asked with the smallest model that it has."""
    real = REAL if "//" in REAL else f"http://{REAL}"
    real = real if urlsplit(real).port else f"{real}:11434"
    models = httpx.get(f"{real}/api/tags", trust_env=False, timeout=10).json()["models"]
    local = [model for model in models if not model.get("remote_host")]
    if not local:
        pytest.skip(f"the Ollama at {real} has no model of its own to ask")
    server, _ask = double()
    scenario = scenarios.read(name)
    theirs = scenarios.replay(scenario, real, min(local, key=lambda model: model["size"])["name"], timeout_s=300)
    assert scenarios.failures(scenario, theirs) == []
    assert scenarios.differences(scenarios.replay(scenario, server.url, VLM), theirs) == []


def test_it_runs_by_hand() -> None:
    """Loopback, a free port, an old profile, a model of its own, and Ctrl-C ends it."""
    command = [sys.executable, "-m", "tests.doubles.ollama", "--port", "0", "--profile", "old", "--load-s", "0"]
    with subprocess.Popen([*command, "--model", "my:1b:900"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert "(old, 0.11.4) at http://127.0.0.1:" in said
            url = said.partition(" at ")[2].partition(";")[0]
            assert httpx.post(f"{url}/api/generate", json={"model": "my:1b"}, trust_env=False).json()["done"]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
