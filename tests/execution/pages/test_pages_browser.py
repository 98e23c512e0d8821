"""The live page and the runs page in a real browser: answering by key, by button, by correction on the picture.

The server of these tests serves no sockets, so news reach the page the slow way: it asks for the snapshot.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from execution.choices import ExecutionState, PauseReason, PromptKind
from execution.models import Decision, Execution, Prompt
from tests.execution.pages.test_runs import make_question, move
from tests.factories import make_execution, make_picture
from tests.support.browser import until

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BOX = [0.2, 0.2, 0.2, 0.1]
OTHER = [0.6, 0.6, 0.2, 0.1]
SCREEN = {"perception": {"detected_text": ["Save As", "Save All"], "text_boxes": [BOX, OTHER]}, "ui_elements": []}


def ask(kind: str = PromptKind.COACHING, seconds: int | None = 60, **suggestion: Any) -> Prompt:
    """A run that means to click “Save As”, with the picture it sees."""
    digest = make_picture(width=320, height=200).digest
    meant = {
        "edge_id": "click_save",
        "action": "click",
        "params": {},
        "target": {"target_id": "save_as", "label": "Save As", "text": "Save As", "picture": digest},
        "destination_name": "Save dialog",
        "status": "found",
        "rung": "ocr_text",
        "score": 0.97,
        "box": BOX,
        "point": [0.3, 0.25],
        "runner_up": {"box": OTHER, "score": 0.41, "text": "Save All"},
        "evidence": [{"rung": "ocr_text", "status": "found", "score": 0.97, "note": "", "candidates": []}],
        **suggestion,
    }
    execution = make_execution()
    prompt = make_question(
        execution,
        kind,
        seconds=seconds,
        sentence="Click “Save As”",
        suggestion=meant,
        screen=SCREEN,
        picture_before=digest,
    )
    Prompt.objects.filter(pk=prompt.pk).update(picture=digest)
    return prompt


def not_known() -> Execution:
    """A run that is paused on a screen that it takes for none of its own."""
    texts = {"sign": "texts", "score": 0.25, "note": "1 of 2 texts seen, missing: Cancel"}
    title = {"sign": "window_title", "score": 1.0, "note": "the window is 'Save As'"}
    candidate = {"node_id": "save_dialog", "name": "Save dialog", "confidence": 0.62, "reasons": [title, texts]}
    detail = {
        "message": "The screen is none of them.",
        "candidates": [candidate],
        "expected": {"node_id": "save_dialog", "name": "Save dialog"},
        "picture": make_picture().digest,
    }
    return move(
        make_execution(), ExecutionState.PAUSED, desktop="a", pause_reason=PauseReason.NO_MATCH, pause_detail=detail
    )


def path_of(prompt: Prompt) -> str:
    return f"/runs/{prompt.execution.execution_id}"


def click_on(page: Page, x: float, y: float) -> None:
    box = page.locator("#canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


def test_what_it_means_to_touch_is_drawn_with_its_score_and_why(page_of, operator) -> None:
    """U3, U4: the picture is the page; why is one glance away."""
    page = page_of(operator, path_of(ask()))
    expect(page.locator(".sign-tag.chosen")).to_have_text("Save As")
    expect(page.locator(".sign-tag.runner")).to_have_text("runner-up Save All")
    until(page, "document.querySelector('#frame').naturalWidth > 0")
    rect = "name => { const r = document.querySelector(name).getBoundingClientRect(); return [r.x, r.width]; }"
    drawn_x, drawn_width = page.evaluate(rect, ".spot.chosen")
    frame_x, frame_width = page.evaluate(rect, "#frame")
    assert drawn_x == pytest.approx(frame_x + BOX[0] * frame_width, abs=1.5)
    assert drawn_width == pytest.approx(BOX[2] * frame_width, abs=1.5)
    expect(page.locator("#question")).to_contain_text("Found by its text. Next best: Save All.")
    expect(page.locator("#panel-why")).to_contain_text("Remembered place")


@pytest.mark.parametrize(
    ("key", "choice", "said"),
    [
        ("a", "accept", "You accepted."),
        ("m", "manual", "You did it by hand."),
        ("s", "skip", "You skipped it."),
        ("r", "reject", "You rejected it."),
    ],
)
def test_one_key_answers(page_of, operator, key: str, choice: str, said: str) -> None:
    """S8.1: the key and the click do the same POST."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    expect(page.locator("#question [data-key]").first).to_be_enabled()
    page.keyboard.press(key)
    expect(page.locator("#question")).to_contain_text(said)
    assert Decision.objects.get(prompt=prompt).choice == choice


def test_keys_are_off_while_typing(page_of, operator) -> None:
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.fill("[name=feedback]", "")
    page.locator("[name=feedback]").press_sequentially("rams")
    expect(page.locator("[name=feedback]")).to_have_value("rams")
    assert not Decision.objects.exists()


def test_the_loser_of_a_race_is_told_who_won_until_it_is_closed(page_of, operator, designer) -> None:
    """S1.11: two browsers answer the same question; the run goes on, and the notice stays through the next one."""
    prompt = ask()
    pages = [page_of(user, path_of(prompt)) for user in (designer, operator)]
    for page in pages:
        page.route("**/snapshot", lambda route: route.abort())  # neither hears of the other by itself
        expect(page.locator("#question [data-key=accept]")).to_be_enabled()
    pages[0].click("#question [data-key=skip]")
    expect(pages[0].locator("#question")).to_contain_text("You skipped it.")
    pages[1].click("#question [data-key=accept]")
    notice = pages[1].locator("#question .notice")
    expect(notice).to_contain_text("designer")
    pages[1].unroute("**/snapshot")
    Prompt.objects.filter(pk=prompt.pk).update(state="answered")
    move(prompt.execution, ExecutionState.RUNNING, desktop="a")
    expect(pages[1].locator("#question")).to_contain_text("Nothing is asked of you.")
    expect(notice).to_contain_text("designer")
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)


def test_a_correction_is_made_on_the_picture(page_of, operator) -> None:
    """S1.10, U6: the pointer snaps to what was detected; the feedback goes along."""
    prompt = ask()
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    expect(page.locator(".place")).to_have_count(2)
    click_on(page, 0.7, 0.65)
    expect(page.locator(".correct-target")).to_contain_text("New target: “Save All”")
    page.fill("[name=feedback]", "all of them")
    page.fill("[name=wait_before]", "1.5")
    page.click("text=Use this")
    expect(page.locator("#question")).to_contain_text("You corrected.")
    decision = Decision.objects.get(prompt=prompt)
    assert decision.correction["target"] == {"box": OTHER, "point": [0.7, 0.65], "text": "Save All"}
    assert decision.correction["wait_before"] == 1.5
    assert decision.feedback == "all of them"


def test_a_correction_can_be_a_free_point_a_rectangle_or_made_by_keys(page_of, operator) -> None:
    page = page_of(operator, path_of(ask()))
    page.keyboard.press("c")
    expect(page.locator(".place")).to_have_count(2)
    click_on(page, 0.05, 0.9)
    expect(page.locator(".correct-target")).to_contain_text("the point at 16, 180")
    box = page.locator("#canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"], steps=4)
    page.mouse.up()
    expect(page.locator(".correct-target")).to_contain_text("the rectangle at 160, 20")
    page.locator("#canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".correct-target")).to_contain_text("Save All")
    page.keyboard.press("Escape")
    expect(page.locator("#question [data-key=accept]")).to_be_visible()
    expect(page.locator(".place")).to_have_count(0)


def test_a_text_keeps_its_blanks_and_line_breaks(page_of, operator) -> None:
    """S1.10: what nobody touched is no correction, and what somebody wrote goes as it stands."""
    text = "Seen today. \n\n"
    typing = {"action": "type_text", "params": {"text": text}, "status": "not_needed", "target": None, "box": None}
    prompt = ask(**typing)
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.fill("[name=wait_before]", "1")
    page.click("text=Use this")
    expect(page.locator("#question")).to_contain_text("You corrected.")
    assert Decision.objects.get(prompt=prompt).correction["params"] == {}
    prompt = ask(**typing)
    page = page_of(operator, path_of(prompt))
    page.keyboard.press("c")
    page.locator("[data-param=text]").press("Home")
    page.keyboard.type("x")
    page.keyboard.press("Enter")  # sends, as in the other fields
    expect(page.locator("#question")).to_contain_text("You corrected.")
    written = Decision.objects.get(prompt=prompt).correction["params"]["text"]
    assert sorted(written) == sorted(f"x{text}") and written.endswith("\n")


def test_a_phone_gets_a_magnifier_and_targets_for_fingers(page_of, operator) -> None:
    """U6, U10: tap, then fine-tune with a magnifier; targets of 44 px."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = page_of(operator, path_of(ask()), **phone)
    for button in page.locator("#question .answers .button").all():
        box = button.bounding_box()
        assert box and box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap("[data-key=correct]")
    expect(page.locator(".place")).to_have_count(2)
    place = page.locator(".place").nth(0).bounding_box()
    assert place
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page.locator(".magnifier")).to_be_visible()
    expect(page.locator(".correct-target")).to_contain_text("Save As")


def test_a_doubt_shows_before_and_after_and_takes_its_own_answers(page_of, operator) -> None:
    prompt = ask(PromptKind.IN_DOUBT, None)
    prompt.step.picture_after = make_picture(width=320, height=200).digest
    prompt.step.save()
    page = page_of(operator, path_of(prompt))
    expect(page.locator("#compare figure")).to_have_count(2)
    expect(page.locator("#question .answers .button")).to_have_text(
        [re.compile("done"), re.compile("again"), re.compile("Stop")]
    )
    page.keyboard.press("t")
    expect(page.locator("#question")).to_contain_text("You said: do it again.")
    assert Decision.objects.get().choice == "retry"


def test_an_unknown_screen_can_be_named(page_of, operator) -> None:
    """S1.6: the coach is shown the screen and may pick the node."""
    execution = not_known()
    page = page_of(operator, f"/runs/{execution.execution_id}")
    with page.expect_response(re.compile("/control/$")):
        page.click(".screen:has-text('Save dialog')")
    expect(page.locator("#question")).to_contain_text("Resuming …")
    execution.refresh_from_db()
    assert (execution.wish, execution.wish_node_id) == ("resume", "save_dialog")


def test_a_stop_is_asked_back_first(page_of, operator) -> None:
    execution = move(make_execution(), ExecutionState.RUNNING, desktop="a")
    page = page_of(operator, f"/runs/{execution.execution_id}")
    page.click("#controls .danger")
    expect(page.locator("#stop-dialog")).to_contain_text(f"Stop run {execution.pk}?")
    page.click("#stop-dialog [value=no]")
    execution.refresh_from_db()
    assert execution.wish == ""
    page.click("#controls .danger")
    with page.expect_response(re.compile("/control/$")):
        page.click("#stop-dialog [value=stop]")
    expect(page.locator("#controls")).to_contain_text("Stopping …")
    execution.refresh_from_db()
    assert execution.wish == "stop"


def test_a_card_is_answered_where_it_stands(page_of, operator) -> None:
    """U1: what needs a person comes first, as cards that can be answered there, and in the page's title."""
    prompt = ask()
    page = page_of(operator, "/")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.click("[data-answer=accept]")
    expect(page.locator(".card-needs")).to_have_count(0)
    assert Decision.objects.get(prompt=prompt).choice == "accept"


def test_a_refreshed_list_keeps_what_is_being_typed(page_of, operator) -> None:
    """U8: nothing jumps; focus and scroll are never taken away."""
    make_execution()
    page = page_of(operator, "/")
    row = page.locator("tbody tr").first.element_handle()
    page.focus("#runs-q")
    make_execution()
    expect(page.locator("tbody tr")).to_have_count(2)
    assert page.evaluate("document.activeElement.id") == "runs-q"
    assert row and row.evaluate("row => row.isConnected")


def test_searching_does_not_load_the_page_again(page_of, operator) -> None:
    make_execution(variables={"patient": "Zoë Blanc"})
    make_execution(variables={"patient": "Ada Martin"})
    page = page_of(operator, "/")
    page.evaluate("window.notReloaded = true")
    page.fill("#runs-q", "Zoë")
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "q=Zo" in page.url
    assert page.evaluate("window.notReloaded") is True


def test_text_from_a_screen_runs_nowhere(page_of, operator) -> None:
    """T13: read from a screen, it is text on every page, in every layer."""
    evil = "<img src=x onerror=\"document.title='owned'\">"
    prompt = ask(
        target={"target_id": "t", "label": evil, "text": evil, "picture": ""},
        runner_up={"box": OTHER, "score": 0.4, "text": evil},
    )
    prompt.step.screen = {"perception": {"detected_text": [evil, evil], "text_boxes": [BOX, OTHER]}, "ui_elements": []}
    prompt.step.save()
    page = page_of(operator, path_of(prompt))
    page.click("[data-layer=text]")
    expect(page.locator(".seen-text")).to_have_count(2)
    page.click("#tab-events")
    page.click("#tab-graph")
    expect(page.locator("#panel-graph canvas").first).to_be_attached()
    expect(page.locator("#question-title")).to_contain_text("<img src=x")
    assert "owned" not in page.title()
    assert Execution.objects.count() == 1
