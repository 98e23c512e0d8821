"""A screen beside a taught one: asked for, compared by a worker, and shown with each sign and its share (S2.10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.test import Client

from execution.matching.same import KINDS, Compared, Judged, SameScreen
from execution.models import Job
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.replay import tasks
from execution.types import Box
from tests.execution.perception.drawing import Canvas
from tests.execution.perception.test_single_look import Reader
from workflows.pictures import PictureStore, name_of

pytestmark = pytest.mark.django_db


def form(*labels: str) -> Canvas:
    canvas = Canvas(400, 200)
    for row, label in enumerate(labels):
        canvas.text(label, 20, 20 + 30 * row)
    canvas.button("<b>Save</b>", Box(200, 160, 120, 28))
    return canvas


class Reading(Reader):
    """Reads of each picture what was drawn on it."""

    def __init__(self, *canvases: Canvas) -> None:
        super().__init__(())
        self.canvases = canvases

    def read(self, pixels: Any, region: Box | None = None) -> Any:
        return next(tuple(one.lines) for one in self.canvases if (one.pixels == pixels).all())


@pytest.fixture
def digests(worker_at_once: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two stored pictures, and who reads them."""
    canvases = form("Name", "Ward", "Allergies"), form("Name", "Ward", "Invoices")
    monkeypatch.setattr(tasks, "eyes", lambda: ScreenAnalyzer(Reading(*canvases), FrameDetector(), None))
    return [PictureStore().put(canvas.pixels) for canvas in canvases]


def test_the_answer_stands_over_both_pictures_with_each_sign_and_its_share(
    client: Client, operator: Any, digests: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    url = f"/pictures/{digests[0]}/beside/{digests[1]}"
    client.force_login(operator)
    assert "Compare the two" in client.get(url).content.decode()
    assert not Job.objects.exists(), "to look at the page asks for nothing"
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(url).headers["Location"] == url
    page = client.get(url).content.decode()
    for said in ("on both", "on this one alone", "<td>texts</td>", *(f"/pictures/{one}.png" for one in digests)):
        assert said in page, said
    assert 'class="is-alone"' in page
    assert "&lt;b&gt;Save&lt;/b&gt;" in page
    assert "<b>Save" not in page
    assert client.get(url).headers["Cache-Control"] == "no-store"
    other_way = client.get(f"/pictures/{digests[1]}/beside/{digests[0]}").content.decode()
    assert "Compare the two" in other_way, "what is taught and what is seen are not the same question"


def certain(model: SameScreen, found: Sequence[Compared]) -> dict[str, Judged]:
    return {one.node_id: Judged(compared=one, probability=0.9999, shares=np.ones(len(KINDS))) for one in found}


def test_that_two_pictures_show_one_screen_is_never_certain(
    client: Client, operator: Any, digests: list[str], django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(SameScreen, "judge", certain)
    url = f"/pictures/{digests[0]}/beside/{digests[0]}"
    client.force_login(operator)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url)
    page = client.get(url).content.decode()
    assert "99 %" in page
    assert "100 %" not in page


@pytest.mark.parametrize("gone", [0, 1])
def test_of_a_picture_that_is_gone_nothing_is_told(client, operator, digests, gone) -> None:
    PictureStore().place.delete(name_of(digests[gone]))
    client.force_login(operator)
    url = f"/pictures/{digests[0]}/beside/{digests[1]}"
    assert client.get(url).status_code == 404
    assert client.post(url).status_code == 404
    assert not Job.objects.exists()
