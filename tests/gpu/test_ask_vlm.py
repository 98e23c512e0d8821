"""Questions to the vision-language model: loading may be shared between callers, answers never (S3.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from gpu.exceptions import AnswerUnusable
from gpu.manager import GPUResourceManager
from tests.doubles.ollama import OllamaServer, Reply
from tests.doubles.ollama.asks import Ask

SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}


def prompt_of(ask: Ask) -> str:
    return str(ask.messages[-1]["content"])


def test_two_questions_about_the_same_picture_get_an_answer_each(
    ollama: OllamaServer, make_manager: Callable[..., GPUResourceManager]
) -> None:
    ollama.reply = lambda ask: Reply(content=f'{{"said": "answer to {prompt_of(ask)}"}}')
    manager = make_manager()

    async def both() -> list[str]:
        return await asyncio.gather(*(manager.ask_vlm(prompt, [], SCHEMA) for prompt in ("one", "two")))

    assert asyncio.run(both()) == ['{"said": "answer to one"}', '{"said": "answer to two"}']
    assert sum(ask.empty for ask in ollama.asks) == 1  # one load


def test_an_answer_that_does_not_keep_to_the_schema_is_none(
    ollama: OllamaServer, make_manager: Callable[..., GPUResourceManager]
) -> None:
    ollama.reply = Reply(content="Sure! The button is on the left.")
    with pytest.raises(AnswerUnusable):
        make_manager().ask_vlm_sync("where?", [], SCHEMA)
