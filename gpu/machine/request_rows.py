"""A request to the owner of the GPU and its answer, as they stand in a row: JSON in, the same values and errors out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from gpu import exceptions
from gpu.choices import RequestState
from gpu.exceptions import GPUError
from gpu.models import OwnerRequest
from gpu.types import ExecutionMode, Purpose, Request, RequestKind
from sentences.said import from_json, say, to_json, told_by

LIVE: Final = (RequestState.WAITING, RequestState.DOING, RequestState.GRANTED)
FINAL: Final = (RequestState.DONE, RequestState.FAILED)


def as_request(row: OwnerRequest, *, now: datetime) -> Request:
    """What the row asks, with what is left of its time. Raises GPUError naming what in it cannot be understood."""
    said = row.request
    try:
        request = Request(
            kind=RequestKind(said["kind"]),
            model=said.get("model", ""),
            mode=ExecutionMode(said["mode"]) if said.get("mode") else None,
            purpose=Purpose(said.get("purpose", Purpose.TARGET)),
            asked_by=said.get("asked_by", ""),
            extra=said.get("extra", {}),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise GPUError(say("gpu.request_unknown", number=row.pk, error=repr(error))) from error
    return replace(request, deadline_s=max(0.0, (row.deadline_at - now).total_seconds()))


def error_fields(error: GPUError) -> dict[str, Any]:
    """The columns `error` and `answer` of a row that failed by it."""
    fields = {name: value for name, value in vars(error).items() if _is_simple(value)}
    return {"error": type(error).__name__, "answer": {"message": to_json(told_by(error)), "fields": to_json(fields)}}


def as_error(name: str, answer: Mapping[str, Any]) -> GPUError:
    """The error that the owner met, with its class, message and numbers; a GPUError where the class is unknown."""
    found = getattr(exceptions, name, None)
    kind = found if isinstance(found, type) and issubclass(found, GPUError) else GPUError
    # The constructors make the message of their numbers; here it is there already.
    error = kind.__new__(kind, from_json(answer.get("message", name)))
    for field, value in dict(answer.get("fields", {})).items():
        setattr(error, field, tuple(from_json(one) for one in value) if isinstance(value, list) else value)
    return error


def _is_simple(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(part, str) for part in value)
    return value is None or isinstance(value, (bool, int, float, str))
