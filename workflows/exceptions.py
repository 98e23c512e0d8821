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

import re
from typing import Any, ClassVar


class DomainError(Exception):
    """Becomes an HTTP answer in one place (rpa_site.errors): `status_code`, `code` and the message.

    The code is the name of the class, NoSuchButton → no_such_button, unless the class says another one.
    """

    status_code: ClassVar = 400
    code: ClassVar = "error"

    def __init_subclass__(cls, *, status: int | None = None, code: str = "") -> None:
        cls.status_code = status or cls.status_code
        cls.code = code or cls.__dict__.get("code") or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    def details(self) -> dict[str, Any]:
        """What else an API answer carries."""
        return {}


class BadParameter(DomainError):
    """A value in an address or a form that is none."""


class WorkflowError(DomainError):
    pass


class UnknownWorkflow(WorkflowError, status=404):
    pass


class UnknownVersion(WorkflowError, status=404):
    pass


class NotPublished(WorkflowError, status=409):
    pass


class UnknownNode(WorkflowError):
    pass


class InvalidWorkflow(WorkflowError, status=422):
    def __init__(self, message: str, problems: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems

    def details(self) -> dict[str, Any]:
        return {"problems": [{"where": p.where, "message": str(p.message), "code": p.code} for p in self.problems]}


class PictureError(DomainError):
    pass


class PictureRefused(PictureError, status=422):
    pass


class PictureMissing(PictureError, status=404):
    pass


class PictureNotStored(PictureError, status=507):
    """The disk, or the store, did not take it."""


class PictureAway(DomainError, status=503):
    """The store does not answer. No PictureError: what is done without a picture is not done because of this."""
