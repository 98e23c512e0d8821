"""What people said to a workflow's suggestions, for its page."""

from __future__ import annotations

from typing import Any

from django import template

from execution.models import Execution

register = template.Library()


@register.simple_tag
def coaching_stats(workflow_id: str) -> dict[str, Any]:
    """S1.13 over all runs of the workflow."""
    return Execution.objects.for_workflow(workflow_id).coaching_stats()
