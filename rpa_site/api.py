"""What every API view of the product has in common: deny by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

from rpa_site.roles import role_needed

READS = ("GET", "HEAD", "OPTIONS")


class DeclaredPermission(BasePermission):
    """A view declares `read_permission` and `write_permission`; what it does not declare, nobody may do."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        name = "read_permission" if request.method in READS else "write_permission"
        permission = getattr(view, name, None)
        if permission is None:
            return bool(request.user and request.user.is_superuser)
        self.message = _("This needs the role “%(role)s”; an admin can give it to you.") % {
            "role": role_needed(permission).label
        }
        return bool(request.user and request.user.has_perm(permission))
