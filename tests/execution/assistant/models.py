"""The assistant of the API with models that say what a test put in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from execution.api import assistant as api
from execution.assistant.run_records import RunRecords
from gpu.assistant.assistant import Assistant
from gpu.conversation import Talk
from gpu.model_manager import ModelStatus
from gpu.resources import ResourceMonitor
from gpu.runtime import Runtime
from gpu.types import Chunk, ExecutionMode


class Models:
    """Says what a test put in; an event is waited for."""

    def __init__(self) -> None:
        self.said: list[Any] = ["The window ", "stayed.", Chunk(done=True, model="qwen")]

    async def stream_response(self, message: str, conversation: Talk) -> AsyncIterator[Chunk]:
        for one in self.said:
            if isinstance(one, Exception):
                raise one
            if isinstance(one, threading.Event):
                await asyncio.to_thread(one.wait, 20)
                continue
            yield Chunk(text=one) if isinstance(one, str) else one

    async def get_current_model_status(self) -> ModelStatus:
        read = ResourceMonitor().read()
        return ModelStatus(selection=None, problem="No model fits.", resources=read, mode=ExecutionMode.IDLE, models=())


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    models, runtime = Models(), Runtime("test")
    assistant = Assistant(records=RunRecords(), models=models, runtime=runtime)
    monkeypatch.setattr(api, "get_assistant", lambda: assistant)
    yield models
    for end in (assistant.shutdown, runtime.close):  # the browser's driver keeps an event loop in this thread
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
