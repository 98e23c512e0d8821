"""“If this shows, it is not possible, because …”, said on the page on which workflows are taught (S12.2)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.display import wait_until
from tests.support.taught import RobotEnd
from tests.support.teach_page import click, sent
from workflows.models import Node

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]

DIALOG = {
    "title": "Search", "window": "", "texts": ["No patient of that number"], "box": [0.2, 0.2, 0.5, 0.3],
    "buttons": [{"text": "OK", "box": [0.3, 0.4, 0.1, 0.05]}],
}  # fmt: skip


def new_screen(end: RobotEnd, dialog: dict[str, object] | None = None) -> None:
    end.say(type="screen", node_id=None, name="", why="", state="new", dialog=dialog)


def reason(page: Page) -> None:
    page.get_by_role("button", name="Not possible here …").click()
    expect(page.get_by_label("Not possible, because")).to_be_focused()
    page.get_by_label("Not possible, because").fill("Patient not found")


@pytest.mark.parametrize("dialog", [None, DIALOG], ids=["a screen", "a dialog"])
def test_the_screen_that_shows_gets_a_reason(teach, dialog) -> None:
    page, end, _lesson = teach()
    new_screen(end, dialog)
    reason(page)
    page.keyboard.press("Enter")
    assert sent(page, end, "mend") == [
        {"type": "mend", "what": "not_possible", "reason": "Patient not found", "keep": True}
    ]


def test_a_text_is_pointed_at_on_the_picture_once_there_is_a_reason(teach) -> None:
    page, end, _lesson = teach()
    new_screen(end)
    page.get_by_role("button", name="Not possible here …").click()
    page.get_by_role("button", name="If a text shows …").click()
    expect(page.locator("#tool-hint")).not_to_contain_text("Click the text that says so")  # no reason, nothing to say
    page.get_by_label("Not possible, because").fill("Stay closed")
    page.get_by_role("button", name="If a text shows …").click()
    expect(page.locator("#tool-hint")).to_contain_text("Click the text that says so")
    click(page, 300, 186)
    [told] = sent(page, end, "mend")
    assert (told["reason"], told["keep"], abs(told["x"] - 300) <= 1, abs(told["y"] - 186) <= 1) == (
        "Stay closed", True, True, True,
    )  # fmt: skip
    assert end.of("act") == []


def test_a_screen_that_was_taught_gets_its_reason_in_its_panel(teach) -> None:
    """S6.11: with a desktop and without; what the server refuses is said."""
    page, end, lesson = teach()
    Node.objects.create(workflow=lesson.workflow, node_id="nobody", name="Nobody", texts=["No patient"])
    end.tell(rev=3)
    page.click("#tab-screen")
    expect(page.get_by_label("Not possible, because")).to_have_count(0)  # a run begins on it
    end.say(type="screen", node_id="nobody", name="Nobody", why="", state="known", dialog=None)
    field = page.get_by_label("Not possible, because")
    field.fill("Patient not found")
    field.press("Tab")
    wait_until(lambda: Node.objects.filter(node_id="nobody", exception="Patient not found").exists(), what="its reason")
