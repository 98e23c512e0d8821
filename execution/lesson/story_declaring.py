"""What a story says of its steps and screens, put down in the draft once all of it was told (S6.16).

By then every screen and step is there, and whatever changes a draft does so as the page of the lesson would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from execution.exceptions import BadEdit
from execution.lesson.drafting import new_id
from execution.lesson.editing import change_screen, change_step
from execution.lesson.lines import repeat_for_each_line
from execution.lesson.recorder import Recorder
from execution.lesson.story import BadStory, Condition, Story, Told, ToldScreen
from execution.models import Lesson, LessonStep
from sentences.said import worded
from workflows.models import Node

_Kept = Sequence[tuple[Told, LessonStep]]


def declare(recorder: Recorder, story: Story, kept: _Kept, screens: Mapping[str, int]) -> None:
    """All of it or nothing; raises BadStory with the line. `screens` are keys of nodes by their names in the story."""
    for _told, step in kept:
        step.refresh_from_db()  # a click into a field is a part of what is typed there by now
    with transaction.atomic():
        _name(recorder.lesson, kept, screens)
        for told, step in kept:
            try:
                _declare_step(recorder.lesson, told, step)
            except BadEdit as error:
                raise BadStory(told.line, worded(error)) from error
        for told, step in kept:
            if told.said.each:
                _repeat(recorder, told, step, kept)
        for screen in story.screens:
            try:
                _declare_screen(recorder.lesson, screen, Node.objects.get(pk=screens[screen.name]))
            except (BadEdit, Node.DoesNotExist) as error:
                words = {"name": screen.name}
                why = worded(error) if isinstance(error, BadEdit) else _("“%(name)s” is no screen any more.") % words
                raise BadStory(screen.line, why) from error
    recorder.here.begin()


def _name(lesson: Lesson, kept: _Kept, screens: Mapping[str, int]) -> None:
    """Ids made of the story's own names; nothing of a workflow that is new refers to the old ones."""
    nodes = lesson.workflow.nodes.all()
    for name, key in screens.items():
        taken = nodes.exclude(pk=key).values_list("node_id", flat=True)
        nodes.filter(pk=key).update(node_id=new_id(name, taken, else_="screen"))
    for told, step in kept:
        if told.said.id and step.edge_id:
            edges = lesson.workflow.edges.exclude(pk=step.edge_id)
            if edges.filter(edge_id=told.said.id).exists():
                other = edges.get(edge_id=told.said.id)
                other.edge_id = new_id(other.edge_id, edges.values_list("edge_id", flat=True), else_="step")
                other.save(update_fields=["edge_id"])
            lesson.workflow.edges.filter(pk=step.edge_id).update(edge_id=told.said.id)


def _declare_step(lesson: Lesson, told: Told, step: LessonStep) -> None:
    said = told.said
    changes: dict[str, Any] = {}
    params = dict(said.params)
    if told.enter:
        params["enter"] = True
    if told.act in ("wait_text", "must_see", "must_see_row"):
        params["text"] = told.what.strip()  # what the story says, where the line on the screen says more
    if told.act == "must_see_row" and (told.columns or _says_another_row(lesson, step, params["text"])):
        params["columns"] = "\n".join(told.columns)
    if told.act == "read_value" and told.format:
        params["format"] = told.format
    if said.identity:
        changes["identity"] = [{"label": label, "value": value} for label, value in said.identity]
    if said.only_if:
        changes["condition"] = [_condition(one) for one in said.only_if]
    named = {"label": said.label, "signs": dict(said.signs), "expect": list(said.expect), "gone": list(said.gone)}
    named["params"] = params
    changes |= {name: value for name, value in named.items() if value}
    if said.changes_nothing:
        changes["changes_nothing"] = True
    if said.proof:
        proof = said.proof
        values = {"values": dict(proof.values)} if proof.values is not None else {}
        changes["proof"] = {"workflow": proof.workflow, "version": proof.version, **values}
    if said.optional:
        changes["optional"] = True
    if changes:
        change_step(lesson, step.index, **changes)


def _says_another_row(lesson: Lesson, step: LessonStep, text: str) -> bool:
    """What heads the columns of the row that was clicked is of its own texts."""
    kept = lesson.workflow.edges.get(pk=step.edge_id).params if step.edge_id else {}
    return bool(kept.get("columns")) and kept.get("text") != text


def _condition(one: Condition) -> dict[str, Any]:
    return {"value": one.name, "test": one.test, "to": list(one.to)}


def _repeat(recorder: Recorder, told: Told, step: LessonStep, kept: _Kept) -> None:
    """With those of its screen that the story says are done in each round."""
    each = told.said.each
    assert each is not None
    step.refresh_from_db()
    others = [(other, row.edge) for other, row in kept if other.said.in_each == each.counter]
    for other, edge in others:
        if edge is None or step.edge is None or edge.source_id != step.edge.source_id:
            raise BadStory(
                other.line, _("Only another step of the screen on which the list stands can have “in_each”.")
            )
    steps = [edge.edge_id for _other, edge in others if edge is not None]
    wanted = {"counter": each.counter, "most": each.at_most, "until": list(each.until), "steps": steps}
    try:
        repeat_for_each_line(recorder.here, step, wanted)
    except BadEdit as error:
        raise BadStory(told.line, worded(error)) from error


def _declare_screen(lesson: Lesson, told: ToldScreen, node: Node) -> None:
    sorted_as = {
        **(dict.fromkeys(node.texts, "left_out") if told.known_by else {}),
        **dict.fromkeys(told.left_out, "left_out"),
        **dict.fromkeys(told.data, "data"),
        **dict.fromkeys(told.known_by, "tells"),
    }
    areas = None if told.areas is None else [{"kind": one.kind, "box": list(one.box)} for one in told.areas]
    change_screen(
        lesson,
        node.node_id,
        texts=[{"text": text, "kind": kind} for text, kind in sorted_as.items()],
        absent=None if told.without is None else list(told.without),
        window_title=told.title or None,
        regions=areas,
        is_entry=told.begins,
        is_end=told.ends,
    )
    for edge in node.incoming.all() if told.title else ():
        if edge.expect.get("window_title"):
            edge.expect = {**edge.expect, "window_title": told.title}
            edge.save(update_fields=["expect"])
