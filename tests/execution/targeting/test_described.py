"""S11.4: a target that is told by its text alone is the one thing that reads so."""

from __future__ import annotations

from execution.targeting.resolver import TargetResolver
from execution.types import Box, Element, ElementRole, ResolveStatus, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.graph import TargetSpec

HIGH = TargetSpec(target_id="high", label="High", text="High", role="radio")


def test_a_frame_around_what_reads_so_is_no_second_one() -> None:
    """Where a list is asked for, that which holds several things may be it; not beside one that reads so itself."""
    canvas = Canvas(800, 600)
    around = Box(100, 80, 260, 120)
    canvas.draw.rectangle((around.x, around.y, around.right, around.bottom), outline=(90, 90, 90))
    for at, text in enumerate(("Fasting", "Low", "High")):
        canvas.text(text, 130, 95 + 34 * at)
    group = Element(box=around, role=ElementRole.GROUP, text="Fasting Low High")
    state = canvas.state(elements=[group], window=Window(title="Desk", box=Box(0, 0, 800, 600)))
    found = TargetResolver(pictures=Pictures()).resolve(HIGH, state, variables={}, as_list=True)
    own = next(line.box for line in state.texts if line.text == "High")
    assert (found.status, found.box is not None and own.contains(found.box.center)) == (ResolveStatus.FOUND, True)
