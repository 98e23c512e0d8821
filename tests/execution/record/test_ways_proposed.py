"""S6.15: ways that people went by hand, proposed and taught at once by several."""

from __future__ import annotations

from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import pytest
from django.db import connection, transaction

from execution.choices import EventKind
from execution.exceptions import BadDecision
from execution.lesson import begin_mending
from execution.lesson.begin_mending import teach_way
from execution.lesson.slides import Slide
from execution.models import CorrectionPack, Execution, LearnedCorrection, Lesson
from execution.record import by_hand
from execution.record.by_hand import propose_way
from execution.record.events import emit
from execution.types import Size
from tests.factories import make_execution, make_picture, make_published, make_user
from workflows.models import WorkflowVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


def led(version: WorkflowVersion) -> Execution:
    """A run that a person led over one click."""
    execution = make_execution(version=version)
    with transaction.atomic():
        emit(execution, EventKind.CONTROL, {"act": "click", "on": "Save"})
    return execution


def propose(execution: Execution, to: str = "save_dialog") -> None:
    with transaction.atomic():
        propose_way(execution, execution.version.spec(), came_from="empty_note", to=to)


def test_a_way_that_was_proposed_is_not_proposed_anew_whatever_was_decided_of_it() -> None:
    version = make_published()
    propose(led(version))
    LearnedCorrection.objects.update(state="off")
    propose(again := led(version))
    way = LearnedCorrection.objects.get()
    assert (way.state, way.payload["times"], way.execution_id) == ("off", 2, again.execution_id)
    propose(led(version), to="written_note")
    assert list(LearnedCorrection.objects.order_by("pk").values_list("payload__to", flat=True)) == [
        "save_dialog", "written_note",
    ]  # fmt: skip


def test_control_without_an_act_is_no_way() -> None:
    propose(make_execution())
    assert not LearnedCorrection.objects.exists()


def test_two_runs_that_end_at_once_propose_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_published()
    both, who = Barrier(2), by_hand._who

    def at_once(*asked: Any) -> Any:
        try:
            both.wait(timeout=1)  # one comes here alone where it keeps the other one out
        except BrokenBarrierError:
            pass
        return who(*asked)

    monkeypatch.setattr(by_hand, "_who", at_once)
    runs = [led(version) for _n in range(2)]
    CorrectionPack.objects.create(workflow=version.workflow)

    def one(execution: Execution) -> None:
        try:
            propose(execution)
        finally:
            connection.close()

    threads = [Thread(target=one, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    way = LearnedCorrection.objects.get()
    assert way.payload["times"] == 2


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> LearnedCorrection:
    """As a page has read it, with one picture to teach it on."""
    slide = Slide(picture=make_picture().digest, size=Size(64, 48), name="one")
    monkeypatch.setattr(begin_mending, "slides_between", lambda *_asked, **_how: [slide])
    propose(led(make_published()))
    return LearnedCorrection.objects.get()


def test_a_lesson_on_a_way_takes_nothing_from_what_was_kept_of_it_meanwhile(way: LearnedCorrection) -> None:
    propose(led(way.pack.workflow.versions.get()))
    lesson = teach_way(way, user=make_user("designer"))
    way.refresh_from_db()
    assert (way.payload["times"], way.payload["lesson"]) == (2, lesson.lesson_id)


def test_what_somebody_let_be_meanwhile_is_not_taught(way: LearnedCorrection) -> None:
    LearnedCorrection.objects.update(state="off")
    with pytest.raises(BadDecision, match="look again"):
        teach_way(way, user=make_user("designer"))
    assert not Lesson.objects.exists()
