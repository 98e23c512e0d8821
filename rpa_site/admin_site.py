"""Django's admin behind the product's roles: whoever may view workflows may look, designers edit."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _


class SurehandAdminSite(AdminSite):
    site_header = site_title = "Surehand"
    index_title = _("Edit in depth")

    def has_permission(self, request: HttpRequest) -> bool:
        """The roles' permissions decide, not Django's `is_staff`."""
        return request.user.is_active and request.user.has_perm("workflows.change_workflow")
