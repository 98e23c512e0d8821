"""Editing in depth: workflows with their screens, actions, targets and variables; what is published is read-only."""

from workflows.admin.parts import EdgeAdmin, NodeAdmin, TargetAdmin, VariableAdmin
from workflows.admin.records import CorrectionAdmin, PictureAdmin, WorkflowVersionAdmin
from workflows.admin.workflow import WorkflowAdmin

__all__ = [
    "CorrectionAdmin",
    "EdgeAdmin",
    "NodeAdmin",
    "PictureAdmin",
    "TargetAdmin",
    "VariableAdmin",
    "WorkflowAdmin",
    "WorkflowVersionAdmin",
]
