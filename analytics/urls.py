"""Analytics: the page of what models were asked, and the API."""

from __future__ import annotations

from django.urls import URLPattern, path

from analytics.api import ModelUseView
from analytics.views import model_uses

urlpatterns: list[URLPattern] = [
    path("analytics/models", model_uses, name="model_use"),
    path("api/analytics/model-use", ModelUseView.as_view(), name="api_model_use"),
]
