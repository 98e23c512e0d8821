from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GpuConfig(AppConfig):
    name = "gpu"

    def ready(self) -> None:
        from gpu.seed import fill_catalogue

        post_migrate.connect(fill_catalogue, sender=self, dispatch_uid="gpu.fill_catalogue")
