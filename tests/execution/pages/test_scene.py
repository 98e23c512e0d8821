"""What the robot sees on a stored picture: asked for, read by a worker, and shown over the picture (S2.12)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from audit.models import Entry
from execution.behind.old import FILES_KEPT, files, forget_old
from execution.models import Job
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.replay import tasks
from execution.types import Box, TextLine
from tests.execution.perception.drawing import Canvas
from tests.execution.perception.test_single_look import Reader
from tests.factories import NODES, make_picture, make_published
from workflows.pictures import PictureStore, name_of

pytestmark = pytest.mark.django_db

Look = Callable[..., str]


class Watched(Reader):
    """Keeps what it was given to read."""

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        self.given = pixels
        return super().read(pixels, region)


@pytest.fixture
def canvas() -> Canvas:
    canvas = Canvas(400, 200)
    canvas.text("Name: Durand", 20, 26)
    canvas.field(Box(140, 20, 200, 28))
    canvas.button("<b>Save</b>", Box(200, 120, 120, 28))
    return canvas


@pytest.fixture
def url(canvas: Canvas, settings: Any, tmp_path: Any) -> str:
    """The page of a stored picture; what is kept lies in a folder of the test's own."""
    settings.DATA_DIR = tmp_path
    exports = {**settings.STORAGES["exports"], "OPTIONS": {"location": tmp_path / "exports"}}
    settings.STORAGES = {**settings.STORAGES, "exports": exports}
    return f"/pictures/{PictureStore().put(canvas.pixels)}/scene"


@pytest.fixture
def worker(canvas: Canvas, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """A worker that is there at once, and the reader that it has."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
    reader = Watched(canvas.lines)
    monkeypatch.setattr(tasks, "eyes", lambda: ScreenAnalyzer(reader, FrameDetector(), None))
    return reader


@pytest.fixture
def asked(client: Client, operator: Any, url: str, django_capture_on_commit_callbacks: Any) -> Look:
    """Has it read, as an operator; gives the page that is there then."""

    def ask(at: str = url) -> str:
        client.force_login(operator)
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post(at)
        assert answer.headers["Location"] == at
        return client.get(at).content.decode()

    return ask


def test_it_is_read_once_when_somebody_asks(client, operator, url, worker, asked) -> None:
    client.force_login(operator)
    before = client.get(url)
    assert "Read this screenshot" in before.content.decode()
    assert not Job.objects.exists(), "to look at the page asks for nothing"
    page = asked()
    for said in ("4 things", "Name: Durand", "value after a label", "200, 120 · 120 × 28", "field", "button"):
        assert said in page, said
    assert 'data-thing="4" x="200" y="120" width="120" height="28"' in page
    given = worker.given
    client.get(url)
    assert worker.given is given
    assert Job.objects.get().done == 1
    assert Entry.objects.get(kind="job").about == Job.objects.get().job_id


def test_what_was_read_is_escaped_and_kept_by_nobody(url: str, worker: Watched, asked: Look, client: Client) -> None:
    page = asked()
    assert "&lt;b&gt;Save&lt;/b&gt;" in page
    assert "<b>Save" not in page
    assert client.get(url).headers["Cache-Control"] == "no-store"


def test_nothing_but_the_stored_picture_is_read(url: str, worker: Watched, asked: Look) -> None:
    """S10.4: what is masked was painted over before it was stored, so it cannot be told here either."""
    asked()
    assert (worker.given == PictureStore().get(url.split("/")[2])).all()


def test_the_texts_are_in_no_row_and_go_after_a_day(url: str, worker: Watched, asked: Look, client: Client) -> None:
    asked()
    job = Job.objects.get()
    assert set(job.place) == {"file"}
    forget_old(timezone.now())
    assert "Durand" in client.get(url).content.decode()
    forget_old(timezone.now() + FILES_KEPT)
    assert not files().listdir("")[1]
    page = client.get(url).content.decode()
    assert "Durand" not in page
    assert "Read this screenshot" in page


def test_a_file_that_is_lost_is_read_again(url: str, worker: Watched, asked: Look, client: Client) -> None:
    asked()
    files().delete(Job.objects.get().place["file"])
    assert "Read this screenshot" in client.get(url).content.decode()


def test_of_a_picture_that_is_gone_nothing_is_told(url: str, worker: Watched, asked: Look, client: Client) -> None:
    asked()
    store = PictureStore()
    store.place.delete(name_of(url.split("/")[2]))
    for answer in (client.get(url), client.post(url)):
        assert answer.status_code == 404
        assert b"Durand" not in answer.content
    assert Job.objects.count() == 1


@pytest.mark.parametrize("name", ["0" * 64, "0" * 63 + "Z", "secret_key"])
def test_what_is_no_picture_is_refused_in_words(client: Client, viewer: Any, name: str) -> None:
    client.force_login(viewer)
    assert client.get(f"/pictures/{name}/scene").status_code == 404


def test_who_may_only_look_is_told_who_may_ask(client: Client, viewer: Any, url: str) -> None:
    client.force_login(viewer)
    page = client.get(url).content.decode()
    assert "It takes the role “operator”" in page
    assert '<button class="button primary"' not in page
    assert client.post(url).status_code == 403
    assert not Job.objects.exists()


def test_while_it_is_read_the_page_asks_again_and_says_where_nobody_reads(client, viewer, url, asked) -> None:
    page = asked()
    assert 'hx-trigger="every 1s"' in page
    assert "takes a few seconds" in page
    part = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<div id="scene" hx-get=')
    assert "<html" not in part
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert "manage.py work" in client.get(url).content.decode()


def test_one_picture_is_read_at_a_time(url: str, asked: Look, canvas: Canvas, client: Client) -> None:
    asked()
    canvas.icon(20, 150)
    other = f"/pictures/{PictureStore().put(canvas.pixels)}/scene"
    assert "Another screenshot is being read" in asked(other)
    assert Job.objects.count() == 1
    assert "Another screenshot" not in asked()
    assert Job.objects.count() == 1, "the same one is not asked for twice"
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert "Another screenshot" not in asked(other), "what nobody takes up holds up nobody"
    assert Job.objects.count() == 2


def test_without_a_reader_it_says_so_and_nobody_can_ask(client: Client, operator: Any, url: str, settings: Any) -> None:
    settings.RPA_OCR_ENGINE = "none"
    client.force_login(operator)
    page = client.get(url).content.decode()
    assert "No text reader is set up" in page
    assert "Read this screenshot" not in page


def test_a_reader_that_fails_is_said_and_can_be_asked_again(url: str, worker: Watched, asked: Look) -> None:
    def broken() -> None:
        raise RuntimeError("out of ink")

    worker.instead = broken
    page = asked()
    assert "The text reader reader failed: RuntimeError: out of ink" in page
    assert "Read this screenshot" in page
    worker.instead = lambda: None
    assert "4 things" in asked()


def test_a_fault_of_the_product_is_said_without_its_words(url, worker, asked, monkeypatch) -> None:
    def faulty() -> ScreenAnalyzer:
        raise KeyError("Durand")

    monkeypatch.setattr(tasks, "eyes", faulty)
    page = asked()
    assert "Reading failed" in page
    assert "Durand" not in page


def test_a_taught_screen_leads_there(client: Client, viewer: Any) -> None:
    digest = make_picture().digest
    version = make_published(nodes=[{**node, "picture": digest} for node in NODES])
    client.force_login(viewer)
    assert f"/pictures/{digest}/scene" in client.get(f"/workflows/{version.workflow.workflow_id}").content.decode()
