"""The live page in a real browser: time that stands still, unknown screens, the session's end, nothing that jumps."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from execution.actions import mending
from execution.actions.decide import decide
from execution.actions.start import start
from execution.actions.teach import close_lesson, open_lesson
from execution.choices import ExecutionState, LessonKind, PromptKind, PromptState, StepPhase
from execution.models import Decision, Execution, Lesson, Prompt, Robot, Step
from tests.execution.pages.test_pages_browser import ask, not_known, path_of
from tests.execution.pages.test_runs import make_question, move
from tests.factories import make_published
from tests.support.browser import until
from tests.support.display import wait_until
from workflows.models import Workflow

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

RECT = """name => {
  const r = document.querySelector(name).getBoundingClientRect();
  return [r.x, r.y + scrollY, r.width, r.height];
}"""


def rect(page: Page, name: str) -> list[float]:
    return page.evaluate(RECT, name)


def shared(a: Any, b: Any) -> float:
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(0.0, width) * max(0.0, height)


# --- time stands still -----------------------------------------------------------------------------------------------
def test_the_time_stands_still_while_somebody_corrects(page_of, operator, designer) -> None:
    """S1.10: the one who opened Correct holds the question; the others see who it is."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    with page.expect_response(re.compile("/hold/$")):
        page.keyboard.press("c")
    expect(page.locator("[data-then]")).to_have_text("The time stands still while you correct")
    left = page.locator(".ring span").inner_text()
    prompt.refresh_from_db()
    assert prompt.held_by == operator
    other = page_of(designer, path_of(prompt))
    expect(other.locator("[data-then]")).to_contain_text(f"{operator.get_username()} has been correcting for 0:")
    page.wait_for_timeout(1500)
    assert page.locator(".ring span").inner_text() == left
    with page.expect_response(re.compile("/hold/$")):
        page.keyboard.press("Escape")
    expect(page.locator("[data-then]")).to_contain_text("No answer in")
    prompt.refresh_from_db()
    assert prompt.held_by is None


def test_the_page_of_the_run_says_who_mends_its_step(page_of, operator, designer) -> None:
    """S6.14: and that the time stands still for that."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    lesson = Lesson.objects.create(
        workflow=prompt.execution.version.workflow, teacher=designer, kind=LessonKind.RUN, state="live",
        execution=prompt.execution, step_index=prompt.step.index,
    )  # fmt: skip
    mending.begun(lesson)
    page.reload()
    expect(page.locator("[data-mending]")).to_contain_text(f"{designer.get_username()} has been mending step")
    expect(page.locator("[data-then]")).to_have_text("The time stands still meanwhile")
    close_lesson(lesson)
    page.reload()
    expect(page.locator("[data-then]")).to_contain_text("No answer in")
    expect(page.locator("[data-mending]")).to_have_count(0)


def test_closing_the_page_lets_the_time_run_again(page_of, operator) -> None:
    """S1.10"""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    with page.expect_response(re.compile("/hold/$")):
        page.keyboard.press("c")
    page.goto(page.url.split("/runs/")[0] + "/workflows")
    until = timezone.now() + timedelta(seconds=5)
    while Prompt.objects.get(pk=prompt.pk).held_by and timezone.now() < until:
        page.wait_for_timeout(50)
    assert Prompt.objects.get(pk=prompt.pk).held_by is None


def may_be_answered(page: Any) -> None:
    """A question in the place of another one takes no answer for a moment."""
    expect(page.locator("[data-key=correct]:not([aria-disabled])")).to_be_visible()


def test_what_was_typed_outlives_news_and_the_question_asked_anew(page_of, operator) -> None:
    """U8: nothing is taken away; events, another action, going back, and a restart of the robot lose no letter."""
    prompt = ask(action="type_text", params={"text": "Ada"})
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.fill("[data-param=text]", "Ada Martin")
    page.fill("[name=feedback]", "the whole name")
    Execution.objects.filter(pk=prompt.execution_id).update(next_seq=50)  # a newer snapshot
    with page.expect_response(re.compile("/snapshot$")):
        pass
    page.select_option("[name=action]", "click")
    expect(page.locator("[name=feedback]")).to_have_value("the whole name")
    page.select_option("[name=action]", "type_text")
    expect(page.locator("[data-param=text]")).to_have_value("Ada Martin")
    page.focus("[name=feedback]")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(page.locator("[data-param=text]")).to_have_value("Ada Martin")
    Prompt.objects.filter(pk=prompt.pk).update(state=PromptState.WITHDRAWN)
    again = make_question(prompt.execution, suggestion=prompt.step.suggestion, edge_id=prompt.step.edge_id)
    expect(page.locator("form.correct-sheet")).to_have_count(0)
    may_be_answered(page)
    page.keyboard.press("c")
    expect(page.locator("[data-param=text]")).to_have_value("Ada Martin")
    page.click("text=Use this")
    expect(page.locator("#question")).to_contain_text("You corrected.")
    assert Decision.objects.get(prompt=again).correction["params"] == {"text": "Ada Martin"}


def test_a_value_that_cannot_be_read_for_certain_is_typed(page_of, operator) -> None:
    """S1.10, S6.12: the question has a field for it."""
    meant = {"name": "blood", "kind": "text", "label": "Group"}
    prompt = ask(PromptKind.TARGET, action="read_value", params=meant, status="not_found", box=None, point=None)
    Step.objects.filter(pk=prompt.step_id).update(action_type="read_value")
    page = page_of(operator, path_of(prompt))
    page.get_by_role("button", name="Type the value or show where").click()
    page.get_by_label("The value, as it stands there").fill("O pos")
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_contain_text("You corrected.")
    assert Decision.objects.get(prompt=prompt).correction["value"] == "O pos"


def test_what_was_typed_is_no_answer_to_the_next_question(page_of, operator) -> None:
    """S1.10: what was meant for one record is not offered for the next."""
    prompt = ask(action="type_text", params={"text": "Ada"})
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.fill("[data-param=text]", "Ada Martin")
    page.focus("[name=feedback]")
    page.keyboard.press("Escape")
    decide(prompt_id=prompt.pk, choice="accept", user=operator)
    make_question(prompt.execution, suggestion=prompt.step.suggestion, edge_id=prompt.step.edge_id)
    expect(page.locator(".step-button")).to_have_count(2)
    may_be_answered(page)
    page.keyboard.press("c")
    expect(page.locator("[data-param=text]")).to_have_value("Ada")


# --- unknown screens -------------------------------------------------------------------------------------------------
def test_the_ways_out_of_a_pause_are_in_sight_however_much_is_told(page_of, designer) -> None:
    """U3: at 1440×900 nobody scrolls for “Look again” and “Mend”."""
    run = not_known()
    told = {**run.pause_detail, "message": "The screen is none of them, and a notice lies over it. " * 12}
    Execution.objects.filter(pk=run.pk).update(pause_detail=told)
    page = page_of(designer, f"/runs/{run.execution_id}", viewport={"width": 1440, "height": 900})
    for button in (page.get_by_role("button", name="Look again"), page.get_by_role("link", name="Mend")):
        expect(button).to_be_in_viewport(ratio=1)


def paused_for_notice() -> Execution:
    run = not_known()
    buttons = [{"text": text, "box": [0.3, 0.4, 0.1, 0.05]} for text in ("Close the notice", "Stay")]
    notice = {
        "title": "",
        "window": "",
        "texts": ["Maintenance tonight at ten", "Close the notice", "Stay"],
        "buttons": buttons,
    }
    detail = {**run.pause_detail, "dialog": {**notice, "box": [0.2, 0.2, 0.4, 0.3]}}
    Execution.objects.filter(pk=run.pk).update(pause_detail=detail, pause_reason="dialog")
    return run


def test_a_button_that_closes_a_notice_is_pressed_by_later_runs_if_somebody_says_so(page_of, designer) -> None:
    """S6.14: the next version says so, and this run goes on with the button."""
    run = paused_for_notice()
    page = page_of(designer, f"/runs/{run.execution_id}")
    page.get_by_label("Later runs press it by themselves").check()
    page.get_by_role("button", name="Press “Close the notice”").click()
    wait_until(lambda: Execution.objects.get(pk=run.pk).wish_press, what="the button")
    latest = run.version.workflow.latest_version()
    assert latest.number == run.version.number + 1
    assert [(one.texts, one.click) for one in latest.spec().popups] == [
        (("Maintenance tonight at ten",), "Close the notice")
    ]


def test_a_pause_says_what_was_expected_and_suggests_no_screen(page_of, operator) -> None:
    """S1.6: what is missing of the expected screen first, then look again; no guess is the primary button."""
    page = page_of(operator, f"/runs/{not_known().execution_id}")
    expect(page.locator(".expected")).to_contain_text("Expected: Save dialog. Missing of it:")
    expect(page.locator(".expected li")).to_have_text(["Texts: 1 of 2 texts seen, missing: Cancel"])
    expect(page.locator("#question .primary")).to_have_text("Look again")
    first = page.locator(".screen").first
    expect(first).to_contain_text("Save dialog")
    expect(first).to_contain_text("next: Click Save")
    expect(page.locator(".screen", has_text="Note saved")).to_contain_text("the run ends there")


@pytest.mark.parametrize("state", ["paused", "in_doubt"])
def test_no_key_stops_a_run(page_of, operator, state: str) -> None:
    """S8.1: S is skip; where there is nothing to skip it does nothing, and a stop is asked back."""
    if state == "paused":
        execution = not_known()
    else:
        prompt = ask(PromptKind.IN_DOUBT, None)
        execution = prompt.execution
    page = page_of(operator, f"/runs/{execution.execution_id}")
    expect(page.locator("#question .button").first).to_be_enabled()
    for key in "sSxpdrmca":
        if not (state == "in_doubt" and key == "d"):
            page.keyboard.press(key)
    page.wait_for_timeout(300)
    execution.refresh_from_db()
    assert execution.wish == ""
    assert not Decision.objects.exists()
    if state == "in_doubt":
        page.click("[data-key=stop]")
        page.click("#stop-dialog [value=no]")
        assert not Decision.objects.exists()
        page.click("[data-key=stop]")
        page.click("#stop-dialog [value=stop]")
        expect(page.locator("#question")).to_contain_text("You stopped the run.")


def test_in_a_question_it_can_be_said_that_it_is_another_screen(page_of, operator) -> None:
    """S1.6: the suggestion is rejected, and the run is told where it is."""
    prompt = ask()
    Step.objects.filter(pk=prompt.step_id).update(edge_id="type_patient")
    page = page_of(operator, path_of(prompt))
    page.click("text=It is another screen")
    expect(page.locator(".screen")).to_have_count(3)  # not the one it takes it for
    page.keyboard.press("a")  # no key answers what is not shown
    page.keyboard.press("Escape")
    expect(page.locator("[data-key=accept]")).to_be_visible()
    page.click("text=It is another screen")
    page.click(".screen:has-text('Save dialog')")
    expect(page.locator("#question")).to_contain_text("You rejected it.")
    decision = Decision.objects.get(prompt=prompt)
    assert (decision.choice, decision.node_id) == ("reject", "save_dialog")


PRESS_AT_ONCE = """key => new MutationObserver((_changes, observer) => {
  if (document.querySelector("#question-title")?.textContent.includes("Delete")) {
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    document.querySelector("#question [data-key=accept]").click();
    document.body.dataset.pressed = "yes";
  }
}).observe(document.querySelector("#question"), {childList: true, subtree: true})"""


@pytest.mark.parametrize("by", ["the person", "somebody else"])
def test_a_second_quick_key_or_click_does_not_answer_the_next_question(page_of, operator, designer, by: str) -> None:
    """S1.8, S8.1: it was meant for the question before, whoever has answered that; a moment later it counts."""
    first = ask()
    page = page_of(operator, path_of(first))
    expect(page.locator("[data-key=accept]")).to_be_enabled()
    page.evaluate(PRESS_AT_ONCE, "a")
    if by == "the person":
        page.keyboard.press("a")
        expect(page.locator("#question")).to_contain_text("You accepted.")
    else:
        decide(prompt_id=first.pk, choice="skip", user=designer)
    following = make_question(first.execution, sentence="Delete", picture_before=first.picture)
    expect(page.locator("body[data-pressed]")).to_be_attached(timeout=10_000)
    expect(page.locator("[data-key=accept]")).to_have_attribute("aria-disabled", "true")
    page.wait_for_timeout(300)
    assert not Decision.objects.filter(prompt=following).exists()
    expect(page.locator("[data-key=accept]")).to_be_enabled()
    page.keyboard.press("a")
    expect(page.locator("#question")).to_contain_text("You accepted.")
    assert Decision.objects.get(prompt=following).choice == "accept"


HOLD_REPLIES = """
const sent = window.fetch;
window.fetch = async (...given) => {
  const reply = await sent(...given);
  if (String(given[0]).endsWith("/decide/")) await new Promise((go) => { window.letReply = go; });
  return reply;
};"""


@pytest.mark.parametrize("won", [True, False])
def test_an_answer_whose_reply_comes_after_the_news_is_told_of_all_the_same(page_of, operator, designer, won) -> None:
    """S8.1: where no socket gets through, a look at the run may say first that nothing is asked any more."""
    prompt = ask()
    page = page_of(operator, path_of(prompt), init=HOLD_REPLIES)
    expect(page.locator("[data-key=accept]")).to_be_enabled()
    if not won:
        decide(prompt_id=prompt.pk, choice="skip", user=designer)
    page.keyboard.press("a")
    until(page, "typeof window.letReply === 'function'")
    expect(page.locator("[data-key=accept]")).to_have_count(0)
    page.evaluate("letReply()")
    expect(page.locator("#question")).to_contain_text("You accepted." if won else "designer (program) skipped it")
    expect(page.locator("#question")).not_to_contain_text("Sending")


# --- the session's end, old clocks, the end of a run -----------------------------------------------------------------
def test_the_end_of_the_session_is_said_and_one_comes_back(page_of, operator) -> None:
    """S10.2: nothing of a screen stays in sight; the login leads back to this very page."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    expect(page.locator("[data-key=accept]")).to_be_enabled()
    Session.objects.all().delete()
    page.keyboard.press("a")
    expect(page.locator("#session-over")).to_be_visible()
    expect(page.locator("#stage")).to_be_hidden()
    assert not Decision.objects.exists()
    page.click("#session-over a")
    assert page.url.endswith(f"/login?next=%2Fruns%2F{prompt.execution.execution_id}")


def test_the_page_notices_the_end_of_the_session_by_itself(page_of, operator) -> None:
    """S10.2"""
    page = page_of(operator, path_of(ask()))
    Session.objects.all().delete()
    expect(page.locator("#session-over")).to_be_visible(timeout=10_000)


def test_after_logging_in_elsewhere_the_form_is_still_there(page_of, operator) -> None:
    """S10.2: whoever was typing logs in beside it and goes on."""
    prompt = ask(action="type_text", params={"text": "Ada"})
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.fill("[data-param=text]", "Ada Martin")
    Session.objects.all().delete()
    page.click("text=Use this")
    expect(page.locator("#session-over")).to_be_visible()
    with page.context.expect_page() as beside:
        page.click("#session-over a")
    login = beside.value
    login.fill("#id_username", operator.get_username())
    login.fill("#id_password", "correct horse battery")
    login.click("button.primary")
    login.wait_for_url(re.compile("/runs/"))
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#session-over")).to_be_hidden()
    page.click("text=Use this")
    expect(page.locator("#question")).to_contain_text("You corrected.")


def test_a_page_that_comes_back_asks_anew(page_of, operator) -> None:
    """S1.9: no old clock, and no question that has long been answered."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    expect(page.locator("[data-key=accept]")).to_be_enabled()
    page.route(re.compile("/snapshot$"), lambda route: route.abort())  # the page sleeps
    decide(prompt_id=prompt.pk, choice="skip", user=operator)
    move(prompt.execution, ExecutionState.RUNNING)
    page.wait_for_timeout(300)
    page.unroute(re.compile("/snapshot$"))
    with page.expect_response(re.compile("/snapshot$")):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    expect(page.locator("#question")).to_contain_text("The robot is at work", timeout=1000)


def test_the_ring_never_shows_more_time_than_there_was(page_of, operator) -> None:
    """U7: time is visible; a clock that is ten minutes slow does not make ten minutes of one."""
    prompt = ask(seconds=60)
    page = page_of(operator, path_of(prompt))
    page.evaluate("const now = Date.now; Date.now = () => now() - 600_000;")
    page.wait_for_timeout(600)
    assert int(page.locator(".ring span").inner_text().split()[0]) <= 60


# --- rows, the picture, labels, crops --------------------------------------------------------------------------------
def test_the_step_that_is_carried_out_has_one_row(page_of, operator) -> None:
    """U8: rows keep their place: asked, acting and done are the same row."""
    prompt = ask()
    Step.objects.filter(pk=prompt.step_id).update(edge_id="type_patient")
    page = page_of(operator, path_of(prompt))
    rows = page.locator("#steps > li")
    expect(rows).to_have_count(3)
    decide(prompt_id=prompt.pk, choice="accept", user=operator)
    Step.objects.filter(pk=prompt.step_id).update(phase=StepPhase.INTENT)
    move(prompt.execution, ExecutionState.RUNNING, current_node_id="empty_note", start_node_id="empty_note")
    expect(page.locator("#state")).to_contain_text("running")
    expect(rows).to_have_count(3)
    expect(page.locator(".step.now")).to_have_count(1)
    expect(page.locator("#steps-count")).to_have_text("1 of about 3")


@pytest.mark.parametrize("size", [(1440, 900), (1366, 768), (1000, 800), (390, 844)])
def test_the_picture_does_not_move_when_what_is_asked_changes(page_of, operator, size: tuple[int, int]) -> None:
    """U8: nothing jumps."""
    prompt = ask()
    Step.objects.filter(pk=prompt.step_id).update(edge_id="type_patient")
    page = page_of(operator, path_of(prompt), viewport={"width": size[0], "height": size[1]})
    until(page, "document.querySelector('#frame').naturalWidth > 0")
    page.wait_for_timeout(200)
    was = rect(page, "#frame")
    seen = []
    page.click("[data-key=pick]")
    seen.append(rect(page, "#frame"))
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.wait_for_timeout(200)
    seen.append(rect(page, "#frame"))
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.locator("#question")).to_contain_text("You accepted.")
    seen.append(rect(page, "#frame"))
    move(prompt.execution, ExecutionState.RUNNING)
    expect(page.locator("#question")).to_contain_text("The robot")
    seen.append(rect(page, "#frame"))
    for now in seen:
        assert now == pytest.approx(was, abs=0.6)


def test_what_is_shown_in_place_of_the_target_is_clicked_where_it_was_shown(page_of, operator) -> None:
    """Two radio buttons were read as one text: its middle is the other one's circle."""
    both = [0.2, 0.4, 0.4, 0.05]
    prompt = ask(box=[0.2, 0.6, 0.1, 0.05], point=[0.25, 0.62])
    prompt.step.screen = {"perception": {"detected_text": ["Inpatient Outpatient"], "text_boxes": [both]}}
    prompt.step.save()
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    expect(page.locator("form.correct-sheet")).to_be_visible()
    left, top, width, height = rect(page, "#frame")
    page.mouse.click(left + 0.25 * width, top + 0.42 * height)
    page.click("text=Use this")
    expect(page.locator("#question")).to_contain_text("You corrected.")
    target = Decision.objects.get(prompt=prompt).correction["target"]
    assert target["box"] == pytest.approx(both)
    assert target["point"] == pytest.approx([0.25, 0.42], abs=0.01)


fraction = st.floats(0, 0.9)
boxes = st.builds(
    lambda x, y, w, h: [x * 800, y * 500, 8 + w * 200, 8 + h * 60], fraction, fraction, fraction, fraction
)


def test_placed_labels_never_touch_any_box_they_name(page_of, operator) -> None:
    """U3: whatever the boxes, a label is outside of all of them or it is not shown."""
    page = page_of(operator, "/workflows")
    page.evaluate("import('/static/execution/live/placement.js').then((m) => { window.placeTags = m.placeTags; })")
    until(page, "typeof window.placeTags === 'function'")

    @settings(max_examples=150)
    @given(st.lists(boxes, min_size=1, max_size=2), st.lists(boxes, max_size=25), st.lists(boxes, max_size=2))
    def check(targets: list[list[float]], avoid: list[list[float]], walls: list[list[float]]) -> None:
        tags = [{"box": box, "width": 120, "height": 22} for box in targets]
        room = {"bounds": [0, -40, 800, 560], "picture": [0, 0, 800, 500], "walls": walls, "avoid": avoid}
        places = page.evaluate("([tags, room]) => placeTags(tags, room)", [tags, room])
        shown = [place["box"] for place in places if place]
        assert len(shown) == len(targets)  # there is always room above the picture
        for box in shown:
            assert shared(box, room["bounds"]) == pytest.approx(120 * 22)
            assert all(shared(box, other) == 0 for other in (*targets, *walls))
        assert len(shown) < 2 or shared(*shown) == 0

    check()


def test_the_card_shows_the_whole_target(page_of, operator) -> None:
    """U3: what is to be touched lies in the card's picture, with a margin, wherever it is on the screen."""
    for box in ([0.0, 0.0, 0.05, 0.04], [0.9, 0.95, 0.1, 0.05], [0.1, 0.4, 0.8, 0.06]):
        ask(box=box)
    page = page_of(operator, "/")
    expect(page.locator(".card-spot")).to_have_count(3)
    until(page, "[...document.querySelectorAll('.card-shot img')].every((i) => i.naturalWidth > 0)")
    for card in page.locator(".card-picture").all():
        window, spot = card.bounding_box(), card.locator(".card-spot").bounding_box()
        assert window and spot
        assert spot["x"] >= window["x"] - 1 and spot["y"] >= window["y"] - 1
        assert spot["x"] + spot["width"] <= window["x"] + window["width"] + 1
        assert spot["y"] + spot["height"] <= window["y"] + window["height"] + 1


# --- what holds the desktop -------------------------------------------------------------------------------------------
def test_what_a_run_waits_for_is_ended_from_its_page(page_of, operator, designer) -> None:
    """S9.4: a paused run by an operator, a lesson by a designer; each is asked back, and nobody else has a button."""
    robot = Robot.objects.create(name="here:7", desktop="here:7", host="here", pid=1)
    version = make_published()
    left, run = (start(workflow_id=version.workflow.workflow_id) for _ in range(2))
    move(left, ExecutionState.PAUSED, robot=robot, desktop=robot.desktop)
    page = page_of(operator, f"/runs/{run.execution_id}")
    question = page.locator("#question")
    expect(question).to_contain_text(f"run {left.pk} of “{version.workflow.name}”, which is paused")
    expect(question.get_by_role("link")).to_have_attribute("href", f"/runs/{left.execution_id}")
    question.get_by_role("button", name=f"Stop run {left.pk}").click()
    page.locator("#stop-dialog button.danger").click()
    wait_until(lambda: Execution.objects.get(pk=left.pk).wish == "stop", what="the wish")
    Execution.objects.filter(pk=left.pk).update(state="stopped", ended_at=timezone.now(), wish="")
    lesson = open_lesson(workflow=Workflow.objects.create(workflow_id="wf_b", name="B"), robot=robot, user=designer)
    page.reload()
    expect(question).to_contain_text("Lesson of “B”")
    expect(question.get_by_role("button")).to_have_count(0)
    other = page_of(designer, f"/runs/{run.execution_id}")
    expect(other.locator("#question").get_by_role("link")).to_have_attribute("href", f"/teach/{lesson.lesson_id}")
    other.locator("#question").get_by_role("button", name="End the lesson").click()
    other.locator("#end-lesson-dialog button.danger").click()
    wait_until(lambda: Lesson.objects.get().state == "done", what="the end of the lesson")
