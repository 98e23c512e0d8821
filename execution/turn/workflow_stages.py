"""The stages of a turn of a taught workflow, bound to one run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils import timezone

from execution.desktop.capture import looks
from execution.language.acts import ACT, inside
from execution.language.promises import rests_on_a_promise
from execution.learning.judging import PLACE
from execution.learning.overlay import Overlay, Taught, overlaid
from execution.matching import Reading, Reference, ScopedMatcher, dialogs
from execution.matching.areas import shows_no_line
from execution.matching.dialogs import Dialog
from execution.record.hidden import HIDDEN
from execution.record.redaction import kept_in_part
from execution.targeting import pressing
from execution.targeting.pressing import Chosen
from execution.targeting.resolver import TargetResolver, resolve_correction
from execution.turn import acting, calling, entering, learned, looking, popups, scrolling, server_side, waiting
from execution.turn.eyes import Eyes
from execution.turn.holding import Hold
from execution.turn.pointer import resting_place
from execution.turn.popups import Closable
from execution.turn.put_values import PutValues
from execution.turn.rounds import edges_in_rounds
from execution.turn.stages import ScrollSearch
from execution.turn.unchanged import Glance, Pictured, changed_share, what_changed
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Box,
    Element,
    ElementRole,
    Frame,
    Match,
    Point,
    Reason,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Size,
    Suggestion,
    Verification,
    Window,
    pixels_digest,
)
from execution.verification import verifier
from execution.verification.chosen import stands_as_wanted
from sentences.said import Said, from_json, say
from workflows.calling import with_given
from workflows.catalogue import ACTIONS, SERVER_SIDE_ACTION_TYPES, SETTING_ACTION_TYPES, effect_of
from workflows.choices import EffectClass
from workflows.exceptions import PictureError
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, PopupSpec, TargetSpec
from workflows.secret_names import holds_secret
from workflows.text import fill, names, told
from workflows.validation.actions import wrong_parameter
from workflows.words import with_names

# A caret of 2 x 20 pixels on the smallest screen we serve is 0.00005 of it; one typed letter is about as much more.
UNTOUCHED_SHARE = 0.0001
PERSON = "person"  # the sign of a match that a person picked
# How long a program's word that it was done has to stand. A page that says so before its server has answered mostly
# takes it back within a second; what takes longer can only be read back.
PROMISE_MS = 1500
SAME_FIELD = 0.5  # of the joint area: a field is where it was clicked
MOST_BETWEEN = 8  # looks kept while an effect is waited for: 12 MB each at 2560×1600


class WorkflowStages:
    def __init__(
        self, graph: GraphSpec, variables: dict[str, str], eyes: Eyes, matcher: ScopedMatcher, resolver: TargetResolver
    ) -> None:
        self.graph, self.variables = graph, variables  # with what is read on the way
        self.eyes, self.matcher, self.resolver = eyes, matcher, resolver
        self.missing = ""  # what the run cannot go on without, in a sentence
        self._put = PutValues({v.name for v in graph.variables if holds_secret(v)})
        self._entered: Suggestion | None = None  # the click into a field after which nothing was done yet
        self._judged_last: tuple[tuple[Suggestion, ScreenState, ScreenState], Verification] | None = None
        self._in_rounds = edges_in_rounds(graph)
        self._scope = ""  # of the screens that were looked for last
        self._overlay = Overlay(graph)  # what is gone by: the graph with what coaches have shown since
        self.also: ScopedMatcher | None = None  # of screens that coaches picked
        self._picked_once: tuple[ScreenState, str] | None = None  # a screen that is known by what a coach picked alone
        self._give()

    def count(self, values: Mapping[str, str]) -> None:
        self.variables.update(values)
        self._give()

    def forget(self, names: Collection[str]) -> None:
        for name in names:
            self.variables.pop(name, None)
        self._give()

    def _give(self) -> None:
        """What the workflows that are done inside are given, as the values are now."""
        known = with_given(self.graph, self.variables)
        for name in self.variables.keys() - known.keys():
            del self.variables[name]
        self.variables.update(known)

    def learn(self, corrections: Sequence[Taught]) -> None:
        """What coaches have shown up to now: from this turn on it is gone by. The published graph stays as it is."""
        self._overlay = overlaid(self.graph, corrections)

    def observe(self, *, whole: bool = False) -> ScreenState:
        return self.eyes.observe(whole=whole)

    def glance(self) -> Glance:
        return self.eyes.glance()

    def look_again(self, state: ScreenState, *, until: float, hold: Hold) -> ScreenState | None:
        """The screen once it has changed; None if it has not until `until` (monotonic). Raises Stopped."""
        return waiting.look_again(self.eyes, state, until=until, hold=hold)

    def settle(self, edge: EdgeSpec, *, enough: Callable[[ScreenState], bool] | None = None) -> ScreenState:
        return self.eyes.settled(settle_ms=edge.settle_ms, timeout_ms=edge.settle_timeout_ms, enough=enough)

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        self._scope = self.matcher.scope(last_node=last_node, expected=expected)
        found = self.matcher.recognise(state, variables=self.variables, last_node=last_node, expected=expected)
        if found.match is not None or self.also is None:
            return found
        also = self.also.recognise(state, variables=self.variables, last_node=last_node, expected=expected)
        if also.match is None or not self._overlay.looks_of(also.match.node_id):
            return found
        self._picked_once = (state, also.match.node_id)
        return also

    def _surely(self, found: Recognition, state: ScreenState) -> Recognition:
        """What is known by a look on trial alone proves nothing."""
        if found.match is None or not self.screen_doubt(found.match.node_id, state):
            return found
        return replace(found, match=None)

    def screen_doubt(self, node_id: str, state: ScreenState) -> str:
        return learned.doubt_of(learned.looks_used(self._overlay, self._known_alone(node_id, state), state))

    def _known_alone(self, node_id: str, state: ScreenState) -> str:
        """The node, where the screen is known as it by what a coach picked alone; else ""."""
        once = self._picked_once
        return node_id if once is not None and once[0] is state and once[1] == node_id else ""

    def also_by(self, graph: GraphSpec, references: Mapping[str, Reference]) -> None:
        """Where a screen is none that was taught it may be one that a coach picked: `graph` knows it by that look."""
        self.also = self.matcher.of(graph, references)

    @property
    def _popups(self) -> tuple[PopupSpec, ...]:
        """The dialogs that may come over the screens of the workflow that the run is in."""
        return tuple(popup for popup in self.graph.popups if popup.scope == self._scope)

    def shows_no_line(self, node_id: str, state: ScreenState) -> bool:
        """Whether nothing is where the list of that screen stands; False where nobody said where that is."""
        reference = self.matcher.reference(node_id)
        return reference is not None and shows_no_line(state, reference)

    def is_end(self, node_id: str) -> bool:
        return node_id in self.graph.end_nodes

    def is_terminal(self, node_id: str) -> bool:
        return not self.graph.outgoing(node_id)

    @property
    def knows_ways(self) -> bool:
        """Whether the graph says all that may follow a screen."""
        return True

    def may_stay(self, edge: EdgeSpec) -> bool:
        """Whether the screen may look the same once the edge was done."""
        return edge.source == edge.destination

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        """The node's first edge that was neither rejected nor skipped."""
        return next((e for e in self._overlay.graph.outgoing(node_id) if e.edge_id not in tried), None)

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        if missing := sorted(names(edge.params) - set(self.variables)):
            return self._without(edge, node_id, missing[0])
        params = fill(edge.params, self.variables)
        meant, resolution = entering.in_its_field(self._named(edge), self._resolve(edge, state), state)
        alone = self._known_alone(node_id, state)
        used = learned.used_by(self._overlay, edge, resolution, state, screen=alone)
        return Suggestion(
            edge=meant,
            node_id=node_id,
            params=params,
            sentence=self.sentence(edge, params),
            resolution=resolution,
            line=int(self.variables[edge.repeat.counter]) if edge.repeat else 0,
            doubt=learned.doubt_of(used, looks_differ=learned.looks_differ(self._overlay, resolution)),
            learned=used,
        )

    def _without(self, edge: EdgeSpec, node_id: str, name: str) -> Suggestion:
        """Nothing can be done before the value is known: it is to be read, and was not."""
        return Suggestion(
            edge=self._named(edge),
            node_id=node_id,
            params=edge.params,
            sentence=self.sentence(edge, edge.params),
            resolution=Resolution(status=ResolveStatus.NOT_FOUND, message=say("wording.no_value", name=name)),
        )

    def sentence(self, edge: EdgeSpec, params: Mapping[str, Any]) -> str:
        """What the edge does, in words: “Click Save As…”."""
        target = self._named(edge).target
        if edge.action_type in ACTIONS:
            label = target.label if target else None
            act = {"action": edge.action_type, "params": with_names(params, self.graph), "target": label}
            return Said(ACT, act | inside(edge, self.graph))
        return f"{edge.action_type} “{target.label}”" if target else edge.action_type  # a program's own action

    def _named(self, edge: EdgeSpec) -> EdgeSpec:
        """Its target by the name that people read in this run."""
        if edge.target is None:
            return edge
        return replace(edge, target=replace(edge.target, label=told(edge.target.label, self.variables)))

    def _resolve(self, edge: EdgeSpec, state: ScreenState) -> Resolution:
        if looking.looks(edge):
            anchor = self._found(edge, edge.target, state) if edge.target else None
            return looking.resolve(edge, anchor, state, self.variables)
        if edge.target is None:
            box = self._field(edge, state) if edge.action_type == "type_text" else None
            return Resolution(status=ResolveStatus.NOT_NEEDED, box=box)
        return self._found(edge, edge.target, state)

    def _found(self, edge: EdgeSpec, target: TargetSpec, state: ScreenState) -> Resolution:
        effect = effect_of(edge)
        if effect is EffectClass.OPAQUE and entering.only_enters(edge, self.variables):
            found = self._as_sure(edge, target, state, EffectClass.OBSERVABLE)
            if found.box is None or entering.is_empty_field(found.box, state):
                return found
        return self._as_sure(edge, target, state, effect)

    def _as_sure(self, edge: EdgeSpec, target: TargetSpec, state: ScreenState, effect: EffectClass) -> Resolution:
        """The place, as sure as an act of that class must be of it."""
        return self.resolver.resolve(
            target,
            state,
            variables=self.variables,
            workflow_id=self.graph.workflow_id,
            effect=effect,
            as_list=edge.action_type == "choose",
            goes_on=edge.repeat is not None and int(self.variables[edge.repeat.counter]) > 1,
            for_each=edge.edge_id in self._in_rounds,
        )

    def _field(self, edge: EdgeSpec, state: ScreenState) -> Box | None:
        """Where a text belongs: the field that was clicked right before; None where it is not known."""
        click = self._entered
        if click is None or click.resolution.box is None or click.edge.destination != edge.source:
            return None
        place = click.resolution.box
        fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
        return max((box for box in fields if box.iou(place) > SAME_FIELD), key=place.iou, default=place)

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        """The suggestion as a coach wants it (S1.10).

        ValueError when the corrected target is not on the screen, or not in the row that the target must be in, and
        where another workflow is to be done.
        """
        if suggestion.edge.enters and not suggestion.edge.is_read_back:
            raise ValueError(say("turn.call_as_taught"))
        action = correction.get("action") or suggestion.edge.action_type
        params = {**suggestion.params, **(correction.get("params") or {})}
        edge = replace(suggestion.edge, action_type=action, params=params)
        resolution = suggestion.resolution
        if target := correction.get("target"):
            resolution = resolve_correction(target, state)
            if why := self._outside_its_row(edge, resolution, state):
                raise ValueError(why)
        takes = ACTIONS[action].target if action in ACTIONS else "needed"
        if takes == "optional" and action != suggestion.edge.action_type and not correction.get("target"):
            edge, takes = replace(edge, target=None), "none"  # another act than the place was meant for
        if takes == "none" and resolution.status is not ResolveStatus.NOT_NEEDED:
            resolution = Resolution(status=ResolveStatus.NOT_NEEDED)
        left = tuple(u for u in suggestion.learned if not correction.get("target" if u.part == PLACE else u.part))
        return replace(
            suggestion,
            edge=edge,
            params=params,
            resolution=resolution,
            sentence=self.sentence(edge, params),
            doubt="",
            learned=left,
        )

    def _outside_its_row(self, edge: EdgeSpec, resolution: Resolution, state: ScreenState) -> str:
        if edge.target is None or resolution.box is None:
            return ""
        why = self.resolver.row_problem(edge.target, resolution.box, state, variables=self.variables)
        words = {"target": told(edge.target.label, self.variables), "why": why}
        return say("turn.shown_is_not", **words) if why else ""

    def what_changed(
        self, suggestion: Suggestion, then: Pictured, now: Pictured, *, strict: bool = True, whole: bool = False
    ) -> str:
        """What is not as it was when the action was chosen, in words; empty if it may be done."""
        return what_changed(suggestion, then, now, strict=strict, whole=whole)

    def check_before(self, edge: EdgeSpec, state: ScreenState) -> Verification:
        """Whether the screen holds what the edge declares before it is done, and is whose it must be (S9.6)."""
        at_source = Recognition(match=Match(node_id=edge.source, confidence=1.0))
        return verifier.verify_before(edge, state, recognition=at_source, variables=self.variables)

    def put_problem(self, edge: EdgeSpec, state: ScreenState) -> str:
        """Why what the run has put on this screen is gone or another, before what saves it; "" if it stands."""
        return self._put.problem(edge, state)

    def declared_popup(self, state: ScreenState, match: Match | None, known: ScreenState | None) -> Closable | None:
        """The workflow's dialog that is over the screen, `known` being the last one that was recognised. Over a screen
        that is recognised itself it must be seen to have come; what a known screen's own window could be is none."""
        found = popups.declared(self._popups, state, variables=self.variables)
        if match is None:
            return found
        node = self.graph.node(match.node_id)
        if found and found.spec.window_title:
            return None if node and node.window_title else found
        dialog = self.dialog_over_recognised(state, match, known) if self._popups else None
        return popups.declared(self._popups, state, variables=self.variables, at=dialog.box) if dialog else None

    def popup_gone(self, popup: PopupSpec, state: ScreenState) -> bool:
        return popups.is_gone(popup, state, variables=self.variables)

    def dialog_over(self, state: ScreenState, known: ScreenState | None) -> Dialog | None:
        """What lies over the screen that was known last, where it is not simply another screen."""
        return dialogs.over_known(state, known)

    def dialog_over_recognised(self, state: ScreenState, match: Match, known: ScreenState | None) -> Dialog | None:
        """What lies over a screen that can be recognised nevertheless; None for what its node shows itself.

        Where no screen is known yet, or another page, the node's taught picture says how it should look.
        """
        node = self.graph.node(match.node_id)
        if node is None or any(reason.sign == PERSON for reason in match.reasons):
            return None
        looks = self.matcher.reference(node.node_id)
        taught = looks.nearest(state) if looks else None
        reading = taught.reading if taught else None
        if known is None or not dialogs.is_same_page(state, known):
            return self._over_taught(state, node, taught.picture, reading) if taught and reading else None
        return dialogs.over_recognised(state, known, node, taught=reading, variables=self.variables)

    def _over_taught(self, state: ScreenState, node: NodeSpec, digest: str, reading: Reading) -> Dialog | None:
        try:
            picture = self.matcher.pictures.load(digest) if self.matcher.pictures else None
        except PictureError:
            picture = None
        return dialogs.over_taught(state, node, taught=reading, picture=picture, variables=self.variables)

    def chosen_button(self, chosen: Chosen, state: ScreenState, known: ScreenState | None) -> Element | None:
        """The button that a person chose, if the dialog is the one that they saw."""
        return pressing.button_of(chosen, state, self.dialog_over(state, known))

    def chosen_dialog_stays(self, chosen: Chosen, state: ScreenState) -> bool:
        return pressing.stays(chosen, state)

    def scroll_search(self, target: TargetSpec, state: ScreenState) -> ScrollSearch:
        return scrolling.ScrollSearch(target, state)

    def scroll(self, point: Point, dy: int) -> None:
        self.eyes.desktop.scroll(point, dy=dy)

    def take_pointer_off(self, point: Point, state: ScreenState) -> bool:
        place = resting_place(state, point)
        if place is not None:
            self.eyes.desktop.move(place)
        return place is not None

    def act(self, suggestion: Suggestion, hold: Hold) -> ActionResult:
        if wrong := wrong_parameter(suggestion.edge.action_type, suggestion.params):
            message = say("turn.nothing_done", what=wrong)
            return ActionResult(status=ActionStatus.FAILED, message=message)
        if suggestion.edge.action_type in SERVER_SIDE_ACTION_TYPES:
            self._entered = None
            result = server_side.perform(self, suggestion, hold)
            if result.output:
                self.count({result.output.name: result.output.as_variable})
            return result
        self._entered = suggestion if _enters_a_field(suggestion) else None
        if entering.enters(suggestion):
            return entering.perform(self, suggestion)
        return acting.perform(self.eyes.desktop, suggestion)

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        """Look whether it happened, again and again until it did or the edge's time is over: effects may be late."""
        verification, after = self._seen(suggestion, before, after)
        if verification.answer is Answer.YES and rests_on_a_promise(suggestion.edge.expect):
            verification, after = self._kept(suggestion, before, after, verification)
        if verification.answer is Answer.YES:
            self._put.verified(suggestion, after)
        return verification, after

    def _kept(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, verification: Verification
    ) -> tuple[Verification, ScreenState]:
        """The same, unless the program takes its word back while it has just been given: pages say “Saved” too early.

        A message that merely goes, as messages do, takes nothing back.
        """
        later = self.eyes.settled(settle_ms=PROMISE_MS, timeout_ms=2 * PROMISE_MS)
        if self.still_the_same(after, later):
            return verification.with_looks(later), after
        anew = self.judge(suggestion, before, later, between=(after,)).following(verification).with_looks(later)
        return (anew if anew.said else verification.with_looks(later)), later

    def _seen(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        edge = suggestion.edge
        if looking.looks(edge) and not edge.expect:
            return Verification(answer=Answer.YES, message=looking.told(edge, self.variables)), after
        if edge.action_type in waiting.WAITS and not edge.expect:
            return Verification(answer=Answer.YES, message=say("turn.waited")), after
        between: deque[ScreenState] = deque(maxlen=MOST_BETWEEN)
        verification = self._judged(suggestion, before, after, between)
        for number, _look in enumerate(looks(edge.settle_timeout_ms / 1000)):
            if number:
                between.append(after)
                after = self.settle(edge)
                verification = self._judged(suggestion, before, after, between, earlier=verification)
            if verification.answer is Answer.YES:
                return verification, after
        if self.eyes.is_to_be_whole(after):
            after = self.observe(whole=True)
            verification = self._judged(suggestion, before, after, between, earlier=verification)
        return verification, after

    def _judged(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, between: Iterable[ScreenState],
        *, earlier: Verification | None = None,
    ) -> Verification:  # fmt: skip
        """One look; with `earlier` ones, and what looking again took since."""
        verification = self.judge(suggestion, before, after, between=tuple(between))
        return verification.following(earlier.with_looks(after)) if earlier else verification

    def judge(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, *, between: Sequence[ScreenState] = ()
    ) -> Verification:
        """One look with what judging it took, once for each; `between` are those since the act: what went away and came
        back is new (S5.2)."""
        asked, last = (suggestion, before, after), self._judged_last
        if last is not None and not between and all(one is other for one, other in zip(asked, last[0], strict=True)):
            return last[1]
        began = time.perf_counter()
        verification = self._verdict(suggestion, before, after, between)
        verification = replace(verification, verify_ms=(time.perf_counter() - began) * 1000)
        self._judged_last = None if between else (asked, verification)
        return verification

    def _verdict(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, between: Sequence[ScreenState]
    ) -> Verification:
        edge = suggestion.edge
        recognition = self._surely(self.recognise(after, last_node=edge.source, expected=edge.leads_to[0]), after)
        if (refusal := _not_possible(edge, recognition, self.graph)) is not None:
            return refusal
        if (edge.enters and not edge.is_read_back) or (edge.returns and not edge.expect):
            return calling.judge(edge, recognition, self.graph)
        if edge.action_type in SETTING_ACTION_TYPES:
            place = suggestion.resolution.box
            caption = edge.target.text if edge.target else ""
            stands = stands_as_wanted(edge.action_type, suggestion.params, place, before, after, caption=caption)
            if stands.answer is not Answer.YES and not _leads_on(edge, recognition):
                return stands
            if not edge.expect:
                return stands if stands.answer is Answer.YES else _arrived(edge, recognition)
        elif edge.action_type in SERVER_SIDE_ACTION_TYPES and not edge.expect:
            return _arrived(edge, recognition)
        return verifier.verify_after(
            edge,
            before=before,
            after=after,
            recognition=recognition,
            typed=str(suggestion.params.get("text", "")) if edge.action_type == "type_text" else "",
            cleared=edge.action_type == "type_text" and bool(suggestion.params.get("clear")),
            variables=self.variables,
            acted_at=_known_place(suggestion),
            between=between,
        )

    def still_the_same(self, before: ScreenState, after: ScreenState) -> bool:
        """Whether the whole screen is what it was, up to noise such as a caret."""
        if before.frame.size != after.frame.size:
            return False
        return changed_share(before.frame, after.frame) <= UNTOUCHED_SHARE

    def remember(self, pixels: np.ndarray, screen: Mapping[str, Any]) -> ScreenState:
        """A screen of an earlier loop, read anew from its picture; lines hidden there, as they were kept."""
        window = screen.get("window") or {}
        frame = Frame(pixels=pixels, taken_at=timezone.now(), digest=pixels_digest(pixels))
        box = Box.from_normalised(tuple(window["box"]), frame.size) if window.get("box") else None
        seen = Window(title=window.get("window_title", ""), app_name=window.get("app_name", ""), box=box)
        state = self.eyes.analyzer.analyze(frame, seen)
        return replace(state, texts=(*state.texts, *kept_in_part(screen, frame.size)))

    def recall(self, edge: EdgeSpec, kept: Mapping[str, Any], size: Size) -> Suggestion:
        """A suggestion of an earlier loop on a screen of that size, as far as looking whether it was done needs it."""
        box = Box.from_normalised(tuple(kept["box"]), size) if kept.get("box") else None
        edge = replace(edge, action_type=kept.get("action") or edge.action_type)
        if edge.target and (role := (kept.get("target") or {}).get("role")):
            edge = replace(edge, target=replace(edge.target, role=role))  # a field, as it was seen to be
        return Suggestion(
            edge=edge,
            node_id=edge.source,
            params=self._unhidden(edge, kept.get("params") or {}),
            sentence=from_json(kept.get("sentence")),
            resolution=Resolution(status=ResolveStatus.NOT_NEEDED, box=box),
        )

    def _unhidden(self, edge: EdgeSpec, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was kept without its secret values, with them."""
        filled = {} if names(edge.params) - set(self.variables) else fill(edge.params, self.variables)
        return {name: filled.get(name, "") if HIDDEN in str(value) else value for name, value in kept.items()}

    def recall_put(self, done: Iterable[Suggestion]) -> None:
        for suggestion in done:
            self._put.verified(suggestion, None)

    def picked(self, node_id: str) -> Recognition:
        """A node that a person picked."""
        reason = Reason(sign=PERSON, score=1.0, note=say("turn.picked"))
        return Recognition(match=Match(node_id=node_id, confidence=1.0, reasons=(reason,)))


def _enters_a_field(suggestion: Suggestion) -> bool:
    target = suggestion.edge.target
    return suggestion.edge.action_type == "click" and target is not None and target.role == ElementRole.FIELD


def _known_place(suggestion: Suggestion) -> Box | None:
    """What was acted on. Of a text that was typed at no field, at its label say, nobody knows where it stands."""
    target, box = suggestion.edge.target, suggestion.resolution.box
    if suggestion.edge.action_type != "type_text" or target is None or target.role == ElementRole.FIELD:
        return box
    return None


def _not_possible(edge: EdgeSpec, recognition: Recognition, graph: GraphSpec) -> Verification | None:
    """The program took the act and answers, on a screen that was taught for it, that the work is not possible."""
    node = graph.node(recognition.match.node_id) if recognition.match else None
    if node is None or not node.exception or node.node_id == edge.source:
        return None
    message = say("turn.not_possible", name=node.name, why=node.exception)
    return Verification(answer=Answer.YES, message=message)


def _leads_on(edge: EdgeSpec, recognition: Recognition) -> bool:
    """Whether the act has led to another screen, where its control need not be any more: an item of a menu."""
    match = recognition.match
    return edge.source != edge.destination and match is not None and match.node_id == edge.destination


def _arrived(edge: EdgeSpec, recognition: Recognition) -> Verification:
    """Where an action of several steps led: it has looked itself, and may have had nothing to do."""
    match = recognition.match
    if match is not None and match.node_id == edge.destination:
        return Verification(answer=Answer.YES, evidence=match.reasons, message=say("turn.led_there"))
    return Verification(answer=Answer.CANNOT_TELL, message=say("turn.led_elsewhere"))
