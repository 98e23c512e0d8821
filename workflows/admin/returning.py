"""Saving leads back to where one came from: the page that linked here, else the workflow that the part is of."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

from workflows.links import BACK


class Returning(admin.ModelAdmin):
    """`back` in the address is where it goes once it is saved or deleted; only addresses of this server count."""

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return back_of(request) or super().response_post_save_add(request, obj)

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return back_of(request) or super().response_post_save_change(request, obj)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        response = super().response_delete(request, obj_display, obj_id)
        return back_of(request) or response


def back_of(request: HttpRequest) -> HttpResponseRedirect | None:
    """The way back that the address names; None where it names none, or one of another server."""
    back = request.GET.get(BACK, "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return HttpResponseRedirect(back) if is_ours else None
