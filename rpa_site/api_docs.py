"""The API's schema and its page, which works without the internet; for whoever may look at workflows."""

from __future__ import annotations

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

VIEW = "workflows.view_workflow"


class Schema(SpectacularAPIView):
    read_permission = VIEW


class Docs(SpectacularSwaggerSplitView):
    """Swagger from the sidecar, its script as a file of its own: no page has a script inside."""

    read_permission = VIEW
    url_name = "api_schema"
