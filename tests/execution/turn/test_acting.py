"""The hands: each action type of the catalogue, as what reaches the desktop (S1.5, S9.1)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.desktop.base import CHOOSE_ALL
from execution.turn.acting import perform
from execution.types import ActionStatus, Point, Resolution, ResolveStatus, Suggestion
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import screens
from workflows.catalogue import ALLOWED_ACTION_TYPES, SERVER_SIDE_ACTION_TYPES
from workflows.graph import EdgeSpec

NOT_NEEDED = Resolution(status=ResolveStatus.NOT_NEEDED)
FOUND = Resolution(status=ResolveStatus.FOUND, point=Point(100, 120))


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one"))


def suggestion(action_type: str, resolution: Resolution = FOUND, **params: Any) -> Suggestion:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type=action_type, params=params)
    return Suggestion(edge=edge, node_id="a", sentence="do", params=params, resolution=resolution)


def done(desktop: ScriptedDesktop) -> list[dict[str, Any]]:
    """What reached the desktop, without what every act carries empty."""
    names = ("kind", "point", "end", "button", "count", "dx", "dy", "keys", "text")
    return [{name: value for name in names if (value := getattr(act, name))} for act in desktop.log]


HERE = Point(100, 120)
ACTS = {
    "click": ({}, FOUND, [{"kind": "click", "point": HERE, "button": "left", "count": 1}]),
    "double_click": ({}, FOUND, [{"kind": "click", "point": HERE, "button": "left", "count": 2}]),
    "right_click": ({}, FOUND, [{"kind": "click", "point": HERE, "button": "right", "count": 1}]),
    "drag": (
        {"dx": 30, "dy": -20},
        FOUND,
        [{"kind": "drag", "point": HERE, "end": Point(130, 100), "button": "left"}],
    ),
    "scroll": ({"dy": -2}, FOUND, [{"kind": "scroll", "point": HERE, "dy": -2}]),
    "type_text": ({"text": "Zoë €"}, NOT_NEEDED, [{"kind": "type_text", "text": "Zoë €"}]),
    "press_keys": ({"keys": "ctrl+shift+s"}, NOT_NEEDED, [{"kind": "press", "keys": ("ctrl", "shift", "s")}]),
}


@pytest.mark.parametrize("action_type", ACTS)
def test_each_action_is_what_it_says(desktop: ScriptedDesktop, action_type: str) -> None:
    params, resolution, expected = ACTS[action_type]
    result = perform(desktop, suggestion(action_type, resolution, **params))
    assert result.status is ActionStatus.DONE
    assert result.act_ms >= 0
    assert done(desktop) == expected


def test_every_action_of_one_movement_can_be_done() -> None:
    assert set(ACTS) == ALLOWED_ACTION_TYPES - SERVER_SIDE_ACTION_TYPES


def test_clearing_comes_before_typing(desktop: ScriptedDesktop) -> None:
    perform(desktop, suggestion("type_text", NOT_NEEDED, text="new", clear=True))
    chosen = [{"kind": "press", "keys": keys} for keys in CHOOSE_ALL]
    assert done(desktop) == [*chosen, {"kind": "type_text", "text": "new"}]


def test_scrolling_without_a_target_turns_the_wheel_in_the_middle(desktop: ScriptedDesktop) -> None:
    perform(desktop, suggestion("scroll", NOT_NEEDED))
    assert done(desktop) == [{"kind": "scroll", "point": Point(640, 400), "dy": 3}]


@pytest.mark.parametrize("action_type", ["click", "double_click", "right_click", "drag"])
@pytest.mark.parametrize("status", [ResolveStatus.NOT_FOUND, ResolveStatus.AMBIGUOUS])
def test_without_a_target_nothing_is_touched(desktop: ScriptedDesktop, action_type: str, status: ResolveStatus) -> None:
    """S5.3: not a guess; what would be the better of two equal places is not clicked either."""
    guess = Resolution(status=status, point=Point(5, 5))
    result = perform(desktop, suggestion(action_type, guess, dx=1, dy=1))
    assert result.status is ActionStatus.FAILED
    assert "not found" in result.message
    assert desktop.log == []


def test_a_key_that_is_none_is_a_failure_before_any_input(desktop: ScriptedDesktop) -> None:
    result = perform(desktop, suggestion("press_keys", NOT_NEEDED, keys="ctrl+frobnicate"))
    assert result.status is ActionStatus.FAILED
    assert "frobnicate" in result.message
    assert desktop.log == []


@pytest.mark.parametrize("after_effect", [False, True])
def test_a_desktop_that_goes_away_in_the_middle_is_uncertain(desktop: ScriptedDesktop, after_effect: bool) -> None:
    """S9.2: whether the input arrived is not known, and nobody says that it did or did not."""
    desktop.lose(after_effect=after_effect)
    result = perform(desktop, suggestion("click"))
    assert result.status is ActionStatus.UNCERTAIN
    assert "scripted" in result.message
