"""S6.12 in a program of Tk: fields, a combo box, a check box, radio buttons; the program writes what it holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.execution.turn.test_controls_on_a_page import beside, edge, named, run, told
from tests.support.display import VirtualDesktop, missing_programs, virtual_desktop

pytestmark = [
    pytest.mark.usefixtures("own_folder"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_programs()), reason="Xvfb and openbox are needed"),
]


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(800, 640) as one:
        yield one


def test_a_field_of_tk_is_emptied_first_and_an_option_out_of_sight_is_chosen(
    screen: VirtualDesktop, analyzer: Any, tmp_path: Path
) -> None:
    """There Ctrl+A goes to the beginning of the field, which held a name; its list shows ten rows of sixteen."""
    file = tmp_path / "held.json"
    program = screen.spawn([sys.executable, "-m", "tests.execution.turn.controls_in_tk", str(file)])
    try:
        screen.wait_for_window("Admission desk")
        acts = [
            edge("type_text", beside("Name", -180), text="Ada Byron", clear=True),
            edge("choose", beside("Carrier", -180), option="Mondial Relay"),
        ]
        node = {"node_id": "order", "name": "Form", "texts": ["New admission"], "window_title": "Admission*"}
        execution, asked = run(screen, analyzer, *acts, entry={**node, "is_entry": True})
    finally:
        screen.end(program)
    assert [one[1:3] for one in told(execution)[:2]] == [("succeeded", "yes")] * 2, (told(execution), asked)
    held = json.loads(file.read_text())
    assert (held["name"], held["carrier"]) == ("Ada Byron", "Mondial Relay")


def test_a_form_of_tk_is_filled(screen: VirtualDesktop, analyzer: Any, tmp_path: Path) -> None:
    """S6.12: each step is verified, and the program holds what was asked for."""
    file = tmp_path / "held.json"
    program = screen.spawn([sys.executable, "-m", "tests.execution.turn.controls_in_tk", str(file)])
    try:
        screen.wait_for_window("Admission desk")
        typed = edge("type_text", beside("Name", -180), text="Ada Byron", clear=True)
        acts = [
            typed,
            edge("choose", beside("Ward", -180), option="Ward 19"),
            edge("choose", beside("Carrier", -180), option="Mondial Relay"),
            edge("set_state", named("Fasting", "checkbox"), state="on"),
            edge("choose", named("High", "radio"), option="High"),
        ]
        node = {"node_id": "order", "name": "Form", "texts": ["New admission"], "window_title": "Admission*"}
        execution, asked = run(screen, analyzer, *acts, entry={**node, "is_entry": True})
    finally:
        screen.end(program)
    assert [one[1:3] for one in told(execution)[:5]] == [("succeeded", "yes")] * 5, (
        told(execution),
        [p.message for p in asked],
    )
    held = json.loads(file.read_text())
    assert held == {
        "name": "Ada Byron", "ward": "Ward 19", "fasting": True, "urgency": "high", "carrier": "Mondial Relay",
    }  # fmt: skip
