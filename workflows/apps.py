from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from workflows import sentences  # noqa: F401  registers them, before any module of an app is there to say one


class WorkflowsConfig(AppConfig):
    name = "workflows"
    verbose_name = _("Workflows")
