from __future__ import annotations

from django.urls import path

from workflows import views

urlpatterns = [
    path("", views.workflows, name="workflows"),
    path("<str:workflow_id>", views.workflow, name="workflow"),
    path("<str:workflow_id>/publish", views.publish_workflow, name="workflow_publish"),
    path("<str:workflow_id>/versions/<int:number>/publish", views.publish_version, name="version_publish"),
    path("<str:workflow_id>/calls/<str:edge_id>", views.update_call, name="workflow_call"),
    path("<str:workflow_id>/export", views.export_workflow, name="workflow_export"),
]
