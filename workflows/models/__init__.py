"""What people draw. One concern a file; import from here."""

from workflows.models.graph import Edge, Node, Picture, Target, Variable
from workflows.models.secret import Address, AddressKind, Credential, CredentialUse
from workflows.models.workflow import Correction, Need, TrustChange, Workflow, WorkflowVersion, plain_name

__all__ = [
    "Address",
    "AddressKind",
    "Correction",
    "Credential",
    "CredentialUse",
    "Edge",
    "Need",
    "Node",
    "Picture",
    "Target",
    "TrustChange",
    "Variable",
    "Workflow",
    "WorkflowVersion",
    "plain_name",
]
