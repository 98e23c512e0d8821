from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.doubles.ollama import Model, OllamaServer, ollama_server

VLM = "qwen2.5vl:7b"


@pytest.fixture
def double() -> Iterator[Callable[..., OllamaServer]]:
    """`double(Model(...), ...)`: without models it has a VLM."""
    with ExitStack() as stack:
        yield lambda *models, **fields: stack.enter_context(ollama_server(*(models or (Model(VLM),)), **fields))
