"""A story file teaches as the page does: the same recorder, the same draft (S6.16)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.desktop.scripted import ScriptedDesktop
from execution.exceptions import ExecutionError
from execution.lesson.story import read_story
from execution.management.commands import teach
from execution.models import Lesson
from tests.support.scripted import analyzer, screens
from workflows.models import Workflow
from workflows.specs import graph_of

STORY = """
workflow: Three pages
variables:
  patient: Marie Lefèvre
steps:
  - click: Go on
    expect: Page two
  - click: Go on
    expect: [Page three]
"""


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "empty"),
        ("workflow: A", 1, "steps"),
        ("workflow: A\nsteps:\n  - klick: Save", 3, "klick"),
        ("workflow: A\nsteps:\n  - click: Save\n    type: x", 3, "exactly one"),
        ("workflow: A\nsteps:\n  - click: Save\n    nth: two", 4, "whole number"),
        ("workflow: A\nsteps:\n  - type: x\n    row: y", 3, "Only what points"),
        ("workflow: A\nsteps:\n  - click: [a]", 3, "a text"),
        ("workflow: A\nworkflow: B\nsteps: []", 2, "twice"),
        ("workflow: A\nsteps: []", 2, "a list"),
        ("workflow: A\nvariables:\n  pin: {value: x, kind: secret}\nsteps:\n  - click: a", 3, "secret"),
        ("workflow: A\nsteps:\n  - click: 'x\n", 4, ""),
    ],
)
def test_what_is_no_story_is_told_with_its_line(text: str, line: int, why: str) -> None:
    """S6.16"""
    with pytest.raises(ExecutionError) as refused:
        read_story(text)
    assert str(refused.value).startswith(f"Line {line}: ")
    assert why in str(refused.value)


def test_values_stay_as_they_are_written() -> None:
    story = read_story("workflow: A\nvariables: {date: 2026-11-21, number: 007}\nsteps:\n  - press: ctrl+s")
    assert story.values == {"date": "2026-11-21", "number": "007"}


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> ScriptedDesktop:
    made = ScriptedDesktop(screens("one", "two", "three"))
    monkeypatch.setattr(teach, "open_desktop", lambda name: made)
    monkeypatch.setattr(teach, "build_analyzer", lambda config: analyzer(made))
    return made


def told(text: str, tmp_path: Any, **more: Any) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(text)
    call_command("teach", story=str(file), user="dora", **more)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
class TestOnADesktop:
    def test_a_story_is_told_to_its_end_and_published(self, desktop, make_user, tmp_path) -> None:
        """S6.16"""
        make_user("dora", "designer")
        told(STORY, tmp_path, publish=True)
        assert desktop.screen == "three"
        workflow = Workflow.objects.get()
        graph = graph_of(workflow)
        assert [edge.action_type for edge in graph.edges] == ["click", "click"]
        assert len(graph.nodes) == 3
        assert [node.is_end for node in graph.nodes].count(True) == 1
        assert workflow.versions.count() == 1
        assert Lesson.objects.get().state == "done"

    def test_what_is_not_on_the_screen_ends_it_before_anything_is_done(self, desktop, make_user, tmp_path) -> None:
        make_user("dora", "designer")
        with pytest.raises(CommandError, match="Line 3: “Save” is not on the screen"):
            told("workflow: A\nsteps:\n  - click: Save", tmp_path)
        assert not [act for act in desktop.log if act.kind == "click"]

    def test_an_operator_does_not_teach(self, desktop, make_user, tmp_path) -> None:
        """S10.1"""
        make_user("dora", "operator")
        with pytest.raises(CommandError):
            told(STORY, tmp_path)
        assert desktop.screen == "one"
