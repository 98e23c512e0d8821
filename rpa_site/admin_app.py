from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class SiteAdminConfig(AdminConfig):
    """Django's admin, behind the product's own roles."""

    default_site = "rpa_site.admin_site.SurehandAdminSite"

    def ready(self) -> None:
        from rpa_site.admin_names import name_all

        name_all()
        super().ready()
