"""A dialog that somebody closed is known by what no other one says, and later runs close it themselves (S6.14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from execution.choices import ExecutionState, PauseReason
from execution.exceptions import BadEdit
from execution.lesson import here as standing
from execution.lesson import screens as placing
from execution.lesson.hearing import Unheard
from execution.lesson.known_dialogs import popup_of, remember_of_run, texts_of
from execution.matching.dialogs import Dialog
from execution.models import Execution
from execution.types import Box, Element, ElementRole, Point, ScreenState
from sentences.said import worded
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel
from tests.execution.pages.test_runs import move
from tests.factories import make_execution, make_picture, make_user
from tests.support.scripted import BUTTON, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.models import Workflow

BUTTONS = ("Yes", "No")
REFUSED = "This dialog says nothing that is the same each time and that no other dialog says"


def dialog(*said: str, title: str = "", buttons: tuple[str, ...] = BUTTONS) -> dict[str, Any]:
    return {
        "title": title,
        "window": title or "Forms",
        "texts": [*said, *buttons],
        "box": [0.1, 0.1, 0.5, 0.5],
        "buttons": [{"text": text, "box": [0.3, 0.5, 0.1, 0.1]} for text in buttons],
    }


LIKE_ANY = [
    dialog("Leave the record of 12/03/1980?"),  # nothing of it lasts but its buttons
    dialog("Confirmation", "Discharge the patient of 04/05/1961?"),
    dialog("Are you sure?"),
    dialog("Quitter le dossier de 12/03/1980 ?", buttons=("Oui", "Non")),
    dialog("Leave the record of 12/03/1980?", title="Clinic"),  # its title is that of each of them
    dialog("Clinic", "Leave the record of 12/03/1980?", title="Clinic"),
    dialog("No"),  # a button that was not seen as one
]
KNOWN_BY = [
    (dialog("Leave without saving?"), ["Leave without saving?"]),
    (dialog("The session is over", "Closed at 12:30"), ["The session is over", "Closed at"]),
    (dialog("two words", "or three words", "its longest line of all", "words"),
     ["its longest line of all", "or three words", "two words"]),
    (dialog(title="Session over"), []),
]  # fmt: skip


def buttons_of(one: dict[str, Any]) -> list[str]:
    return [button["text"] for button in one["buttons"]]


@pytest.mark.parametrize("one", LIKE_ANY, ids=lambda one: " ".join((one["title"], *one["texts"])))
def test_what_every_dialog_says_tells_none(one: dict[str, Any]) -> None:
    """The answer to one question is never given to another one (S1.22)."""
    with pytest.raises(Unheard) as refused:
        texts_of(one, buttons_of(one))
    assert worded(str(refused.value)).startswith(REFUSED)


@pytest.mark.parametrize(("one", "texts"), KNOWN_BY, ids=lambda one: " ".join(one["texts"]) if "texts" in one else "")
def test_a_dialog_is_known_by_what_it_alone_says(one: dict[str, Any], texts: list[str]) -> None:
    assert texts_of(one, buttons_of(one)) == texts


# --- by a run --------------------------------------------------------------------------------------------------------
NOTICE = dialog("Maintenance tonight at ten", "The record of LEFÈVRE Marie stays open", buttons=("Close the notice",))


@pytest.fixture
def paused() -> Execution:
    execution = make_execution(variables={"patient": "LEFÈVRE Marie"})
    detail = {"dialog": NOTICE, "picture": make_picture().digest}
    return move(execution, ExecutionState.PAUSED, desktop="a", pause_reason=PauseReason.DIALOG, pause_detail=detail)


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_the_next_run_closes_what_was_closed_in_this_one(paused: Execution) -> None:
    """Its version says so at once, with the run's values as variables: another patient's notice is the same one."""
    version = remember_of_run(paused, "Close the notice", user=make_user("designer"))
    assert version is not None
    assert version.number == paused.version.number + 1
    [popup] = version.spec().popups
    assert (popup.texts, popup.click) == (
        ("The record of {{patient}} stays open", "Maintenance tonight at ten"),
        "Close the notice",
    )
    again = remember_of_run(paused, "Close the notice", user=make_user("designer"))
    assert again == version  # nothing has changed, and it is there once
    other = dialog("Maintenance tonight at ten", "Only the laboratory is open", buttons=("Close the notice",))
    paused.pause_detail = {**paused.pause_detail, "dialog": other}
    later = remember_of_run(paused, "Close the notice", user=make_user("designer"))
    assert later is not None
    assert [one.name for one in later.spec().popups] == [popup.name, f"{popup.name} (2)"]


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
def test_it_waits_in_a_draft_that_has_other_changes(paused: Execution) -> None:
    """What somebody else is about to change is published by nobody in passing."""
    workflow = paused.version.workflow
    workflow.nodes.filter(is_end=True).update(name="Another name")
    assert remember_of_run(paused, "Close the notice", user=make_user("designer")) is None
    workflow.refresh_from_db()
    assert [popup["click"] for popup in workflow.popups] == ["Close the notice"]
    assert workflow.versions.count() == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("detail", [{}, {"dialog": dialog("Are you sure?", buttons=("Close the notice",))}])
def test_what_is_no_dialog_or_like_any_is_not_remembered(paused: Execution, detail: dict[str, Any]) -> None:
    Execution.objects.filter(pk=paused.pk).update(pause_detail=detail)
    paused.refresh_from_db()
    with pytest.raises(BadEdit):
        remember_of_run(paused, "Close the notice", user=make_user("designer"))
    assert Workflow.objects.get().popups == []


def test_a_button_that_is_there_twice_closes_nothing() -> None:
    with pytest.raises(Unheard):
        popup_of(dialog("Leave without saving?", buttons=("No", "No")), "No", values={})


# --- in a lesson -----------------------------------------------------------------------------------------------------
CLOSER = Box(300, 250, 200, 40)


def over(state: ScreenState, before: ScreenState | None) -> Dialog | None:
    """What the pixels of a dialog say is another's to test."""
    if before is None or "Maintenance tonight at ten" not in [line.text for line in state.texts]:
        return None
    button = Element(role=ElementRole.BUTTON, box=CLOSER, text="Close the notice")
    texts = ("Maintenance tonight at ten", "Close the notice")
    return Dialog(title="", texts=texts, box=Box(250, 150, 400, 180), buttons=(button,))


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> ScriptedDesktop:
    """A notice lies over the first page before it leads to the second."""
    monkeypatch.setattr(placing, "over_known", over)
    one, two = screens("one", "two")
    label = TextLabel(text="Maintenance tonight at ten", at=Point(300, 180))
    close = Button(name="close", text="Close the notice", box=CLOSER)
    notice = ScriptedScreen(name="notice", title=one.title, widgets=[*one.widgets, label, close], on={"close": "two"})
    return ScriptedDesktop(
        [ScriptedScreen(name="one", title=one.title, widgets=one.widgets, on={"go": "notice"}), notice, two]
    )


@pytest.fixture
def teacher(desktop: ScriptedDesktop) -> Iterator[Teacher]:
    workflow = Workflow.objects.create(workflow_id="wf_pages", name="Pages")
    with (
        taught_on(desktop, user=make_user("designer", "dora"), workflow=workflow) as lesson,
        teacher_of(lesson) as teacher,
    ):
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first page")
        teacher.click(BUTTON)
        teacher.until(lambda: teacher.screen.get("dialog"), what="the notice")
        yield teacher


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_a_notice_that_every_run_closes_is_no_screen_and_no_step(
    teacher: Teacher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the teacher read it: where the last step leads is what shows behind it."""
    monkeypatch.setattr(standing, "LATE_S", 0.0)
    told = teacher.screen["dialog"]
    assert [button["text"] for button in told["buttons"]] == ["Close the notice"]
    assert teacher.do(type="dialog", press="Close the notice")["state"] == "done"
    teacher.until(
        lambda: [one["name"] for one in teacher.lesson["screens"]] == ["One - Forms", "Two - Forms"], what="two"
    )
    workflow = Workflow.objects.get()
    edge = workflow.edges.get()
    assert (edge.source.name, edge.destination.name) == ("One - Forms", "Two - Forms")
    [popup] = workflow.popups
    assert (popup["texts"], popup["click"]) == (["Maintenance tonight at ten"], "Close the notice")
    teacher.send(type="undo", n=1)
    teacher.until(lambda: len(teacher.steps()) == 1, what="that it is taken back")
    workflow.refresh_from_db()
    assert workflow.popups == []
    assert workflow.edges.get().destination.name == "Two - Forms"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_a_button_that_is_not_there_is_not_pressed(teacher: Teacher, desktop: ScriptedDesktop) -> None:
    assert teacher.do(type="dialog", press="Stay")["state"] == "refused"
    assert desktop.screen == "notice"
    assert Workflow.objects.get().popups == []
