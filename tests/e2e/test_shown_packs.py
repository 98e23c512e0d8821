"""What a coach showed in one installation, used in another (S6.4): on trial there, trusted once it proved right there.

Two installations with a database, a desktop and people each; what goes between them are two files.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.coached_runs import CONFIRMS, SCREEN, SHOWS, WORKFLOW, coached_installation, learned, tried
from tests.e2e.patients_page import PATIENTS
from tests.e2e.visits_page import Look, Visits
from tests.support.display import wait_until
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]

RENAMED = Look(mark="Sign it off")


def test_what_was_shown_there_is_tried_here_and_then_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPA_INSTALLATION_NAME", "North")
    with coached_installation(tmp_path / "north") as north:
        found = north.run(PATIENTS[0], RENAMED)
        assert (found.wrong, found.state, found.asked) == ([], "completed", [SCREEN, SHOWS]), found.why
        tried(north.one)
        with closing(north.one.client("dora")) as dora:
            workflow = dora.get(f"/workflows/{WORKFLOW}/export")
            pack = dora.get(f"/learning/corrections/export/{WORKFLOW}")
        assert [file.headers["Content-Type"] for file in (workflow, pack)] == ["application/zip"] * 2

    def take(one: Product, web: Visits) -> None:
        with closing(one.client("dora")) as dora:
            taken = dora.post("/api/workflows/", files={"file": ("workflow.zip", workflow.content)})
            assert taken.status_code == 201, taken.text
            assert dora.post("/api/corrections/import/", files=file).status_code == 422, "nothing is published yet"
            assert dora.post(f"/api/workflows/{WORKFLOW}/publish/", json={"note": ""}).status_code == 200

    file = {"file": ("corrections.zip", pack.content)}
    monkeypatch.setenv("RPA_INSTALLATION_NAME", "South")
    with coached_installation(tmp_path / "south", take) as south:
        before = south.run(PATIENTS[1], Look())
        assert (before.wrong, before.asked, before.state) == ([], [], "completed"), "as it was taught"
        with closing(south.one.client("dora")) as dora:
            taken = dora.post("/api/corrections/import/", files=file)
            assert (taken.status_code, len(taken.json()["taken"])) == (201, 2), taken.text
        rows = "SELECT kind, state, elsewhere FROM execution_learnedcorrection ORDER BY kind"
        assert south.one.rows(rows) == [("node", "on_trial", "North"), ("target", "on_trial", "North")]
        tried(south.one)
        for patient in PATIENTS[2:4]:
            found = south.run(patient, RENAMED)
            assert (found.wrong, found.state, found.asked) == ([], "completed", [CONFIRMS]), found.why
            assert "Learned elsewhere, from North on" in found.why[0]
        wait_until(
            lambda: {state for _kind, state, *_ in learned(south.one)} == {"trusted"},
            timeout=90,
            what="what proved right here to be tried on that, and trusted",
        )
        found = south.run(PATIENTS[0], RENAMED)
        assert (found.wrong, found.state, found.asked) == ([], "completed", []), found.why
        assert all(on > 0 and breaks == [] for _kind, _state, on, breaks in learned(south.one))
