"""A night by itself: a start that was missed is made up, the rows come from a file, people are told, results lie ready
(S12.9 to S12.11, S12.14)."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.e2e.discharge_page import STORY, TAUGHT, shown_as
from tests.support.display import wait_until
from tests.support.lone_runs import tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.post import SECRET, Caught, catching
from tests.support.product import Product, product
from tests.support.site import Site

PATIENTS = ("GIRAUD Hélène", "PETIT Louis", "SIMON Nadia")
# As an admin enters it in the admin, and an operator makes a rule of it.
TOLD = """
import json
from execution.worklists.actions.telling import keep_rule
from workflows import vault
from workflows.models import Address, AddressKind
from workflows.secret import Secret
ward = Address(name="Ward", kind=AddressKind.WEBHOOK)
vault.seal(ward, Secret(json.dumps({{"url": "http://127.0.0.1:{port}/in", "secret": "{secret}"}})))
ward.save()
keep_rule(abouts=["finished", "person_needed", "stopped"], address="Ward", zone="UTC")
"""

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(600)]


@pytest.fixture
def caught() -> Iterator[Caught]:
    with catching() as server:
        yield server


def planned(one: Product) -> str:
    """A list that was to begin ten minutes ago with the file of its folder, while the server was off."""
    asked = ("--workflow", "wf_discharge_letter", "--columns", "Patient,Ward", "--key", "Patient")
    more = ("--mode", "automatic", "--writes", "csv")
    made = one.manage("worklist", "create", "Letters", *asked, *more).stdout.split()[-1]
    now = datetime.now(UTC)
    begins, until = (f"{now + timedelta(minutes=n):%H:%M}" for n in (-10, 60))
    when = ("--daily", "--at", begins, "--zone", "UTC", "--make-up-until", until, "--until", until)
    one.manage("schedule", "add", made, *when, "--files", "--reason", "tried by hand")
    before = (now - timedelta(minutes=20)).replace(tzinfo=None).isoformat(sep=" ")
    one.rows("UPDATE execution_schedule SET looked_at = ?", before)
    return made


def test_a_list_begins_by_its_schedule_and_is_ready_in_the_morning(tmp_path: Path, web: Site, caught: Caught) -> None:
    with product(tmp_path) as one:
        with shown_as(one.screen, web, [TAUGHT]):
            one.teach(STORY)
        web.done.clear()
        made = planned(one)
        one.manage("shell", "-v0", "-c", TOLD.format(port=caught.server_port, secret=SECRET))
        place = one.data / "in" / "letters"
        place.mkdir(parents=True)
        (place / "patients.csv").write_text("Patient,Ward\n" + "".join(f"{name},A\n" for name in PATIENTS))
        with shown_as(one.screen, web, PATIENTS):
            processes = [one.start_runloop(), one.start("work", [sys.executable, "manage.py", "work"])]
            try:
                written = one.data / "out" / "letters"
                wait_until(lambda: written.is_dir() and list(written.glob("*.csv")), timeout=300, what=tail(one))
                wait_until(lambda: bool(caught.requests), timeout=60, what="the message")
            finally:
                for process in processes:
                    os.killpg(process.pid, signal.SIGTERM)
                    process.wait(60)
        assert web.done == [f"wrote {name}" for name in PATIENTS]
        starts = "SELECT state, ended, worked FROM execution_liststart"
        assert one.rows(starts) == [("begun", "finished", 3)]
        assert sorted(file.name for file in (place / "done").iterdir()) == ["patients.csv", "patients.csv.report.txt"]
        (file,) = written.glob("*.csv")
        results = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
        assert [(row["Reference"], row["State"]) for row in results] == [(name, "done") for name in PATIENTS]
        (payload,) = [json.loads(body) for _headers, body in caught.requests]
        assert (payload["type"], payload["events"][0]["list_id"]) == ("list.finished", made)
        assert one.rows("SELECT state, tries FROM execution_noticemessage") == [("delivered", 1)]
