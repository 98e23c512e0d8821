"""The API's schema and its page, which works without the internet; for whoever may look at workflows."""

from __future__ import annotations

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

VIEW = "workflows.view_workflow"


class Schema(SpectacularAPIView):
    read_permission = VIEW


class Docs(SpectacularSwaggerSplitView):
    """Swagger from the sidecar, its script and styles as files of their own: no page has any inside."""

    read_permission = VIEW
    url_name = "api_schema"
    template_name = "rpa_site/api_docs.html"
