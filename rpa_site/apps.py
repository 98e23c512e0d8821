from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class RpaSiteConfig(AppConfig):
    name = "rpa_site"

    def ready(self) -> None:
        from rpa_site import checks  # noqa: F401  registers the system checks
        from rpa_site.roles import create_roles

        # the last of our apps with models: every permission is there by then, and the work is done once
        last = apps.get_app_config("analytics")
        post_migrate.connect(create_roles, sender=last, dispatch_uid="rpa_site.create_roles")
