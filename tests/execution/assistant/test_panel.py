"""S4.6, S8.1: the assistant's panel on the live page, in a real browser."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from execution.actions.decide import decide
from execution.models import Decision, Execution, Step
from gpu.exceptions import GpuBusy, NoModelFits
from gpu.types import Chunk, ModelAttempt
from tests.execution.assistant.models import models
from tests.execution.assistant.runs import CANCEL, make_asking, make_completed, make_failed

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

DONE = Chunk(done=True, model="qwen")
__all__ = ["models"]


def path_of(run: Execution) -> str:
    return f"/runs/{run.execution_id}"


def ask(page: Page, text: str) -> None:
    page.fill("#ask-text", text)
    page.keyboard.press("Enter")


def test_a_question_by_keyboard_and_the_step_it_names(page_of, operator, models) -> None:
    run = make_failed(operator)
    page = page_of(operator, path_of(run))
    expect(page.locator("#panel-ask")).to_be_hidden()
    expect(page.locator("#stop-dialog")).to_be_hidden()
    page.keyboard.press("q")
    expect(page.locator("#ask-briefing dt")).to_have_text(
        ["What happened", "What failed", "Why", "What was corrected", "What is next"]
    )
    expect(page.locator("#ask-briefing")).to_contain_text("operator corrected step 2.")
    expect(page.locator("#ask-text")).to_be_focused()
    expect(page.locator("#ask-who")).to_have_text("No model now: a question gets the briefing")
    ask(page, "Which step failed?")
    expect(page.locator(".ask-question")).to_have_text(re.compile("Which step failed"))
    expect(page.locator(".ask-records")).to_contain_text("Step 4 (Click “Save”, on “Save dialog”) failed.")
    expect(page.locator(".ask-words")).to_contain_text("The window stayed.")
    expect(page.locator(".ask-by")).to_have_text("In the words of qwen")
    page.locator(".ask-records .ask-step").first.click()
    expect(page.locator('[data-row="step-4"] button')).to_have_attribute("aria-pressed", "true")
    page.reload()
    page.click("#ask-button")
    expect(page.locator(".ask-records")).to_contain_text("Step 4")
    expect(page.locator(".ask-words")).to_contain_text("The window stayed.")
    page.click("#ask-anew")
    expect(page.locator(".ask-question, .ask-answer")).to_have_count(0)
    expect(page.locator("#ask-briefing")).to_contain_text("Step 4 (Click “Save”, on “Save dialog”) failed.")


def test_the_buttons_are_commands_and_ask_no_model(page_of, operator, models) -> None:
    models.said = [RuntimeError("was asked")]
    before = make_completed()
    page = page_of(operator, path_of(make_failed(operator, version=before.version)))
    page.click("#ask-button")
    buttons = page.locator("#ask-commands button")
    expect(buttons).to_have_text(["Why step 4?", "Screen at step 4", f"Compare with run {before.pk}"])
    for number, (asked, said) in enumerate(
        (
            ("/why 4", "Its score is 0.97."),
            ("/screen 4", "The window was “Save As”."),
            ("/compare", "Compared with run"),
        )
    ):
        buttons.nth(number).click()
        expect(page.locator(".ask-question").nth(number)).to_contain_text(asked)
        expect(page.locator(".ask-records").nth(number)).to_contain_text(said)
    expect(page.locator(".ask-words, .ask-note")).to_have_count(0)


def test_the_briefing_follows_the_run(page_of, operator, models) -> None:
    prompt = make_asking()
    page = page_of(operator, path_of(prompt.execution))
    page.click("#ask-button")
    expect(page.locator("#ask-briefing")).to_contain_text("The run waits for a person to answer about step 2")
    expect(page.locator("#ask-commands")).to_contain_text("Draft a correction")
    decide(prompt_id=prompt.pk, choice="accept", user=operator)
    Execution.objects.update(state="running")
    expect(page.locator("#ask-briefing")).not_to_contain_text("waits for a person")
    expect(page.locator("#ask-commands")).not_to_contain_text("Draft a correction")


def test_the_answer_streams_and_can_be_stopped(page_of, operator, models) -> None:
    go_on = threading.Event()
    models.said = ["The first half ", go_on, "and the other one.", DONE]
    page = page_of(operator, path_of(make_failed()))
    page.click("#ask-button")
    ask(page, "Which step failed?")
    expect(page.locator(".ask-words")).to_contain_text("The first")
    expect(page.locator("#ask-send")).to_have_text("Stop the answer")
    page.click("#ask-send")
    expect(page.locator(".ask-note")).to_contain_text("You stopped the answer.")
    expect(page.locator("#ask-send")).to_have_text("Ask")
    go_on.set()


def test_a_draft_fills_the_form_and_a_person_sends_it(page_of, operator, models) -> None:
    """S4.6, S1.10: never applied by itself."""
    prompt = make_asking()
    page = page_of(operator, path_of(prompt.execution))
    page.click("#ask-button")
    ask(page, "/correct Cancel")
    expect(page.locator(".ask-draft")).to_contain_text("A draft for step 2: the target “Cancel”.")
    assert not Decision.objects.exists()
    page.click(".ask-draft button")
    expect(page.locator(".correct-target")).to_contain_text("New target: “Cancel”")
    assert not Decision.objects.exists()
    page.keyboard.press("Escape")
    expect(page.locator("#question [data-key=accept]")).to_be_visible()
    page.keyboard.press("c")
    expect(page.locator(".correct-target")).to_contain_text("Target as suggested")
    page.click(".ask-draft button")
    expect(page.locator(".correct-target")).to_contain_text("New target: “Cancel”")
    page.click(".correct-sheet [type=submit]")
    expect(page.locator(".ask-draft")).to_contain_text("this draft is over")
    expect(page.locator(".ask-draft button")).to_have_count(0)
    decision = Decision.objects.get()
    assert (decision.choice, decision.user) == ("correct", operator)
    assert decision.correction["target"] == {"box": CANCEL, "point": [0.5, 0.825], "text": "Cancel"}


def test_who_was_asked_first_and_what_was_dropped_is_said_in_small_words(page_of, operator, models) -> None:
    """S4.3, S4.4"""
    failed = ModelAttempt(
        model="big", provider="ollama", outcome="failed", seconds=1.0, error="OutOfMemory", reason="Full."
    )
    last = Chunk(done=True, model="qwen", attempts=(failed,), dropped={"messages": [0, 1]})
    models.said = ["Half of ", Chunk(restarted=True), "It stayed.", last]
    page = page_of(operator, path_of(make_failed()))
    page.click("#ask-button")
    ask(page, "Which step failed?")
    expect(page.locator(".ask-words")).to_contain_text("It stayed.")
    expect(page.locator(".ask-words")).not_to_contain_text("Half of")
    expect(page.locator(".ask-note")).to_have_text(
        ["big was asked first: Full.", "The model no longer saw the first 2 messages."]
    )


def test_keys_decide_nothing_while_a_question_is_written(page_of, operator, models) -> None:
    page = page_of(operator, path_of(make_asking().execution))
    page.click("#ask-button")
    page.keyboard.type("acmsr q")
    expect(page.locator("#ask-text")).to_have_value("acmsr q")
    assert not Decision.objects.exists()
    page.keyboard.press("Escape")
    expect(page.locator("#ask-button")).to_be_focused()


@pytest.mark.parametrize(
    ("error", "note", "again"),
    [
        (NoModelFits("None fits."), "No model is there to be asked", False),
        (GpuBusy("A run.", retry_after_s=3), "A run needs the GPU now", True),
    ],
)
def test_without_words_the_records_stand_alone(page_of, operator, models, error, note, again) -> None:
    models.said = [error]
    page = page_of(operator, path_of(make_failed()))
    page.click("#ask-button")
    ask(page, "Which step failed?")
    expect(page.locator(".ask-records")).to_contain_text("Step 4")
    expect(page.locator(".ask-note")).to_contain_text(note)
    button = page.locator(".ask-note .link-button")
    expect(button).to_have_count(int(again))
    if again:
        models.said = ["Now it does.", DONE]
        button.click()
        expect(page.locator(".ask-words")).to_contain_text("Now it does.")
    page.reload()
    page.click("#ask-button")
    expect(page.locator(".ask-note").first).to_contain_text(note)


def test_what_a_screen_or_a_model_says_is_never_markup(page_of, operator, models) -> None:
    """T13"""
    evil = "<img src=x onerror=window.hit=1><b>bold</b>"
    models.said = [evil, DONE]
    run = make_failed()
    Step.objects.filter(execution=run, index=4).update(message=evil)
    page = page_of(operator, path_of(run))
    page.click("#ask-button")
    expect(page.locator("#ask-briefing")).to_contain_text("<img src=x")
    ask(page, "What did it do at step 4?")
    expect(page.locator(".ask-words")).to_contain_text("<b>bold</b>")
    expect(page.locator(".ask-records")).to_contain_text("<img src=x")
    assert page.locator("#ask-scroll img, #ask-scroll b").count() == 0
    assert page.evaluate("window.hit") is None


def test_who_asks_before_the_talk_is_fetched_gets_both(page_of, operator, models) -> None:
    run = make_failed()
    page = page_of(operator, path_of(run))
    page.click("#ask-button")
    ask(page, "Which step failed?")
    expect(page.locator(".ask-by")).to_be_visible()
    held: list[Any] = []
    page.route(
        "**/assistant/", lambda route: held.append(route) if route.request.method == "GET" else route.continue_()
    )
    page.reload()
    page.click("#ask-button")
    ask(page, "Who corrected?")
    expect(page.locator("#ask-send")).to_have_text("Stop the answer")
    for route in held:
        route.continue_()
    page.unroute("**/assistant/")
    expect(page.locator(".ask-question")).to_have_count(2)
    expect(page.locator(".ask-by")).to_have_count(2)
