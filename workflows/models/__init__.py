"""What people draw. One concern a file; import from here."""

from workflows.models.corrections import Correction
from workflows.models.graph import Edge, Node, Target, Variable
from workflows.models.need import Need, plain_name
from workflows.models.pictures import Picture
from workflows.models.secret import Credential, CredentialUse
from workflows.models.trust import TrustChange
from workflows.models.workflow import Workflow, WorkflowVersion

__all__ = [
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
