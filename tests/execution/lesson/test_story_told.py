"""What a story says of its steps and screens is in the draft, as if its page had been clicked (S6.16)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from execution.actions.start import start
from execution.choices import ExecutionState
from execution.lesson import storyteller
from execution.lesson.typing import IDLE_S
from execution.management.commands import teach
from execution.models import Execution, Lesson, LessonStep
from execution.running.runner import Runner
from execution.types import Box, Point
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, Field, ScriptedScreen, TextLabel
from tests.support.scripted import analyzer, publish_line, screens
from workflows import vault
from workflows.models import Edge, Node, Picture, Variable, Workflow
from workflows.pictures import PictureStore
from workflows.secret import Secret

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]
PASSWORD = "Zitrone-4711-Akazie"


def page(name: str, buttons: dict[str, str], *more: Any, texts: Sequence[str] = ()) -> ScriptedScreen:
    """A screen with its name on it, and buttons that lead to others."""
    made = [
        Button(name=text, text=text, box=Box(400, 200 + 80 * number, 160, 48)) for number, text in enumerate(buttons)
    ]
    labels = [TextLabel(text=text, at=Point(60, 90 + 40 * number)) for number, text in enumerate((name, *texts))]
    return ScriptedScreen(name=name, title=f"{name} - Forms", widgets=[*labels, *made, *more], on=buttons)


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, make_user: Any, tmp_path: Path) -> Any:
    """Tells a story on such a desktop; what the command says of it."""
    make_user("dora", "designer")

    def told(desktop: ScriptedDesktop, text: str, **more: Any) -> str:
        monkeypatch.setattr(teach, "open_named", lambda name: desktop)
        monkeypatch.setattr(teach, "build_analyzer", lambda config: analyzer(desktop))
        monkeypatch.setattr(storyteller, "CALM_S", IDLE_S + 0.1)  # a scripted screen changes at once
        file, out = tmp_path / "story.yaml", io.StringIO()
        file.write_text(text)
        call_command("teach", story=str(file), user="dora", stdout=out, **more)
        return out.getvalue()

    return told


def wards() -> ScriptedDesktop:
    return ScriptedDesktop([
        page("Patients", {"Surgery": "Operations", "Medicine": "Rounds"}, texts=("All that are here today",)),
        page("Operations", {"Back": "Patients"}, texts=("Planned for this week",)),
        page("Rounds", {}, texts=("Visited every morning",)),
    ])  # fmt: skip


WAYS = """
workflow: Wards
begins_on: The list
variables:
  ward: {value: S1, label: Ward, allowed: [S1, M1], example: M1, required: false}
steps:
  - click: Surgery
    only_if: {ward: S1}
    screen: The surgery
  - click: Back
    keep: false
    screen: The list
  - click: Medicine
    only_if: {ward: {one_of: [M1, M2]}}
    id: to_medicine
    screen: The rounds
screens:
  The surgery: {ends: true}
"""


def test_a_story_goes_back_to_a_screen_and_shows_another_way_which_a_run_takes_by_its_condition(say) -> None:
    say(wards(), WAYS, publish=True)
    workflow = Workflow.objects.get()
    assert sorted(workflow.nodes.values_list("node_id", flat=True)) == ["the_list", "the_rounds", "the_surgery"]
    first, second = workflow.edges.order_by("order")
    assert (first.source.name, second.source.name) == ("The list", "The list")
    assert first.condition == [{"value": "ward", "test": "equals", "to": ["S1"]}]
    assert second.condition == [{"value": "ward", "test": "one_of", "to": ["M1", "M2"]}]
    assert second.edge_id == "to_medicine"
    assert Lesson.objects.get().steps.filter(state="unkept").count() == 1
    variable = workflow.variables.get()
    assert (variable.label, variable.example, variable.choices) == ("Ward", "M1", ["S1", "M1"])
    assert not variable.required
    desktop = wards()
    execution = start(workflow_id=workflow.workflow_id, mode="automatic", variables={"ward": "M1"})
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    assert desktop.screen == "Rounds"
    assert Execution.objects.by_id(execution.execution_id).state == ExecutionState.COMPLETED


def test_screens_that_look_alike_are_two_where_the_story_calls_them_so_and_keep_their_own_looks(say) -> None:
    """What was taken for the first screen a moment ago leaves nothing with it."""
    entry = Field(name="note", box=Box(60, 300, 500, 120), lines=4)
    note = page("Note", {}, entry, texts=("Written by hand", "Kept for a year"))
    desktop = ScriptedDesktop([replace(note, title="{note} Note - Forms")])
    desktop._focus = "note"
    say(
        desktop,
        'workflow: A\nbegins_on: Empty\nvariables: {who: Marie}\nsteps:\n  - {type: "{{who}}", screen: Written}',
    )
    empty, written = Node.objects.get(name="Empty"), Node.objects.get(name="Written")
    [edge] = Edge.objects.all()
    assert (edge.source, edge.destination) == (empty, written)
    assert empty.reference != written.reference
    assert empty.window_title == "Note - Forms"
    assert written.reference not in empty.looks.all()


def test_what_is_said_of_a_step_and_of_its_screen_is_kept(say) -> None:
    say(
        ScriptedDesktop(screens("one", "two", "three")),
        """
workflow: A
begins_on: First
steps:
  - click: Go on
    label: the big button
    signs: {picture: left_out, text: needed}
    expect: Page two
    gone: Page one
    screen: Second
  - see: Page two
  - wait: Page two
    seconds: 45
  - click: Go on
    screen: Third
screens:
  Second:
    known_by: [Page two]
    data: [Go on]
    without: [Page nine]
    title: "Two*"
    areas: [ignore: [0, 0.5, 1, 0.5]]
""",
    )
    first, see, wait, _last = Edge.objects.order_by("pk")
    assert first.target is not None
    assert first.target.label == "the big button"
    assert first.target.picture is None
    assert first.target.evidence["needed"] == ["text"]
    assert (first.expect["texts"], first.expect["gone"]) == (["Page two"], ["Page one"])
    assert first.expect["window_title"] == "Two*"
    assert (see.action_type, see.params) == ("must_see", {"text": "Page two"})
    assert (wait.action_type, wait.params) == ("wait_text", {"text": "Page two", "timeout_s": 45})
    second = Node.objects.get(name="Second")
    assert (second.texts, second.absent, second.window_title) == (["Page two"], ["Page nine"], "Two*")
    assert {"text": "Go on", "kind": "data"} in second.aside
    assert second.regions == [{"kind": "ignore", "box": [0, 0.5, 1, 0.5]}]


def test_a_text_is_typed_into_a_field_in_the_place_of_another_with_enter_after_it_as_one_step(say) -> None:
    entry = Field(name="name", box=Box(300, 300, 300, 40))
    desktop = ScriptedDesktop([page("Form", {}, TextLabel(text="Name", at=Point(100, 310)), entry)])
    desktop.memory["name"] = "Old"
    say(
        desktop,
        "workflow: A\nvariables: {who: Marie}\nsteps:\n"
        '  - {type: "{{who}}", into: Name, right: 250, clear: true, enter: true, id: name}',
    )
    [edge] = Edge.objects.all()
    assert (edge.edge_id, edge.params) == ("name", {"text": "{{who}}", "clear": True, "enter": True})
    assert edge.target is not None
    assert desktop.memory["name"].strip() == "Marie"


def test_which_of_several_may_be_a_variable_or_this_very_place(say) -> None:
    three = page("List", {"a": "", "b": "", "c": ""})
    rows = [Button(name=f"open{n}", text="Open", box=Box(700, 200 + 60 * n, 100, 36)) for n in range(3)]
    desktop = ScriptedDesktop([ScriptedScreen(name="List", title="List", widgets=[*three.widgets, *rows])])
    say(
        desktop,
        "workflow: A\nvariables: {line: {value: 2, kind: number}}\nsteps:\n"
        '  - {click: Open, nth: "{{line}}"}\n  - {click: Open, nth: 3, this_place: true}',
    )
    first, second = Edge.objects.order_by("pk")
    assert first.target is not None
    assert second.target is not None
    assert first.target.evidence["number"] == "{{line}}"
    assert second.target.evidence.get("number") != "{{line}}"
    asked = [step.answered["code"] for step in Lesson.objects.get().steps.kept()]
    assert asked == ["nth", "this_place"]
    assert [act.point for act in desktop.log if act.kind == "click"] == [rows[1].box.center, rows[2].box.center]


def test_a_variable_that_says_which_of_one_is_refused_before_anything_is_done(say) -> None:
    desktop = ScriptedDesktop(screens("one", "two"))
    text = "workflow: A\nvariables: {n: {value: 1, kind: number}}\nsteps:\n  - {click: Go on, nth: '{{n}}'}"
    with pytest.raises(CommandError, match="Line 4: There is only one here"):
        say(desktop, text)
    assert desktop.screen == "one"


def test_a_place_without_a_text_is_a_part_of_the_screen(say) -> None:
    desktop = ScriptedDesktop(screens("one", "two"))
    width, height = desktop.grab().size
    say(
        desktop,
        f"workflow: A\nsteps:\n  - {{click: it, place: [{480 / (width - 1)}, {424 / (height - 1)}], label: it}}",
    )
    assert desktop.screen == "two"
    assert Edge.objects.get().target.label == "it"


@pytest.mark.slow
def test_another_workflow_is_noted_while_what_it_does_is_done_by_hand(say) -> None:
    """S6.12"""
    other = publish_line("two", "three", "four").workflow
    desktop = ScriptedDesktop(screens("one", "two", "three", "four", "five"))
    say(
        desktop,
        f"""
workflow: A
variables: {{who: Marie}}
steps:
  - {{click: Go on, screen: Second}}
  - do: {other.workflow_id}
    id: noted
    values: {{patient: "{{{{who}}}}"}}
    outputs: {{number: receipt}}
    brought: {{receipt: Page four}}
    by_hand:
      - {{click: Go on, expect: Page three}}
      - {{click: Go on, expect: Page four}}
    screen: Fourth
  - see: "{{{{receipt}}}}"
  - click: Go on
    screen: Fifth
""",
    )
    mine = Workflow.objects.exclude(pk=other.pk).get()
    noted = mine.edges.get(edge_id="noted")
    assert (noted.source.name, noted.destination.name) == ("Second", "Fourth")
    assert noted.params == {
        "workflow": other.workflow_id, "version": 1, "values": {"patient": "{{who}}"}, "outputs": {"number": "receipt"},
    }  # fmt: skip
    assert mine.edges.count() == 4
    assert mine.edges.get(action_type="must_see").params == {"text": "{{receipt}}"}


def test_a_secret_is_typed_out_of_the_vault_and_kept_nowhere(say, tmp_path, caplog) -> None:
    """S10.3, S10.4: not in a row, a picture's name, what the command says, or a log."""
    vault.store("ward", username="ada.martin", password=Secret(PASSWORD))
    entry = Field(name="password", box=Box(300, 300, 300, 40))  # which shows what is typed
    desktop = ScriptedDesktop([page("Log in", {}, TextLabel(text="Password", at=Point(100, 310)), entry)])
    said = say(
        desktop,
        "workflow: A\nvariables: {pin: {kind: secret, vault: ward}}\nsteps:\n"
        '  - {type: "{{pin}}", into: Password, right: 250, enter: true}',
    )
    assert desktop.memory["password"].strip() == PASSWORD
    assert Edge.objects.get().params == {"text": "{{pin}}", "enter": True}
    assert Variable.objects.get().kind == "secret"
    rows = [*Lesson.objects.values(), *LessonStep.objects.values(), *Edge.objects.values(), *Node.objects.values()]
    rows += [*Variable.objects.values()]
    for where in (said, caplog.text, str(rows)):
        assert PASSWORD not in where
    shown = desktop.grab().pixels[300:340, 300:600]
    kept = [PictureStore().get(one.digest) for one in Picture.objects.all()]
    assert kept
    assert not any(np.array_equal(one[300:340, 300:600], shown) for one in kept)
    assert Lesson.objects.get().steps.kept().get().picture_after


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("log_in: nobody", "No password is saved as “nobody”"),
        ("do: wf_nowhere", "There is no version 1 of “wf_nowhere”"),
    ],
)
def test_what_this_installation_has_not_is_refused_before_anything_is_done(say, step: str, why: str) -> None:
    desktop = ScriptedDesktop(screens("one", "two"))
    with pytest.raises(CommandError, match=f"story.yaml: Line 4: {why}"):
        say(desktop, f"workflow: A\nsteps:\n  - click: Go on\n  - {step}")
    assert desktop.screen == "one"


def test_a_story_that_stops_in_the_middle_leaves_nothing_behind_unless_it_is_asked_for(say) -> None:
    text = "workflow: A\nsteps:\n  - click: Go on\n    screen: Second\n  - click: Save"
    for keep in (False, True):
        with pytest.raises(CommandError, match="story.yaml: Line 5: “Save” is not on the screen"):
            say(ScriptedDesktop(screens("one", "two")), text, keep=keep)
        assert Workflow.objects.exists() is keep
        assert Lesson.objects.exists() is keep
    assert Workflow.objects.get().edges.count() == 1


def test_a_step_of_another_screen_is_no_part_of_a_round(say) -> None:
    """And nothing of what the story says is kept, where one thing of it cannot be."""
    text = (
        "workflow: A\nsteps:\n  - {click: Go on, each: n, id: first, screen: Second}\n"
        "  - {click: Go on, in_each: n, screen: Third}"
    )
    with pytest.raises(CommandError, match="Line 4: Only another step of the screen"):
        say(ScriptedDesktop(screens("one", "two", "three")), text, keep=True)
    assert not Edge.objects.filter(edge_id="first").exists()


@pytest.mark.slow
def test_a_proof_is_told_first_and_then_the_step_that_it_proves(say) -> None:
    """S5.9: the workflow that only looks is published, and named by the one that does something."""
    row = TextLabel(text="Marie Dupont", at=Point(60, 300)), TextLabel(text="Ward 3", at=Point(260, 300))
    desktop = ScriptedDesktop(
        [page("Saved", {"List": "List"}), page("List", {"Back": "Saved"}, *row), page("Form", {"Save": "Saved"})]
    )
    say(
        desktop,
        """
workflow: Look
begins_on: Saved
variables: {patient: Marie Dupont}
steps:
  - click: List
    changes_nothing: true
    screen: List
  - see_row: |
      {{patient}}
      Ward 3
    columns: [Patient, Ward]
  - click: Back
    changes_nothing: true
    screen: Saved
screens:
  Saved: {ends: true}
""",
        publish=True,
    )
    look = Workflow.objects.get(name="Look")
    effects = [(edge.action_type, edge.effect_class) for edge in look.edges.order_by("pk")]
    assert effects == [("click", "read"), ("must_see_row", "undeclared"), ("click", "read")]
    assert look.edges.get(action_type="must_see_row").params == {
        "text": "{{patient}}\nWard 3",
        "columns": "Patient\nWard",
    }
    assert look.versions.count() == 1
    desktop = ScriptedDesktop([page("Form", {"Save": "Saved"}), page("Saved", {})])
    story = f"""
workflow: Save
variables: {{patient: Marie Dupont}}
steps:
  - click: Save
    proof: {look.workflow_id}
"""
    say(desktop, story)
    proof = Edge.objects.get(workflow__name="Save", action_type="click").proof
    assert proof == {"workflow": look.workflow_id, "version": 1, "values": {"patient": "{{patient}}"}}
    with pytest.raises(CommandError, match="Line 5: There is no version 1 of “nobody”"):
        say(desktop, story.replace(look.workflow_id, "nobody"))
