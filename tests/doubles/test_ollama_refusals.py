"""What a server refuses, and in which words: A.5.10, A.5.14."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.conftest import (
    PNG,
    VLM,
    Asker,
    image,
    with_image,
)
from tests.doubles.ollama import (
    NEW,
    OLD,
    Model,
    OllamaServer,
    Profile,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


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


def test_a_digest_that_changed_is_told(double: Make) -> None:
    """A.1"""
    ollama, ask = double()
    before = ask.client.get("/api/tags").json()["models"][0]["digest"]
    ollama.models[VLM].digest = "0" * 64
    assert ask.client.get("/api/tags").json()["models"][0]["digest"] not in ("", before)


# --- images -----------------------------------------------------------------------------------------------------------
def test_an_image_is_plain_base64(double: Make) -> None:
    """A.5.14"""
    ollama, ask = double()
    assert ask.post("/api/chat", **with_image(image())).json()["done"]
    assert ollama.asks[-1].images == [PNG]


@pytest.mark.parametrize("encoded", ["data:image/png;base64,AAAA", "https://x.example/a.png", "!!!!"])
def test_anything_else_is_refused_at_the_byte(double: Make, encoded: str) -> None:
    """A.5.14"""
    _ollama, ask = double()
    response = ask.post("/api/chat", **with_image(encoded))
    assert response.status_code == 400 and "illegal base64 data at input byte" in response.json()["error"]


@pytest.mark.parametrize("damaged", [PNG[:-9], PNG[:40] + b"x" + PNG[41:], b"no image at all", b"\xff\xd8\xff\xe0"])
@pytest.mark.parametrize(("profile", "status"), [(NEW, 400), (OLD, 500)])
def test_a_damaged_image_is_refused(double: Make, damaged: bytes, profile: Profile, status: int) -> None:
    """A.5.14"""
    _ollama, ask = double(profile=profile)
    assert ask.post("/api/chat", **with_image(image(damaged))).status_code == status


def test_a_model_without_eyes_refuses_an_image(double: Make) -> None:
    """A.5.14"""
    _ollama, ask = double(Model(VLM, capabilities=("completion",)))
    assert ask.post("/api/chat", **with_image(image())).status_code == 500
