"""A list of patients worked off by a robot in a real browser, the run loop killed in the middle of it (S12)."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.discharge_page import BACK, REFUSAL, STORY, TAUGHT, shown_as
from tests.support.display import wait_until
from tests.support.lone_runs import dying, tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site

PATIENTS = ("GIRAUD Hélène", "PETIT Louis", "SIMON Nadia")

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation that was taught the letter of one patient."""
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, [TAUGHT]):
            one.teach(STORY)
            assert web.done == [f"wrote {TAUGHT}"]
        yield one


def imported(one: Product, folder: Path, *names: str, reset: str = "") -> str:
    """A list with a row for each name, not started."""
    (folder / "patients.csv").write_text("Patient,Ward\n" + "".join(f"{name},Cardiology\n" for name in names))
    asked = ("--workflow", "wf_discharge_letter", "--columns", "Patient,Ward", "--key", "Patient")
    more = ("--mode", "automatic", "--reset", reset)
    made = one.manage("worklist", "create", "Letters", *asked, *more).stdout.split()[-1]
    said = one.manage("worklist", "import", made, str(folder / "patients.csv")).stdout
    assert said.startswith(f"{len(names)} added"), said
    return made


def is_over(one: Product, made: str) -> bool:
    return one.rows("SELECT state FROM execution_worklist WHERE worklist_id = ?", made)[0][0] in ("finished", "stands")


def test_each_row_is_done_once_though_the_run_loop_is_killed_in_the_middle(
    taught: Product, web: Site, tmp_path: Path
) -> None:
    """S12.7: killed right after the click that writes the second letter, before its result is kept."""
    with shown_as(taught.screen, web, PATIENTS):
        made = imported(taught, tmp_path, *PATIENTS)
        taught.manage("worklist", "start", made)
        killed = dying(taught, 5)  # a row clicks its field, the button and the way back
        wait_until(lambda: killed.poll() is not None, timeout=200, what=f"the fifth click: {tail(taught)}")
        assert web.done == [f"wrote {name}" for name in PATIENTS[:2]]
        process = taught.start_runloop()
        try:
            wait_until(lambda: is_over(taught, made), timeout=200, what=f"the list's end: {tail(taught)}")
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)
        assert web.done == [f"wrote {name}" for name in PATIENTS]
        rows = [json.loads(line) for line in taught.manage("worklist", "export", made).stdout.splitlines()]
    assert [(row["reference"], row["state"], row["attempts"]) for row in rows] == [(n, "done", 1) for n in PATIENTS]
    assert [row["values"] for row in rows] == [{"letter": f"L-{11870 + n}"} for n in (1, 2, 3)]
    assert taught.rows("SELECT COUNT(*) FROM execution_workrun") == [(3,)]


def test_a_patient_that_the_program_does_not_know_is_an_exception_and_the_next_row_begins(
    taught: Product, web: Site, tmp_path: Path
) -> None:
    """S12.2, S12.8: the reason was taught, and the way back comes before the next row."""
    with shown_as(taught.screen, web, [], begins="refuse"):
        taught.teach(BACK)
    taught.manage("shell", "-v0", "-c", REFUSAL)
    names = (PATIENTS[0], "NOBODY Known", PATIENTS[1])
    with shown_as(taught.screen, web, PATIENTS):
        made = imported(taught, tmp_path, *names, reset="wf_back_to_the_search")
        taught.manage("worklist", "start", made)
        process = taught.start_runloop()
        try:
            wait_until(lambda: is_over(taught, made), timeout=200, what=f"the list's end: {tail(taught)}")
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)
        assert web.done == [f"wrote {PATIENTS[0]}", "unknown NOBODY Known", f"wrote {PATIENTS[1]}"]
        rows = [json.loads(line) for line in taught.manage("worklist", "export", made).stdout.splitlines()]
    assert [(row["state"], row["reason"]) for row in rows] == [
        ("done", ""),
        ("exception", "Patient not found: “No such patient The name is not known.”"),
        ("done", ""),
    ]
    resets = "SELECT outcome FROM execution_workrun WHERE kind = 'reset'"
    assert taught.rows(resets) == [("reached",)]
