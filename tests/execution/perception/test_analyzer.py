from __future__ import annotations

import logging
import threading
from dataclasses import replace

import pytest

from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.elements import FrameDetector
from execution.perception.embedding import BuiltinEmbedder
from execution.types import Box, ScreenState, TextLine, Window, pixels_digest
from tests.execution.perception.drawing import Canvas, ListReader, frame


def settings_page() -> Canvas:
    canvas = Canvas(1280, 800)
    for row in range(12):
        canvas.text(f"Setting number {row + 20}", 60, 60 + 50 * row)
        canvas.field(Box(400, 54 + 50 * row, 300, 28), f"value {row * 7 + 31}")
    canvas.button("Save", Box(1000, 720, 90, 30))
    return canvas


@pytest.fixture
def analyzer(reader) -> ScreenAnalyzer:
    return ScreenAnalyzer(reader, FrameDetector(), BuiltinEmbedder(), patience=300)


def texts(state: ScreenState) -> list[str]:
    return [line.text for line in state.texts]


def test_a_state_holds_texts_elements_embedding_and_timings(analyzer):
    """S2.1, S2.5."""
    window = Window(title="Settings")
    state = analyzer.analyze(frame(settings_page().pixels), window)
    assert "Save" in texts(state)
    assert any(e.role == "button" and e.text == "Save" for e in state.elements)
    assert state.embedding.model == BuiltinEmbedder.model_id
    assert (state.window, state.text_method) == (window, "rapidocr")
    assert not state.cache_hit
    assert not state.degraded
    assert state.timings.ocr_ms > 0
    assert state.timings.ui_ms > 0
    assert state.timings.analyze_ms >= state.timings.ocr_ms + state.timings.ui_ms
    assert state.timings.lines_read == len(state.texts)


def test_one_detection_off_is_not_degraded(analyzer):
    """S2.2."""
    seen = frame(settings_page().pixels)
    assert analyzer.analyze(seen, None, ocr=False).texts == ()
    assert analyzer.analyze(seen, None, ui=False).elements == ()
    assert not analyzer.analyze(seen, None, ocr=False).degraded
    assert not analyzer.analyze(seen, None, ui=False).degraded


def test_an_unchanged_frame_gives_the_very_same_content(analyzer):
    """S2.6."""
    first = analyzer.analyze(frame(settings_page().pixels), None)
    again = analyzer.analyze(frame(settings_page().pixels), Window(title="now"), previous=first)
    assert again.cache_hit
    assert (again.texts, again.elements, again.embedding) == (first.texts, first.elements, first.embedding)
    assert (again.timings.ocr_ms, again.timings.lines_read) == (0.0, 0)
    assert again.window.title == "now"


def test_where_nothing_may_be_read_anew_a_known_screen_serves_and_else_a_stub(analyzer):
    """S2.4: cache or stub instead."""
    first = analyzer.analyze(frame(settings_page().pixels), None)
    same = analyzer.analyze(frame(settings_page().pixels), None, anew=False)
    assert (same.cache_hit, same.degraded, same.texts) == (True, False, first.texts)
    other = settings_page()
    other.text("more", 900, 40)
    changed = analyzer.analyze(frame(other.pixels), None, anew=False)
    assert (changed.cache_hit, changed.degraded, changed.texts) == (False, True, ())
    assert changed.embedding is not None


def test_with_both_off_what_was_read_before_is_not_told(analyzer):
    """S2.3: no text, no elements, whatever another run has read of this screen."""
    analyzer.analyze(frame(settings_page().pixels), None)
    state = analyzer.analyze(frame(settings_page().pixels), None, ocr=False, ui=False)
    assert (state.texts, state.elements, state.cache_hit, state.degraded) == ((), (), False, True)
    assert state.embedding is not None
    assert state.text_method == ""


def test_only_what_changed_is_read_again(analyzer):
    """S2.11: typing in one field reads that line alone and leaves the others as they were."""
    page, typed = settings_page(), settings_page()
    first = analyzer.analyze(frame(page.pixels), None)
    typed.text("Alice Martin", 900, 300)
    second = analyzer.analyze(frame(typed.pixels), None, previous=first)
    assert second.timings.lines_read == 1
    assert sorted(texts(second)) == sorted([*texts(first), "Alice Martin"])


class Broken:
    name = "broken"

    def read(self, pixels, region=None):
        raise RuntimeError("out of memory")


def test_a_reader_that_raises_degrades_the_state_and_is_told_once(caplog):
    """S1.21: a helper that raises costs one warning, never a run."""
    analyzer = ScreenAnalyzer(Broken(), FrameDetector(), BuiltinEmbedder())
    seen = frame(settings_page().pixels)
    with caplog.at_level(logging.WARNING):
        states = [analyzer.analyze(seen, None) for _ in range(3)]
    assert all(s.degraded and s.texts == () and s.text_method == "" and s.elements for s in states)
    assert [r.getMessage() for r in caplog.records] == [
        "Perception is degraded: The text reader broken failed: RuntimeError: out of memory."
    ]


def test_after_a_failed_reading_all_is_read_again(reader):
    seen = frame(settings_page().pixels)
    failed = ScreenAnalyzer(Broken(), None, None).analyze(seen, None)
    recovered = ScreenAnalyzer(reader, None, None).analyze(seen, None, previous=failed)
    assert "Save" in texts(recovered)
    assert not recovered.degraded


def test_boxes_outside_the_picture_are_cut_and_degrade_the_state(caplog):
    canvas = Canvas(200, 100)
    over = TextLine(text="over the edge", box=Box(150, 40, 90, 20))
    gone = TextLine(text="far away", box=Box(900, 900, 50, 20))
    analyzer = ScreenAnalyzer(ListReader({pixels_digest(canvas.pixels): [over, gone]}), None, None)
    with caplog.at_level(logging.WARNING):
        state = analyzer.analyze(frame(canvas.pixels), None)
    assert state.texts == (replace(over, box=Box(150, 40, 50, 20)),)
    assert state.degraded
    assert "outside the picture" in caplog.text


def test_the_margin_of_a_line_at_the_edge_is_cut_and_nothing_more():
    canvas = Canvas(200, 100)
    line = TextLine(text="cut", box=Box(-2, 88, 60, 14))
    state = ScreenAnalyzer(ListReader({pixels_digest(canvas.pixels): [line]}), None, None).analyze(
        frame(canvas.pixels), None
    )
    assert state.texts == (replace(line, box=Box(0, 88, 58, 12)),)
    assert not state.degraded


@pytest.mark.parametrize("answer", [None, 7, ["text"], [TextLine(text="no box", box=None)]])
def test_a_reader_that_answers_rubbish_degrades_the_state(answer):
    class Rubbish:
        name = "rubbish"

        def read(self, pixels, region=None):
            return answer

    state = ScreenAnalyzer(Rubbish(), None, None).analyze(frame(Canvas(64, 64).pixels), None)
    assert (state.degraded, state.texts) == (True, ())
    assert state.notes[0].startswith("The text reader rubbish failed")


def test_models_are_loaded_by_the_first_frame_or_by_warming_up():
    """D4."""
    analyzer = build_analyzer()
    assert analyzer.reader._recogniser is None
    analyzer.warm_up()
    assert analyzer.reader._recogniser is not None


def test_an_embedder_that_cannot_be_had_is_replaced_and_reported(tmp_path, caplog):
    """S2.10"""
    config = PerceptionConfig(reader="none", embedder="open_clip", clip_weights=tmp_path / "none.pt")
    with caplog.at_level(logging.WARNING):
        report = build_analyzer(config).report()
    assert (report["reader"], report["detector"]) == ("", "builtin")
    assert report["embedder"].startswith("builtin-")
    assert "none.pt" in report["problems"][0]


class Namer:
    """Stands for the vision-language model behind the GPU manager."""

    def __init__(self, *, there: bool) -> None:
        self.there = there

    def ready(self) -> bool:
        return self.there

    def classify(self, marked, elements):
        return [f"thing {number}" for number, _ in enumerate(elements, start=1)]


def test_the_model_that_names_sees_nothing_of_what_is_masked():
    """S10.4"""
    seen = []

    class Looks(Namer):
        def classify(self, marked, elements):
            seen.append(marked)
            return super().classify(marked, elements)

    canvas = Canvas(400, 200)
    canvas.button("Save", Box(100, 80, 90, 30))
    canvas.pixels[150:200, 300:400] = (7, 77, 177)
    analyzer = ScreenAnalyzer(None, FrameDetector(), None, classifier=Looks(there=True))
    analyzer.analyze(frame(canvas.pixels), None, masks=((0.75, 0.75, 0.25, 0.25),))
    assert seen and not (seen[0] == (7, 77, 177)).all(axis=2).any()


def test_a_known_screen_is_named_once_the_model_is_there():
    """S2.9, S2.6: what the cache holds without names is no answer any more; the names are then remembered."""
    canvas = Canvas(400, 200)
    canvas.button("Save", Box(100, 80, 90, 30))
    namer = Namer(there=False)
    analyzer = ScreenAnalyzer(None, FrameDetector(), None, classifier=namer)
    states = []
    for there in (False, False, True, True, False):
        namer.there = there
        states.append(analyzer.analyze(frame(canvas.pixels), None))
    assert [state.cache_hit for state in states] == [False, True, False, True, True]
    assert [any(e.label for e in state.elements) for state in states] == [False, False, True, True, True]
    assert [bool(state.notes) for state in states] == [True, True, False, False, False]


def test_a_model_that_hangs_costs_the_names_and_a_note():
    """S1.21"""
    let_go = threading.Event()

    class Hangs(Namer):
        def classify(self, marked, elements):
            let_go.wait()
            return []

    canvas = Canvas(400, 200)
    canvas.button("Save", Box(100, 80, 90, 30))
    analyzer = ScreenAnalyzer(None, FrameDetector(), None, classifier=Hangs(there=True))
    state = analyzer.analyze(frame(canvas.pixels), None, patience=0.4)
    let_go.set()
    assert state.elements
    assert state.notes == ("The naming of elements has not come back within 0.4 s.",)
    assert not state.degraded
