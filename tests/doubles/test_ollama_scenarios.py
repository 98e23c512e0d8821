"""Scenario files: the double does what they say, and a real server answers in the same shapes (A.1, A.2)."""

from __future__ import annotations

import os
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx
import pytest

from tests.doubles.conftest import VLM
from tests.doubles.ollama import NEW, OLD, OllamaServer, Profile, scenarios

Make = Callable[..., OllamaServer]
REAL = os.environ.get("OLLAMA_HOST", "")


@pytest.mark.parametrize("profile", [NEW, OLD], ids=lambda profile: profile.name)
@pytest.mark.parametrize("name", scenarios.names())
def test_the_double_does_what_the_file_says(double: Make, name: str, profile: Profile) -> None:
    """A.5.10, A.5.19"""
    server = double(profile=profile)
    scenario = scenarios.read(name)
    assert scenarios.failures(scenario, scenarios.replay(scenario, server.url, VLM)) == []


def test_a_shape_that_differs_is_named(double: Make) -> None:
    new, old = double(profile=NEW), double(profile=OLD)
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
    server = double()
    scenario = scenarios.read(name)
    theirs = scenarios.replay(scenario, real, min(local, key=lambda model: model["size"])["name"], timeout_s=300)
    assert scenarios.failures(scenario, theirs) == []
    assert scenarios.differences(scenarios.replay(scenario, server.url, VLM), theirs) == []
