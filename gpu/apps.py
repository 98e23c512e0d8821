from __future__ import annotations

from django.apps import AppConfig


class GpuConfig(AppConfig):
    name = "gpu"
