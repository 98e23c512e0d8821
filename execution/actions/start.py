"""Starting a run (S1.3, S1.4)."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from execution.actions.asking import record_wish
from execution.choices import MODE_OF_LEARNING_STATE, ExecutionMode, ExecutionState, Origin, Verb
from execution.desktop.window_providers import known_name, may_choose
from execution.desktop.x11_connection import plain_name
from execution.exceptions import BadMode, BadVariable, MissingVariable, ModeNotEarned, StartKeyUsed
from execution.models import Execution, StartKey
from execution.models.execution import START_KEYS_KEPT, place_in_line
from execution.permissions import OPERATE
from execution.record.events import emit_state
from execution.record.hidden import HIDDEN
from execution.record.secret_values import sealed, secret_names
from sentences.said import worded
from workflows.calls import done_inside
from workflows.choices import LearningState, Priority
from workflows.exceptions import BadParameter, UnknownNode
from workflows.graph import GraphSpec, VariableSpec
from workflows.models import Workflow
from workflows.permissions import DESIGN, require
from workflows.text import default_of
from workflows.values import as_taken, is_missing, value_problem

FLAGS = ("enable_ui_detection", "enable_ocr", "analyze_timeout_ms", "window_info_provider")


_TRUST = {state: number for number, state in enumerate(LearningState.values)}  # from least to most


def start(
    *,
    workflow_id: str,
    mode: str | None = None,
    start_node_id: str | None = None,
    variables: Mapping[str, Any] | None = None,
    user: Any = None,
    desktop: str = "",
    flags: Mapping[str, Any] | None = None,
    queue: bool = True,
    origin: Origin = Origin.PROGRAM,
    declared: bool = True,
    own_parts: str = "",
    priority: int | None = None,
    reason: str = "",
    version_number: int | None = None,
) -> Execution:
    """Make a run of the workflow's latest published version, or of the one of that number, and queue it.

    Not `declared`: a program's own pipeline knows the nodes and variables, and takes others than the version has.
    `own_parts` are those of a program, by name: no run loop without them goes on with the run.
    `priority`: without one, the workflow's. `reason`: why it acts by itself though the workflow has not earned that.
    Raises UnknownWorkflow, UnknownVersion, NotPublished, UnknownNode, BadMode, ModeNotEarned, MissingVariable,
    BadVariable or UnknownWindowProvider, each naming the cause, and PermissionDenied where `user` may not; without a
    user it is the server's own process.
    """
    asked = flags or {}
    require(user, OPERATE)
    may_choose(user, asked.get("window_info_provider") or "")
    workflow = Workflow.objects.by_id(workflow_id)
    version = workflow.latest_version() if version_number is None else workflow.version_numbered(version_number)
    graph = version.spec()
    if declared and start_node_id and graph.node(start_node_id) is None:
        known = ", ".join(n.node_id for n in graph.nodes)
        raise UnknownNode(
            _("“%(name)s” v%(version)d has no screen “%(node)s”. Its screens: %(known)s.")
            % {"name": workflow.name, "version": version.number, "node": start_node_id, "known": known}
        )
    chosen_mode, why = allowed_mode(mode, earned(workflow, graph), user=user, reason=reason)
    values = values_of(graph, variables or {}, declared=declared)
    chosen_flags = effective_flags(workflow, asked)
    known_name(chosen_flags["window_info_provider"])
    created_at, chosen_priority = timezone.now(), Priority(workflow.priority if priority is None else priority)
    shown, secrets_sealed = sealed(graph.variables, values)
    with transaction.atomic():
        execution = Execution.objects.create(
            execution_id=new_execution_id(),
            version=version,
            mode=chosen_mode,
            start_node_id=start_node_id or next(iter(graph.entry_nodes), ""),
            variables=shown,
            secrets=secrets_sealed,
            started_by=user,
            desktop=plain_name(desktop),
            own_parts=own_parts,
            ask_below=workflow.ask_below,
            created_at=created_at,
            priority=chosen_priority,
            in_line_at=place_in_line(created_at, chosen_priority),
            **chosen_flags,
        )
        if queue:
            execution.move(ExecutionState.QUEUED)
        record_wish(execution, Verb.START, user=user, origin=origin, **why)
        emit_state(execution)
    return execution


def new_execution_id() -> str:
    """`exec_YYYYmmdd_HHMMSS_xxxxxx` by the machine's clock; the suffix makes it unique."""
    return f"exec_{_machine_time():%Y%m%d_%H%M%S}_{secrets.token_hex(3)}"


def earned(workflow: Workflow, graph: GraphSpec) -> str:
    """The trust that the workflow and all that it does inside have: that of the least of them."""
    called = done_inside(graph)
    others = Workflow.objects.filter(workflow_id__in=called).values_list("learning_state", flat=True) if called else ()
    return min((workflow.learning_state, *others), key=lambda state: _TRUST.get(state, -1))


def resolve_mode(mode: str | None, learning_state: str) -> ExecutionMode:
    if mode:
        return mode_named(mode)
    if learning_state in LearningState.values:
        return MODE_OF_LEARNING_STATE[LearningState(learning_state)]
    return ExecutionMode.OBSERVATION


def allowed_mode(
    mode: str | None, learning_state: str, *, user: Any, reason: str
) -> tuple[ExecutionMode, dict[str, str]]:
    """The mode, and what is kept of why where a run acts by itself before its workflow has earned that (S1.3).

    Without a user it is the server's own process. Raises BadMode and ModeNotEarned.
    """
    chosen, automatic = resolve_mode(mode, learning_state), ExecutionMode.AUTOMATIC
    if chosen != automatic or resolve_mode(None, learning_state) == automatic:
        return chosen, {}
    if user is not None and not user.has_perm(DESIGN):
        raise ModeNotEarned(
            _(
                "The workflow has not earned to act by itself yet. Only somebody who may change workflows can have it "
                "do so; choose another mode."
            )
        )
    if user is not None and not reason.strip():
        raise ModeNotEarned(
            _("The workflow has not earned to act by itself yet. Say in a sentence why it is to do so now.")
        )
    return chosen, {"earned": learning_state, "reason": reason.strip()}


def mode_named(mode: str) -> ExecutionMode:
    """The mode of that name; raises BadMode."""
    try:
        return ExecutionMode(mode)
    except ValueError:
        raise BadMode(
            _("“%(mode)s” is no mode. Modes: %(known)s.") % {"mode": mode, "known": ", ".join(ExecutionMode.values)}
        ) from None


def effective_flags(workflow: Workflow, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Perception flags by precedence: setting < workflow < execution (S2.2)."""
    flags: dict[str, Any] = {}
    for name in FLAGS:
        own, of_workflow = asked.get(name), getattr(workflow, name)
        value = own if own not in (None, "") else of_workflow
        flags[name] = value if value not in (None, "") else getattr(settings, f"RPA_{name.upper()}")
    flags["window_info_provider"] = flags["window_info_provider"] or ""
    return flags


def check_variables(graph: GraphSpec, given: Mapping[str, str]) -> dict[str, str]:
    """Every variable of the workflow with its value or default; refuses what is missing, unknown or of a wrong kind."""
    asked = {v.name for v in graph.asked}
    if unknown := sorted(set(given) - asked):
        raise BadVariable(
            _("The workflow has no variable %(names)s. It takes: %(known)s.")
            % {"names": ", ".join(unknown), "known": ", ".join(sorted(asked)) or _("none")},
            tuple(unknown),
        )
    known = {v.name: v for v in graph.variables if v.given is None}  # what a call gives is told when it is done
    values = {name: str(given.get(name) or offered(v)) for name, v in known.items()}
    values |= {name: as_taken(v, values[name]) for name, v in known.items()}
    if missing := [name for name, v in known.items() if is_missing(v, values[name])]:
        raise MissingVariable(
            _("These values are missing: %(names)s.")
            % {"names": ", ".join(known[name].label or name for name in missing)},
            tuple(missing),
        )
    if hidden := [name for name in secret_names(known.values()) if HIDDEN in values[name]]:
        raise BadVariable(
            _("Secret values are not kept. Write them anew: %(names)s.")
            % {"names": ", ".join(known[name].label or name for name in hidden)},
            tuple(hidden),
        )
    for name, value in values.items():
        if value and (problem := value_problem(known[name], value, graph.counting_variables)):
            raise BadVariable(f"{known[name].label or name}: {worded(problem)}", (name,))
    return values


def offered(variable: VariableSpec) -> str:
    """The value that a variable has where none is given."""
    return default_of(variable.default, _machine_time())


def _machine_time() -> datetime:
    """Not by the clock of whoever reads, which pages tell times by: what is typed is the same whoever starts it."""
    return timezone.localtime(timezone=timezone.get_default_timezone())


def values_of(graph: GraphSpec, given: Mapping[str, Any], *, declared: bool) -> dict[str, Any]:
    """The run's variables; not `declared`: also those of a program that the version does not know."""
    if declared:
        return dict(check_variables(graph, given))
    known = {v.name: given[v.name] for v in graph.asked if v.name in given}
    return {**json_ready(given), **check_variables(graph, known)}


def json_ready(values: Mapping[str, Any]) -> dict[str, Any]:
    """A program's own variables; raises BadVariable for a value that cannot be kept with the run."""
    for name, value in values.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            words = {"name": name, "kind": type(value).__name__}
            raise BadVariable(
                _("The variable %(name)s cannot be kept with the run: it is a %(kind)s, no JSON.") % words, (str(name),)
            ) from None
    return dict(values)


# Starting a run once, however often it is asked for: the header Idempotency-Key of the API.

_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def start_once(start: Callable[[], Execution], *, key: str, body: Mapping[str, Any], user: Any) -> Execution:
    """Return the run that this key has started for `user`, or that of `start`. Raises StartKeyUsed and BadParameter.

    The key is written before the run, in its transaction: whoever asks at the same time waits for it.
    """
    if not _KEY.fullmatch(key):
        raise BadParameter(_("Write Idempotency-Key as 1 to 200 letters, digits and signs, without blanks."))
    digest = salted_hmac(
        "execution.actions.start_once", json.dumps(body, sort_keys=True, default=str), algorithm="sha256"
    ).hexdigest()
    try:
        with transaction.atomic():
            StartKey.objects.filter(user=user, key=key, created_at__lt=timezone.now() - START_KEYS_KEPT).delete()
            row = StartKey.objects.create(user=user, key=key, body=digest)
            row.execution = start()
            row.save(update_fields=["execution"])
            return row.execution
    except IntegrityError:
        known = StartKey.objects.select_related("execution").filter(user=user, key=key).first()
        if known is None or known.execution is None:
            raise
    if known.body != digest:
        raise StartKeyUsed(
            _("This Idempotency-Key has started the run %(run)s with another body. Use a new key for another run.")
            % {"run": known.execution.execution_id}
        )
    return known.execution
