"""Errors a person can do something about: the message says what, where and what to do.

DomainError
├── WorkflowError
│   ├── UnknownWorkflow, UnknownVersion, NotPublished, UnknownNode
│   └── InvalidWorkflow        carries `problems`
├── PictureError
│   ├── PictureRefused         too large, not a picture
│   └── PictureMissing, PictureNotStored
├── PictureAway                nobody can tell now whether it is there
├── BadParameter               of an address or a form
└── (execution.exceptions)
"""

from __future__ import annotations

from typing import Any


class DomainError(Exception):
    """Becomes an HTTP answer in one place (rpa_site.errors): `status_code`, `code` and the message."""

    status_code = 400
    code = "error"

    def details(self) -> dict[str, Any]:
        """What else an API answer carries."""
        return {}


class BadParameter(DomainError):
    """A value in an address or a form that is none."""

    code = "bad_parameter"


class WorkflowError(DomainError):
    code = "workflow_error"


class UnknownWorkflow(WorkflowError):
    status_code = 404
    code = "unknown_workflow"


class UnknownVersion(WorkflowError):
    status_code = 404
    code = "unknown_version"


class NotPublished(WorkflowError):
    status_code = 409
    code = "not_published"


class UnknownNode(WorkflowError):
    code = "unknown_node"


class InvalidWorkflow(WorkflowError):
    status_code = 422
    code = "invalid_workflow"

    def __init__(self, message: str, problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems

    def details(self) -> dict[str, Any]:
        return {"problems": [{"where": p.where, "message": str(p.message), "code": p.code} for p in self.problems]}


class PictureError(DomainError):
    code = "picture_error"


class PictureRefused(PictureError):
    status_code = 422
    code = "picture_refused"


class PictureMissing(PictureError):
    status_code = 404
    code = "picture_missing"


class PictureNotStored(PictureError):
    """The disk, or the store, did not take it."""

    status_code = 507
    code = "picture_not_stored"


class PictureAway(DomainError):
    """The store does not answer. No PictureError: what is done without a picture is not done because of this."""

    status_code = 503
    code = "picture_away"
