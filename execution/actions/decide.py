"""Answering a prompt: exactly one decision wins (S1.9 to S1.11)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import EventKind, Origin, PromptState
from execution.exceptions import AlreadyDecided, BadDecision, NothingToDecide
from execution.language.read_values import given_value
from execution.models import Decision, Execution, Prompt, Step
from execution.record.attribution import said_of_decision
from execution.record.events import emit
from execution.record.hidden import HIDDEN
from execution.record.payloads import decision_payload
from execution.record.values_of_runs import values_of
from execution.types import Choice, DecisionSource
from sentences.said import say, worded
from workflows.catalogue import ACTIONS, CORRECTING_ACTION_TYPES
from workflows.parsing import finite_number
from workflows.validation.actions import PARAM_LABELS, mistyped

CORRECTION_KEYS = frozenset(
    {"target", "corrected_target", "params", "corrected_params", "action", "wait_before", "wait_after", "value"}
)
MAX_WAIT_S = 60
ROUNDED = 1.001  # fractions of a picture may have been rounded up
# Whose answers have a name; a program answers as a program (S11.3).
BY_SOMEBODY = (DecisionSource.COACH, DecisionSource.STOP)


def decide(
    *,
    prompt_id: int,
    choice: str,
    user: Any = None,
    correction: Mapping[str, Any] | None = None,
    feedback: str = "",
    node_id: str = "",
    source: DecisionSource = DecisionSource.COACH,
    unless_held: bool = False,
    origin: Origin = Origin.PROGRAM,
    own_executor: bool = False,
) -> Decision:
    """Record the answer to a prompt. Raises NothingToDecide, BadDecision, or AlreadyDecided with who and what.

    A rejection may name the screen that it is instead (S1.6). `unless_held`: not while somebody is correcting.
    `own_executor`: a program carries it out itself, and alone knows its actions and what they take (S11.9).
    """
    try:
        prompt = Prompt.objects.select_related("execution", "step").get(pk=prompt_id)
    except Prompt.DoesNotExist:
        raise NothingToDecide(_("There is no question with the number %(id)s.") % {"id": prompt_id}) from None
    if prompt.state != PromptState.OPEN:
        raise already_decided(prompt)
    if choice not in prompt.choices and source in (DecisionSource.COACH, DecisionSource.PROGRAM):
        raise BadDecision(
            _("“%(choice)s” is no answer to this question. Answers: %(known)s.")
            % {"choice": choice, "known": ", ".join(prompt.choices)}
        )
    correction = _checked(prompt, correction or {}, own_executor=own_executor) if choice == Choice.CORRECT else {}
    if node_id:
        check_screen(prompt, choice, node_id)
    values = None
    if feedback.strip() or correction:
        values = values_of(prompt.execution, prompt.execution.version.spec())
        feedback = values.written(feedback)
    if values and values.hidden.text(correction.get("value", "")) != correction.get("value", ""):
        raise BadDecision(worded(say("turn.value_hidden")))
    asked = Prompt.objects.open().filter(pk=prompt.pk)
    if unless_held:
        asked = asked.filter(held_by=None)
    with transaction.atomic():
        # compare-and-set: whoever finds the prompt open closes it, everybody else is told who did
        if asked.update(state=PromptState.ANSWERED):
            decision = Decision.objects.create(
                prompt=prompt,
                choice=choice,
                source=source,
                user=user,
                name=name_of(user, origin) if source in BY_SOMEBODY else "",
                origin=origin,
                correction=correction,
                feedback=feedback,
                node_id=node_id,
            )
            if source in BY_SOMEBODY:
                run, step = prompt.execution.execution_id, prompt.step.index
                record(
                    Verb.DECIDE, user=user, who=decision.name, origin=origin, kind="run", about=run, choice=str(choice),
                    step=step, screen=node_id,
                )  # fmt: skip
            shown = {name: part for name, part in correction.items() if name != "value"}  # which is kept with the run
            told = {"correction": values.corrected(shown)} if values and correction else {}
            emit(prompt.execution, EventKind.DECISION, {**decision_payload(decision), **told})
            return decision
    raise already_decided(prompt)


def decide_open(*, execution: Execution, **answer: Any) -> Decision:
    """Answer the run's open prompt; raises NothingToDecide when it asks nothing."""
    prompt = execution.prompts.open().first()
    if prompt is None:
        raise NothingToDecide(_("The run %(run)s asks nothing at the moment.") % {"run": execution.name_for_people})
    return decide(prompt_id=prompt.pk, **answer)


def already_decided(prompt: Prompt) -> AlreadyDecided | NothingToDecide:
    decision = Decision.objects.select_related("user", "prompt").filter(prompt=prompt).first()
    if decision is None:
        return NothingToDecide(_("The question was withdrawn; look at what the run asks now."))
    return AlreadyDecided(
        _("Your answer was not taken: it had been answered. %(said)s") % {"said": said_of_decision(decision)},
        choice=decision.choice,
        decided_by=decision.decided_by,
        source=decision.source,
        origin=decision.origin,
        decided_at=decision.decided_at.isoformat(),
    )


def check_screen(prompt: Prompt, choice: str, node_id: str) -> None:
    """“It is another screen” goes with a rejection, of a step of the workflow, and names another of its screens."""
    if choice != Choice.REJECT or not prompt.step.edge_id:
        raise BadDecision(_("Another screen can only be named where a suggested step is rejected."))
    if prompt.execution.version.spec().node(node_id) is None:
        raise BadDecision(_("The workflow has no screen “%(node)s”.") % {"node": node_id})
    if node_id == prompt.step.node_id:
        raise BadDecision(_("That is the screen it takes it for already."))


def _checked(prompt: Prompt, correction: Mapping[str, Any], *, own_executor: bool) -> dict[str, Any]:
    """The correction, if it can be carried out where the question was asked."""
    own = [prompt.step.action_type]  # one that the catalogue does not know is a program's own, and may stay
    if own_executor and isinstance(correction, Mapping):
        own.append(correction.get("action") or "")
    checked = check_correction(correction, own_actions=own)
    if checked and not own_executor:
        check_params(prompt.step, checked)
        check_place(checked["target"])
        check_value(prompt.step, checked)
    return checked


def check_value(step: Step, correction: Mapping[str, Any]) -> None:
    """A value is given where one is to be read, instead of all else, and is of the kind that was to be read."""
    if "value" not in correction:
        return
    if step.action_type != "read_value" or any(part for name, part in correction.items() if name != "value"):
        raise BadDecision(_("A value is given alone, where a value is to be read."))
    if problem := given_value(step.suggestion.get("params") or {}, correction["value"]).problem:
        raise BadDecision(worded(problem))


def check_place(target: Mapping[str, Any]) -> None:
    """What can be said of it before the screen is asked: there is a place, and it lies on the picture."""
    if target and not any(target.get(name) for name in ("box", "point", "text")):
        raise BadDecision(_("A corrected target has a box, a point or a text."))
    if "box" in target:
        left, top, width, height = target["box"]
        if not (width and height and left + width <= ROUNDED and top + height <= ROUNDED):
            raise BadDecision(_("The box of a corrected target lies on the picture and has a size."))


def check_params(step: Step, correction: Mapping[str, Any]) -> None:
    """Another action needs all that it takes; of the same one only what was changed is looked at."""
    spec = ACTIONS.get(correction["action"] or step.action_type)
    changed = bool(correction["action"]) and correction["action"] != step.action_type
    given = {**(step.suggestion.get("params") or {}), **correction["params"]} if changed else correction["params"]
    for param in spec.params if spec else ():
        value = given.get(param.name)
        if value in (None, "", [], ()):
            missing = param.required and (changed or param.name in given)
            expected = _("given") if missing else ""
        else:
            expected = mistyped(param, value)
        if expected:
            raise BadDecision(
                _("The correction cannot be done: %(what)s must be %(expected)s.")
                % {"what": PARAM_LABELS[param.name](), "expected": expected}
            )


def check_correction(correction: Mapping[str, Any], *, own_actions: Collection[str] = ()) -> dict[str, Any]:
    """The correction as it is kept: the `corrected_` form wins, waits are bounded, unknown keys are refused (S1.10).

    Of the parameters each is merged by itself: those of `corrected_params` over those of `params` (S11.11).
    """
    if not isinstance(correction, Mapping):
        raise BadDecision(_("A correction is an object with a target, parameters, an action or waits."))
    if not any(correction.values()):
        return {}  # "correct" without a correction executes the suggestion
    if unknown := sorted(set(correction) - CORRECTION_KEYS):
        raise BadDecision(
            _("A correction has no %(names)s. It may have: %(known)s.")
            % {"names": ", ".join(unknown), "known": ", ".join(sorted(CORRECTION_KEYS))}
        )
    target = correction.get("corrected_target") or correction.get("target") or {}
    parts = [correction.get(name) or {} for name in ("params", "corrected_params")]
    action = correction.get("action") or ""
    if action and (not isinstance(action, str) or action not in (*CORRECTING_ACTION_TYPES, *own_actions)):
        raise BadDecision(
            _("“%(action)s” is no action. Actions: %(known)s.")
            % {"action": action, "known": ", ".join(sorted(CORRECTING_ACTION_TYPES))}
        )
    if HIDDEN in str(parts):
        raise BadDecision(_("A value in the correction is hidden. Leave it as it is, or write all of it."))
    if not all(isinstance(part, Mapping) for part in (target, *parts)):
        raise BadDecision(_("The target and the parameters of a correction are JSON objects."))
    check_target(target)
    value = correction.get("value") or ""
    if not isinstance(value, str):
        raise BadDecision(_("The value of a correction is a text."))
    return {
        **({"value": " ".join(value.split())} if value.strip() else {}),
        "target": dict(target),
        "params": {name: value for part in parts for name, value in part.items()},
        "action": action,
        "wait_before": _wait(correction, "wait_before"),
        "wait_after": _wait(correction, "wait_after"),
    }


def check_target(target: Mapping[str, Any]) -> None:
    for name, length in (("box", 4), ("point", 2)):
        if name not in target:
            continue
        value = target[name]
        fits = isinstance(value, list | tuple) and len(value) == length
        if not fits or not all(isinstance(v, int | float) and 0 <= v <= 1 for v in value):
            raise BadDecision(
                _("The %(name)s of a corrected target is %(length)d numbers from 0 to 1, fractions of the picture.")
                % {"name": name, "length": length}
            )


def _wait(correction: Mapping[str, Any], name: str) -> float:
    seconds = finite_number(str(correction.get(name) or 0))
    if seconds is None or not 0 <= seconds <= MAX_WAIT_S:
        raise BadDecision(_("%(name)s is a number of seconds from 0 to %(max)d.") % {"name": name, "max": MAX_WAIT_S})
    return seconds
