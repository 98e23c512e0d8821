"""A run as one file: it opens without the server, holds what was kept and nothing else, and is made piece by piece."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from audit.models import Entry, Verb
from execution.choices import EventKind, ExecutionState
from execution.models import Execution, ExecutionEvent, Prompt, Step
from execution.pages.viewer.export import archive
from execution.record.hidden import HIDDEN
from tests.execution.assistant.runs import answer
from tests.execution.pages.test_runs import make_step
from tests.execution.pages.test_viewer import a_run, meant, screen
from tests.factories import VARIABLES, make_picture, make_published
from workflows.pictures import PictureStore

pytestmark = pytest.mark.django_db

SECRET = "hunter2-very-secret"


def opened(data: bytes) -> zipfile.ZipFile:
    file = zipfile.ZipFile(io.BytesIO(data))
    assert file.testzip() is None
    return file


def whole(run: Execution) -> zipfile.ZipFile:
    return opened(b"".join(archive(run)))


def pictured(**last: Any) -> Execution:
    before, after = make_picture(seed=1).digest, make_picture(seed=2).digest
    return a_run(ExecutionState.STOPPED, picture_before=before, picture_after=after, **last)


def test_the_file_holds_the_page_the_json_and_each_picture_once(client_of, viewer) -> None:
    run = pictured()
    Step.objects.filter(execution=run, index=1).update(picture_before=run.steps.get(index=2).picture_before)
    answer = client_of(viewer).get(f"/runs/{run.execution_id}/export")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="run-{run.pk}.zip"'
    assert answer.streaming
    file = opened(b"".join(answer.streaming_content))
    names = file.namelist()
    assert names[:2] == ["index.html", "run.json"]
    assert len(names) == len(set(names)) == 4
    page = file.read("index.html").decode()
    assert page.count("<article") == 2
    assert page.rstrip().endswith("</html>")
    for name in names[2:]:
        assert f'src="{name}"' in page
    assert "http://" not in page and "https://" not in page and 'src="/' not in page and 'href="/' not in page


def test_programs_read_the_same_from_its_json() -> None:
    run = pictured()
    ExecutionEvent.objects.create(execution=run, seq=1, kind=EventKind.STATE, payload={"status": "running"})
    told = json.loads(whole(run).read("run.json"))
    assert (told["format"], told["format_version"]) == ("surehand-run", 1)
    assert [step["index"] for step in told["steps"]] == [1, 2]
    assert told["steps"][1]["screen"]["perception"]["detected_text"] == ["Save As", "Save"]
    assert told["events"][0]["payload"] == {"status": "running"}
    assert told["execution"]["state"] == "stopped"
    assert told["ending"]["step"] == 2


def test_no_secret_nor_what_was_masked_is_in_it(operator) -> None:
    """S10.3, S10.4: whatever was quoted anywhere; and nothing of this machine."""
    secret = {"name": "password", "label": "Password", "kind": "secret", "default": "", "required": False}
    version = make_published(variables=[*VARIABLES, secret], masks=[[0.5, 0.0, 0.5, 0.2]])
    masked = screen(("MARTIN Ada", [0.6, 0.05, 0.2, 0.05]), ("Save", [0.1, 0.5, 0.2, 0.1]))
    masked["raw"] = {"screenshot_path": "/srv/data/pictures/x.png"}
    masked["seal"] = "abcd"
    run = a_run(
        ExecutionState.STOPPED, version=version, screen=masked, picture_before=make_picture(seed=3).digest,
        suggestion=meant(action="type_text", params={"text": SECRET}, message=f"“{SECRET}” and MARTIN Ada"),
        message=f"typed {SECRET} for MARTIN Ada", sentence=f"Type “{SECRET}”",
    )  # fmt: skip
    Execution.objects.filter(pk=run.pk).update(variables={"patient": "x", "password": SECRET})
    run.refresh_from_db()
    answer(run.steps.get(index=2), "reject", operator, feedback=f"not {SECRET}")
    Prompt.objects.update(message=SECRET)
    ExecutionEvent.objects.create(execution=run, seq=1, kind=EventKind.ERROR, payload={"message": SECRET})
    file = whole(run)
    for name in ("index.html", "run.json"):
        text = file.read(name).decode()
        assert SECRET not in text, name
        assert "MARTIN Ada" not in text, name
        assert "/srv/data" not in text and "abcd" not in text, name
    assert HIDDEN in file.read("run.json").decode()


def test_taught_pictures_are_not_in_it() -> None:
    """They are not masked: they are what is compared."""
    taught = make_picture(seed=9).digest
    target = {"target_id": "t", "label": "Save", "text": "Save", "picture": taught}
    run = pictured(suggestion=meant(target=target))
    file = whole(run)
    assert all(taught not in name for name in file.namelist())
    assert taught not in file.read("run.json").decode()


def test_a_picture_that_is_no_longer_kept_is_left_out() -> None:
    run = pictured()
    PictureStore().path(run.steps.get(index=2).picture_after).unlink()
    assert len(whole(run).namelist()) == 3


@pytest.mark.slow
def test_five_hundred_pictures_take_no_more_memory_than_five(settings, tmp_path: Path) -> None:
    """Each piece is gone before the next one is made."""
    settings.DATA_DIR = tmp_path
    run = a_run(ExecutionState.STOPPED)
    store, random = PictureStore(), np.random.default_rng(7)

    def add(first: int, last: int) -> None:
        for index in range(first, last):
            digest = store.put(random.integers(0, 255, (120, 160, 3), dtype=np.uint8))
            make_step(run, index, picture_before=digest, suggestion=meant())

    def most() -> tuple[int, int]:
        tracemalloc.start()
        sent = sum(len(piece) for piece in archive(run))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak, sent

    add(3, 60)
    few, small = most()
    add(60, 503)
    many, large = most()
    assert large > 5 * small > 10**6
    assert many < few + 6 * 10**6  # the names of the pictures and the rows of the film, not their bytes


@pytest.mark.browser
@pytest.mark.slow
def test_it_opens_from_disk_without_the_server(tmp_path: Path) -> None:
    """As Playwright's traces do; J walks, pictures show, nothing is asked of any network."""
    from tests.support.browser import chromium

    with zipfile.ZipFile(io.BytesIO(b"".join(archive(pictured())))) as file:
        file.extractall(tmp_path)
    with chromium() as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        complaints: list[str] = []
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.goto((tmp_path / "index.html").as_uri())
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.id") == "step-2"
        shown = "[...document.querySelectorAll('img')].every(image => image.complete && image.naturalWidth > 0)"
        page.wait_for_function(shown)  # those further down come after the page's own load
        assert all(url.startswith("file:") for url in asked)
        assert complaints == []


def test_one_step_is_a_file_of_its_own(client_of, viewer) -> None:
    run = pictured()
    first, began = run.steps.get(index=1), timezone.now()
    first.picture_before = make_picture(seed=7).digest
    first.save()
    for n in (1, 2):
        at = began + timedelta(seconds=10 * n)
        run.steps.filter(index=n).update(started_at=at, ended_at=at + timedelta(seconds=8))
        event = ExecutionEvent.objects.create(execution=run, seq=n, kind=EventKind.STATE, payload={"status": "running"})
        ExecutionEvent.objects.filter(pk=event.pk).update(at=at + timedelta(seconds=4))
    client = client_of(viewer)
    answer = client.get(f"/runs/{run.execution_id}/steps/2/export")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="run-{run.pk}-step-2.zip"'
    file = opened(b"".join(answer.streaming_content))
    page, told = file.read("index.html").decode(), json.loads(file.read("run.json"))
    assert page.count("<article") == 1 and "Step 2 alone." in page
    assert [step["index"] for step in told["steps"]] == [2]
    assert [event["seq"] for event in told["events"]] == [2]
    assert all(first.picture_before not in name for name in file.namelist())
    assert Entry.objects.filter(verb=Verb.EXPORT, detail__step=2).count() == 1
    assert client.get(f"/runs/{run.execution_id}/steps/99/export").status_code == 404
