"""Editing in depth: workflows with their screens, actions, targets and variables; what is published is read-only."""

from workflows.admin.address import AddressAdmin
from workflows.admin.parts import EdgeAdmin, NodeAdmin, TargetAdmin, VariableAdmin
from workflows.admin.records import CorrectionAdmin, PictureAdmin, WorkflowVersionAdmin
from workflows.admin.secret import CredentialAdmin, CredentialUseAdmin
from workflows.admin.workflow import WorkflowAdmin

__all__ = [
    "AddressAdmin",
    "CorrectionAdmin",
    "CredentialAdmin",
    "CredentialUseAdmin",
    "EdgeAdmin",
    "NodeAdmin",
    "PictureAdmin",
    "TargetAdmin",
    "VariableAdmin",
    "WorkflowAdmin",
    "WorkflowVersionAdmin",
]
