"""S6.12: keys go only to a place that shows it was entered, whatever it was taken for."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from execution.desktop.base import CHOOSE_ALL
from execution.targeting.judge import needed
from execution.turn import entering
from execution.turn.unchanged import Glance
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ActionStatus, Box, Element, ElementRole, Frame, Point, Resolution, ResolveStatus, Suggestion
from tests.execution.perception.drawing import Canvas
from tests.execution.screens import frame, line, screen
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec, TargetSpec

PLACE = Box(100, 200, 120, 20)
CARET = Box(104, 203, 1, 14)
ELSEWHERE = Box(100, 60, 1, 14)  # a caret that blinks in the field that has the focus


class Desktop:
    """Shows one picture after another once it was clicked, and the last one from then on."""

    def __init__(self, after: Sequence[Frame]) -> None:
        self.after, self.acts = list(after), list[str]()

    def click(self, point: Point, **_how: Any) -> None:
        self.acts.append("click")

    def press(self, keys: Sequence[str]) -> None:
        self.acts.append("press")

    def type_text(self, text: str) -> None:
        self.acts.append(text)

    def grab(self) -> Frame:
        return self.after.pop(0) if len(self.after) > 1 else self.after[0]


def typed(
    *after: Frame, role: str, box: Box | None = PLACE, looked: bool = True
) -> tuple[ActionStatus, str, list[str]]:
    """What came of typing there, with the pictures that follow the click."""
    before = screen(line("Allergy", 100, 203))
    desktop = Desktop(after)
    eyes = SimpleNamespace(
        desktop=desktop,
        last_look=Glance(frame=before.frame) if looked else None,
        last_read=before,
        glance=lambda: Glance(frame=desktop.grab()),
    )
    edge = EdgeSpec(
        edge_id="e",
        source="a",
        destination="a",
        action_type="type_text",
        params={"text": "penicillin", "clear": True},
        target=TargetSpec(target_id="t", label="Allergy", role=role, text="Allergy"),
    )
    resolution = Resolution(status=ResolveStatus.FOUND, box=box, point=PLACE.center)
    suggestion = Suggestion(edge=edge, node_id="a", params=edge.params, sentence="", resolution=resolution)
    stages: Any = SimpleNamespace(eyes=eyes, graph=None)
    result = entering.perform(stages, suggestion)
    return result.status, str(result.message), desktop.acts


ROLES = ["field", "text", ""]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entering, "SIGN_S", 0.1)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("after", [frame(), frame((ELSEWHERE, 0))], ids=["nothing changes", "a caret blinks elsewhere"])
def test_where_nothing_shows_that_it_was_entered_nothing_is_typed(role: str, after: Frame) -> None:
    """The click did nothing: what has the focus is another field, and would be emptied and filled."""
    status, message, acts = typed(after, frame(), role=role)
    assert (status, acts) == (ActionStatus.FAILED, ["click"])
    assert "does not show that it was entered" in message


@pytest.mark.parametrize("role", ROLES)
def test_a_caret_that_shows_late_is_a_sign(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text area that has the focus already shows nothing of the click but its caret, once it blinks."""
    monkeypatch.setattr(entering, "SIGN_S", 30.0)
    status, message, acts = typed(frame(), frame(), frame((CARET, 0)), role=role)
    assert (status, message) == (ActionStatus.DONE, "")
    assert acts == ["click", *["press"] * len(CHOOSE_ALL), "penicillin"]


def test_a_place_of_which_nobody_knows_how_large_it_is_is_not_clicked() -> None:
    status, message, acts = typed(frame((CARET, 0)), role="text", box=None)
    assert (status, acts) == (ActionStatus.FAILED, [])
    assert message


def test_without_a_look_before_the_click_nothing_is_typed() -> None:
    status, _message, acts = typed(frame((CARET, 0)), role="field", looked=False)
    assert (status, acts) == (ActionStatus.FAILED, ["click"])


@pytest.mark.parametrize(
    ("held", "enter", "role", "sure"),
    [
        ("", False, ElementRole.FIELD, 0.9),
        ("Ada", False, ElementRole.FIELD, 0.95),  # typed behind it, it is another value
        ("", True, ElementRole.FIELD, 0.95),
        ("", False, ElementRole.GROUP, 0.95),
    ],
    ids=["empty", "filled", "sends", "no field"],
)
def test_how_sure_a_place_must_be_that_a_text_goes_into(held: str, enter: bool, role: ElementRole, sure: float) -> None:
    """S5.3: a text in a field that was empty is seen, and taken back, before anything is saved."""
    canvas = Canvas(800, 400)
    box = canvas.field(Box(100, 100, 300, 32), held)
    state = canvas.state(elements=[Element(box=box, role=role)])
    least: list[float] = []

    def resolve(_target: Any, _state: Any, *, effect: EffectClass, **_how: Any) -> Resolution:
        least.append(needed(0.75, effect))
        return Resolution(status=ResolveStatus.FOUND, box=box, point=box.center)

    graph = GraphSpec(workflow_id="w", name="W", learning_state="")
    stages = WorkflowStages(graph, {}, None, None, SimpleNamespace(resolve=resolve))  # type: ignore[arg-type]
    edge = EdgeSpec(
        edge_id="e", source="a", destination="a", action_type="type_text", params={"text": "x", "enter": enter},
        target=TargetSpec(target_id="t", label="Allergy", role="field"),
    )  # fmt: skip
    stages._resolve(edge, state)
    assert max(least) == pytest.approx(sure)
