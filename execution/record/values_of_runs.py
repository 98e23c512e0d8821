"""The values that a run had, given and read, and what is kept of it without them (S6.3, S10.4)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from execution.choices import CorrectionKind, CorrectionState
from execution.learning.putting_back import Values, put_back, together, told_values, without_values
from execution.models import Decision, Execution, LearnedCorrection, Step, ValueRead
from execution.models.learning import IN_FORCE
from execution.record.hidden import HIDDEN
from execution.record.learned_pictures import forget_pictures_of_learned
from execution.record.redaction import Redaction
from execution.record.secret_values import redaction_for
from sentences.said import say
from workflows.graph import GraphSpec
from workflows.models import Correction
from workflows.renaming import in_texts

T = TypeVar("T")
PLACE = ("box", "point")  # of a corrected target: numbers, where all else is texts
_SEEN = ("text", "window_title", "neighbours", "around", "named_by")  # of a look: what was read on the screen


@dataclass(frozen=True, slots=True)
class RunValues:
    """`told` are those that a variable of the workflow tells, `never` those that nothing may tell; `hidden` takes out
    secrets and what is masked."""

    told: Values
    never: Values
    hidden: Redaction

    @property
    def every(self) -> Values:
        return together(self.told, self.never)

    def naming(self, names: Collection[str]) -> RunValues:
        """The same, where those names tell what others tell as well: one value may have several, a called workflow's
        own beside the one that it was given by."""
        first = {name: value for name, value in self.told.items() if name in names}
        return replace(self, told={**first, **self.told})

    def written(self, text: str) -> str:
        """What a person wrote, with variables where values or parts of them stand."""
        return put_back(self.hidden.text(text), self.told, parts=True)

    def corrected(self, correction: Mapping[str, Any]) -> dict[str, Any]:
        """What a person put in the place of what was meant, with variables where values stand."""
        return {**in_texts(self.hidden.any(correction), self._put_back), **_ours(correction)}

    def kept(self, value: T, *, prose: bool = False) -> T:
        """What outlives the run: a text that still holds a value, or a part of one, is empty."""
        return without_values(self.hidden.any(value), self.told, secret=self.never, prose=prose)  # type: ignore[no-any-return]

    def rules(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Of parameters those that hold in every run: with variables where values stand, and nothing else of them."""
        told = {name: in_texts(value, self._put_back) for name, value in params.items()}
        return {name: value for name, value in told.items() if self.kept(value) == value}

    def _put_back(self, text: str) -> str:
        return put_back(text, self.told)


def values_of(
    execution: Execution,
    graph: GraphSpec,
    *,
    variables: Mapping[str, Any] | None = None,
    hidden: Redaction | None = None,
) -> RunValues:
    """Those that the run was given and all that it has read, each in all its forms; `variables` are those that its run
    loop knows, `hidden` what it hides."""
    found: dict[str, list[str]] = {}
    for name, value in [*execution.variables.items(), *(variables or {}).items()]:
        if value != HIDDEN:  # a secret's sign, which stands wherever something was hidden
            found.setdefault(name, []).append(str(value))
    for read in ValueRead.objects.filter(execution=execution).order_by("pk"):
        found.setdefault(read.name, []).extend((read.text, read.value, read.as_variable))
    told, never = told_values(graph, {name: list(dict.fromkeys(values)) for name, values in found.items()})
    return RunValues(told, never, hidden or redaction_for(execution, graph)[0])


def written_of(execution: Execution, text: str) -> str:
    """What a person wrote about a run as it is kept; nothing is asked where nothing was written."""
    return values_of(execution, execution.version.spec()).written(text) if text.strip() else text


def forget_typed(step: Step, values: RunValues) -> None:
    """What was to be done to the letter is done: the answer is kept with variables."""
    for decision in Decision.objects.filter(prompt__step=step).exclude(correction={}):
        decision.correction = values.corrected(decision.correction)
        decision.save(update_fields=["correction"])


def read_afterwards(execution: Execution, graph: GraphSpec, hidden: Redaction) -> None:
    """A value was read: what people had written and shown before holds its variable from now on."""
    corrections = list(Correction.objects.filter(execution_id=execution.execution_id))
    learned = list(LearnedCorrection.objects.filter(execution_id=execution.execution_id))
    if not (corrections or learned):
        return
    values = values_of(execution, graph, hidden=hidden)
    for kept in corrections:
        kept.feedback = values.kept(kept.feedback, prose=True)
        kept.corrected_target = values.kept(kept.corrected_target)
        kept.corrected_params = values.rules(kept.corrected_params)
        kept.save(update_fields=["feedback", "corrected_target", "corrected_params"])
    for row in learned:
        payload = dict(row.payload)
        if params := payload.get("params"):
            payload["params"] = values.rules(params)
        if target := payload.get("target"):
            payload["target"] = {**target, **_seen(target, values)}
        if json.dumps(payload) != json.dumps(row.payload):  # lists as they are stored, whatever they are here
            row.payload = payload
            LearnedCorrection.objects.filter(pk=row.pk).update(payload=payload)
            # They were taken before anybody knew that it was a value.
            forget_pictures_of_learned([row], why=say("record.was_of_one_run"))


def without_texts(target: Mapping[str, Any]) -> dict[str, Any]:
    """Of a corrected target where it is."""
    return {name: target[name] for name in PLACE if target.get(name)}


def drop_written(executions: Collection[Execution]) -> None:
    """What coaches wrote and typed in these runs is no longer kept, but for the rules that runs go by."""
    ids = [one.execution_id for one in executions]
    for kept in Correction.objects.filter(execution_id__in=ids):
        kept.feedback, kept.corrected_params = "", {}
        kept.corrected_target = without_texts(kept.corrected_target)
        kept.save(update_fields=["feedback", "corrected_params", "corrected_target"])
    typed = LearnedCorrection.objects.filter(execution_id__in=ids, kind=CorrectionKind.PARAMS)
    typed.exclude(state__in=(*IN_FORCE, CorrectionState.MERGED)).update(payload={"params": {}})


def _seen(target: Mapping[str, Any], values: RunValues) -> dict[str, Any]:
    said = values.kept({name: target[name] for name in _SEEN if name in target})
    for around in ("neighbours", "around"):
        said[around] = [near for near in said.get(around) or () if near["text"]]
    said["named_by"] = said["named_by"] if (said.get("named_by") or {}).get("text") else None
    return said


def _ours(correction: Mapping[str, Any]) -> dict[str, Any]:
    """The product's own words in it, whatever values are called."""
    return {"action": correction["action"]} if "action" in correction else {}
