"""The API's routes of runs, below `/api/`."""

from __future__ import annotations

from django.urls import path

from execution.api import assistant
from execution.api import views as api

RUN = "executions/<str:execution_id>/"

urlpatterns = [
    path("executions/", api.ExecutionsView.as_view(), name="api_executions"),
    path(RUN, api.ExecutionView.as_view(), name="api_execution"),
    path(f"{RUN}progress/", api.ProgressView.as_view(), name="api_execution_progress"),
    path(f"{RUN}coaching_stats/", api.CoachingStatsView.as_view(), name="api_execution_coaching_stats"),
    path(f"{RUN}capture_stats/", api.CaptureStatsView.as_view(), name="api_execution_capture_stats"),
    path(f"{RUN}steps/", api.StepsView.as_view(), name="api_execution_steps"),
    path(f"{RUN}steps/<int:index>/", api.StepView.as_view(), name="api_execution_step"),
    path(f"{RUN}events/", api.EventsView.as_view(), name="api_execution_events"),
    path(f"{RUN}prompt/", api.PromptView.as_view(), name="api_execution_prompt"),
    path(f"{RUN}decide/", api.DecideView.as_view(), name="api_execution_decide"),
    path(f"{RUN}hold/", api.HoldView.as_view(), name="api_execution_hold"),
    path(f"{RUN}confirm/", api.ConfirmView.as_view(), name="api_execution_confirm"),
    path(f"{RUN}control/", api.ControlView.as_view(), name="api_execution_control"),
    path(f"{RUN}assistant/", assistant.ConversationView.as_view(), name="api_execution_assistant"),
    path(f"{RUN}assistant/new/", assistant.NewConversationView.as_view(), name="api_execution_assistant_new"),
    path(
        "workflows/<str:workflow_id>/coaching_stats/",
        api.WorkflowCoachingStatsView.as_view(),
        name="api_workflow_coaching_stats",
    ),
    path("assistant/", assistant.StatusView.as_view(), name="api_assistant"),
    path("progress/", api.AtWorkView.as_view(), name="api_progress"),
    path("prompts/", api.PromptsView.as_view(), name="api_prompts"),
    path("robots/", api.RobotsView.as_view(), name="api_robots"),
]
