"""What tells of many runs, in a real browser: clean for those who do not see it, and no wider than the page (S8.5)."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from analytics.projection import project, project_run
from execution.choices import ExecutionState
from execution.models import DriftWatch, Step
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
