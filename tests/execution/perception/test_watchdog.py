"""Other people's code that hangs is given up and left alone; the run goes on without it (S1.21, S2.4)."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pytest

from execution.perception.analyzer import PartAnswer, PerceptionPart, ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.elements import FrameDetector
from execution.perception.embedding import BuiltinEmbedder
from execution.perception.watchdog import Guard, Hung, patience_s, wait_for_the_hanging
from execution.types import Box, Element, ElementRole, Embedding, TextLine
from tests.execution.perception.drawing import Canvas, frame
from tests.support.display import wait_until

SOON = 0.05
T = TypeVar("T")


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """What hangs waits for it; it is set at the end, so that no thread is left behind."""
    event = threading.Event()
    yield event
    event.set()


def test_a_call_gives_what_the_function_gives() -> None:
    guard = Guard("test")
    assert guard.run(lambda: 7, limit_s=5) == 7
    with pytest.raises(KeyError, match="nothing"):
        guard.run(lambda: {}["nothing"], limit_s=5)
    assert guard.run(threading.current_thread, limit_s=5) is not threading.current_thread()
    assert not guard.hangs


def test_a_call_that_hangs_is_given_up_and_not_made_again_until_it_has_returned(let_go: threading.Event) -> None:
    guard = Guard("test")
    with pytest.raises(Hung, match="test did not come back within 0.05 s") as hung:
        guard.run(let_go.wait, limit_s=SOON)
    assert hung.value.seconds == SOON
    assert guard.hangs
    asked = []
    with pytest.raises(Hung) as still:
        guard.run(lambda: asked.append(1), limit_s=60)
    assert (still.value.seconds, asked) == (0, [])
    let_go.set()
    wait_until(lambda: not guard.hangs, what="the call to return")
    assert guard.run(lambda: "again", limit_s=5) == "again"


def test_the_end_of_the_process_waits_a_moment_for_what_hangs(let_go: threading.Event) -> None:
    """A thread that comes back from a native library while the interpreter goes down aborts the process."""
    guard = Guard("test")
    with pytest.raises(Hung):
        guard.run(let_go.wait, limit_s=SOON)
    assert not wait_for_the_hanging(SOON)
    threading.Timer(0.1, let_go.set).start()
    assert wait_for_the_hanging(10)
    assert not guard.hangs


def test_its_thread_ends_with_it() -> None:
    guard = Guard("a guard that goes")
    guard.run(lambda: None, limit_s=5)
    thread = next(t for t in threading.enumerate() if t.name == "a guard that goes")
    assert thread.daemon
    del guard
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("limit_ms", "seconds"), [(8000, 16), (3000, 10), (20_000, 40), (100, 10), (999_999, 120), (0, 10)]
)
def test_a_part_is_waited_for_twice_the_limit_within_bounds(limit_ms: int, seconds: float) -> None:
    """S2.2's presets: profiling never goes degraded, and does not wait half an hour for what hangs either."""
    assert patience_s(limit_ms) == seconds


# --- parts of perception --------------------------------------------------------------------------------------------
class Hanging:
    """A reader, detector and embedder that does not come back until it is let go."""

    name = "hanging"
    model_id = "hanging-1"

    def __init__(self, let_go: threading.Event) -> None:
        self.let_go, self.calls = let_go, 0

    def _hang(self) -> None:
        self.calls += 1
        self.let_go.wait()

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self._hang()
        return (TextLine(text="Save", box=Box(10, 10, 40, 14)),)

    def detect(self, pixels: np.ndarray, texts: object) -> tuple[Element, ...]:
        self._hang()
        return (Element(box=Box(5, 5, 60, 24), role=ElementRole.BUTTON),)

    def embed(self, pixels: np.ndarray) -> Embedding:
        self._hang()
        return Embedding(model=self.model_id, vector=np.ones(1, np.float32))


class Impatient(PerceptionPart):
    """Is given up soon; the parts that work have all the time that a busy machine takes."""

    def ask(self, function: Callable[[], T], *, patience: float) -> PartAnswer[T]:
        return super().ask(function, patience=0.4)


def impatient(analyzer: ScreenAnalyzer, part: str) -> ScreenAnalyzer:
    setattr(analyzer, part, Impatient(getattr(analyzer, part).name))
    return analyzer


def page(text: str) -> Canvas:
    canvas = Canvas(320, 120)
    canvas.button(text, Box(20, 20, 90, 30))
    return canvas


def test_a_reader_that_hangs_costs_the_text_and_nothing_else(
    let_go: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    reader = Hanging(let_go)
    analyzer = impatient(ScreenAnalyzer(reader, FrameDetector(), BuiltinEmbedder()), "_reading")
    with caplog.at_level(logging.WARNING):
        first = analyzer.analyze(frame(page("One").pixels), None)
        second = analyzer.analyze(frame(page("Two").pixels), None)
    for state in (first, second):
        assert (state.degraded, state.texts, state.text_method, state.cache_hit) == (True, (), "", False)
        assert state.elements
        assert state.embedding is not None
    assert first.notes == ("The text reader hanging has not come back within 0.4 s.",)
    assert second.notes == ("The text reader hanging hangs on an earlier screen and is not asked until it comes back.",)
    assert reader.calls == 1
    assert analyzer.report()["problems"] == [second.notes[0]]
    assert len(caplog.records) == 2
    let_go.set()
    wait_until(lambda: not analyzer._reading.hangs, what="the reader to return")
    analyzer._reading = PerceptionPart(analyzer._reading.name)
    healed = analyzer.analyze(frame(page("Two").pixels), None)
    assert (healed.degraded, [line.text for line in healed.texts], healed.notes) == (False, ["Save"], ())
    assert analyzer.report()["problems"] == []


@pytest.mark.parametrize("part", ["element detector", "embedding"])
def test_a_detector_or_an_embedder_that_hangs_costs_what_it_tells(let_go: threading.Event, part: str) -> None:
    hanging, detects = Hanging(let_go), part == "element detector"
    analyzer = ScreenAnalyzer(None, hanging if detects else FrameDetector(), BuiltinEmbedder() if detects else hanging)
    impatient(analyzer, "_detecting" if detects else "_embedding")
    state = analyzer.analyze(frame(page("One").pixels), None)
    assert (state.degraded, bool(state.elements), state.embedding is not None) == (True, not detects, detects)
    assert state.notes == (f"The {part} has not come back within 0.4 s.",)


def test_a_part_is_waited_for_as_long_as_the_deployment_says(let_go: threading.Event) -> None:
    """In lessons and for taught pictures too, where no run says how long."""
    config = PerceptionConfig(reader="none", analyze_timeout_ms=20_000)
    assert build_analyzer(config).patience == patience_s(20_000)
    state = ScreenAnalyzer(Hanging(let_go), None, None, patience=SOON).analyze(frame(page("One").pixels), None)
    assert [note.partition(" within ")[2] for note in state.notes] == ["0.05 s."]


def test_a_detector_that_answers_outside_the_picture_is_cut_and_told() -> None:
    class Wild:
        def detect(self, pixels: np.ndarray, texts: object) -> tuple[Element, ...]:
            boxes = (Box(300, 100, 90, 90), Box(-20, -20, 30, 30), Box(900, 900, 5, 5), Box(10, 10, 20, 20))
            return tuple(Element(box=box, role=ElementRole.ICON) for box in boxes)

    state = ScreenAnalyzer(None, Wild(), None).analyze(frame(page("One").pixels), None)
    assert [e.box for e in state.elements] == [Box(300, 100, 20, 20), Box(0, 0, 10, 10), Box(10, 10, 20, 20)]
    assert state.degraded
    assert state.notes == ("The element detector answered with boxes outside the picture.",)
