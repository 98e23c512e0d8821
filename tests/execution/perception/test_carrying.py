"""What is carried over from an earlier look at nearly the same screen (S2.11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.carrying import detect_changed, read_changed
from execution.perception.changes import find_changes
from execution.perception.elements.base import in_order
from execution.types import Box, Element, ElementRole, ScreenState, TextLine, pixels_digest
from tests.execution.perception.drawing import Canvas, ListReader, frame

SIZE = (800, 500)


class Blobs:
    """Finds every dark rectangle, looking no further than its own pixels and those beside; keeps what it was shown."""

    def __init__(self, reach: int | None = 4) -> None:
        self.reach = reach
        self.shown: list[tuple[int, int]] = []

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        import cv2

        self.shown.append((pixels.shape[1], pixels.shape[0]))
        dark = (pixels.max(axis=2) < 100).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
        return in_order(
            Element(
                box=Box(*(int(v) for v in row[:4])),
                role=ElementRole.BUTTON,
                text=" ".join(t.text for t in texts if Box(*(int(v) for v in row[:4])).contains(t.box.center)),
            )
            for row in stats[1:count]
        )


def drawn(boxes: Sequence[Box]) -> np.ndarray:
    pixels = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
    for box in boxes:
        pixels[box.y : box.bottom, box.x : box.right] = 30
    return pixels


def seen(pixels: np.ndarray, detector: Blobs, texts: Sequence[TextLine] = ()) -> ScreenState:
    return ScreenState(frame=frame(pixels), texts=tuple(texts), elements=detector.detect(pixels, texts))


rectangles = st.builds(Box, st.integers(0, 780), st.integers(0, 480), st.integers(2, 200), st.integers(2, 60)).map(
    lambda b: b.intersection(Box(0, 0, *SIZE))
)


@given(before=st.lists(rectangles, max_size=10), gone=st.integers(0, 3), new=st.lists(rectangles, max_size=3))
def test_elements_of_what_changed_and_those_carried_over_are_those_of_the_whole(
    before: list[Box], gone: int, new: list[Box]
) -> None:
    detector = Blobs()
    known = seen(drawn(before), detector)
    after = drawn([*before[gone:], *new])
    carried = detect_changed(frame(after), detector, (), known, find_changes(known.frame.pixels, after))
    assert carried == detector.detect(after, ())


def test_only_the_surroundings_of_a_change_are_looked_at() -> None:
    detector = Blobs()
    known = seen(drawn([Box(100, 100, 80, 30), Box(700, 400, 80, 30)]), detector)
    after = drawn([Box(100, 100, 80, 30), Box(700, 400, 90, 30)])
    detector.shown.clear()
    detect_changed(frame(after), detector, (), known, find_changes(known.frame.pixels, after))
    assert len(detector.shown) == 1
    width, height = detector.shown[0]
    assert width * height < 0.05 * SIZE[0] * SIZE[1]


def test_a_line_that_reads_otherwise_is_a_change_of_its_element_though_no_pixel_near_it_changed() -> None:
    detector = Blobs()
    box = Box(100, 100, 80, 30)
    known = seen(drawn([box, Box(700, 400, 50, 20)]), detector, [TextLine(text="Sove", box=Box(110, 105, 40, 14))])
    after = drawn([box, Box(700, 400, 60, 20)])
    texts = (TextLine(text="Save", box=Box(110, 105, 40, 14)),)
    carried = detect_changed(frame(after), detector, texts, known, find_changes(known.frame.pixels, after))
    assert [e.text for e in carried] == ["Save", ""]


@pytest.mark.parametrize("reach", [None, 400])
def test_a_detector_that_looks_at_all_is_asked_for_all(reach: int | None) -> None:
    detector = Blobs(reach)
    known = seen(drawn([Box(100, 100, 80, 30)]), detector)
    after = drawn([Box(100, 100, 80, 31)])
    detector.shown.clear()
    detect_changed(frame(after), detector, (), known, find_changes(known.frame.pixels, after))
    assert detector.shown == [SIZE]


# --- text -----------------------------------------------------------------------------------------------------------
def test_a_reader_that_forgets_is_asked_for_the_changed_regions_only() -> None:
    before, after = Canvas(800, 400), Canvas(800, 400)
    for row in range(6):
        before.text(f"Line {row}", 40, 40 + 50 * row)
        after.text(f"Line {row}" if row != 3 else "Line X", 40, 40 + 50 * row)
    reader = ListReader({pixels_digest(c.pixels): c.lines for c in (before, after)})
    changes = find_changes(before.pixels, after.pixels)
    lines = read_changed(frame(after.pixels), reader, before.state(), changes)
    assert [line.text for line in lines] == ["Line 0", "Line 1", "Line 2", "Line X", "Line 4", "Line 5"]
    assert None not in reader.asked
    assert all(region.area < 0.1 * 800 * 400 for region in reader.asked)


def test_a_reader_that_remembers_is_asked_for_all() -> None:
    """It knows best what is new, and gives what a reading of all would give."""

    class Remembers(ListReader):
        lines_recognised = 0

    before, after = Canvas(400, 100), Canvas(400, 100)
    before.text("Total 1", 20, 20)
    after.text("Total 2", 20, 20)
    reader = Remembers({pixels_digest(after.pixels): after.lines})
    lines = read_changed(frame(after.pixels), reader, before.state(), find_changes(before.pixels, after.pixels))
    assert [line.text for line in lines] == ["Total 2"]
    assert reader.asked == [None]


def test_a_line_that_may_run_on_beyond_its_region_has_all_read() -> None:
    before, after = Canvas(800, 200), Canvas(800, 200)
    before.text("short", 40, 40)
    after.text("short", 40, 40)
    after.draw.rectangle((300, 40, 310, 50), fill=(0, 0, 0))
    reader = ListReader({pixels_digest(after.pixels): [TextLine(text="short and long", box=Box(40, 40, 500, 14))]})
    read_changed(frame(after.pixels), reader, before.state(), find_changes(before.pixels, after.pixels))
    assert reader.asked[-1] is None
