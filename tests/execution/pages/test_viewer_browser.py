"""The viewer of a run in a real browser: walking, before and after, addresses, marks, and two thousand steps."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import expect

from execution.choices import ExecutionState, Outcome, Verified
from execution.models import Execution, Step, StepMark
from tests.execution.pages.test_runs import move
from tests.execution.pages.test_viewer import a_run, meant, screen
from tests.factories import make_picture, make_published
from tests.support import planted
from tests.support.browser import until
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def pictured(state: str = ExecutionState.FAILED, **last: Any) -> Execution:
    """A run of two steps with pictures before and after."""
    before, after = (make_picture(width=320, height=200, seed=seed).digest for seed in (1, 2))
    fields = {
        "picture_before": before,
        "picture_after": after,
        "outcome": Outcome.FAILED,
        "message": "It did not open.",
    }
    run = a_run(state, **{**fields, **last})
    Step.objects.filter(execution=run, index=1).update(picture_before=before)
    return run


def test_keys_walk_and_every_step_has_its_address(page_of, viewer) -> None:
    """J/K and arrows walk, N goes to the next problem; a link to a step opens at it."""
    run = pictured(verified="")
    page = page_of(viewer, f"/runs/{run.execution_id}")
    expect(page.locator("#tab-why")).to_have_text("Step 2")  # where it failed
    page.keyboard.press("k")
    expect(page.locator("#tab-why")).to_have_text("Step 1")
    expect(page).to_have_url(re.compile(r"/steps/1$"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-why")).to_have_text("Step 2")
    page.keyboard.press("Home")
    page.keyboard.press("n")
    expect(page.locator("#tab-why")).to_have_text("Step 2")
    expect(page.locator('.film-cell[aria-current="step"]')).to_have_attribute("data-index", "2")
    again = page_of(viewer, f"/runs/{run.execution_id}/steps/1")
    expect(again.locator("#tab-why")).to_have_text("Step 1")
    expect(again.locator("#story")).to_contain_text("Saw")


def test_a_key_counts_before_the_first_frame_is_drawn(page_of, viewer) -> None:
    """A browser that is slow to draw, as one in the background: what is pressed as soon as it is there counts."""
    run = pictured()
    page = page_of(viewer, f"/runs/{run.execution_id}/steps/1", init="window.requestAnimationFrame = () => 1")
    page.keyboard.press("p")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#tab-why")).to_have_text("Step 2")


def test_it_is_played_until_its_end_or_until_somebody_walks(page_of, viewer) -> None:
    run = pictured()
    page = page_of(viewer, f"/runs/{run.execution_id}/steps/1")
    play, at = page.locator("#play"), page.locator("#tab-why")
    page.keyboard.press("p")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(at).to_have_text("Step 2")
    expect(page.locator('[data-side="after"]')).to_have_attribute("aria-pressed", "true")
    expect(play).to_have_attribute("aria-pressed", "false")  # its end
    page.evaluate("""() => {
      window.seen = [];
      const tab = document.querySelector("#tab-why");
      const saw = () => window.seen.at(-1) !== tab.textContent && window.seen.push(tab.textContent);
      new MutationObserver(saw).observe(tab, { childList: true, characterData: true, subtree: true });
    }""")
    play.click()
    until(page, "window.seen.length === 2")
    assert page.evaluate("window.seen") == ["Step 1", "Step 2"]  # from the beginning
    expect(play).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("p")
    page.keyboard.press("k")  # whoever walks has seen enough
    expect(play).to_have_attribute("aria-pressed", "false")
    page.wait_for_timeout(1500)  # longer than a picture is shown
    expect(at).to_have_text("Step 1")


def test_before_after_both_and_what_differs(page_of, viewer) -> None:
    run = pictured()
    step = run.steps.get(index=2)
    page = page_of(viewer, f"/runs/{run.execution_id}")
    source = re.compile(step.picture_after)
    expect(page.locator("#frame")).to_have_attribute("src", source)  # what came instead of what was expected
    expect(page.locator(".spot.differs").first).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator("#frame")).to_have_attribute("src", re.compile(step.picture_before))
    expect(page.locator(".act-click")).to_have_count(1)  # the act, on what it was done to
    page.keyboard.press("d")
    expect(page.locator(".spot.differs")).to_have_count(0)
    page.click('[data-side="slide"]')
    expect(page.locator("#frame-after")).to_be_visible()
    page.locator("#wipe-range").fill("80")
    clip = page.locator("#frame-after").evaluate("e => getComputedStyle(e).clipPath")
    assert "80%" in clip
    page.keyboard.press("a")
    expect(page.locator("#frame-after")).to_be_hidden()
    expect(page.locator("#frame")).to_have_attribute("src", source)


def test_what_was_typed_is_drawn_and_a_secret_is_dots(page_of, viewer) -> None:
    typed = meant(action="type_text", params={"text": "•••"})
    run = pictured(ExecutionState.COMPLETED, suggestion=typed, outcome=Outcome.SUCCEEDED, verified=Verified.YES)
    page = page_of(viewer, f"/runs/{run.execution_id}/steps/2")
    expect(page.locator(".sign-tag.typed")).to_have_text("typed: •••")


def test_a_live_page_turns_into_the_viewer_without_a_reload(page_of, operator) -> None:
    """S7.3: with a socket no event holds the summary: the page asks for it, and says who had a hand in it."""
    run = pictured(ExecutionState.RUNNING)
    Execution.objects.filter(pk=run.pk).update(ended_at=None, desktop="here", started_by=operator)
    page = page_of(operator, f"/runs/{run.execution_id}")
    expect(page.locator("#film")).to_be_hidden()
    page.evaluate("window.mark = 1")
    move(run, ExecutionState.FAILED, error="It did not open.")
    expect(page.locator("#verdict")).to_contain_text("Failed after")
    expect(page.locator("#verdict-figures")).to_contain_text("actions done")
    expect(page.locator("#verdict-figures")).to_contain_text(f"started by {operator.get_username()}")
    expect(page.locator("#story")).to_contain_text("Came of it")
    expect(page.locator("#question")).to_be_hidden()
    assert page.evaluate("window.mark") == 1


def test_a_step_is_marked_with_its_reason(page_of, operator, viewer) -> None:
    """S6.5"""
    run = pictured()
    page = page_of(operator, f"/runs/{run.execution_id}")
    page.fill("#told .input", "it was the other one")
    page.click("[data-mark=incorrect]")
    expect(page.locator("[data-mark=incorrect]")).to_have_attribute("aria-pressed", "true")
    kept = StepMark.objects.get()
    assert (kept.feedback, kept.reason, kept.origin) == ("incorrect", "it was the other one", "page")
    other = page_of(viewer, f"/runs/{run.execution_id}")
    expect(other.locator("#told")).to_contain_text("wrong")
    expect(other.locator("[data-mark]")).to_have_count(0)


def test_a_picture_that_is_gone_is_said(page_of, viewer) -> None:
    """Its time in the store was over: what is told of the step stays."""
    run = pictured(picture_before="a" * 64, picture_after="")
    page = page_of(viewer, f"/runs/{run.execution_id}")
    expect(page.locator("#stage-empty")).to_have_text("This picture is no longer kept.")
    expect(page.locator("#story")).to_contain_text("Came of it")


@pytest.mark.parametrize("width", [1440, 1200, 390])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_it_is_clean_for_those_who_do_not_see_it_in_every_look(page_of, operator, width: int, language: str) -> None:
    """S8.5: axe, and nothing wider than the page; light and dark."""
    run = pictured()
    for scheme in ("light", "dark"):
        page = page_of(
            operator,
            f"/runs/{run.execution_id}",
            viewport={"width": width, "height": 900},
            locale=language,
            color_scheme=scheme,
        )
        expect(page.locator(".story")).to_be_visible()
        expect(page.locator("#told .time-bars")).to_have_count(1)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        cut = "t => [...t.children].some((tab) => !tab.hidden && tab.scrollWidth > tab.clientWidth)"
        assert not page.locator(".tabs").evaluate(cut)


STEPS = 2000


def long_run() -> Execution:
    digests = [PictureStore().put(pixels) for pixels in planted.pictures()]
    run = a_run(version=make_published())
    now = timezone.now()
    Step.objects.bulk_create(
        [
            Step(
                execution=run, index=n, epoch=1, mode=run.mode, outcome=Outcome.SUCCEEDED, phase="closed", success=True,
                suggestion=meant(evidence=[{"rung": "ocr_text", "candidates": [{"text": "y" * 50}] * 10}]),
                screen=screen(*[(f"Line {i}", [0.1, 0.1, 0.2, 0.02]) for i in range(60)]), ended_at=now, started_at=now,
                edge_id="click_save", node_id="save_dialog", verified=Verified.YES, total_ms=700,
                picture_before=digests[n % 9],
            )
            for n in range(3, STEPS + 1)
        ],
        batch_size=200,
    )  # fmt: skip
    return run


def test_who_comes_to_a_step_far_away_finds_its_picture_and_its_sentence(page_of, viewer) -> None:
    """Of a long run the long part of a step comes when somebody comes there, and once."""
    run = long_run()
    page = page_of(viewer, f"/runs/{run.execution_id}")
    expect(page.locator(".film-cell").first).to_be_visible()
    assert page.locator(".film-cell").count() < 60
    assert page.locator(".step-button").count() <= 130
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/film/" in request.url else None)
    page.keyboard.press("End")
    expect(page.locator("#tab-why")).to_have_text(f"Step {STEPS}")
    digest = run.steps.get(index=STEPS).picture_before
    expect(page.locator("#frame")).to_have_attribute("src", re.compile(digest))
    cell = page.locator(f'.film-cell[data-index="{STEPS}"]')
    expect(cell).to_have_attribute("title", "Click “Save”")
    expect(cell.locator("img")).to_have_count(1)
    expect(page.locator(".step-button").last).to_contain_text("Click Save")
    page.locator("#film-strip").evaluate("strip => { strip.scrollLeft = 100 * 1000; }")
    far = page.locator('.film-cell[data-index="1005"]')
    expect(far).to_have_attribute("title", "Click “Save”")  # seen, though nobody walked there
    expect(far.locator("img")).to_have_count(1)
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(cell).to_be_visible()
    numbers = [url.rsplit("/", 1)[1] for url in asked]
    assert numbers and len(numbers) == len(set(numbers))
