"""Turning the pages of a lesson on pictures: which of them shows, and whether an act shows the next (S6.16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.lesson.hearing import Unheard
from execution.lesson.known_acts import act_of
from execution.lesson.recorder import Recorder
from execution.lesson.slides import Slides
from sentences.said import say


def turn(recorder: Recorder, slides: Slides, message: Mapping[str, Any]) -> None:
    """A message `picture`: `to` is the number of a picture, from 0; `leads_on` whether an act shows the next; with
    `did` what somebody did on the picture is kept.

    The picture after the present one is where the last step leads; any other is looked at, and nothing led there.
    Raises Unheard.
    """
    to, leads_on = message.get("to"), message.get("leads_on")
    if message.get("did") is True:
        _keep_what_was_done(recorder, slides)
        return
    if isinstance(leads_on, bool):
        slides.leads_on = leads_on
        return
    if not isinstance(to, int) or isinstance(to, bool):
        raise Unheard(say("lesson.bad_message"))
    if recorder.held is not None:
        raise Unheard(say("lesson.not_answered"))
    recorder.typing.close()
    here, was = recorder.here, slides.at
    if not slides.show(to):
        raise Unheard(say("lesson.no_such_picture"))
    if to != was + 1:
        here.left_unkept()
    elif here.pending is not None:
        here.pending.settled_at = 0.0  # however long the teacher looked at the one before
    recorder.sight.stirred()


def turn_to(recorder: Recorder, slides: Slides, picture: str) -> None:
    """Show that picture, if it is one of them; what is done on it stays on its screen until the teacher says so."""
    at = next((place for place, slide in enumerate(slides.slides) if slide.picture == picture), None)
    slides.leads_on = False
    if at is not None and at != slides.at and slides.show(at):
        recorder.here.left_unkept()
        recorder.sight.stirred()


def _keep_what_was_done(recorder: Recorder, slides: Slides) -> None:
    """As if the teacher did it here; the picture after it is where it leads, whatever kind of act it is."""
    act, at = act_of(slides.current), slides.at
    if act is None:
        unseen = slides.current.did.get("unseen")
        raise Unheard(say("lesson.not_known_where") if unseen else say("lesson.not_known_what"))
    acted = recorder.keys(act) if act.kind == "press_keys" else recorder.act(act)
    if acted.state == "done" and slides.at == at and slides.show(at + 1):
        recorder.sight.stirred()
    if acted.state == "done" and slides.current.did.get("unseen"):
        recorder.here.left_unkept()  # its picture is one from before, and nothing led there
