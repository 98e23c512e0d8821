"""A story file teaches as the page does: the same recorder, the same draft (S6.16)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from execution.actions.teach import open_lesson
from execution.exceptions import ExecutionError, LessonTaken
from execution.lesson.story_checks import check
from execution.lesson.story_reading import read_story
from execution.lesson.telling import draft_told
from execution.management.commands import teach
from execution.models import Lesson
from execution.types import Box, Point
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Field, TextLabel
from tests.support.scripted import analyzer, screens
from workflows.models import Workflow
from workflows.specs import graph_of


def of_steps(*lines: str) -> str:
    return "\n".join(["workflow: A", "steps:", *lines])


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "empty"),
        ("workflow: A\nsteps:\n  - click: " + 3000 * "[", 3, "“[”, “{” or “-” too many"),
        ("workflow: A\nsteps:\n  " + 3000 * "- ", 3, "more than 20 other parts"),
        ("workflow: A\nsteps: &all\n  - call: B\n    by_hand: *all", 4, "write it out"),
        ("workflow: A", 1, "steps"),
        ("workflow: A\nsteps:\n  - klick: Save", 3, "klick"),
        ("workflow: A\nsteps:\n  - click: Save\n    type: x", 3, "exactly one"),
        ("workflow: A\nsteps:\n  - click: Save\n    nth: two", 4, "whole number"),
        ("workflow: A\nsteps:\n  - click: Save\n    nth: 0", 4, "counts from 1"),
        ("workflow: A\nsteps:\n  - type: x\n    row: y", 3, "“into”"),
        ("workflow: A\nsteps:\n  - click: [a]", 3, "a text"),
        ("workflow: A\nsteps:\n  - choose: Ward 3", 3, "“at”"),
        ("workflow: A\nsteps:\n  - click: Save\n    at: Ward", 4, "“at” does not belong to “click”"),
        ("workflow: A\nsteps:\n  - see: Save\n    nth: 2", 4, "“nth” does not belong to “see”"),
        ("workflow: A\nsteps:\n  - click: Save\n    optional: maybe", 4, "true or false"),
        ("workflow: A\nworkflow: B\nsteps: []", 2, "twice"),
        ("workflow: A\nsteps: []", 2, "a list"),
        ("workflow: A\nvariables:\n  pin: {value: x, kind: secret}\nsteps:\n  - click: a", 3, "secret"),
        ("workflow: A\nvariables:\n  who: {value: x, vault: ward}\nsteps:\n  - click: a", 3, "kind: secret"),
        ("workflow: A\nvariables:\n  1st: x\nsteps:\n  - click: a", 3, "no name"),
        ("workflow: A\nvariables:\n  who: {kind: text}\nsteps:\n  - click: a", 3, "no value"),
        ("workflow: A\nvariables:\n  who: {value: x, kind: colour}\nsteps:\n  - click: a", 3, "colour"),
        ("workflow: A\nvariables:\n  who: {value: x, allowed: [y, z]}\nsteps:\n  - click: a", 3, "“x” is not among"),
        ("workflow: A\nvariables:\n  n: {value: x, kind: number}\nsteps:\n  - click: a", 3, "“x” is no number"),
        ("workflow: A\nvariables:\n  d: {value: 31/2, kind: date}\nsteps:\n  - click: a", 3, "“31/2” is no date"),
        ("workflow: A\nsteps:\n  - click: 'x\n", 4, ""),
        (of_steps("  - drag: a"), 3, "“by”"),
        (of_steps("  - drag: a", "    by: [1]"), 4, "2 numbers"),
        (of_steps("  - click: a", "    place: [0.5, 2]"), 4, "from 0 to 1"),
        (of_steps("  - scroll: far", "    at: b"), 3, "whole number"),
        (of_steps("  - set: maybe", "    at: b"), 3, "on, off"),
        (of_steps("  - date: 13/13/2026", "    at: b"), 3, "no one day"),
        (of_steps("  - click: a", "    keep: false", "    id: x"), 3, "not kept"),
        (of_steps("  - click: a", "    signs: {smell: needed}"), 4, "smell"),
        (of_steps("  - click: a", "    signs: {text: much}"), 4, "much"),
        (of_steps("  - click: a", "    only_if: {ward: {like: x}}"), 4, "like"),
        (of_steps("  - click: a", "    only_if: {ward: {empty: false}}"), 4, "empty: true"),
        (of_steps("  - click: a", "    only_if: {ward: x}"), 3, "“ward” is no variable"),
        (of_steps("  - click: a", "    each: {at_most: 3}"), 4, "“line”"),
        (of_steps("  - click: a", "    each: {line: n, at_most: 10001}"), 4, "At most"),
        (of_steps("  - click: a", "    in_each: n"), 3, "No step says “each”"),
        (of_steps("  - click: a", "    each: n", "  - click: b", "    each: n"), 3, "twice"),
        (of_steps("  - click: a", "    id: x", "  - click: b", "    id: x"), 5, "twice"),
        (of_steps("  - click: '{{who}}'"), 3, "“who” is no variable"),
        (of_steps("  - type: '{{total}}'", "  - {read: total, at: b}"), 3, "“total” is no variable"),
        (of_steps("  - do: wf", "    by_hand: [{read: a, at: b}]"), 4, "By hand"),
        (of_steps("  - do: wf", "    by_hand: [{type: '{{who}}'}]"), 3, "“who” is no variable"),
        (of_steps("  - click: a", "screens:", "  Record: {known_by: [b]}"), 5, "No step leads to “Record”"),
        ("workflow: A\nvariables: {pin: {kind: secret}}\nsteps:\n  - type: '{{pin}}'", 4, "“vault”"),
        ("workflow: A\nvariables: {pin: {kind: secret, vault: w}}\nsteps:\n  - type: 'x{{pin}}'", 4, "by itself"),
        ("workflow: A\nvariables: {pin: {kind: secret, vault: w}}\nsteps:\n  - click: '{{pin}}'", 4, "by itself"),
    ],
)
def test_what_is_no_story_is_told_with_its_line(text: str, line: int, why: str) -> None:
    """S6.16: before anything is done."""
    with pytest.raises(ExecutionError) as refused:
        check(read_story(text))
    assert str(refused.value).startswith(f"Line {line}: ")
    assert why in str(refused.value)


def test_values_stay_as_they_are_written() -> None:
    story = read_story("workflow: A\nvariables: {date: 2026-11-21, number: 007}\nsteps:\n  - press: ctrl+s")
    assert story.values == {"date": "2026-11-21", "number": "007"}


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> ScriptedDesktop:
    made = ScriptedDesktop(screens("one", "two", "three"))
    monkeypatch.setattr(teach, "open_named", lambda name: made)
    monkeypatch.setattr(teach, "build_analyzer", lambda config: analyzer(made))
    return made


def told(text: str, tmp_path: Any, **more: Any) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(text)
    call_command("teach", story=str(file), user="dora", **more)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
class TestOnADesktop:
    def test_a_text_is_kept_with_its_variables_and_each_line_is_a_step(self, desktop, make_user, tmp_path) -> None:
        """S6.16: in another run another patient is written."""
        make_user("dora", "designer")
        text = """
workflow: Note
variables: {patient: Marie, born: 1950-02-03}
steps:
  - type: "{{patient}}\\n"
  - type: "born {{born}}"
  - click: Go on
    expect: Page two
    optional: true
    identity: {Patient: "{{patient}}"}
    screen: The second page
  - see: Page two
"""
        desktop._screens["one"].widgets.append(Field(name="note", label="Note", box=Box(300, 200, 400, 120), lines=4))
        desktop._focus = "note"
        told(text, tmp_path)
        graph = graph_of(Workflow.objects.get())
        assert desktop.memory["note"] == "Marie\nborn 1950-02-03"
        steps = [(step.edge.action_type, step.edge.params.get("text")) for step in Lesson.objects.get().steps.kept()]
        assert steps == [
            ("type_text", "{{patient}}\n"),
            ("type_text", "born {{born}}"),
            ("click", None),
            ("must_see", "Page two"),
        ]
        click = next(edge for edge in graph.edges if edge.action_type == "click")
        assert click.optional
        assert [(one.label, one.value) for one in click.identity] == [("Patient", "{{patient}}")]
        assert graph.node(click.destination).name == "The second page"

    def test_a_value_is_read_beside_its_label(self, desktop, make_user, tmp_path) -> None:
        """S6.12, S6.16"""
        make_user("dora", "designer")
        desktop._screens["one"].widgets.extend([
            TextLabel(text="Total:", at=Point(60, 500)), TextLabel(text="128", at=Point(240, 500)),
        ])  # fmt: skip
        told("workflow: A\nsteps:\n  - read: total\n    at: 'Total:'\n    kind: number", tmp_path)
        edge = Workflow.objects.get().edges.get()
        assert (edge.action_type, edge.params["name"], edge.params["kind"]) == ("read_value", "total", "number")
        assert edge.params["label"] == "Total:"
        (step,) = draft_told(Lesson.objects.get())["steps"]
        assert step["detail"] == "read “128”"


@pytest.mark.django_db
class TestACommandThatWasKilled:
    """S6.2, S6.10: its lesson is open for ever, and its draft is in its rows."""

    def test_its_workflow_is_held_for_as_long_as_somebody_may_be_there(self, make_user) -> None:
        workflow = Workflow.objects.create(workflow_id="wf", name="W")
        open_lesson(workflow=workflow, robot=None, user=make_user("dora", "designer"))
        with pytest.raises(LessonTaken, match="dora"):
            open_lesson(workflow=workflow, robot=None, user=make_user("dan", "designer"))

    def test_then_it_is_closed_by_whoever_teaches_it_next(self, make_user) -> None:
        workflow = Workflow.objects.create(workflow_id="wf", name="W")
        left = open_lesson(workflow=workflow, robot=None, user=make_user("dora", "designer"))
        Lesson.objects.update(presence_at=timezone.now() - timedelta(seconds=settings.RPA_TEACH_AWAY_S + 1))
        open_lesson(workflow=workflow, robot=None, user=make_user("dan", "designer"))
        left.refresh_from_db()
        assert left.state == "done"
