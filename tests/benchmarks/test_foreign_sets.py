"""The sets of others' screens: what is asked of a case, and what is kept of its answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from benchmarks import readings
from benchmarks.foreign.finding import find
from benchmarks.foreign.needles import Case, asked, erased
from benchmarks.foreign.screens import lesson, matcher_of
from benchmarks.foreign.seen import Seen, sampled
from benchmarks.readings import Readings
from execution.types import Box, Element, ElementRole, Embedding, ScreenState
from tests.execution.matching.screens import PEOPLE, record
from tests.execution.perception.drawing import Canvas, ListReader

ROW = {
    "id": "p0001", "type": "pos", "kind": "moved", "taught": "then", "today": "now", "box": "40 80 90 30",
    "click": "85 95", "truth": "140 180 90 30", "corr": "0.853", "changed": "0", "twin": "0", "erase": "1",
}  # fmt: skip


def page(*, at: tuple[int, int] = (40, 80)) -> ScreenState:
    canvas = Canvas(500, 300)
    canvas.text("Choose how to go on", 40, 20, size=18)
    box = canvas.button("Continue", Box(*at, 90, 30))
    other = canvas.button("Go back", Box(300, 250, 90, 30))
    elements = [Element(role=ElementRole.BUTTON, box=one) for one in (box, other)]
    return canvas.state(elements=elements)


class Drawn:
    """Stands in for `Seen`: what was painted over is read as no longer there."""

    def __init__(self, **states: ScreenState) -> None:
        self.states = {f"needles/pictures/{name}": state for name, state in states.items()}

    def state(self, picture: str) -> ScreenState:
        return self.states[picture]

    def pixels(self, picture: str) -> np.ndarray:
        return self.states[picture].frame.pixels

    def state_of(self, pixels: np.ndarray) -> ScreenState:
        canvas = Canvas(500, 300)
        canvas.text("Choose how to go on", 40, 20, size=18)
        other = canvas.button("Go back", Box(300, 250, 90, 30))
        return canvas.state(elements=[Element(role=ElementRole.BUTTON, box=other)])


def test_a_row_says_its_groups_and_what_is_right() -> None:
    case = Case.of(ROW)
    assert case.groups == ("headline", "headline, moved", "headline, corr 0.8+")
    assert case.truth == Box(140, 180, 90, 30)
    assert Case.of({**ROW, "twin": "1"}).groups[0] == "changed or twin"
    none = Case.of({**ROW, "type": "neg", "truth": "", "corr": ""})
    assert (none.groups[0], none.truth) == ("negative", None)


@pytest.mark.parametrize("drawn", [False, True])
def test_a_needle_is_found_today_and_refused_where_it_was_painted_over(drawn: bool) -> None:
    seen = cast(Seen, Drawn(then=page(), now=page(at=(140, 180))))
    today, gone = map(find, asked(Case.of(ROW), seen, drawn=drawn))
    assert today.answer["id"] == "p0001"
    assert set(today.verdicts.values()) == {"right"}, today.answer
    assert today.answer["p"] >= 0.95
    assert gone.groups == ("erased",)
    assert {"id": "e0001", "point": None}.items() <= gone.answer.items()
    assert set(gone.verdicts.values()) == {"right"}


def test_it_is_painted_over_in_the_colour_around_it() -> None:
    pixels = np.full((40, 60, 3), (200, 210, 220), np.uint8)
    pixels[10:20, 10:30] = (0, 0, 255)
    pixels[:, 58:] = 0
    painted = erased(pixels, Box(10, 10, 20, 10))
    assert (painted[:, :58] == (200, 210, 220)).all()
    assert (painted[:, 58:] == 0).all()
    assert (pixels[10, 10] == (0, 0, 255)).all()


def written(*texts: str) -> ScreenState:
    canvas = Canvas(500, 400)
    for number, text in enumerate(texts):
        canvas.text(text, 40, 40 + 70 * number, size=13 + 5 * (number == 0))
    return canvas.state()


def test_a_node_is_known_by_what_no_other_says_or_must_not_say_what_another_does() -> None:
    first, second = lesson(
        {
            "start": written("Welcome", "Choose a language"),
            "menu": written("Welcome", "Choose a language", "Keyboard layout"),
        }
    )
    assert "Keyboard layout" in second.node.texts
    assert (first.node.absent, second.node.absent) == (("Keyboard layout",), ())


def test_a_screen_is_the_node_that_it_was_taught_as_or_none() -> None:
    matcher = matcher_of(lesson({tab: record(tab).state(window=False) for tab in ("Summary", "Results")}))

    def node(tab: str) -> str | None:
        match = matcher.recognise(record(tab, person=PEOPLE[1]).state(window=False), variables={}).match
        return match.node_id if match else None

    assert [node(tab) for tab in ("Summary", "Results", "Letters")] == ["Summary", "Results", None]


def test_a_picture_is_read_once_until_the_eyes_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = page()
    (tmp_path / "set").mkdir()
    cv2.imwrite(str(tmp_path / "set" / "one.webp"), state.frame.pixels, [cv2.IMWRITE_WEBP_QUALITY, 101])
    reader = ListReader({state.frame.digest: state.texts})
    analyzer = SimpleNamespace(
        reader=reader,
        detector=SimpleNamespace(detect=lambda pixels, texts: state.elements),
        embedder=SimpleNamespace(model_id="m", embed=lambda pixels: Embedding(model="m", vector=np.ones(2))),
    )

    def look() -> ScreenState:
        kept: Any = Readings(cast(Any, analyzer), tmp_path / "kept")
        return Seen(tmp_path, kept).state("set/one")

    assert look().texts == look().texts == state.texts
    assert (look().frame.pixels == state.frame.pixels).all()
    assert len(reader.asked) == 1
    monkeypatch.setattr(readings, "_maker", lambda part, analyzer: f"newer {part}")
    look()
    assert len(reader.asked) == 2
    assert Seen(tmp_path, cast(Any, None)).has("set/one")
    with pytest.raises(FileNotFoundError, match="two"):
        Seen(tmp_path, cast(Any, None)).pixels("set/two")


def test_a_sample_is_always_the_same_and_in_order() -> None:
    some = sampled(range(100), 10)
    assert len(some) == 10
    assert some == sampled(range(100), 10) == sorted(some)
    assert sampled([1, 2], None) == sampled([1, 2], 5) == [1, 2]
