"""The buttons of a dialog that a run is paused for, on its page: quoted, none standing out, the first answer wins."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from execution.actions import control
from execution.choices import ExecutionState, Origin, PauseReason
from execution.models import Execution
from tests.execution.pages.test_runs import move
from tests.factories import make_execution, make_picture
from tests.support.browser import until

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BOXES = {"Cancel": [0.3, 0.5, 0.1, 0.06], "Don't Save": [0.45, 0.5, 0.12, 0.06], "Save As": [0.62, 0.5, 0.1, 0.06]}


def paused(*more: str, **fields: Any) -> Execution:
    """A run that is paused for a dialog with these buttons, and with two more of one name where `more` says so."""
    buttons = [{"text": text, "box": box} for text, box in BOXES.items()]
    buttons += [{"text": text, "box": [0.1, 0.1, 0.1, 0.1]} for text in more]
    dialog = {
        "title": "Save Changes",
        "window": "Save Changes",
        "texts": ["Do you want to save the changes?", *BOXES],
        "box": [0.25, 0.3, 0.5, 0.3],
        "buttons": buttons,
    }
    said = "A dialog came over “Save dialog”: “Save Changes”: Do you want to save the changes before closing?"
    detail = {
        "message": f"{said} Its buttons: “Cancel”, “Don't Save”, “Save As”",
        "picture": make_picture(width=320, height=200).digest,
        "candidates": [],
        "expected": {"node_id": "save_dialog", "name": "Save dialog"},
        "dialog": dialog,
    }
    run = make_execution(**fields)
    return move(run, ExecutionState.PAUSED, desktop=f"a:{run.pk}", pause_reason=PauseReason.DIALOG, pause_detail=detail)


def test_a_button_of_the_dialog_is_chosen_on_the_page(page_of: Any, operator: Any) -> None:
    """S1.6, U5: its words are quoted, and a press in passing presses nothing: none is the primary button."""
    run = paused()
    page = page_of(operator, f"/runs/{run.execution_id}")
    buttons = page.locator(".dialog-buttons .button")
    expect(buttons).to_have_text(["Press “Cancel”", "Press “Don't Save”", "Press “Save As”"])
    expect(page.locator(".dialog-buttons .primary")).to_have_count(0)
    until(page, "document.querySelector('#frame').naturalWidth > 0")
    buttons.nth(1).hover()
    spot, frame = page.locator(".spot.meant").bounding_box(), page.locator("#frame").bounding_box()
    assert spot["x"] == pytest.approx(frame["x"] + 0.45 * frame["width"], abs=1.5)
    assert spot["width"] == pytest.approx(0.12 * frame["width"], abs=1.5)
    with page.expect_response(re.compile("/control/$")):
        buttons.nth(1).click()
    expect(page.locator("#question")).to_contain_text("Resuming …")
    expect(buttons.nth(0)).to_be_disabled()
    run.refresh_from_db()
    assert (run.wish, run.wish_press["button"]) == ("resume", "Don't Save")
    assert (run.wishes.get().name, run.wishes.get().origin) == ("operator", Origin.PAGE)


def test_who_comes_second_is_told_who_was_first(page_of: Any, operator: Any, make_user: Any) -> None:
    """S1.24"""
    run = paused()
    page = page_of(operator, f"/runs/{run.execution_id}")
    expect(page.locator(".dialog-buttons .button")).to_have_count(3)
    control.resume(execution_id=run.execution_id, press="Cancel", user=make_user("zoe", "operator"), origin=Origin.PAGE)
    page.click(".dialog-buttons .button >> text=Save As")
    expect(page.locator("#question [role=alert]")).to_contain_text("zoe (page) chose “Cancel” in the dialog")
    run.refresh_from_db()
    assert run.wish_press["button"] == "Cancel"


def test_buttons_that_have_one_name_are_not_offered(page_of: Any, operator: Any) -> None:
    run = paused("No", "No")
    page = page_of(operator, f"/runs/{run.execution_id}")
    expect(page.locator(".dialog-buttons .button")).to_have_count(3)
    expect(page.locator(".dialog-buttons")).not_to_contain_text("“No”")


def test_who_may_not_press_has_no_buttons(page_of: Any, viewer: Any, operator: Any) -> None:
    """S1.1: who may only look, and whose run only watches."""
    for user, run in ((viewer, paused()), (operator, paused(mode="observation"))):
        page = page_of(user, f"/runs/{run.execution_id}")
        expect(page.locator("#question")).to_contain_text("a dialog came over it")
        expect(page.locator(".dialog-buttons")).to_have_count(0)
