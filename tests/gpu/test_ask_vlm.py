"""Questions to the vision-language model: loading may be shared between callers, answers never (S3.4)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from gpu.manager import GPUResourceManager
from gpu.ollama import OllamaManager


def test_two_questions_about_the_same_picture_get_an_answer_each(
    make_manager: Callable[..., GPUResourceManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    both_asked = threading.Event()

    def answer(self: OllamaManager, model: str, *, prompt: str, **more: Any) -> str:
        assert both_asked.wait(10)
        return f"answer to {prompt}"

    monkeypatch.setattr(OllamaManager, "answer", answer)
    manager, pictures = make_manager(), [b"png"]

    async def ask() -> list[str]:
        tasks = [asyncio.create_task(manager.ask_vlm(prompt, pictures, {})) for prompt in ("one", "two")]
        await asyncio.sleep(0)  # both have begun, none is answered
        both_asked.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(ask()) == ["answer to one", "answer to two"]
