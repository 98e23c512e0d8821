"""Analytics through the API; no pages yet."""

from __future__ import annotations

from django.urls import URLPattern, path

from analytics.api import ModelUseView

urlpatterns: list[URLPattern] = [path("api/analytics/model-use", ModelUseView.as_view(), name="api_model_use")]
