"""Errors as answers, in one place: what went wrong in words, for pages and for the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from rest_framework.response import Response
from rest_framework.views import exception_handler

from rpa_site.roles import role_needed
from workflows.exceptions import DomainError

Answer = tuple[int, dict[str, Any]]


def answer_to(error: Exception) -> Answer | None:
    """Status and body for an error a person can do something about; None for all others."""
    if isinstance(error, DomainError):
        return error.status_code, {"error": error.code, "detail": str(error), **error.details()}
    if isinstance(error, PermissionDenied) and "." in str(error):
        role = role_needed(str(error)).label
        return 403, {"error": "permission_denied", "detail": _("This needs the role “%(role)s”.") % {"role": role}}
    if isinstance(error, OperationalError) and "locked" in str(error):
        return 503, {"error": "database_busy", "detail": _("The database is busy. Try again in a few seconds.")}
    return None


class DomainErrors:
    """Turns domain errors of pages into error pages, and into JSON where the caller asked for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        answer = answer_to(error)
        if answer is None:
            return None
        status, body = answer
        if request.path.startswith("/api/") or "application/json" in request.headers.get("accept", ""):
            return JsonResponse(body, status=status)
        if status == 403:
            return None  # Django's own way to 403.html, which says which role it takes
        return render(request, "error.html", {"status": status, "message": body["detail"]}, status=status)


def api_exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF: `{"error": code, "detail": sentence, ...}` for every refusal."""
    if answer := answer_to(error):
        return Response(answer[1], status=answer[0])
    response = exception_handler(error, dict(context))
    if response is not None and isinstance(response.data, Mapping):
        code = getattr(error, "default_code", "error")
        if "detail" in response.data:
            response.data = {"error": code, "detail": str(response.data["detail"])}
        else:
            words = "; ".join(f"{name}: {_first(problem)}" for name, problem in response.data.items())
            response.data = {"error": code, "detail": words, "fields": response.data}
    return response


def _first(problem: Any) -> str:
    return str(problem[0]) if isinstance(problem, list) and problem else str(problem)
