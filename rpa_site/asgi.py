"""The web process: `daphne rpa_site.asgi:application`. Sockets are for pages of this very site alone (S10.2)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from django.core.asgi import get_asgi_application

from rpa_site.file_modes import from_now_on

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
from_now_on()
# One request waits at a time: whoever stands behind a locked database should be told soon. A run loop has more time.
os.environ.setdefault("RPA_DATABASE_TIMEOUT_S", "5")
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402  what follows needs Django set up
from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402

from execution.stream.routing import websocket_urlpatterns  # noqa: E402
from gpu import GPUResourceConfig  # noqa: E402
from rpa_site.bodies import bound  # noqa: E402
from rpa_site.data_lock import share  # noqa: E402

Application = Callable[..., Awaitable[None]]


def same_site_only(application: Application) -> Application:
    """Refuses a page of another port or scheme of an allowed host: cookies do not tell ports apart, this does."""

    async def guarded(scope: dict[str, Any], receive: Any, send: Any) -> None:
        allowed = application if is_own_origin(scope) else WebsocketDenier()
        await allowed(scope, receive, send)

    return guarded


def is_own_origin(scope: dict[str, Any]) -> bool:
    """Whether the page that opens the socket came from where the socket goes, or from a trusted origin."""
    headers = {name: value.decode("latin1").lower() for name, value in scope["headers"]}
    origin, host = headers.get(b"origin", ""), headers.get(b"host", "")
    if origin in (trusted.lower() for trusted in settings.CSRF_TRUSTED_ORIGINS):
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and bool(host) and parts.netloc == host


if "*" in settings.ALLOWED_HOSTS and not settings.DEBUG:
    raise ImproperlyConfigured(
        "RPA_ALLOWED_HOSTS holds *, which lets pages of any site open the stream with the cookies of whoever looks at "
        "them. Name the hosts under which people reach this server."
    )

GPUResourceConfig.from_settings()  # raises ImproperlyConfigured at the start, and not at the first question to a model
bound()
share(settings.DATA_DIR)  # held until this process ends: `manage.py restore` sees that the data is in use

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(same_site_only(CookieMiddleware(URLRouter(websocket_urlpatterns)))),
    }
)
