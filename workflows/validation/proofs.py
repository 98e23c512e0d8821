"""Can what an action is proved by prove it: does it only look, and does it hold something against the screen (S5.9)?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.utils.translation import gettext as _

from workflows.catalogue import CHECKING_ACTION_TYPES, effect_of
from workflows.choices import EffectClass
from workflows.graph import CALL, EdgeSpec, GraphSpec
from workflows.text import names
from workflows.validation.problem import Problem, of_edge
from workflows.words import sentence

GOES = "navigate"  # to a place, by sight


def only_looks(inner: GraphSpec) -> bool:
    """Whether the workflow can prove an action: nothing in it does anything, and something is held against a screen."""
    checks = any(step.action_type in CHECKING_ACTION_TYPES for step in inner.edges)
    return checks and all(map(_looks, inner.edges))


def _looks(step: EdgeSpec) -> bool:
    return step.proof is None and (effect_of(step) is EffectClass.READ or step.action_type == GOES)


def proofs(edge: EdgeSpec, inner: GraphSpec) -> Iterator[Problem]:
    """Of an edge that has a proof, `inner` being the workflow that proves it."""
    if edge.proof is None:
        return
    problem = partial(of_edge, where=edge.edge_id, field="proof")
    said = {"edge": sentence(edge), "name": inner.name or inner.workflow_id}
    if edge.action_type == CALL:
        yield problem(
            "proof_of_call",
            _("%(edge)s: another workflow is not proved as a whole. Prove the step in it that counts.") % said,
        )
        return
    if does := next((step for step in inner.edges if not _looks(step)), None):
        yield problem(
            "proof_does_something",
            _("%(edge)s: “%(name)s” cannot prove it, for it does something itself: %(step)s. A proof only looks: say "
              "there of each step that merely leads somewhere that it changes nothing.")
            % {**said, "step": sentence(does, inner)},
        )  # fmt: skip
    elif not only_looks(inner):
        yield problem(
            "proof_without_reading",
            _("%(edge)s: “%(name)s” proves nothing: no step of it says what must be seen. Teach it one, such as "
              "“Exactly one row”.") % said,
        )  # fmt: skip
    elif not any({v.name for v in inner.asked} & names(_text(step)) for step in inner.edges):
        yield problem(
            "proof_of_anything",
            _("%(edge)s: what “%(name)s” reads is the same for every record, so it may well hold where nothing was "
              "done. Let a step of it look for a value that it is given.") % said,
            warn=True,
        )  # fmt: skip


def _text(step: EdgeSpec) -> str:
    """What a step holds against the screen."""
    return str(step.params.get("text") or "") if step.action_type in CHECKING_ACTION_TYPES else ""
