"""What was taught, tried at once on the stored pictures (S6.11)."""

from __future__ import annotations

import pytest

from execution.lesson.proving import MOST_ELSEWHERE, Trial, proved
from execution.lesson.screens import Look
from execution.teaching.evidence import teach_target
from execution.types import Box
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

BUTTON = Box(40, 300, 140, 36)
PLACE = Box(240, 320, 140, 36)


def screen(title: str, *buttons: tuple[str, Box]) -> Canvas:
    """The title stands above the first button, wherever that is."""
    canvas = Canvas(640, 400)
    at = buttons[0][1] if buttons else BUTTON
    canvas.text(title, at.x, at.y - 60, size=18)
    for label, box in buttons:
        canvas.button(label, box)
    return canvas


def look(canvas: Canvas, store: Pictures) -> Look:
    return Look.of_state(canvas.state(), store.put(canvas.pixels))


@pytest.fixture
def store() -> Pictures:
    return Pictures()


def trial(store: Pictures, *others: Canvas) -> dict[str, object]:
    """The button “Sign” of the screen Orders, tried on that screen, on one without it, and on other screens."""
    own = screen("Orders", ("Sign", BUTTON))
    state = own.state()
    target = teach_target(state.frame, BUTTON, label="Sign", state=state, click=None, store=store)
    tried = Trial(
        target=target,
        effect=EffectClass.READ,
        own=[look(own, store), look(screen("Orders"), store)],
        others=[look(other, store) for other in others],
        values={},
    )
    return proved(tried, pictures=store)


def test_it_is_told_on_how_many_of_its_own_pictures_it_is_found(store: Pictures) -> None:
    told = trial(store)
    assert (told["found"], told["of"], told["elsewhere"]) == (1, 2, 0)
    assert told["failed"] == [told["pictures"][1]]  # type: ignore[index]


@pytest.mark.parametrize(
    ("other", "counted"),
    [
        (screen("Orders", ("Sign", PLACE)), 1),
        (screen("Results", ("Sign", BUTTON)), 0),  # what stands at the same place on all screens is the same thing
        (screen("Results", ("Print", PLACE)), 0),
    ],
    ids=["elsewhere", "at its place", "another button"],
)
def test_another_screen_that_has_it_elsewhere_is_counted(store: Pictures, other: Canvas, counted: int) -> None:
    assert trial(store, other)["elsewhere"] == counted


def test_at_most_so_many_other_screens_are_tried(store: Pictures) -> None:
    others = [screen("Orders", ("Sign", PLACE._replace(y=320 - n))) for n in range(MOST_ELSEWHERE + 2)]
    assert trial(store, *others)["elsewhere"] == MOST_ELSEWHERE
