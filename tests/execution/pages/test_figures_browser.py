"""What tells of many runs, corrections and replays, in a real browser: clean, and no wider than the page (S8.5)."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from analytics.projection import project, project_run
from execution.choices import ExecutionState
from execution.models import DriftWatch, Step
from tests.execution.actions.test_corrections_decided import BROKEN, THERE, look
from tests.execution.pages.test_corrections import shown
from tests.execution.pages.test_replays import asked
from tests.execution.pages.test_viewer import a_run, screen
from tests.factories import make_published

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PAGES = ("/analytics", "/analytics/workflows/{}", "/analytics/runs", "/analytics/steps", "/analytics/storage",
         "/texts?q=serveur", "/audit", "/runs/{}")  # fmt: skip


@pytest.mark.parametrize("look", ["light", "dark"])
def test_pages_of_many_runs_are_clean(page_of, make_user, look: str) -> None:
    version = make_published()
    DriftWatch.objects.create(workflow=version.workflow, kind="screen", name="save_dialog", is_drifting=True)
    for n in range(28):  # more than a list shows at once
        seen = screen(("Serveur", [0.1, 0.1, 0.2, 0.05]), ("Save" if n < 27 else "Store", [0.1, 0.5, 0.2, 0.1]))
        run = a_run(ExecutionState.COMPLETED if n < 27 else ExecutionState.FAILED, version=version, screen=seen)
        for step in Step.objects.filter(execution=run):
            project(step.pk)
        project_run(run.execution_id)
    narrow: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "locale": "fr", "color_scheme": "dark"}
    options = narrow if look == "dark" else {"viewport": {"width": 1440, "height": 900}}
    page = page_of(make_user("ada", "admin"), "/analytics", **options)
    for name in PAGES:
        address = name.format(version.workflow.workflow_id if "workflows" in name else run.execution_id)
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2] + address)
        if name.startswith("/runs"):
            page.wait_for_selector("#told p a")  # what differs from the run that went well
        found = Axe().run(page).response["violations"]
        assert (address, [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]) == (address, [])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


__all__ = ["asked", "shown"]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_they_are_clean_in_every_look(page_of, designer, shown, asked, width, language) -> None:
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
