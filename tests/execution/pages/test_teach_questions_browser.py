"""Questions that teaching asks on its page, in a real browser; the robot's end of its socket is the test's (S6.1)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from execution.lesson.telling import draft_told
from tests.support.taught import held_step, question
from tests.support.teach_page import ask, click, sent, shown, takes_answers
from workflows.models import Node

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]


# --- questions -------------------------------------------------------------------------------------------------------
def test_a_held_click_is_answered_by_its_number_and_the_keys_come_back(teach) -> None:
    """S6.11: the likely answer first and primary; while it is asked the keys answer."""
    page, end, _lesson = teach()
    click(page, 1050, 345)
    ask(end)
    expect(page.locator("#question-title")).to_have_text("There are 6 Ouvrir. What says that it is this one?")
    expect(page.locator("#question .primary")).to_contain_text("The line of “patient”")
    expect(page.locator(".spot.because")).to_have_count(1)
    expect(page.locator(".spot.runner")).to_have_count(5)
    acts = len(end.of("act"))
    click(page, 300, 186)  # one thing at a time
    takes_answers(page)
    page.keyboard.press("1")
    assert sent(page, end, "answer")[0] | {"values": {}} == {
        "type": "answer", "question": "4", "choice": "row:patient", "values": {},
    }  # fmt: skip
    expect(page.locator("#question .primary")).to_be_disabled()
    assert len(end.of("act")) == acts
    end.tell(rev=3)
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")


@pytest.mark.parametrize("other", [False, True], ids=["the same question", "another one"])
def test_an_answer_counts_whatever_the_robot_tells_between_press_and_release(teach, other: bool) -> None:
    """S6.11: unless it asks something else by then, which nobody has read."""
    page, end, lesson = teach()
    ask(end)
    takes_answers(page)
    page.locator("#question .primary").hover()
    page.mouse.down()
    asked = {**question(), "id": "5", "text": "Which one now?"} if other else question()
    first, *rest = draft_told(lesson)["steps"]
    screens = [{**one, "name": "The ward"} for one in draft_told(lesson)["screens"]]
    end.tell(rev=3, steps=[{**first, "sentence": "Search"}, *rest, held_step()], question=asked, screens=screens)
    expect(page.locator("[data-row=step-1]")).to_contain_text("Search")
    page.mouse.up()
    if other:
        expect(page.locator("#question-title")).to_have_text("Which one now?")
        takes_answers(page)
        assert end.of("answer") == []
    else:
        assert sent(page, end, "answer")[0]["choice"] == "row:patient"


def test_which_of_several_may_be_a_number_that_a_run_gives(teach) -> None:
    """S6.11: the line number {{n}}."""
    page, end, _lesson = teach()
    ask(end)
    page.get_by_role("button", name="The number that a run gives").click()
    page.get_by_label("Variable that holds the number").fill("line")
    page.keyboard.press("Enter")
    answer = sent(page, end, "answer")[0]
    assert (answer["choice"], answer["values"]) == ("nth", {"variable": "line"})


def test_what_tells_it_may_be_said_text_by_text_and_what_says_nothing_is_asked_again(teach) -> None:
    """S6.11: “Something else”: each text of its line, the value of a variable or the same each time."""
    page, end, _lesson = teach()
    ask(end)
    takes_answers(page)
    page.keyboard.press("e")
    name = page.get_by_role("textbox", name="variable")
    expect(page.get_by_role("checkbox", name="LEFÈVRE Marie")).to_be_checked()
    expect(name).to_have_value("patient")
    page.get_by_role("checkbox", name="LEFÈVRE Marie").uncheck()
    expect(name).to_be_disabled()
    page.get_by_role("button", name="Use this").click()
    assert sent(page, end, "answer")[0]["values"] == {"line": []}
    end.say(type="trouble", text="Choose at least one text of its line.")
    expect(page.locator("#question [role=alert]")).to_have_text("Choose at least one text of its line.")
    page.keyboard.press("e")
    name.fill("who")
    page.keyboard.press("Enter")
    page.wait_for_function("() => true")
    expect(page.locator("#question .primary")).to_be_disabled()
    answer = end.of("answer")[-1]
    assert (answer["choice"], answer["values"]) == (
        "something_else", {"line": [{"text": "LEFÈVRE Marie", "variable": "who"}]},
    )  # fmt: skip


@pytest.mark.parametrize("by", ["key", "pointer"])
def test_a_question_that_holds_nothing_says_that_its_keys_are_the_desktops_now(teach, by: str) -> None:
    """S9.6: whose record it is is proposed, and never taken by itself. What would be typed on the desktop is no answer:
    the keys are let go first, and the button says so; a press on the button, which lets them go as well, is one."""
    page, end, lesson = teach()
    step = lesson.steps.get(index=3)
    step.screen = {"record": {"identity": [{"value": "{{patient}}"}]}}
    step.edge.destination = Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record")
    step.edge.save()
    step.save()
    shown(page)
    page.locator("#keys").focus()
    end.tell(rev=2)
    end.say(type="screen", node_id="record", name="Record", why="", state="known")
    button = page.locator("#question .primary")
    expect(button.locator("kbd")).to_have_text("Esc 1")
    expect(button).to_contain_text("Go on only where “{{patient}}” is seen")
    expect(page.locator("#undo kbd")).to_have_text("Esc Z")
    page.keyboard.press("1")
    expect(page.locator("#question-title")).to_have_text("Whose record is this?")
    if by == "pointer":
        button.click()
    else:
        page.keyboard.press("Escape")
        expect(button.locator("kbd")).to_have_text("1")
        page.keyboard.press("1")
    expect(page.locator("#question-title")).to_have_text("This is Record")
    step.refresh_from_db()
    assert step.screen["record"]["accepted"] is True


def test_a_held_click_can_be_let_go(teach) -> None:
    page, end, _lesson = teach()
    ask(end)
    page.get_by_role("button", name="Do nothing").click()
    assert sent(page, end, "cancel")[0]["question"] == "4"


def test_the_same_screen_is_said_and_can_be_contradicted(teach) -> None:
    """S6.10"""
    page, end, lesson = teach()
    expect(page.locator("#question-title")).to_have_text("This is Queue")
    page.get_by_role("button", name="It is another screen").click()
    sent(page, end, "new_screen")
    Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record")
    end.tell(rev=2)
    page.select_option("[data-key=same_screen]", "record")
    assert sent(page, end, "same_screen")[0]["node_id"] == "record"


# --- a dialog --------------------------------------------------------------------------------------------------------
def test_a_dialog_is_told_as_it_says_with_its_buttons_as_answers(teach) -> None:
    """S6.14: a press is a step, or what every run does by itself."""
    page, end, _lesson = teach()
    boxes = {"Close the notice": [0.3, 0.4, 0.1, 0.05], "Stay": [0.5, 0.4, 0.1, 0.05]}
    buttons = [{"text": text, "box": box} for text, box in boxes.items()]
    dialog = {"title": "", "window": "", "texts": ["Maintenance tonight at ten", *boxes], "box": [0.2, 0.2, 0.5, 0.3]}
    dialog["buttons"] = buttons
    told = {"type": "screen", "node_id": None, "name": "", "why": "", "state": "new", "dialog": dialog}
    end.say(**told)
    expect(page.locator("#question-title")).to_have_text("A dialog is open")
    expect(page.locator("#question .question-why")).to_have_text("Maintenance tonight at ten")
    page.get_by_role("button", name="Stay").click()
    [act] = sent(page, end, "act")
    assert (act["act"], act["x"], act["y"], act["keep"]) == ("click", 704, 340, True)
    page.get_by_label("Every run presses it by itself").check()
    page.get_by_role("button", name="Close the notice").click()
    [press] = sent(page, end, "dialog")
    assert press["press"] == "Close the notice"
    assert len(end.of("act")) == 1
    page.select_option("[data-key=same_screen]", "queue")  # it may be a page after all
    assert sent(page, end, "same_screen")[0]["node_id"] == "queue"


@pytest.mark.parametrize("tool", ["choose", "must_see_row"])
def test_what_is_said_of_a_tool_leaves_the_picture_where_it_is(teach, tool: str) -> None:
    """S6.12: a row more below it would shrink the picture under the pointer, and another place would be clicked."""
    page, _end, _lesson = teach()
    shown(page)
    before = page.locator("#canvas").bounding_box()
    button = page.locator(f"[data-tool={tool}]")
    if not button.is_visible():
        page.click("#more-tools")
    button.click()
    expect(page.locator("#tool-hint")).to_be_visible()
    assert page.locator("#canvas").bounding_box() == before
