from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RpaSiteConfig(AppConfig):
    name = "rpa_site"

    def ready(self) -> None:
        from rpa_site import checks  # noqa: F401  registers the system checks
        from rpa_site.roles import create_roles

        post_migrate.connect(create_roles, dispatch_uid="rpa_site.create_roles")
