from __future__ import annotations

from django.urls import path

from workflows import api

urlpatterns = [
    path("workflows/", api.WorkflowList.as_view(), name="api_workflows"),
    path("workflows/<str:workflow_id>/", api.WorkflowDetail.as_view(), name="api_workflow"),
    path("workflows/<str:workflow_id>/problems/", api.WorkflowProblems.as_view(), name="api_workflow_problems"),
    path("workflows/<str:workflow_id>/needs/", api.WorkflowNeeds.as_view(), name="api_workflow_needs"),
    path("workflows/<str:workflow_id>/publish/", api.WorkflowPublish.as_view(), name="api_workflow_publish"),
    path(
        "workflows/<str:workflow_id>/versions/<int:number>/publish/",
        api.VersionPublish.as_view(),
        name="api_version_publish",
    ),
    path("workflows/<str:workflow_id>/export/", api.WorkflowExport.as_view(), name="api_workflow_export"),
]
