"""Whatever fails, however often: every answer ends, with words or with an error that says what was tried (S4.4)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.exceptions import (
    AnswerBroken,
    AnswerTimeout,
    AnswerUnusable,
    CloudModelRefused,
    GpuBusy,
    LoadFailed,
    NotEnoughVRAM,
    OutOfMemory,
    PromptTooLarge,
    ServerAway,
    StillInMemory,
    TooManySwaps,
    VLMUnavailable,
)
from gpu.model_manager import ModelManager
from gpu.models import ModelUse
from gpu.runtime import Runtime
from gpu.types import Chunk
from tests.gpu.fake_models import LIGHT, Clock, FakeGPU, FakeServer, Says, entry, machine, rows_of

KEYS = "abc"
CATALOGUE = (entry("a"), entry("b", vram_mb=4100), entry("c", tier=LIGHT))
ANSWERS: dict[str, Callable[[], Says | Exception]] = {
    "words": lambda: Says(["Step ", "3."]),
    "nothing": lambda: Says([" "]),
    "no end": lambda: Says(["Step "], ends=False),
    "late at once": lambda: AnswerTimeout("no byte"),
    "late in the middle": lambda: Says(["Step "], error=AnswerTimeout("no byte")),
    "broken": lambda: Says(["Step ", "4"], error=AnswerBroken("reset")),
    "out of memory": lambda: Says(["S"], error=OutOfMemory("CUDA")),
    "not after the schema": lambda: Says(["{"], error=AnswerUnusable("no JSON")),
    "away": lambda: ServerAway("refused"),
    "in a cloud": lambda: CloudModelRefused("elsewhere"),
    "a run came": lambda: Says(["Step "], error=GpuBusy("a run", retry_after_s=1)),
    "too long": lambda: Says([], error=PromptTooLarge("too long")),
}
REFUSALS: dict[str, Callable[[], VLMUnavailable]] = {
    "no room": lambda: NotEnoughVRAM("it", needed_mb=2, free_mb=1),
    "not loaded": lambda: LoadFailed("broken file"),
    "too many loads": lambda: TooManySwaps("6 a minute", retry_after_s=9),
    "another stays": lambda: StillInMemory("still there"),
}
SCRIPTS = st.fixed_dictionaries({key: st.lists(st.sampled_from([*ANSWERS]), max_size=3) for key in KEYS})
DOORS = st.fixed_dictionaries({key: st.lists(st.sampled_from([*REFUSALS]), max_size=2) for key in KEYS})


class Machine:
    def read(self) -> Any:
        return machine()


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    runtime = Runtime("test-answering")
    yield runtime
    runtime.close()


@given(script=SCRIPTS, doors=DOORS, loaded=st.sampled_from(("", "a", "c")))
def test_every_answer_ends_and_tells_what_it_took(
    runtime: Runtime, script: dict[str, list[str]], doors: dict[str, list[str]], loaded: str
) -> None:
    """S4.4"""
    server = FakeServer(*(one.name for one in CATALOGUE))
    server.loaded = [f"{loaded}:latest"] if loaded else []
    gpu, uses = FakeGPU(server, runtime), list[ModelUse]()
    for key in KEYS:
        server.will(f"{key}:latest", *(ANSWERS[word]() for word in script[key]))
        gpu.refuses[f"{key}:latest"] = deque(REFUSALS[word]() for word in doors[key])
    models = ModelManager(gpu, monitor=Machine(), rows=rows_of(*CATALOGUE), keep=uses.append, clock=Clock())
    chunks, error = list[Chunk](), None
    try:
        for chunk in models.iterate_response("Which?", ()):
            chunks.append(chunk)
    except VLMUnavailable as failure:
        error = failure
    models.close()
    assert gpu.using_now == [], "every model was given back"
    attempts = error.attempts if error else chunks[-1].attempts
    check_attempts(attempts, uses)
    check_words(chunks, attempts, error)


def check_attempts(attempts: Any, uses: list[ModelUse]) -> None:
    """Each is told and kept once, in order; no model is asked more than twice; a fallback says instead of whom."""
    assert attempts
    kept = [(use.model, use.outcome, use.error) for use in uses]
    assert kept == [(f"{one.model}:latest", one.outcome, one.error) for one in attempts]
    assert [use.attempt for use in uses] == list(range(1, len(uses) + 1))
    # a model that could not be loaded for too many loads may be asked again once it is among those that are loaded
    assert all(times <= 3 for times in Counter(one.model for one in attempts).values())
    for before, after in pairwise(attempts):
        assert after.instead_of == (before.model if before.model != after.model else "")


def check_words(chunks: list[Chunk], attempts: Any, error: VLMUnavailable | None) -> None:
    """What stands in the end is the answer of one model alone: whatever was shown of a failed one is declared void."""
    begun = max((index for index, chunk in enumerate(chunks) if chunk.restarted), default=-1) + 1
    if error is None:
        assert attempts[-1].outcome == "answered"
        assert chunks[-1].done
        assert chunks[-1].model == attempts[-1].model
        assert sum(chunk.done for chunk in chunks) == 1
        assert "".join(chunk.text for chunk in chunks[begun:]) in ("Step 3.", "Yes.")
    else:
        assert attempts[-1].error == type(error).__name__ or attempts[-1].outcome == "failed"
        assert not any(chunk.done for chunk in chunks)
    for index, chunk in enumerate(chunks):
        if chunk.restarted:
            assert any(one.text for one in chunks[:index]), "nothing is void where nothing was shown"
