"""Mending from a run's step: what is said of its picture changes the draft, and what that does is shown first (S6.14).

Every change is a function that writes rows; to show what it does it is made and taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction

from execution.choices import LessonStepState
from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.lesson import not_possible
from execution.lesson.as_it_was import changed, rows_of
from execution.lesson.comparing import look_of, screens_told, shots_of, target_told, tried
from execution.lesson.editing import BadEdit
from execution.lesson.hearing import Unheard, drawn, pointed
from execution.lesson.here import Here
from execution.lesson.known_dialogs import name_of, others, popup_of, set_popups
from execution.lesson.mends import Mend
from execution.lesson.proving import with_pixels
from execution.lesson.recorder import Recorder
from execution.lesson.screens import (
    Look,
    Placed,
    proposed_name,
    proposed_texts,
    set_aside,
    shared_pattern,
)
from execution.lesson.understanding import Answer, taught, understand
from execution.matching.dialogs import Dialog, over_known
from execution.models import MEND, Lesson, LessonStep
from execution.teaching.demonstrations import combined
from execution.types import ScreenState
from sentences.said import say, to_json, told_by
from workflows.commonplaces import telling
from workflows.exceptions import DomainError
from workflows.graph import TargetSpec
from workflows.models import Edge, Node
from workflows.specs import edge_spec
from workflows.text import sole_name


class Mending:
    """What a teacher says of the picture that shows. `now` is it as it may be kept."""

    def __init__(self, lesson: Lesson, here: Here) -> None:
        self._lesson, self._here = lesson, here

    def mend(self, message: Mapping[str, Any], now: ScreenState) -> Mend:
        """What a message means; raises Unheard where that cannot be done."""
        kind = message.get("what")
        try:
            if kind == "look":
                return self._look(str(message.get("node_id") or ""), now)
            if kind == "new_screen":
                return self._new_screen(now, common=message.get("common") is True)
            if kind == "dialog":
                return self._dialog(str(message.get("press") or ""), now)
            if kind == "target":
                return self._target(message, now)
            if kind == "not_possible":
                return not_possible.taught(message, now, lesson=self._lesson, here=self._here)
        except (BadEdit, ValueError, DomainError, OSError) as error:
            raise Unheard(say("lesson.not_mended", why=told_by(error))) from error
        raise Unheard(say("lesson.bad_message"))

    def told(self, mend: Mend, now: ScreenState) -> dict[str, Any]:
        """What it would change of all pictures that are kept, and of the one that shows."""
        here, workflow = self._here, self._lesson.workflow
        look = Look.of_state(now, here.picture_of(now))
        shots = shots_of(self._lesson, here.looks(), here=look)
        pictures, values = here.draft.store, here.known.values
        try:
            found = tried(workflow, mend.apply)
        except (BadEdit, ValueError, DomainError) as error:
            raise Unheard(say("lesson.not_mended", why=told_by(error))) from error
        told = screens_told(found, shots, pictures=pictures, values=values, threshold=settings.RPA_MATCH_THRESHOLD)
        if mend.edge_id:
            told["target"] = target_told(
                found, mend.edge_id, shots, pictures=pictures, values=values, here=look.picture
            )
        return {"said": to_json(mend.said), **told}

    def keep(self, mend: Mend, message: Mapping[str, Any], now: ScreenState) -> None:
        """Write it, as a step of the lesson that can be taken back."""
        workflow = self._lesson.workflow
        try:
            with transaction.atomic():
                was = rows_of(workflow)
                mend.apply()
                LessonStep.objects.create(
                    lesson=self._lesson,
                    index=self._here.next_index(),
                    act=MEND,
                    params={
                        name: message[name] for name in ("what", "node_id", "press", "how", "reason") if name in message
                    },
                    state=LessonStepState.DONE,
                    node=self._here.cursor,
                    made=changed(was, rows_of(workflow)),
                    picture_before=self._here.picture_of(now),
                    screen={"said": to_json(mend.said)},
                )
        except (BadEdit, ValueError, DomainError) as error:
            raise Unheard(say("lesson.not_mended", why=told_by(error))) from error
        self._here.mended(now)

    # --- the screen -------------------------------------------------------------------------------------------------
    def _look(self, node_id: str, now: ScreenState) -> Mend:
        """It is that screen: known by this picture as well, and by no text that it does not say here.

        Where none is left that no other screen says it is known by what it says here; never by nothing at all.
        """
        here = self._here
        node = self._lesson.workflow.nodes.filter(node_id=node_id).first()
        if node is None:
            raise Unheard(say("lesson.no_such_screen"))
        digest, said = here.picture_of(now), ScreenWords.of(now.texts)
        gone = [text for text in node.texts if "{{" not in text and said.seen(text) < SEEN]
        left = [text for text in node.texts if text not in gone]
        title = shared_pattern(node.window_title, now, here.known) if now.window else node.window_title
        looks = here.looks()
        own, others = looks.pop(node_id, []), [one for some in looks.values() for one in some]
        instead: list[str] = []
        if gone and not _tells(left, others) and (not left or _tells(gone, others)):
            fresh = [text for text in proposed_texts(now, here.known, others) if _tells([text], others)]
            instead = [text for text in fresh if _on_all(text, own)] or fresh
            if not instead:
                raise Unheard(say("lesson.nothing_tells"))

        def apply() -> None:
            row = Node.objects.get(pk=node.pk)
            row.texts = [*left, *instead]
            row.aside = [*row.aside, *({"text": text, "kind": "left_out"} for text in gone)]
            row.absent = [text for text in row.absent if said.seen(text) < SEEN]
            row.window_title = title
            row.save()
            here.draft.add_look(row, digest)

        lost = [*gone, *([node.window_title] if node.window_title not in ("", title) else [])]
        told = {"node": node.name, **({"texts": lost} if lost else {}), **({"instead": instead} if instead else {})}
        without = "lesson.mend_look_without" if lost else "lesson.mend_look"
        return Mend(said=say("lesson.mend_look_instead" if instead else without, **told), apply=apply)

    def _new_screen(self, now: ScreenState, *, common: bool) -> Mend:
        here = self._here
        others = [one for looks in here.looks().values() for one in looks]
        taken = list(self._lesson.workflow.nodes.values_list("name", flat=True))
        name = proposed_name(now, Placed(node=None, why=""), here.known, taken)
        texts = list(proposed_texts(now, here.known, others))
        if not texts:
            raise Unheard(say("lesson.nothing_tells"))
        digest = here.picture_of(now)

        def apply() -> None:
            here.draft.add_node(
                name=name, picture=digest, texts=texts, aside=set_aside(now, here.known),
                window_title=shared_pattern("", now, here.known), is_common=common,
            )  # fmt: skip

        code = "lesson.mend_common" if common else "lesson.mend_new"
        return Mend(said=say(code, node=name, texts=texts), apply=apply)

    # --- a dialog ---------------------------------------------------------------------------------------------------
    def dialog(self, now: ScreenState) -> dict[str, Any] | None:
        """What lies over a known screen: as the run was paused for it, or by what was taught. None for nothing."""
        run = self._lesson.execution
        detail = run.pause_detail if run is not None else {}
        if detail.get("dialog") and detail.get("picture") == self._shown_digest():
            return dict(detail["dialog"])
        found = self._over(now)
        return found.to_json(now) if found else None

    def _shown_digest(self) -> str:
        pictures = self._lesson.pictures
        return str(pictures[self._lesson.showing]["picture"]) if self._lesson.showing < len(pictures) else ""

    def _over(self, now: ScreenState) -> Dialog | None:
        """Told by the screen that the step began on, or by how that screen was taught."""
        step, here = mended_step(self._lesson), self._here
        if step is None or (step.node_id and step.picture_before == self._shown_digest()):
            return None  # the run knew the screen
        looks = [look_of(step), *here.looks().get(step.node_id, [])]
        for look in looks:
            if look is None or look.picture == self._shown_digest():
                continue
            before = with_pixels(look, here.draft.store)
            if before is not None and (found := over_known(now, before)) is not None:
                return found
        return None

    def _dialog(self, press: str, now: ScreenState) -> Mend:
        """It may come: that button is pressed each time, or with "" a person is asked, as for any not taught."""
        found, workflow = self.dialog(now), self._lesson.workflow
        if found is None:
            raise Unheard(say("lesson.no_dialog"))
        known = others(workflow, ScreenWords.of(now.texts), self._here.known.values)
        if not press:
            if len(known) == len(workflow.popups):
                raise Unheard(say("lesson.asked_anyway"))
            return Mend(said=say("lesson.mend_ask", name=name_of(found)), apply=lambda: set_popups(workflow, known))
        popup = popup_of(found, press, values=self._here.known.values)
        return Mend(
            said=say("lesson.mend_press", name=popup["name"], button=press),
            apply=lambda: set_popups(workflow, known, popup),
        )

    # --- the target -------------------------------------------------------------------------------------------------
    def edge(self) -> Edge | None:
        return mended_edge(self._lesson, self._here.cursor)

    def _target(self, message: Mapping[str, Any], now: ScreenState) -> Mend:
        here, edge, how = self._here, self.edge(), message.get("how")
        if edge is None or edge.target is None:
            raise Unheard(say("lesson.no_step_here"))
        if how not in ("also", "only"):
            raise Unheard(say("lesson.bad_message"))
        box = drawn(message.get("box"), now.frame.size)
        point = box.center if box is not None else pointed(message, now.frame.size)
        old = edge_spec(edge).target
        assert old is not None
        known = here.known
        found = understand(now, point, known=known, box=box)
        variable = sole_name(old.number_wanted)
        new = taught(
            found, now, store=here.draft.store, known=known.but(edge.params), answer=_as_before(old), variable=variable,
        )  # fmt: skip
        if how == "also":
            new = combined([old, new], values=[here.shown_with, known.values], pictures=here.draft.store)
        else:
            new = replace(new, needed=tuple(sign for sign in old.needed if getattr(new, sign, None)))
        row = edge.target

        def apply() -> None:
            row.refresh_from_db()
            here.draft.change_target(row, new)

        words_ = {"target": row.label, "text": found.text or found.label}
        code = "lesson.mend_also" if how == "also" else "lesson.mend_only"
        return Mend(said=say(code, **words_), apply=apply, edge_id=edge.edge_id)


def heard_mend(recorder: Recorder, mending: Mending, message: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a message `mend` would change, for the page; with `keep` it is written, and there is nothing to tell.

    Raises Unheard.
    """
    recorder.typing.close()
    state = recorder.read_here()
    if state is None:
        raise Unheard(say("lesson.reading"))
    now = recorder.here.shown(state)
    mend = mending.mend(message, now)
    if message.get("keep") is True:
        if message.get("what") == "not_possible":
            recorder.undo(not_possible.steps_to(recorder.here))
        mending.keep(mend, message, now)
        return None
    asked = {name: value for name, value in message.items() if name not in ("type", "id")}
    return {"type": "mending", "asked": asked, **mending.told(mend, now)}


def mended_edge(lesson: Lesson, cursor: Node | None) -> Edge | None:
    """The step's action in the draft; where the run did not get so far, the first one of the screen that it is on.

    None where there is none that acts on something.
    """
    step = mended_step(lesson)
    rows = lesson.workflow.edges.filter(target__isnull=False).select_related("source", "destination", "target")
    if step is not None and step.edge_id:
        return rows.filter(edge_id=step.edge_id).first()
    return rows.filter(source=cursor).order_by("order", "pk").first() if cursor is not None else None


def mended_step(lesson: Lesson) -> Any:
    """The run's step that is mended; None where it is none, or no run."""
    if lesson.execution is None or lesson.step_index is None:
        return None
    return lesson.execution.steps.filter(index=lesson.step_index).first()


def _tells(texts: Sequence[str], others: Sequence[Look]) -> bool:
    """Whether one of them stands on no other screen, and is no caption of a button; a run's value is its own."""
    said = [ScreenWords.of(look.texts) for look in others]
    return any("{{" in text or all(one.seen(text) < SEEN for one in said) for text in telling(texts))


def _on_all(text: str, looks: Sequence[Look]) -> bool:
    return all(ScreenWords.of(look.texts).seen(text) >= SEEN for look in looks)


def _as_before(old: TargetSpec) -> Answer | None:
    """Which of several it is stays what it was: the row of a value, or the number that a run wants."""
    if not old.row and not old.number_wanted:
        return None
    return Answer(code="as_before", text="", row=old.row, number=bool(old.number_wanted))
