"""Who tells a run what window is open (S2.7): the desktop, or code that this deployment lists by name.

Naming code is naming what the run loop calls with all it may do. So people choose among the names of a setting, and
the setting alone says which code a name means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.utils.module_loading import import_string

from execution.exceptions import UnknownWindowProvider
from sentences.said import say
from workflows.permissions import DESIGN

WindowProvider = Callable[[], Mapping[str, Any] | None]


def known_name(name: str) -> str:
    """`name`, or nothing for the desktop itself; raises UnknownWindowProvider with the names there are."""
    if name and name not in settings.RPA_WINDOW_PROVIDERS:
        if not settings.RPA_WINDOW_PROVIDERS:
            raise UnknownWindowProvider(say("desktop.no_window_providers", name=name))
        raise UnknownWindowProvider(
            say("desktop.unknown_window_provider", name=name, known=list(settings.RPA_WINDOW_PROVIDERS))
        )
    return name


def may_choose(user: Any, name: str) -> None:
    """Raises PermissionDenied for a person who is no designer; without a person it is the server's own process."""
    if name and user is not None and not user.has_perm(DESIGN):
        raise PermissionDenied(DESIGN)


def load_provider(provider: str | WindowProvider | None) -> WindowProvider | None:
    """The code behind a name, or a callable of this very process as it is.

    Raises UnknownWindowProvider, or ImportError where the setting names code that is not there.
    """
    if not isinstance(provider, str):
        return provider
    return import_string(settings.RPA_WINDOW_PROVIDERS[known_name(provider)]) if provider else None
