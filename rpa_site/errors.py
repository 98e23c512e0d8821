"""Errors as answers, in one place: what went wrong in words, for pages and for the API."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import server_error as default_server_error
from rest_framework.response import Response
from rest_framework.views import exception_handler

from execution.record.patience import loops_waiting
from rpa_site.roles import role_needed
from sentences.said import worded
from workflows.availability import in_words, kind_of_trouble
from workflows.exceptions import DomainError

Answer = tuple[int, dict[str, Any]]

TRY_AGAIN_S = 5
CODES = {
    "locked": "database_busy",
    "full": "database_full",
    "read only": "database_read_only",
    "gone": "database_away",
}

log = logging.getLogger(__name__)


def answer_to(error: Exception) -> Answer | None:
    """Status and body for an error a person can do something about; None for all others."""
    if isinstance(error, DomainError):
        return error.status_code, {"error": error.code, "detail": worded(error), **error.details()}
    if isinstance(error, PermissionDenied) and "." in str(error):
        role = role_needed(str(error)).label
        words = _("This needs the role “%(role)s”; an admin can give it to you.") % {"role": role}
        return 403, {"error": "permission_denied", "detail": words}
    if is_number_out_of_range(error):
        return 400, {"error": "number_out_of_range", "detail": _("A number in this request is too large or too small.")}
    if kind := kind_of_trouble(error):
        return 503, {"error": CODES[kind], "detail": _away(kind)}
    return None


def _away(kind: str) -> str:
    if kind == "locked":
        said = _("The database is busy. Try again in a few seconds.")
    else:
        said = f"{worded(in_words(kind))} {_('Nothing was changed by this request.')}"
    return f"{said} {_('The run loop waits for it and goes on by itself.')}" if loops_waiting() else said


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`: what failed outside of a view, such as the session of a database that is away.

    Django turns an error of a middleware into an answer before any other middleware sees it; this is where it asks.
    """
    error = sys.exc_info()[1]
    kind = kind_of_trouble(error) if error else ""
    if not kind:
        return default_server_error(request)
    log.warning("503 for %s: %s", request.path, error)
    answered = away(request, kind)
    answered._has_been_logged = True  # type: ignore[attr-defined]  # Django's own mark: else a traceback for each
    return answered


def away(request: HttpRequest, kind: str) -> HttpResponse:
    """503 without asking the database for anything: no session, no navigation."""
    message = _away(kind)
    if wants_json(request):
        return JsonResponse({"error": CODES[kind], "detail": message}, status=503, headers=headers(503))
    page = render_to_string("away.html", {"message": message, "title": title(503), "again_s": TRY_AGAIN_S})
    return HttpResponse(page, status=503, headers=headers(503))


def is_number_out_of_range(error: Exception) -> bool:
    """Whether a number came as far as the database, which cannot hold it: 64 bits are all there are."""
    if isinstance(error, OverflowError):
        return "SQLite INTEGER" in str(error)
    return isinstance(error, DataError) and "out of range" in str(error)


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/") or "application/json" in request.headers.get("accept", "")


class DomainErrors:
    """Turns domain errors of pages into error pages, and into JSON where the caller asked for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        answer = answer_to(error)
        if answer is None or (answer[0] == 403 and not wants_json(request)):
            return None  # Django's own way to 403.html says which role it takes
        return answered(request, error, answer)


def answered(request: HttpRequest, error: Exception, answer: Answer) -> HttpResponse:
    """Return the answer as a page, or as JSON where the caller asked for it."""
    status, body = answer
    if wants_json(request):
        return JsonResponse(body, status=status, headers=headers(status))
    if kind := kind_of_trouble(error):
        return away(request, kind)
    context = {"status": status, "title": title(status), "message": body["detail"]}
    return render_calmly(request, context, status=status)


def render_calmly(request: HttpRequest, context: Mapping[str, Any], *, status: int) -> HttpResponse:
    """The error page; in plain words where even that page cannot be made, because the database is what fails."""
    try:
        response = render(request, "error.html", dict(context), status=status)
    except OperationalError:
        response = HttpResponse(str(context["message"]), status=status, content_type="text/plain; charset=utf-8")
    for name, value in headers(status).items():
        response[name] = value
    return response


def headers(status: int) -> dict[str, str]:
    return {"Retry-After": str(TRY_AGAIN_S)} if status == 503 else {}


def title(status: int) -> str:
    known = {404: _("Not found"), 409: _("That is not possible now"), 413: _("Too large"), 503: _("The server is busy")}
    return known.get(status) or _("That did not work")


def api_exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF: `{"error": code, "detail": sentence, ...}` for every refusal."""
    if answer := answer_to(error):
        return Response(answer[1], status=answer[0], headers=headers(answer[0]))
    response = exception_handler(error, dict(context))
    if response is None:
        return None
    code = code_of(error)
    if isinstance(response.data, Mapping) and set(response.data) == {"detail"}:
        response.data = {"error": code, "detail": str(response.data["detail"])}
    elif isinstance(response.data, Mapping):
        words = "; ".join(f"{name}: {_first(problem)}" for name, problem in response.data.items())
        response.data = {"error": code, "detail": words, "fields": response.data}
    else:
        response.data = {"error": code, "detail": _first(response.data)}
    return response


def code_of(error: Exception) -> str:
    """The short word for programs; Django's own errors get DRF's words."""
    if isinstance(error, Http404):
        return "not_found"
    if isinstance(error, PermissionDenied):
        return "permission_denied"
    return str(getattr(error, "default_code", "error"))


def _first(problem: Any) -> str:
    """The first sentence of a problem, however deep it lies."""
    while isinstance(problem, list | dict) and problem:
        problem = next(iter(problem.values())) if isinstance(problem, dict) else problem[0]
    return str(problem)
