"""What its runs say of a workflow, for its page."""

from __future__ import annotations

from typing import Any

from django import template

from execution.pages.learning import Drift, Standing, levels, standing_of
from workflows.models import Workflow

register = template.Library()


@register.simple_tag
def standing(workflow: Workflow) -> Standing:
    """S6.7, S6.8"""
    return standing_of(workflow)


@register.simple_tag
def drift_at(proved: Any, anchor: str) -> Drift | None:
    """What has changed of one screen or action of the drawing; nothing where nobody may see it."""
    drifts = proved.drifts if isinstance(proved, Standing) else ()
    return next((one for one in drifts if one.anchor == anchor), None)


@register.simple_tag
def ask_levels(workflow: Workflow) -> list[tuple[str, Any, bool]]:
    return levels(workflow)
