"""Values of a run that its run loop alone reads: sealed with the vault's key, gone with the end of the run (S10.3).

What is secret is said by a variable's kind, or by its name. In the row's `variables` such a value is a sign of its own;
the value itself lies in `secrets`, encrypted. Whatever the run loop writes down goes through `Hidden` before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cryptography.fernet import InvalidToken

from execution.exceptions import SecretsUnreadable
from execution.models import Execution, Step
from execution.record.hidden import HIDDEN, Hidden
from execution.record.redaction import WHOLE, NothingShown, Redaction, hidden_in_screen, redaction_of
from execution.record.typed_places import TypedPlace
from execution.types import Box, ElementRole, ElementState, ScreenState, Suggestion
from sentences.said import say
from workflows import vault_keys
from workflows.exceptions import DomainError
from workflows.graph import CALL, GraphSpec, VariableSpec
from workflows.models import Credential, Workflow
from workflows.secret_names import holds_secret, is_secret
from workflows.unsaid import keep_out_of_logs


def secret_names(variables: Iterable[VariableSpec]) -> frozenset[str]:
    return frozenset(v.name for v in variables if holds_secret(v))


def sealed(variables: Iterable[VariableSpec], values: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The values as everybody may see them, and the secret ones encrypted; the latter empty where there are none.

    Raises VaultKeyMissing or VaultKeyWrong.
    """
    names = secret_names(variables) | {name for name in values if is_secret(name)}  # a program may bring its own
    secret = {name: value for name, value in values.items() if name in names and value}
    if not secret:
        return dict(values), ""
    if not vault_keys.exist() and not Credential.objects.exists():
        vault_keys.create()
    shown = {name: HIDDEN if name in secret else value for name, value in values.items()}
    return shown, vault_keys.cipher().encrypt(json.dumps(secret).encode()).decode()


def secrets_of(execution: Execution) -> dict[str, str]:
    """The secret values of a run, for its run loop. Raises VaultKeyMissing, VaultKeyWrong or SecretsUnreadable."""
    if not execution.secrets:
        return {}
    try:
        opened: dict[str, str] = json.loads(vault_keys.cipher().decrypt(execution.secrets.encode()))
    except InvalidToken:
        raise SecretsUnreadable(say("running.secrets_unreadable")) from None
    return opened


def hidden_values(execution: Execution) -> Hidden:
    """Takes the secret values of a run out of whatever is written down of it, and out of this process's log."""
    try:
        return hiding(secrets_of(execution))
    except DomainError:  # what nobody can open is typed by nobody; the run ends with the reason where it is needed
        return Hidden(())


def hiding(secrets: Mapping[str, Any]) -> Hidden:
    hidden = Hidden(str(value) for value in secrets.values())
    keep_out_of_logs(hidden)
    return hidden


def redaction_for(execution: Execution, graph: GraphSpec) -> tuple[Redaction, str]:
    """What of this run's screens and texts is not kept (S10.4).

    Where its flags cannot be understood nothing is shown, and the second value says why.
    """
    hidden = hidden_values(execution)
    try:
        return redaction_of(graph, hidden, typed=_typed_before(execution)), ""
    except (TypeError, ValueError) as error:
        return NothingShown(hidden), say("perception.nothing_shown", error=error)


def between_runs() -> Redaction:
    """What is shown of a desktop that no run is on: nothing, where any workflow hides something of its screens."""
    hides = Workflow.objects.exclude(masks=[], mask_patterns=[]).exists()
    return NothingShown() if hides else Redaction(Hidden(()))


def hide_what_is_typed(redaction: Redaction, suggestion: Suggestion, state: ScreenState) -> None:
    """Before a secret is typed: a program may show it in clear, so the field is hidden wherever it is in sight.

    Without a field to type into it is the one with the focus; where that is not seen either, nothing is shown any more.
    """
    params = dict(suggestion.params)
    if suggestion.edge.action_type == CALL or redaction.values.any(params) == params:
        return  # a workflow that is done inside is handed the value: what types it there hides its field
    focused = next((e.box for e in state.elements if ElementState.FOCUSED in e.states), None)
    target = suggestion.edge.target
    named = suggestion.resolution.box if target is None or target.role == ElementRole.FIELD else None
    box: Box | None = named or focused
    place = box.grown(2, state.frame.size).normalised(state.frame.size) if box else WHOLE
    redaction.typed_secret(TypedPlace.on(place, state.frame.pixels))


def _typed_before(execution: Execution) -> list[TypedPlace]:
    """Where earlier run loops typed secrets of this run."""
    if not execution.secrets:
        return []
    acted = execution.steps.filter(intent_at__isnull=False).only("suggestion", "screen", "picture_before")
    return [_typed_by(step) for step in acted if _typed_a_secret(step.suggestion)]


def _typed_a_secret(kept: Mapping[str, Any]) -> bool:
    return kept.get("action") != CALL and HIDDEN in str(kept.get("params"))


def _typed_by(step: Step) -> TypedPlace:
    box = step.suggestion.get("box") if _at_field(step.suggestion) else None
    place = (box[0], box[1], box[2], box[3]) if box else WHOLE
    return TypedPlace.on_kept(place, step.picture_before, unseen=hidden_in_screen(step.screen))


def _at_field(kept: Mapping[str, Any]) -> bool:
    """Whether the place that was acted on is what was typed into: not where a label was clicked."""
    target = kept.get("target")
    return not target or target.get("role") == ElementRole.FIELD
