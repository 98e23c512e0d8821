"""What an edge declares must be seen before or after it, looked for on the screen.

After an action, what was there before it proves nothing: a green "Saved" may be left over from an hour ago. A declared
text is a proof if it stands in more places than before, or than at a look since, a text that must be gone if it was
there, a title if it did not fit before. Notes quote what was taught, never what was put in for its variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from execution.language.screen_texts import wanted
from execution.matching.windows import UNSAVED, title_matches, without_mark
from execution.types import Answer, Window
from execution.verification.change import Change
from execution.verification.facts import EXPECTED, Fact
from execution.verification.reading import ScreenReading
from sentences.said import say
from workflows.graph import ExpectSpec


def stands(spec: ExpectSpec, reading: ScreenReading, variables: Mapping[str, str]) -> Iterator[Fact]:
    """One fact for each thing declared of a screen."""
    for template in (*spec.texts, *spec.gone):
        yield _on_screen(template, reading, variables, gone=template not in spec.texts)
    if spec.window_title:
        yield _titled(spec.window_title, reading.state.window, None, variables)


def came_about(spec: ExpectSpec, change: Change, variables: Mapping[str, str]) -> Iterator[Fact]:
    """One fact for each thing declared of the screen after an action."""
    for template in spec.texts:
        yield _appeared(template, change, variables)
    for template in spec.gone:
        yield _vanished(template, change, variables)
    if spec.window_title:
        yield _titled(spec.window_title, change.after.window, change.before.window, variables)


def denies(spec: ExpectSpec, change: Change, variables: Mapping[str, str]) -> bool:
    """Whether a text has come that says the contrary of what is declared."""
    for template in spec.texts:
        want = wanted(template, variables)
        if not want.problem and _denials(want.text, change.now, strict=want.exact) > _denials(
            want.text, change.then, strict=want.exact
        ):
            return True
    return False


def _denials(text: str, reading: ScreenReading, *, strict: bool) -> int:
    return sum(s.doubt == "denied" for s in reading.sightings(text, strict=strict))


def _unknown(template: str, problem: str) -> Fact:
    note = say("verification.text_uncheckable", text=template, problem=problem)
    return Fact(sign=EXPECTED, answer=Answer.CANNOT_TELL, note=note)


def _said(template: str, code: str, answer: Answer, *, proof: bool = False, absence: bool = False) -> Fact:
    return Fact(sign=EXPECTED, answer=answer, note=say(code, text=template), proof=proof, absence=absence)


def _on_screen(template: str, reading: ScreenReading, variables: Mapping[str, str], *, gone: bool) -> Fact:
    want = wanted(template, variables)
    if want.problem or not reading.was_read:
        return _unknown(template, want.problem or say("verification.not_read"))
    if gone:
        # never strictly: a text misread by a letter is still there
        if reading.sightings(want.text):
            return _said(template, "verification.text_should_not_be", Answer.NO)
        return _said(template, "verification.text_not_there", Answer.YES)
    if reading.seen(want.text, strict=want.exact):
        return _said(template, "verification.text_seen", Answer.YES)
    return _said(template, "verification.text_not_seen", Answer.NO)


def _appeared(template: str, change: Change, variables: Mapping[str, str]) -> Fact:
    want = wanted(template, variables)
    if want.problem or not change.now.was_read:
        return _unknown(template, want.problem or say("verification.not_read"))
    here = change.now.seen(want.text, strict=want.exact)
    if not here:
        denied = any(s.doubt == "denied" for s in change.now.sightings(want.text, strict=want.exact))
        code = "verification.text_denied" if denied else "verification.text_not_seen"
        return _said(template, code, Answer.NO)
    if not change.then.was_read:
        return _said(template, "verification.text_seen_before_unread", Answer.YES)
    seen_least = min(len(screen.seen(want.text, strict=want.exact)) for screen in (change.then, *change.meanwhile))
    if len(here) > seen_least:
        return _said(template, "verification.text_seen", Answer.YES, proof=True)
    return _said(template, "verification.text_as_before", Answer.YES)


def _vanished(template: str, change: Change, variables: Mapping[str, str]) -> Fact:
    want = wanted(template, variables)
    if want.problem or not change.now.was_read:
        return _unknown(template, want.problem or say("verification.not_read"))
    if change.now.sightings(want.text):
        return _said(template, "verification.text_should_be_gone", Answer.NO)
    if change.then.sightings(want.text):
        return _said(template, "verification.text_gone", Answer.YES, proof=True, absence=True)
    return _said(template, "verification.text_never_there", Answer.YES)


def _titled(pattern: str, window: Window | None, before: Window | None, variables: Mapping[str, str]) -> Fact:
    want = wanted(pattern, variables)
    if want.problem or window is None:
        problem = want.problem or say("verification.no_window")
        note = say("verification.title_uncheckable", problem=problem)
        return Fact(sign=EXPECTED, answer=Answer.CANNOT_TELL, note=note)
    if not title_matches(want.text, window.title):
        changed = before is not None and not _dirty(before.title)  # the act itself may have changed what was saved
        if changed and title_matches(want.text, without_mark(window.title)):
            return _said(pattern, "verification.window_is", Answer.YES)
        return _said(pattern, "verification.window_is_another", Answer.NO)
    saved = before is not None and _dirty(before.title) and not _dirty(window.title)
    proof = before is not None and (saved or not title_matches(want.text, before.title))
    return _said(pattern, "verification.window_is", Answer.YES, proof=proof)


def _dirty(title: str) -> bool:
    return title.lstrip()[:1] in UNSAVED if title.strip() else False
