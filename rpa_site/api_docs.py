"""The API's schema and its page, which works without the internet; for whoever may look at workflows."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from rpa_site.tokens import KEYWORD

VIEW = "workflows.view_workflow"


class Schema(SpectacularAPIView):
    read_permission = VIEW


class Docs(SpectacularSwaggerSplitView):
    """Swagger from the sidecar, its script and styles as files of their own: no page has any inside."""

    read_permission = VIEW
    url_name = "api_schema"
    template_name = "rpa_site/api_docs.html"


class TokenScheme(OpenApiAuthenticationExtension):
    """What the schema says of tokens."""

    target_class = "rpa_site.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": KEYWORD.lower()}
