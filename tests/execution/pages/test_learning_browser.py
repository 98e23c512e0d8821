"""The pages of corrections and replays in a real browser: clean for those who do not see them, in every look (S8.5)."""

from __future__ import annotations

import os
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from execution.models import LearnedCorrection
from tests.execution.actions.test_corrections_decided import BROKEN, THERE, look
from tests.execution.pages.test_corrections import shown
from tests.execution.pages.test_replays import asked
from tests.support.browser import shot

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
__all__ = ["asked", "shown"]


@pytest.fixture
def uncounted() -> None:
    """Here training data is made."""


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_they_are_clean_in_every_look(
    page_of: Any, designer: Any, shown: LearnedCorrection, asked: Any, width: int, language: str
) -> None:
    version = shown.pack.workflow.versions.get()
    look(version, THERE, picture=shown.picture)
    broken = [{**BROKEN[0], "picture": shown.picture, "run": shown.execution_id, "step": shown.step}]
    look(version, edge_id="other", breaks=broken, checked_on=7, state="needs_person", picture=shown.picture)
    dark, light = ({"theme": theme, "size": [1280, 800]} for theme in ("dark", "light"))
    proved = [{**dark, "runs": 3, "trusted": True}, {**light, "runs": 1, "trusted": False}]
    fields: dict[str, Any] = {"state": "trusted", "picture": shown.picture, "conditions": dark, "proved": proved}
    trusted = look(version, of="save_button", **fields)
    paths = ("corrections", f"corrections/{shown.pk}", f"corrections/merge?c={trusted.pk}", "replays",
             f"replays/{asked.replay_id}", "training")  # fmt: skip
    for scheme in ("light", "dark"):
        for path in paths:
            options = {"viewport": {"width": width, "height": 900}, "locale": language, "color_scheme": scheme}
            page = page_of(designer, f"/learning/{path}", **options)
            expect(page.locator(".learning-tabs a[aria-current]")).to_have_count(1)
            found = Axe().run(page).response["violations"]
            assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == [], path
            wide = (
                "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth)"
            )
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                path, page.evaluate(f"{wide}.map((e) => e.tagName + '.' + e.className).slice(0, 8)"))  # fmt: skip
            if os.environ.get("SHOTS"):
                name = f"{path.split('?')[0].replace('/', '-')}-{width}-{language}-{scheme}.png"
                shot(page, path=f"{os.environ['SHOTS']}/{name}", full_page=True)
