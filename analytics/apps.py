from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class AnalyticsConfig(AppConfig):
    name = "analytics"
    verbose_name = _("Analytics")

    def ready(self) -> None:
        from analytics import jobs
        from analytics.integration import integration

        integration.connect()
        jobs.connect()
        if settings.RPA_TRACES_URL:
            from analytics import traces

            traces.connect()
