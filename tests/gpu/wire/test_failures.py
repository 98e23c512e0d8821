"""What is told of a refusal: the server's own words, short, and without the key that it repeats (S10.3)."""

from __future__ import annotations

import json

import pytest

from gpu.config import GPUResourceConfig
from gpu.wire.http import MAX_WORDS, words_of

KEY = "sk-0123456789abcdef"


@pytest.mark.parametrize("as_json", [True, False])
def test_no_part_of_a_key_is_told_wherever_the_words_are_cut(as_json: bool) -> None:
    for before in range(MAX_WORDS - len(KEY) - 2, MAX_WORDS + 2):
        text = "x" * before + " " + KEY + " is not known"
        told = words_of(json.dumps({"error": {"message": text}}).encode() if as_json else text.encode(), secret=KEY)
        assert KEY[:6] not in told and len(told) <= MAX_WORDS


def test_what_the_configuration_says_of_itself_holds_no_address_with_a_password() -> None:
    assert "hunter2" not in repr(GPUResourceConfig(ollama_url="http://me:hunter2@127.0.0.1:11434"))
