"""Analytics: the pages, and the API."""

from __future__ import annotations

from django.urls import URLPattern, path

from analytics.api import ExportView, MetricsView, ModelUseView
from analytics.storage_pages import change_retention, figures_again, hold_run, measure_now, prune_now, storage
from analytics.views import analytics, model_uses, of_workflow, runs, state_hand_time, steps

urlpatterns: list[URLPattern] = [
    path("metrics", MetricsView.as_view(), name="metrics"),
    path("analytics", analytics, name="analytics"),
    path("analytics/runs", runs, name="analytics_runs"),
    path("analytics/steps", steps, name="analytics_steps"),
    path("analytics/workflows/<str:workflow_id>", of_workflow, name="analytics_workflow"),
    path("analytics/workflows/<str:workflow_id>/hand-time", state_hand_time, name="analytics_hand_time"),
    path("analytics/storage", storage, name="analytics_storage"),
    path("analytics/storage/measure", measure_now, name="analytics_storage_measure"),
    path("analytics/storage/prune", prune_now, name="analytics_prune"),
    path("analytics/storage/figures", figures_again, name="analytics_figures"),
    path("analytics/storage/days", change_retention, name="analytics_retention"),
    path("analytics/storage/hold", hold_run, name="analytics_hold"),
    path("analytics/models", model_uses, name="model_use"),
    path("api/analytics/<str:what>.<str:kind>", ExportView.as_view(), name="api_analytics_export"),
    path("api/analytics/model-use", ModelUseView.as_view(), name="api_model_use"),
]
