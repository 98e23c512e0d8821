"""What the robot sees, in a real browser: rows and things light each other up, and a step leads there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.files.base import ContentFile
from django.utils import timezone
from playwright.sync_api import expect

from execution.behind.old import files
from execution.models import Job
from tests.execution.pages.test_viewer_browser import pictured
from tests.execution.perception.drawing import Canvas
from workflows.pictures import PictureStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]


@pytest.fixture
def url() -> str:
    """A picture with a pane, a button in it and a text, as it was read."""
    canvas = Canvas(400, 300)
    things = [
        ["picture", "frame", [50, 50, 300, 200], ""],
        ["button", "element", [100, 100, 100, 40], "Save"],
        ["text", "text", [100, 160, 60, 20], "<i>Name</i>"],
    ]
    seen = {"size": [400, 300], "read_s": 1.5, "scene_s": 0.1, "notes": [], "things": things}
    digest = PictureStore().put(canvas.pixels)
    name = files().save("read.json", ContentFile(json.dumps(seen)))
    Job.objects.create(kind="scene", about=digest, state="done", place={"file": name}, ended_at=timezone.now())
    return f"/pictures/{digest}/scene"


def lit(page: Any) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('.lit')].map(one => one.tagName + one.dataset.thing).sort()")


def test_a_row_lights_its_thing_and_a_thing_its_row(page_of: Any, viewer: Any, url: str) -> None:
    page = page_of(viewer, url)
    page.hover("tr[data-thing='2']")
    assert lit(page) == ["TR2", "rect2"]
    box = page.locator(".scene-picture svg").bounding_box()
    for x, y, number in ((150, 120, 2), (300, 200, 1), (130, 170, 3)):
        page.mouse.move(box["x"] + x * box["width"] / 400, box["y"] + y * box["height"] / 300)
        assert lit(page) == [f"TR{number}", f"rect{number}"], "the smallest that is there"
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    assert lit(page) == []
    expect(page.locator("tr[data-thing='3']")).to_contain_text("<i>Name</i>")


def test_the_arrow_keys_go_from_thing_to_thing(page_of: Any, viewer: Any, url: str) -> None:
    page = page_of(viewer, url)
    page.focus(".scene-rows")
    for key, number in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 3), ("ArrowDown", 3), ("ArrowUp", 2)):
        page.keyboard.press(key)
        assert lit(page) == [f"TR{number}", f"rect{number}"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_anybody_can_use_it(page_of: Any, operator: Any, url: str, theme: str) -> None:
    page = page_of(operator, url, color_scheme=theme)
    expect(page.locator(".scene-rows")).to_be_visible()
    assert Axe().run(page).response["violations"] == []


def test_a_step_of_a_run_leads_there(page_of: Any, viewer: Any) -> None:
    run = pictured()
    page = page_of(viewer, f"/runs/{run.execution_id}/steps/1")
    page.click("#tab-texts")
    digest = run.steps.get(index=1).picture_before
    expect(page.get_by_role("link", name="What the robot sees")).to_have_attribute("href", f"/pictures/{digest}/scene")
    page.get_by_role("link", name="What the robot sees").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What the robot sees")
