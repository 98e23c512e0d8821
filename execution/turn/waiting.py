"""Waiting as an action: for a text, for a text to go, for a screen, for the screen to stand still (S1.20).

The screen is read again whenever it has changed, never after a fixed time; a time-out is a failed action that says what
was waited for and what is seen instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from execution.desktop.capture import settle
from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords, wanted
from execution.navigation.hands import Stopped
from execution.turn.eyes import Eyes
from execution.turn.holding import Hold
from execution.turn.stages import Stages
from execution.turn.unchanged import same_picture
from execution.types import ActionResult, ActionStatus, ScreenState, Suggestion
from sentences.said import by_sentence, say

WAITS = frozenset({"wait", "wait_text", "wait_text_gone", "wait_node", "wait_stable"})
LOOK_EVERY_S = 0.1
TIMEOUT_S = 30
LONGEST_S = 3600
_TEXTS_TOLD = 5

Condition = Callable[[ScreenState], bool]


def perform(stages: Stages, suggestion: Suggestion, hold: Hold) -> ActionResult:
    """Wait; done when it is seen, failed at the time-out. Raises Stopped, LeaseLost and DesktopLost."""
    began = time.perf_counter()
    kind, seconds = suggestion.edge.action_type, timeout_of(suggestion.params)
    if kind == "wait_stable":
        message = _until_still(stages, suggestion, hold, seconds=seconds)
    elif problem := _problem(stages, suggestion):
        message = problem
    else:
        message = _until(_condition(stages, suggestion), stages, suggestion, hold, seconds=seconds)
    status = ActionStatus.FAILED if message else ActionStatus.DONE
    return ActionResult(status=status, message=message, act_ms=(time.perf_counter() - began) * 1000)


def timeout_of(params: Mapping[str, object]) -> float:
    """The time-out in seconds; what is no number, or none that makes sense, is the default."""
    given = params.get("timeout_s", TIMEOUT_S)
    if not isinstance(given, int | float) or isinstance(given, bool):
        return TIMEOUT_S
    return min(float(given), LONGEST_S) if given > 0 else TIMEOUT_S


def look_again(eyes: Eyes, state: ScreenState, *, until: float, hold: Hold) -> ScreenState | None:
    """The desktop once it has changed, read anew; None if it has not until `until` (monotonic). Raises Stopped.

    What reading takes shortens no wait: the last look is the first one that was begun after it.
    """
    while eyes.looked_at < until:
        hold.check()
        hold.wait(max(0.0, min(LOOK_EVERY_S, until - time.monotonic())))
        if not same_picture(state, eyes.glance()):
            return eyes.observe(whole=True)
    return None


def _until(condition: Condition, stages: Stages, suggestion: Suggestion, hold: Hold, *, seconds: float) -> str:
    """Empty once the condition holds, else what was waited for and what is seen instead."""
    until = time.monotonic() + seconds
    state = stages.observe()
    while not condition(state):
        later = stages.look_again(state, until=until, hold=hold)
        if later is None:
            return by_sentence([_waited_for(stages, suggestion, seconds), _seen_instead(stages, suggestion, state)])
        state = later
    return ""


def _until_still(stages: Stages, suggestion: Suggestion, hold: Hold, *, seconds: float) -> str:
    def wait(pause_s: float) -> None:
        hold.check()
        hold.wait(pause_s)

    hold.check()
    edge = suggestion.edge
    result = settle(stages.eyes.desktop, settle_ms=edge.settle_ms, timeout_ms=round(seconds * 1000), pause=wait)
    if hold.leave.is_set():
        raise Stopped
    return "" if result.settled else say("turn.not_still", n=seconds)


def _problem(stages: Stages, suggestion: Suggestion) -> str:
    """Why it cannot be waited for at all."""
    params = suggestion.params
    if suggestion.edge.action_type in ("wait_text", "wait_text_gone") and not str(params.get("text") or "").strip():
        return say("turn.no_text_to_wait_for")
    if suggestion.edge.action_type == "wait_node" and stages.graph.node(str(params.get("node"))) is None:
        return say("turn.no_screen_to_wait_for", id=params.get("node"))
    return ""


def _condition(stages: Stages, suggestion: Suggestion) -> Condition:
    edge = suggestion.edge
    if edge.action_type == "wait_text":
        return lambda state: _seen(stages, suggestion, state)
    if edge.action_type == "wait_text_gone":
        return lambda state: bool(state.text_method) and not _seen(stages, suggestion, state)
    node_id = _node_of(suggestion)

    def arrived(state: ScreenState) -> bool:
        match = stages.recognise(state, last_node=edge.source, expected=node_id).match
        return match is not None and match.node_id == node_id and not stages.screen_doubt(node_id, state)

    return arrived


def _node_of(suggestion: Suggestion) -> str:
    edge = suggestion.edge
    return str(suggestion.params["node"]) if edge.action_type == "wait_node" else edge.destination


def _seen(stages: Stages, suggestion: Suggestion, state: ScreenState) -> bool:
    # What a variable stands for is compared exactly: “Invoice 12” is not “Invoice 123”.
    template = str(suggestion.edge.params.get("text", ""))
    exact = wanted(template, stages.variables).exact
    return ScreenWords.of(state.texts).seen(str(suggestion.params["text"]), strict=exact) >= SEEN


def _waited_for(stages: Stages, suggestion: Suggestion, seconds: float) -> str:
    kind, words = suggestion.edge.action_type, {"text": suggestion.params.get("text", ""), "n": seconds}
    if kind == "wait_text":
        return say("turn.text_not_seen", **words)
    if kind == "wait_text_gone":
        return say("turn.text_still_there", **words)
    return say("turn.screen_did_not_show", text=_name(stages, _node_of(suggestion)), n=seconds)


def _seen_instead(stages: Stages, suggestion: Suggestion, state: ScreenState) -> str:
    if not state.text_method:
        return say("turn.not_read")
    match = stages.recognise(state, last_node=suggestion.edge.source, expected=None).match
    title = state.window.title if state.window else ""
    if match is not None:
        if doubt := stages.screen_doubt(match.node_id, state):
            return doubt
        return say("turn.screen_is", name=_name(stages, match.node_id))
    texts = [line.text for line in state.texts[:_TEXTS_TOLD]]
    told = say("turn.quoted", texts=texts) if texts else say("turn.nothing_readable")
    if title:
        return say("turn.window_with_texts", title=title, texts=told)
    return say("turn.seen_instead", texts=told)


def _name(stages: Stages, node_id: str) -> str:
    node = stages.graph.node(node_id)
    return node.name if node else node_id
