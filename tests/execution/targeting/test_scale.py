"""S5.3: how much larger everything is drawn, told by what is seen again, whatever two sizes a screen was drawn at."""

from __future__ import annotations

from itertools import product

import pytest

from execution.language.screen_texts import ScreenWords
from execution.targeting.context import Context
from execution.targeting.scale import scales_of
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, ScreenState
from tests.execution.perception.drawing import Canvas, Pictures

SIZES = (75, 100, 150, 200)  # per cent
APART = 2.0  # times: at 75 % what was taught at 175 or 200 % is asked about
NAMES = ("Admission", "Allergies", "Discharge", "Medication", "Imaging", "Nursing")


def screen(per_cent: int) -> ScreenState:
    """Entries below each other, each in its frame."""
    scale, canvas, elements = per_cent / 100, Canvas(1400, 1000), list[Element]()
    for number, name in enumerate(NAMES):
        box = Box(*(round(scale * side) for side in (40, 40 + 60 * number, 200, 32)))
        canvas.text(name, box.x + round(10 * scale), box.y + round(8 * scale), size=round(14 * scale))
        elements.append(Element(box=box, role=ElementRole.BUTTON, text=name))
    return canvas.state(elements=elements)


@pytest.mark.parametrize(("taught", "now"), [(a, b) for a, b in product(SIZES, SIZES) if max(a / b, b / a) <= APART])
def test_the_likeliest_size_is_the_one_it_is_drawn_at(taught: int, now: int) -> None:
    first, store = screen(taught), Pictures()
    target = teach_target(first.frame, first.elements[2].box, label=NAMES[2], state=first, click=None, store=store)
    now_seen = screen(now)
    seen = Context(target=target, state=now_seen, variables={}, pictures=store, words=ScreenWords(now_seen.texts))
    assert min(abs(scale / (now / taught) - 1) for scale in scales_of(seen)[:1]) <= 0.055
