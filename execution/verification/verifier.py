"""Are we where the action makes sense, and did it happen? Yes, no, or cannot tell, with the reasons (S1.5, S5.2).

After an action what its edge declares decides; else where the screen is, what was typed, and what became of the thing
that was acted on. A yes needs a proof: something that is so now and was not before. A no needs certainty: nothing
changed at all, or an error came. `verification` holds the parts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from execution.desktop.base import UnknownKey
from execution.desktop.keys import known_keys
from execution.matching import CONTEXT
from execution.types import Answer, Box, ElementRole, Recognition, ScreenState, Verification
from execution.verification import declared, identity
from execution.verification.change import Change, something_changed
from execution.verification.effects import control_at, effect_at
from execution.verification.facts import CHANGE, DESTINATION, NODE, Fact, combined
from execution.verification.reading import ScreenReading
from execution.verification.troubles import Troubles, troubles_of
from execution.verification.typed import altered_fact, filled_fact, misplaced_fact, typed_fact
from sentences.said import listed, say, then
from workflows.catalogue import ACTIONS, SETTING_ACTION_TYPES
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec

__all__ = ["something_changed", "verify_after", "verify_before"]

_NOTHING: Mapping[str, str] = {}


def verify_before(
    edge: EdgeSpec, state: ScreenState, *, recognition: Recognition, variables: Mapping[str, str] = _NOTHING
) -> Verification:
    """Whether the screen is the node that the edge starts from, holds what it must, and is whose it must be.

    The answer is no if any of these is no, and cannot tell if any cannot be told.
    """
    started = time.perf_counter()
    reading = ScreenReading(state)
    facts = [_node(edge, recognition)]
    facts += declared.stands(edge.before, reading, variables)
    facts += (identity.check(spec, reading, variables) for spec in edge.identity)
    answer = combined([f.answer for f in facts])
    told = [f for f in facts if f.answer is answer]
    reasons = recognition.match.reasons if recognition.match else ()
    return Verification(
        answer=answer,
        evidence=(*reasons, *(f.reason for f in facts[1:])),
        message=_listed(told if answer is not Answer.YES else facts),
        verify_ms=_ms_since(started),
    )


def verify_after(
    edge: EdgeSpec,
    *,
    before: ScreenState,
    after: ScreenState,
    recognition: Recognition,
    typed: str = "",
    cleared: bool = False,
    variables: Mapping[str, str],
    acted_at: Box | None = None,
    between: Sequence[ScreenState] = (),
) -> Verification:
    """Whether the edge's action had its effect.

    `acted_at` is the box of what was acted on, in pixels of `before`, where that is known: a box that was ticked, a tab
    that was chosen can be seen only there. For a text it is its field: what stands elsewhere went wrong; where the
    field was `cleared` first, the text alone must stand in it, and that is enough. Ask again later where the answer is
    not yes, effects may be late; `between` are the screens that were seen meanwhile: a message that went away and came
    back is a new one.
    """
    started = time.perf_counter()
    change = Change(before, after, between)
    judged = _Judged(edge, change, recognition, typed, variables, acted_at, cleared)
    answer, message = judged.declared() if edge.expect else judged.observed()
    return Verification(
        answer=answer,
        evidence=tuple(f.reason for f in judged.facts),
        message=message,
        said=judged.troubles.said if answer is not Answer.YES else "",
        untouched=answer is Answer.NO and untouched(edge.action_type, acted_at, change),
        verify_ms=_ms_since(started),
    )


Ruling = tuple[Answer, str]


class _Judged:
    """The facts about one action, and what follows from them."""

    def __init__(
        self, edge: EdgeSpec, change: Change, recognition: Recognition, typed: str, variables: Mapping[str, str],
        at: Box | None, cleared: bool,
    ) -> None:  # fmt: skip
        self.change, self.types = change, bool(typed)
        self.expected = list(declared.came_about(edge.expect, change, variables))
        self.arrived = _destination(edge, change, recognition)
        self.at_source = bool(recognition.match and recognition.match.node_id == edge.source != edge.destination)
        self.misplaced = misplaced_fact(typed, change, at=at)
        filled = filled_fact(typed, change, at=at) if cleared and at else None
        doubted = filled if filled and filled.answer is Answer.CANNOT_TELL else None
        self.altered = doubted or (altered_fact(typed, change, at=at, cleared=cleared) if typed else None)
        effect = filled or (typed_fact(typed, change, at=at) if typed else effect_at(at, change))
        self.effects = [effect] if effect else []
        hoped = (*edge.expect.texts, *edge.expect.gone)
        self.troubles: Troubles = troubles_of(change, declared=hoped, data=(typed, *map(str, variables.values())))
        spec = ACTIONS.get(edge.action_type)
        only_looks = spec is not None and spec.effect_class is EffectClass.READ
        # which may be there, or be so, already
        self.need_not_act = only_looks or edge.action_type in SETTING_ACTION_TYPES | {"navigate"}
        self.may_be_quiet = may_show_nothing(edge)
        self.denied = declared.denies(edge.expect, change, variables)

    @property
    def facts(self) -> list[Fact]:
        changed = self.change.happened
        note = say("verification.changed") if changed else say("verification.unchanged")
        seen = Fact(sign=CHANGE, answer=Answer.YES if changed else Answer.NO, note=note, proof=changed)
        arrived = [self.arrived] if self.arrived else []
        against = [fact for fact in (self.misplaced, self.altered) if fact and fact not in self.effects]
        return [*self.expected, seen, *arrived, *self.effects, *against, *self.troubles.facts]

    def declared(self) -> Ruling:
        """What the edge declares, first of all."""
        failed = [f for f in self.expected if f.answer is Answer.NO]
        unknown = [f for f in self.expected if f.answer is Answer.CANNOT_TELL]
        if self.change.is_blank:
            return Answer.CANNOT_TELL, say("verification.blank")
        if self._doubted:
            return Answer.CANNOT_TELL, _listed([*failed, *unknown, self._doubted])
        if self.misplaced:
            return Answer.NO, self.misplaced.note
        if self.altered:
            return Answer.CANNOT_TELL, _listed([self.altered, *failed])
        if failed:
            return self._failed(_listed([*failed, *unknown]))
        if unknown:
            return Answer.CANNOT_TELL, _listed(unknown)
        message = _listed(self.expected)
        if self.troubles.waiting:
            return Answer.CANNOT_TELL, then([message, self.troubles.waiting.note])
        if self.troubles.error:
            return (Answer.CANNOT_TELL if self._proved else Answer.NO), then([message, self.troubles.error.note])
        if self.denied:
            return Answer.CANNOT_TELL, then([message, say("verification.denied")])
        if self._proved or self.need_not_act:  # a wait, a scroll: it is enough that it is so
            return Answer.YES, message
        if not self.change.happened:
            message = then([message, say("verification.unchanged")])
        return Answer.CANNOT_TELL, message

    def _failed(self, message: str) -> Ruling:
        """Something that is declared is not so: no where it is sure that it will not be."""
        trouble = self.troubles.error or self.troubles.complaint
        if not self.change.happened:
            return Answer.NO, then([message, say("verification.unchanged")])
        if trouble:
            return Answer.NO, then([message, trouble.note])
        if self.denied:  # by the words around it alone: a person reads them better
            return Answer.CANNOT_TELL, then([message, say("verification.denied")])
        if self.troubles.waiting:
            return Answer.CANNOT_TELL, then([message, self.troubles.waiting.note])
        if self.at_source and not self.types:  # what was typed may stand there misread: typing it again doubles it
            return Answer.NO, then([message, say("verification.still_at_start")])
        return Answer.CANNOT_TELL, message

    @property
    def _doubted(self) -> Fact | None:
        """The program itself says that it does not know: then nobody does, whatever else is seen."""
        return self.troubles.doubt if self.troubles.sure else None

    @property
    def _proved(self) -> bool:
        """Whether anything is so now that was not before and that only the action explains."""
        others = (*([self.arrived] if self.arrived else []), *self.effects)
        if any(f.proof for f in others):
            return True
        proofs = [f for f in self.expected if f.proof]
        if any(not f.absence for f in proofs):
            return True
        # a text is out of sight as well where something covers it, or another screen came
        return bool(proofs) and self.change.stands and not self.troubles.asks

    def observed(self) -> Ruling:
        """Nothing was declared: the destination, the typed text or the thing acted on must speak for it."""
        if self.change.is_blank:
            return Answer.CANNOT_TELL, say("verification.blank")
        if self._doubted:
            return Answer.CANNOT_TELL, self._doubted.note
        if self.misplaced:
            return Answer.NO, self.misplaced.note
        if self.altered:
            return Answer.CANNOT_TELL, self.altered.note
        proof = next((f for f in (self.arrived, *self.effects) if f and f.proof), None)
        error = self.troubles.error
        if proof and self.troubles.waiting:
            return Answer.CANNOT_TELL, then([proof.note, self.troubles.waiting.note])
        if proof and error:
            return Answer.CANNOT_TELL, then([proof.note, error.note])
        if proof:
            return Answer.YES, proof.note
        if not self.change.happened:
            return (Answer.CANNOT_TELL if self.may_be_quiet else Answer.NO), say("verification.unchanged")
        if error and self.troubles.sure:
            return Answer.NO, error.note
        if self.troubles.complaint and self.troubles.sure:  # of this act or of an earlier field: a person reads it
            return Answer.CANNOT_TELL, self.troubles.complaint.note
        return Answer.CANNOT_TELL, say("verification.changed_unsaid")


def _node(edge: EdgeSpec, recognition: Recognition) -> Fact:
    match = recognition.match
    if match is None:
        note = say("verification.not_recognised", why=recognition.why_not)
        return Fact(sign=NODE, answer=Answer.CANNOT_TELL, note=note)
    if match.node_id == edge.source:
        return Fact(sign=NODE, answer=Answer.YES, note=say("verification.at_start"))
    note = say("verification.another_screen")
    return Fact(sign=NODE, answer=Answer.NO, note=note)


def _destination(edge: EdgeSpec, change: Change, recognition: Recognition) -> Fact | None:
    """The fact that the screen is where the action leads: no proof where only the run so far told it from another."""
    match = recognition.match
    if match is None or match.node_id != edge.destination or edge.destination == edge.source:
        return None
    told_by_run = any(r.sign == CONTEXT for r in match.reasons)
    note = say("verification.arrived")
    if told_by_run:
        note = say("verification.arrived_unsure")
    return Fact(sign=DESTINATION, answer=Answer.YES, note=note, proof=change.happened and not told_by_run)


def _listed(facts: Iterable[Fact]) -> str:
    return listed(f.note for f in facts)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


# Keys after which a screen may stand as it stood though they did all that they do.
# Whoever goes to the end may be there already, and the caret alone shows that one came there, which blinks: no sign.
# What is copied shows nowhere. Keys that go one step on are none of them: after those something else is chosen, or not.

_TO_AN_END = ("home", "end")
_QUIET = frozenset(
    frozenset(keys)
    for keys in (
        *((key,) for key in _TO_AN_END),
        *(("ctrl", key) for key in (*_TO_AN_END, "c", "insert")),
        ("ctrl", "shift", "c"),
    )
)


def may_show_nothing(edge: EdgeSpec) -> bool:
    """Whether the edge presses such keys, and no more than that."""
    keys = edge.params.get("keys")
    if edge.action_type != "press_keys" or not keys:
        return False
    try:
        return frozenset(known_keys(str(keys).split("+") if isinstance(keys, str) else tuple(keys))) in _QUIET
    except UnknownKey:
        return False


# Whether it is positively seen that an act was not done: only then may it be done once more (S9.3). A screen that
# stands still says little: a program that saves without a word looks like one that did nothing, a slow one as well. A
# field, a radio button and a tab show at once what was done to them, and doing it twice comes to the same.

_SHOWS_AT_ONCE = frozenset({ElementRole.FIELD, ElementRole.RADIO, ElementRole.TAB})


def untouched(action_type: str, at: Box | None, change: Change) -> bool:
    """`at` is the box of what was acted on; a change's screens in between count as well: what came and went came."""
    if action_type != "click" or at is None or not (change.then.was_read and change.now.was_read):
        return False
    control = control_at(at, change.before)
    if control is None or control.role not in _SHOWS_AT_ONCE:
        return False
    return not change.happened and not any(Change(change.before, seen).happened for seen in change.between)
