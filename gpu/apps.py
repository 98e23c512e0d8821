from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from gpu import sentences  # noqa: F401  registers them, before any module of an app is there to say one


class GpuConfig(AppConfig):
    name = "gpu"
    verbose_name = _("GPU and models")

    def ready(self) -> None:
        from gpu.catalogue import fill_catalogue

        post_migrate.connect(fill_catalogue, sender=self, dispatch_uid="gpu.fill_catalogue")
