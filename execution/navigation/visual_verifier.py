"""Are we where the action makes sense, and did it happen? Yes, no, or cannot tell, with the reasons (S1.5, S5.2)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from execution.matching import CONTEXT
from execution.matching.signs import title_matches
from execution.navigation.screen_words import ScreenWords, wanted
from execution.navigation.words import SEEN, words
from execution.perception.changes import find_changes, same_pixels
from execution.types import Answer, Reason, Recognition, ScreenState, Verification
from workflows.graph import EdgeSpec

EXPECTED, DESTINATION, TYPED, CHANGE = "expected", "destination", "typed", "change"

_TELLING = 3  # characters: shorter texts appear by chance


def verify_before(edge: EdgeSpec, state: ScreenState, *, recognition: Recognition) -> Verification:
    """Whether the screen is the node that the edge starts from."""
    started = time.perf_counter()
    match = recognition.match
    if match is None:
        answer, message = Answer.CANNOT_TELL, f"the screen is not recognised: {recognition.why_not}"
    elif match.node_id == edge.source:
        answer, message = Answer.YES, "the screen is where this action starts"
    else:
        answer, message = Answer.NO, f"the screen is {match.node_id}, this action starts at {edge.source}"
    reasons = match.reasons if match else ()
    return Verification(answer=answer, evidence=reasons, message=message, verify_ms=_ms_since(started))


def verify_after(
    edge: EdgeSpec,
    *,
    before: ScreenState,
    after: ScreenState,
    recognition: Recognition,
    typed: str = "",
    variables: Mapping[str, str],
) -> Verification:
    """Whether the edge's action had its effect: what it declares decides, else where the screen is and what changed."""
    started = time.perf_counter()
    changed = something_changed(before, after)
    if edge.expect:
        verification = _declared(edge, before, after, recognition, variables, changed=changed)
    else:
        verification = _observed(edge, before, after, recognition, typed, changed=changed)
    return replace(verification, verify_ms=_ms_since(started))


def something_changed(before: ScreenState, after: ScreenState) -> bool:
    """True if the screen, or the title of its window, is not what it was; a blinking caret is no change."""
    if (before.window.title if before.window else "") != (after.window.title if after.window else ""):
        return True
    if same_pixels(before.frame.pixels, after.frame.pixels):
        return False
    changes = find_changes(before.frame.pixels, after.frame.pixels)
    return changes is None or not changes.is_caret_only


def _declared(
    edge: EdgeSpec,
    before: ScreenState,
    after: ScreenState,
    recognition: Recognition,
    variables: Mapping[str, str],
    *,
    changed: bool,
) -> Verification:
    reasons = _expectations(edge, after, variables)
    reasons.append(_change(changed=changed))
    failed = [r for r in reasons if r.sign == EXPECTED and r.score == 0.0]
    unknown = [r for r in reasons if r.sign == EXPECTED and r.score is None]
    if not failed and not unknown:
        return Verification(answer=Answer.YES, evidence=tuple(reasons), message=_listed(reasons))
    message = _listed([*failed, *unknown])
    match = recognition.match
    at_source = match is not None and match.node_id == edge.source != edge.destination
    if failed and (not changed or at_source):
        note = "the screen did not change" if not changed else "the screen is still where the action started"
        return Verification(answer=Answer.NO, evidence=tuple(reasons), message=f"{message}; {note}")
    return Verification(answer=Answer.CANNOT_TELL, evidence=tuple(reasons), message=message)


def _expectations(edge: EdgeSpec, after: ScreenState, variables: Mapping[str, str]) -> list[Reason]:
    """One reason for each thing the edge declares: 1 as declared, 0 otherwise, None where it cannot be seen."""
    seen_now = ScreenWords(after.texts)
    reasons = [_text_expected(t, seen_now, after, variables, gone=False) for t in edge.expect.texts]
    reasons += [_text_expected(t, seen_now, after, variables, gone=True) for t in edge.expect.gone]
    if edge.expect.window_title:
        reasons.append(_title_expected(edge.expect.window_title, after, variables))
    return reasons


def _text_expected(
    template: str, seen_now: ScreenWords, after: ScreenState, variables: Mapping[str, str], *, gone: bool
) -> Reason:
    want = wanted(template, variables)
    if want.problem:
        return Reason(sign=EXPECTED, score=None, note=f"'{template}' cannot be checked: {want.problem}")
    if not after.text_method:
        return Reason(sign=EXPECTED, score=None, note=f"'{want.text}' cannot be checked: the screen was not read")
    seen = seen_now.seen(want.text, strict=want.exact) >= SEEN
    note = f"'{want.text}' is " + ("seen" if seen else "gone" if gone else "not seen")
    return Reason(
        sign=EXPECTED, score=float(seen != gone), note=note + (" but should be gone" if seen and gone else "")
    )


def _title_expected(pattern: str, after: ScreenState, variables: Mapping[str, str]) -> Reason:
    want = wanted(pattern, variables)
    if want.problem or after.window is None:
        return Reason(
            sign=EXPECTED,
            score=None,
            note=f"the window title cannot be checked: {want.problem or 'no window is known'}",
        )
    fits = title_matches(want.text, after.window.title)
    return Reason(
        sign=EXPECTED,
        score=float(fits),
        note=f"the window is '{after.window.title}'" + ("" if fits else f", not '{want.text}'"),
    )


def _observed(
    edge: EdgeSpec, before: ScreenState, after: ScreenState, recognition: Recognition, typed: str, *, changed: bool
) -> Verification:
    """Nothing was declared: the destination, the typed text, or at least a change must speak for it."""
    reasons = [_change(changed=changed)]
    match = recognition.match
    if match and match.node_id == edge.destination != edge.source:
        told_by_run = any(r.sign == CONTEXT for r in match.reasons)
        note = f"the screen is {match.node_id}" + (", but could as well be another" if told_by_run else "")
        reasons.append(Reason(sign=DESTINATION, score=None if told_by_run else match.confidence, note=note))
        if changed and not told_by_run:
            return Verification(answer=Answer.YES, evidence=tuple(reasons), message=note)
    if typed and (reason := _typed(typed, before, after)):
        reasons.append(reason)
        if reason.score:
            return Verification(answer=Answer.YES, evidence=tuple(reasons), message=reason.note)
    if not changed:
        return Verification(answer=Answer.NO, evidence=tuple(reasons), message="the screen did not change")
    message = "the screen changed, but nothing says that this is what was wanted"
    return Verification(answer=Answer.CANNOT_TELL, evidence=tuple(reasons), message=message)


def _typed(typed: str, before: ScreenState, after: ScreenState) -> Reason | None:
    """Whether every line of the typed text can be read and could not be read before.

    What was typed may be a secret: no reason quotes it.
    """
    lines = [line.strip() for line in typed.splitlines() if len(words(line).key) >= _TELLING]
    if not lines or not (after.text_method and before.text_method):
        return None
    old, new = ScreenWords(before.texts), ScreenWords(after.texts)
    unseen = [line for line in lines if new.seen(line) < SEEN]
    if unseen:
        return Reason(sign=TYPED, score=0.0, note="the typed text is not seen")
    if all(old.seen(line) >= SEEN for line in lines):
        return Reason(sign=TYPED, score=None, note="the typed text was on the screen before as well")
    return Reason(sign=TYPED, score=1.0, note="the typed text is seen")


def _change(*, changed: bool) -> Reason:
    return Reason(
        sign=CHANGE, score=float(changed), note="the screen changed" if changed else "the screen did not change"
    )


def _listed(reasons: list[Reason]) -> str:
    return ", ".join(r.note for r in reasons if r.sign == EXPECTED)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
