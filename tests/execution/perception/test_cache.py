"""Screens that come back are known, and never one that says something else (S2.6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.cache import Asked, ScreenStateCache
from execution.perception.changes import find_changes
from execution.perception.clocks import has_moved_on, read_clock
from execution.perception.elements import FrameDetector
from execution.perception.embedding import BuiltinEmbedder
from execution.perception.harmless import judge
from execution.types import Box, Frame, ScreenState, TextLine, pixels_digest
from tests.execution.perception.drawing import DARK, FONTS, Canvas

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ASKED = Asked("truth", "FrameDetector")


class TruthReader:
    """Reads what was drawn: the lines of each canvas it was shown, and nothing of any other picture."""

    name = "truth"

    def __init__(self) -> None:
        self.lines: dict[str, tuple[TextLine, ...]] = {}
        self.lines_recognised = 0

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self.lines_recognised += 1
        return self.lines[pixels_digest(pixels)]


class Desk:
    """An analyzer whose reader knows the truth of every picture that was taken here."""

    def __init__(self, **options: object) -> None:
        self.reader = TruthReader()
        self.analyzer = ScreenAnalyzer(self.reader, FrameDetector(), BuiltinEmbedder(), **options)

    def taken(self, canvas: Canvas, at: datetime = NOON) -> Frame:
        pixels = canvas.pixels
        digest = pixels_digest(pixels)
        self.reader.lines[digest] = tuple(canvas.lines)
        return Frame(pixels=pixels, taken_at=at, digest=digest)

    def look(self, canvas: Canvas, at: datetime = NOON, **options: object) -> ScreenState:
        return self.analyzer.analyze(self.taken(canvas, at), None, **options)

    @property
    def counts(self) -> tuple[int, dict[str, int], int]:
        counts = self.analyzer.cache.counts()
        return counts.hits, counts.near, counts.misses


@pytest.fixture
def desk() -> Desk:
    return Desk()


def form(typed: str = "adresse", clock: str = "12:00", status: str = "") -> Canvas:
    canvas = Canvas(640, 360)
    canvas.text("Name", 40, 64)
    canvas.field(Box(120, 56, 300, 32), typed)
    canvas.button("Save", Box(500, 300, 90, 30))
    canvas.text(clock, 580, 10)
    if status:
        canvas.text(status, 40, 330)
    return canvas


def caret(canvas: Canvas, *, after: str = "adresse", height: int = 16, width: int = 1) -> Canvas:
    """A text cursor behind what is typed, as high as a line is, past its letters at both ends."""
    face = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), 13)
    x = 129 + int(canvas.draw.textlength(after, font=face))
    canvas.draw.rectangle((x, 64, x + width - 1, 64 + height - 1), fill=DARK)
    return canvas


# --- the screen itself ----------------------------------------------------------------------------------------------
def test_a_screen_that_comes_back_is_known(desk: Desk) -> None:
    first, other = desk.look(form()), desk.look(Canvas(640, 360))
    again = desk.look(form())
    assert (other.cache_hit, again.cache_hit) == (False, True)
    assert (again.texts, again.elements, again.embedding) == (first.texts, first.elements, first.embedding)
    assert desk.counts == (1, {}, 2)


def test_a_digit_changed_is_a_miss(desk: Desk) -> None:
    for number in range(1200, 1210):
        state = desk.look(form(f"Total {number}"))
        assert not state.cache_hit
        assert f"Total {number}" in [line.text for line in state.texts]
    assert desk.counts == (0, {}, 10)


@given(x=st.integers(0, 639), y=st.integers(0, 359), by=st.integers(1, 255))
def test_a_pixel_changed_is_no_exact_hit(x: int, y: int, by: int) -> None:
    cache = ScreenStateCache()
    pixels = np.full((360, 640, 3), 200, np.uint8)
    cache.put(ScreenState(frame=Frame(pixels=pixels, taken_at=NOON)), ASKED)
    other = pixels.copy()
    other[y, x, 1] ^= by
    assert cache.same(Frame(pixels=other, taken_at=NOON), ASKED) is None
    assert cache.same(Frame(pixels=pixels.copy(), taken_at=NOON), ASKED) is not None


def test_a_state_without_elements_does_not_answer_who_asks_for_them(desk: Desk) -> None:
    bare = desk.look(form(), ui=False)
    assert bare.elements == ()
    assert desk.look(form()).elements
    assert desk.look(form(), ui=False).elements == ()
    assert desk.counts == (1, {}, 2)


def test_what_is_degraded_is_not_kept(desk: Desk) -> None:
    desk.analyzer.detector = None
    frame = Frame(pixels=form().pixels, taken_at=NOON)  # its text is not known: the reader raises
    assert [desk.analyzer.analyze(frame, None).degraded for _ in range(2)] == [True, True]
    assert desk.analyzer.cache.counts().entries == 0


def test_an_embedder_that_was_changed_looks_again(desk: Desk) -> None:
    """S2.10: vectors of two models are never compared."""

    class Other(BuiltinEmbedder):
        model_id = "other-1"

    desk.look(form())
    desk.analyzer.embedder = Other()
    state = desk.look(form())
    assert state.cache_hit
    assert state.embedding is not None
    assert state.embedding.model == "other-1"


# --- bounds ---------------------------------------------------------------------------------------------------------
def test_the_cache_is_bounded_in_bytes_and_forgets_what_was_not_seen_for_longest() -> None:
    cache = ScreenStateCache(most_bytes=3 * 300 * 400 * 3)
    frames = [Frame(pixels=np.full((300, 400, 3), n, np.uint8), taken_at=NOON) for n in range(5)]
    for frame in frames[:3]:
        cache.put(ScreenState(frame=frame), ASKED)
    cache.same(frames[0], ASKED)
    cache.put(ScreenState(frame=frames[3]), ASKED)
    assert [cache.same(f, ASKED) is not None for f in frames] == [True, False, True, True, False]
    assert (cache.counts().entries, cache.counts().bytes) == (3, 3 * 300 * 400 * 3)


def test_the_screen_that_is_shown_is_known_however_large_it_is() -> None:
    cache = ScreenStateCache(most_bytes=1000)
    for n in range(3):
        frame = Frame(pixels=np.full((300, 400, 3), n, np.uint8), taken_at=NOON)
        cache.put(ScreenState(frame=frame), ASKED)
        assert cache.same(frame, ASKED) is not None
    assert cache.counts().entries == 1


def test_the_looks_of_one_screen_are_bounded() -> None:
    cache = ScreenStateCache()
    pixels = [np.full((8, 8, 3), n, np.uint8) for n in range(200)]
    entry = cache.put(ScreenState(frame=Frame(pixels=pixels[0], taken_at=NOON)), ASKED)
    for picture in pixels[1:]:
        cache.also(Frame(pixels=picture, taken_at=NOON), entry)
    assert len(entry.digests) == len(cache._by_digest) == 64
    assert cache.same(Frame(pixels=pixels[0], taken_at=NOON), ASKED) is entry
    assert cache.same(Frame(pixels=pixels[1], taken_at=NOON), ASKED) is None


# --- the text cursor ------------------------------------------------------------------------------------------------
def test_a_blinking_caret_changes_nothing(desk: Desk) -> None:
    first = desk.look(form())
    on, off, again = desk.look(caret(form())), desk.look(form()), desk.look(caret(form()))
    assert all(state.cache_hit and state.texts == first.texts for state in (on, off, again))
    assert desk.counts == (2, {"caret": 1}, 1)


def test_a_caret_that_was_there_first_is_one_too(desk: Desk) -> None:
    desk.look(caret(form()))
    assert desk.look(form()).cache_hit
    assert desk.counts[1] == {"caret": 1}


def test_a_caret_that_moved_is_one_too(desk: Desk) -> None:
    name = "Anna Maria Bellini"
    desk.look(caret(form(name), after=name))
    assert desk.look(caret(form(name), after="Anna")).cache_hit


FACES = ("DejaVuSans", "DejaVuSansMono", "DejaVuSerif")


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("letter", ["l", "1", "|", "I", "!", "i", "'", ":", "."])
def test_a_letter_as_thin_as_a_caret_is_a_miss(letter: str, face: str) -> None:
    """Never for one that differs in text."""
    for size in (9, 10, 11, 13, 15, 19):
        for word in ("", "adresse", "nom", "Total 120", "gqj"):
            before, after = Canvas(260, 60), Canvas(260, 60)
            for canvas, text in ((before, word), (after, word + letter)):
                canvas.field(Box(20, 10, 220, 34))
                canvas.text(text, 28, 18, size=size, font=face, ink=DARK)
            changes = find_changes(before.pixels, after.pixels)
            assert changes is not None
            assert judge(before.pixels, after.pixels, changes, before.lines, ()) is None, (word, size)


def test_a_caret_that_touches_a_letter_is_read_with_it(desk: Desk) -> None:
    """As a full reading would: whoever reads the line cannot tell it from the letter. Its second blink is known."""
    desk.look(form("Hanna Maria"))
    touching = caret(form("Hanna Maria"), after="")
    assert [desk.look(touching).cache_hit for _ in range(2)] == [False, True]


def test_a_bar_that_stands_alone_may_be_a_letter(desk: Desk) -> None:
    desk.look(form(""))
    assert not desk.look(caret(form(""), after="")).cache_hit


# --- clocks ---------------------------------------------------------------------------------------------------------
def test_a_clock_that_moves_on_is_read_and_changes_nothing_else(desk: Desk) -> None:
    first = desk.look(form())
    for minute in (1, 2, 5):
        state = desk.look(form(clock=f"12:{minute:02}"), NOON + timedelta(minutes=minute))
        assert state.cache_hit
        assert f"12:{minute:02}" in [line.text for line in state.texts]
        assert "12:00" not in [line.text for line in state.texts]
        assert not any("12:00" in element.text for element in state.elements)
        assert len(state.elements) == len(first.elements)
        assert state.embedding is first.embedding
    assert desk.counts == (0, {"clock": 3}, 1)
    assert desk.analyzer.cache.counts().entries == 1


def test_a_time_among_the_data_is_no_clock(desk: Desk) -> None:
    """10:45 becomes 11:15 within a second: somebody has put the appointment off."""
    desk.look(form("10:45"))
    state = desk.look(form("11:15"), NOON + timedelta(seconds=1))
    assert not state.cache_hit
    assert "11:15" in [line.text for line in state.texts]


def test_a_clock_hides_no_other_change(desk: Desk) -> None:
    desk.look(form("Total 1205"))
    state = desk.look(form("Total 1206", clock="12:01"), NOON + timedelta(minutes=1))
    assert not state.cache_hit
    assert {"Total 1206", "12:01"} <= {line.text for line in state.texts}


CLOCKS = {
    "12:01": 60, "12:01:07": 67, "12h01": 60, "Sat 21 Nov, 12:01": 60, "sam. 21 nov. 12:01": 60, "21/11/2026 12:01": 60,
    "12:01 PM": 60, "0:01": 60, "2026-11-21 12:01:07": 67, "samedi 21 novembre 2026 à 12:01": 60, "12 :01": 60,
}  # fmt: skip


@pytest.mark.parametrize("text", CLOCKS)
def test_a_clock_is_known_by_what_it_says(text: str) -> None:
    clock = read_clock(text)
    assert clock is not None
    assert clock.seconds == CLOCKS[text]


@pytest.mark.parametrize(
    "text", ["", "12", "1205", "Departure 12:01", "12:01 Paris", "1:1", "99:12", "12:71", "v12:01b", "Total 12:01 €"]
)
def test_what_says_more_than_the_time_is_no_clock(text: str) -> None:
    assert read_clock(text) is None


@pytest.mark.parametrize(
    ("before", "after", "seconds", "moved"),
    [
        ("12:00", "12:01", 1, True),  # it was 12:00:59
        ("12:00", "12:01", 60, True),
        ("12:00", "12:02", 60, True),
        ("12:00", "12:03", 60, False),
        ("12:01", "12:00", 60, False),
        ("12:00", "12:00", 60, False),
        ("12:00:00", "12:00:01", 1, True),
        ("12:00:00", "12:00:09", 1, False),
        ("12:59", "1:00", 30, True),
        ("Sat 12:00", "Sun 12:01", 60, False),
        ("12:00", "12:01", -5, False),
        ("12:00", "12:00:30", 30, False),
    ],
)
def test_a_clock_moves_with_the_time(before: str, after: str, seconds: int, moved: bool) -> None:
    assert has_moved_on(before, after, passed=timedelta(seconds=seconds)) is moved


# --- masked regions -------------------------------------------------------------------------------------------------
MASK = (0.0, 0.88, 0.5, 0.12)  # the status line


def test_what_changes_in_a_masked_region_does_not_matter(desk: Desk) -> None:
    desk.look(form(status="3 users"), masks=[MASK])
    assert desk.look(form(status="41 users"), masks=[MASK]).cache_hit
    assert desk.counts == (0, {"mask": 1}, 1)


def test_what_one_run_masks_another_run_is_told(desk: Desk) -> None:
    """The cache outlives a run: a look that was known but for its masked region is not known to all."""
    desk.look(form(status="3 users"))
    masked = desk.look(form(status="41 users"), masks=[MASK])
    assert masked.cache_hit
    for previous in (None, masked):
        state = desk.look(form(status="41 users"), previous=previous)
        assert "41 users" in [line.text for line in state.texts]


def test_a_mask_beside_a_clock_is_not_told_to_others_either(desk: Desk) -> None:
    desk.look(form(status="3 users"))
    later = NOON + timedelta(minutes=1)
    assert desk.look(form(clock="12:01", status="41 users"), later, masks=[MASK]).cache_hit is False  # it was read
    assert "41 users" in [line.text for line in desk.look(form(clock="12:01", status="41 users"), later).texts]
