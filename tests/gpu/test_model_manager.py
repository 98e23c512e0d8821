"""Answers by models: chosen, switched, tried again, replaced, kept (S4.3, S4.4, S4.5)."""

from __future__ import annotations

import asyncio
import io
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from gpu.choices import ProviderName
from gpu.conversation import Talk
from gpu.exceptions import (
    AnswerBroken,
    AnswerTimeout,
    AnswerUnusable,
    CloudModelRefused,
    DeadlinePassed,
    GpuBusy,
    LoadFailed,
    NoModelFits,
    NotEnoughVRAM,
    OutOfMemory,
    PromptTooLarge,
    RequestRefused,
    ServerAway,
    TooManySwaps,
    UnknownModel,
)
from gpu.model_manager import ModelManager
from gpu.models import ModelUse
from gpu.runtime import Runtime
from gpu.types import ChatMessage, Chunk, ExecutionMode, Purpose
from tests.gpu.fake_models import LIGHT, Clock, FakeGPU, FakeServer, Says, entry, machine, rows_of
from tests.gpu.ollama.conftest import head_of, png

A, B, C = "a:latest", "b:latest", "c:latest"


class Stage:
    """A model manager and everything around it; `uses` are the attempts that were kept."""

    def __init__(self, runtime: Runtime, **given: Any) -> None:
        catalogue = given.pop("catalogue", (entry("a"), entry("b", vram_mb=4100), entry("c", tier=LIGHT)))
        self.server = given.pop("server", None) or FakeServer(*(one.name for one in catalogue))
        self.openai = given.pop("openai", None)
        self.resources = given.pop("resources", machine())
        self.gpu = FakeGPU(self.server, runtime, **given)
        self.uses: list[ModelUse] = []
        self.clock = Clock()
        self.models = ModelManager(
            self.gpu,
            openai=self.openai,
            monitor=self,
            rows=rows_of(*catalogue),
            keep=self.uses.append,
            clock=self.clock,
        )

    def read(self) -> Any:
        return self.resources

    def ask(self, text: str = "Why?", conversation: Any = ()) -> Chunk:
        return self.models.generate_response_sync(text, conversation)

    def stream(self, text: str = "Why?", conversation: Any = ()) -> list[Chunk]:
        return list(self.models.iterate_response(text, conversation))

    @property
    def kept(self) -> list[tuple[str, str, str, str]]:
        """Once all of it is kept."""
        self.models.close()
        return [(use.model, use.outcome.value, use.error, use.instead_of) for use in self.uses]


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    runtime = Runtime("test-models")
    yield runtime
    runtime.close()


@pytest.fixture
def stage(runtime: Runtime) -> Callable[..., Stage]:
    return lambda **given: Stage(runtime, **given)


# --- an answer ------------------------------------------------------------------------------------------------------
def test_the_answer_comes_from_the_best_model_through_the_owner_of_the_gpu(stage: Callable[..., Stage]) -> None:
    """S4.5"""
    here = stage()
    here.server.will(A, Says(["It ", "failed."]))
    answer = here.ask("What failed?")
    assert (answer.text, answer.model, answer.done) == ("It failed.", "a", True)
    assert here.gpu.lent == [(A, Purpose.ASSISTANT)]
    assert here.kept == [(A, "answered", "", "")]
    use = here.uses[0]
    assert (use.purpose, use.tokens_in, use.tokens_out, use.attempt) == (Purpose.ASSISTANT, 30, 4, 1)


async def test_it_can_be_awaited_in_any_event_loop(stage: Callable[..., Stage]) -> None:
    here = stage()
    assert (await here.models.generate_response("Why?", ())).text == "Yes."
    texts = [chunk.text async for chunk in here.models.stream_response("Why?", ())]
    assert texts == ["Yes.", ""]


def test_what_a_run_asks_is_kept_with_the_run_and_its_step(stage: Callable[..., Stage]) -> None:
    here = stage(catalogue=(entry("a", "json"),))
    here.ask("Which?", Talk(purpose=Purpose.CLASSIFY, execution_id="exec_7", step=3, schema={"type": "object"}))
    assert here.server.asked[0][2]["schema"] == {"type": "object"}
    here.models.close()
    assert [(use.execution_id, use.step, use.purpose) for use in here.uses] == [("exec_7", 3, Purpose.CLASSIFY)]


# --- failures -------------------------------------------------------------------------------------------------------
FAILURES = [
    AnswerTimeout("no byte"), AnswerBroken("500"), OutOfMemory("out of memory"), AnswerUnusable("no JSON"),
    LoadFailed("could not"),
]  # fmt: skip


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_after_the_second_failure_the_next_model_answers(stage: Callable[..., Stage], error: Exception) -> None:
    """S4.4"""
    here = stage()
    here.server.will(A, error, error)
    here.server.will(B, Says(["From b."]))
    answer = here.ask()
    assert (answer.text, answer.model) == ("From b.", "b")
    assert [(a.model, a.outcome, a.instead_of) for a in answer.attempts] == [
        ("a", "failed", ""), ("a", "failed", ""), ("b", "answered", "a"),
    ]  # fmt: skip
    assert answer.attempts[0].reason == str(error)
    name = type(error).__name__
    assert here.kept == [(A, "failed", name, ""), (A, "failed", name, ""), (B, "answered", "", A)]
    assert [use.attempt for use in here.uses] == [1, 2, 3]


def test_an_empty_answer_is_of_no_use(stage: Callable[..., Stage]) -> None:
    here = stage()
    here.server.will(A, Says([" ", "\n"]), Says([]))
    assert here.ask().model == "b"
    assert [error for _m, _o, error, _i in here.kept] == ["AnswerUnusable", "AnswerUnusable", ""]


def test_once_words_were_shown_a_new_beginning_says_so(stage: Callable[..., Stage]) -> None:
    """S4.4"""
    here = stage()
    here.server.will(A, Says(["The st"], error=AnswerBroken("reset")), OutOfMemory("none"))
    here.server.will(B, Says(["Step 3."]))
    told = [(chunk.text, chunk.restarted, chunk.done) for chunk in here.stream()]
    assert told == [("The st", False, False), ("", True, False), ("Step 3.", False, False), ("", False, True)]


def test_the_whole_answer_holds_nothing_of_the_attempts_that_failed(stage: Callable[..., Stage]) -> None:
    """S4.4: a failure is tried again once on the same model."""
    here = stage()
    here.server.will(A, Says(["Wrong "], error=AnswerBroken("reset")), Says(["Right."]))
    assert here.ask().text == "Right."
    assert here.kept == [(A, "failed", "AnswerBroken", ""), (A, "answered", "", "")]


def test_a_model_that_does_not_fit_is_not_tried_twice(stage: Callable[..., Stage]) -> None:
    here = stage(catalogue=(entry("a"), entry("c", tier=LIGHT)))
    here.gpu.refuses[A] = deque([NotEnoughVRAM("“a”", needed_mb=5000, free_mb=100)])
    assert here.ask().model == "c"
    assert here.kept == [(A, "failed", "NotEnoughVRAM", ""), (C, "answered", "", A)]


def test_when_ollama_is_away_the_other_server_answers(stage: Callable[..., Stage]) -> None:
    openai = FakeServer("b")
    catalogue = (entry("a"), entry("b", name="b", provider=ProviderName.OPENAI, tier=LIGHT))
    here = stage(catalogue=catalogue, openai=openai)
    here.server.away = ServerAway("Ollama cannot be reached")
    answer = here.ask()
    assert answer.model == "b"
    assert here.gpu.lent == []
    assert openai.asked_models == ["b"]


def test_a_run_that_needs_the_gpu_ends_the_answer_without_another_attempt(stage: Callable[..., Stage]) -> None:
    """S4.5: a chat never takes from a run."""
    here = stage()
    here.server.will(A, Says(["The st"], error=GpuBusy("a run", retry_after_s=5)))
    with pytest.raises(GpuBusy) as busy:
        here.stream()
    assert [a.error for a in busy.value.attempts] == ["GpuBusy"]
    assert here.kept == [(A, "failed", "GpuBusy", "")]


def test_too_many_loads_leave_what_is_loaded(stage: Callable[..., Stage]) -> None:
    """No ping-pong: what is in memory answers."""
    here = stage()
    here.server.loaded = [C]
    here.gpu.refuses[A] = deque([TooManySwaps("6 a minute", retry_after_s=20)])
    assert here.ask().model == "c"


def test_too_many_loads_and_nothing_loaded_is_told_as_such(stage: Callable[..., Stage]) -> None:
    here = stage()
    here.gpu.refuses[A] = deque([TooManySwaps("6 a minute", retry_after_s=20)])
    with pytest.raises(TooManySwaps) as told:
        here.ask()
    assert told.value.retry_after_s == 20
    assert [a.error for a in told.value.attempts] == ["TooManySwaps"]


def test_a_model_that_turns_out_to_run_elsewhere_is_left_for_another(stage: Callable[..., Stage]) -> None:
    """T9"""
    here = stage()
    here.server.will(A, CloudModelRefused("in a cloud"))
    assert here.ask().model == "b"


def test_no_model_begins_after_the_deadline(stage: Callable[..., Stage]) -> None:
    here = stage()

    here.server.script[A] = Passing(here, 40)  # type: ignore[assignment]
    with pytest.raises(DeadlinePassed) as late:
        here.ask("Why?", Talk(deadline_s=30))
    assert [a.error for a in late.value.attempts] == ["AnswerBroken"]
    assert late.value.attempts[0].seconds == 40


class Passing:
    """Answers that take their time, by the clock of the stage, and fail."""

    def __init__(self, here: Stage, seconds: float) -> None:
        self.here, self.seconds = here, seconds

    def popleft(self) -> Exception:
        self.here.clock.now += self.seconds
        return AnswerBroken("500")


def test_a_model_that_never_answers_is_left_when_the_time_is_over(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.conversation.SHORTEST_S", 0.01)
    here = stage(catalogue=(entry("a"),))
    here.server.will(A, Says(["The "], wait=asyncio.Event()), Says(["The "], wait=asyncio.Event()))
    with pytest.raises(AnswerTimeout):
        here.ask("Why?", Talk(deadline_s=0.05))
    assert here.gpu.using_now == []


def test_leaving_early_gives_the_model_back_and_is_kept_as_cancelled(stage: Callable[..., Stage]) -> None:
    here = stage()
    here.server.will(A, Says(["The "], wait=asyncio.Event()))
    answer = here.models.iterate_response("Why?", ())
    assert next(answer).text == "The "
    assert here.gpu.using_now == [A]
    answer.close()
    assert here.gpu.using_now == []
    assert here.kept == [(A, "cancelled", "CancelledError", "")]


def test_a_question_that_the_server_finds_too_long_is_asked_again_with_less(stage: Callable[..., Stage]) -> None:
    """S4.3: what the server counts is right, not what was reckoned."""
    here = stage()
    history = tuple(ChatMessage(role=role, content="x" * 9000) for role in ("user", "assistant"))
    here.server.will(A, Says([], error=PromptTooLarge("too long")), Says(["Right."]))
    answer = here.ask("Why?", Talk(history=history))
    assert answer.text == "Right."
    lengths = [sum(len(m.content) for m in messages) for _m, messages, _h in here.server.asked]
    assert lengths[1] < lengths[0]
    assert answer.dropped == {"messages": [0, 1], "pictures": []}


# --- pictures -------------------------------------------------------------------------------------------------------
EYES = (entry("eyes", "vision"),)


def test_a_picture_that_is_too_large_is_refused_before_a_model_is_loaded(stage: Callable[..., Stage]) -> None:
    """Bad input: 50 megapixels."""
    here = stage(catalogue=EYES)
    huge = ChatMessage(role="user", content="This?", pictures=(head_of(10_000, 5000),))
    with pytest.raises(PromptTooLarge, match="10000 × 5000 is larger than the 33 megapixels"):
        here.ask(huge)
    with pytest.raises(RequestRefused, match="is no picture"):
        here.ask(replace(huge, pictures=(b"<html>",)))
    with pytest.raises(PromptTooLarge):
        here.ask("And before?", [huge])
    assert here.gpu.lent == []
    assert here.kept == []


def test_a_picture_is_made_smaller_once_for_all_attempts(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A.9.8"""
    here = stage(catalogue=(entry("a", "vision"), entry("b", "vision")))
    here.server.will(A, AnswerBroken("500"), AnswerBroken("500"))
    wide = ChatMessage(role="user", content="This?", pictures=(png(4000, 2000),))
    assert here.ask(wide).model == "b"
    sent = [messages[-1].pictures[0] for _model, messages, _how in here.server.asked]
    assert len(sent) == 3
    assert sent[0] is sent[1] is sent[2]
    with Image.open(io.BytesIO(sent[0])) as image:
        assert image.width * image.height <= 2_100_000


def test_a_server_that_finds_a_picture_too_much_teaches_nothing_about_words(stage: Callable[..., Stage]) -> None:
    here = stage(catalogue=EYES)
    here.server.will("eyes:latest", PromptTooLarge("too long"))
    with pytest.raises(PromptTooLarge):
        here.ask(ChatMessage(role="user", content="This?", pictures=(png(64, 64),)))
    assert here.models._tools.context.counter._factors == {}
    assert here.server.asked_models == ["eyes:latest"]


# --- the choice is made anew ----------------------------------------------------------------------------------------
def test_unusable_answers_lower_a_model_for_a_while(stage: Callable[..., Stage]) -> None:
    """S4.4"""
    here = stage(catalogue=(entry("a"), entry("b", vram_mb=4100)))
    here.server.will(A, AnswerUnusable("no"), AnswerUnusable("no"))
    assert here.ask().model == "b"
    here.server.loaded = []
    assert here.ask().model == "b"
    here.clock.now += 301
    here.server.loaded = []
    assert here.ask().model == "a"


def test_slowness_lowers_a_model_for_a_while(stage: Callable[..., Stage]) -> None:
    """S4.4"""
    here = stage(catalogue=(entry("a"), entry("b", vram_mb=4100)))
    here.server.script[A] = SlowOnes(here)  # type: ignore[assignment]
    assert here.ask().model == "a"
    assert here.ask().model == "b"


class SlowOnes:
    def __init__(self, here: Stage) -> None:
        self.here = here

    def popleft(self) -> Says:
        return Says(Drip(self.here), last={"tokens_in": 9, "tokens_out": 40})  # type: ignore[arg-type]


class Drip:
    """Two words, 30 seconds apart."""

    def __init__(self, here: Stage) -> None:
        self.here = here

    def __iter__(self) -> Iterator[str]:
        yield "One"
        self.here.clock.now += 30
        yield " two."


def test_in_autopilot_a_chat_takes_only_what_is_free(stage: Callable[..., Stage]) -> None:
    """S4.5"""
    here = stage(resources=machine(vram_free_mb=4000))
    here.server.loaded = ["vlm:latest"]
    here.gpu.mode = ExecutionMode.AUTOPILOT
    with pytest.raises(NoModelFits) as none:
        here.ask()
    assert "while a run has the GPU" in str(none.value)
    here.gpu.mode = ExecutionMode.IDLE
    assert here.ask().model == "a", "what is idle gives way"


# --- loading ahead --------------------------------------------------------------------------------------------------
async def until(what: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not what():
            await asyncio.sleep(0)


def over(here: Stage) -> None:
    """Return when nothing goes on in the background any more."""
    here.gpu.runtime.run(here.models._background.end())


def test_a_model_is_loaded_ahead_in_the_background(stage: Callable[..., Stage]) -> None:
    """S4.5"""
    here = stage()
    here.models.preload_model_sync("b")
    over(here)
    assert here.gpu.lent == [(B, Purpose.PRELOAD)]
    assert here.server.loaded == [B]
    assert here.kept == [(B, "answered", "", "")]


def test_it_is_loaded_once_however_often_it_is_asked_for(stage: Callable[..., Stage]) -> None:
    here = stage()

    async def often() -> None:
        await asyncio.gather(*(here.models.preload_model("b") for _ in range(20)))

    here.gpu.runtime.run(often())
    over(here)
    here.models.preload_model_sync("b")
    over(here)
    assert here.gpu.lent == [(B, Purpose.PRELOAD)]


def test_a_model_for_which_there_is_no_memory_is_not_loaded_ahead(
    stage: Callable[..., Stage], caplog: pytest.LogCaptureFixture
) -> None:
    here = stage(resources=machine(vram_free_mb=100))
    here.models.preload_model_sync("b")
    over(here)
    assert here.gpu.lent == []
    assert "“b” is not loaded ahead: it needs 4612 MB of GPU memory, and 100 MB are free" in caplog.text


def test_a_failure_to_load_ahead_is_in_the_log(stage: Callable[..., Stage], caplog: pytest.LogCaptureFixture) -> None:
    here = stage()
    here.gpu.refuses[B] = deque([LoadFailed("the file is broken")])
    here.models.preload_model_sync("b")
    over(here)
    assert "“b” could not be loaded ahead: the file is broken" in caplog.text
    assert here.kept == [(B, "failed", "LoadFailed", "")]


def test_closing_ends_a_load_that_goes_on(stage: Callable[..., Stage]) -> None:
    openai = FakeServer("x")
    openai.will("x", Says(["O"], wait=asyncio.Event()))
    here = stage(catalogue=(entry("x", name="x", provider=ProviderName.OPENAI),), openai=openai)
    here.models.preload_model_sync("x")
    here.gpu.runtime.run(until(lambda: openai.asked))
    assert here.kept == [("x", "cancelled", "", "")]
    assert openai.closed


def test_a_model_that_nobody_knows_is_refused_at_once(stage: Callable[..., Stage]) -> None:
    with pytest.raises(UnknownModel) as told:
        stage().models.preload_model_sync("nobody")
    assert "There are: a, b, c" in str(told.value)


# --- how it stands --------------------------------------------------------------------------------------------------
def test_the_status_says_who_would_answer_and_what_bars_the_others(stage: Callable[..., Stage]) -> None:
    here = stage(catalogue=(entry("a"), entry("b", enabled=False), entry("c", vram_mb=90_000)))
    here.server.loaded = [A]
    here.ask()
    status = here.models.get_current_model_status_sync()
    assert (status.model, status.held, status.problem) == ("a", "", "")
    assert {line.entry.key: line.barred for line in status.models} == {
        "a": "", "b": "is not in use (see the catalogue)",
        "c": "needs 90512 MB of GPU memory, and 24576 MB are free",
    }  # fmt: skip
    assert [line.loaded for line in status.models] == [True, False, False]
    assert status.resources.as_json()["vram_free_mb"] == 20480
