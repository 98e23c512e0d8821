from __future__ import annotations

from django.apps import AppConfig


class DaphneConfig(AppConfig):
    """`runserver` over ASGI; the server itself, and Twisted with it, is loaded by the process that serves alone."""

    name = "daphne"
    verbose_name = "Daphne"
