from __future__ import annotations

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    name = "analytics"

    def ready(self) -> None:
        from analytics.projection import on_step_recorded
        from execution.signals import step_recorded

        step_recorded.connect(on_step_recorded, dispatch_uid="analytics.projection")
