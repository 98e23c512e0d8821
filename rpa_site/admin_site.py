"""Django's admin behind the product's roles: whoever may view workflows may look, designers edit."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from workflows.permissions import DESIGN


class SurehandAdminSite(AdminSite):
    site_header = site_title = "Surehand"
    index_title = _("Edit in depth")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """There is one login page; whoever is logged in and lands here may not enter, and is told so."""
        if request.user.is_authenticated:
            raise PermissionDenied(DESIGN)
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """There is one page for it, which counts how often the old password is tried."""
        return redirect("account_password")

    def password_change_done(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return redirect("account")

    def has_permission(self, request: HttpRequest) -> bool:
        """The roles' permissions decide, not Django's `is_staff`."""
        return request.user.is_active and request.user.has_perm(DESIGN)
