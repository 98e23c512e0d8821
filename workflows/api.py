"""Workflows over REST: read, publish, files in and out (S8.3)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.models import Verb
from audit.recording import record
from sentences.request_body import checked
from workflows.actions.publish import publish, publish_again
from workflows.bundle import export_bundle, import_bundle
from workflows.models import Workflow
from workflows.needs import RobotNeeds, needs_of, write_needs
from workflows.permissions import DESIGN, PUBLISH, VIEW
from workflows.serializers import (
    ImportSerializer,
    NeedsSerializer,
    ProblemSerializer,
    PublishSerializer,
    WorkflowDetailSerializer,
    WorkflowSerializer,
    WorkflowVersionSerializer,
)
from workflows.specs import graph_of
from workflows.unpacking import uploaded
from workflows.validation import problems


def _described(workflow: Workflow) -> dict[str, Any]:
    graph = graph_of(workflow)
    return WorkflowDetailSerializer(workflow, context={"graph": graph, "problems": problems(graph)}).data


class WorkflowList(generics.ListAPIView[Workflow]):
    """Every workflow, with the version that runs use."""

    read_permission = VIEW
    write_permission = DESIGN
    serializer_class = WorkflowSerializer
    queryset = Workflow.objects.with_latest_version()
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="workflows_import",
        request=ImportSerializer,
        responses={201: WorkflowDetailSerializer, 422: OpenApiResponse(description="Refused whole, with the reason.")},
    )
    def post(self, request: Request) -> Response:
        """Import a workflow file as a draft."""
        asked = checked(ImportSerializer, request.data)
        made = import_bundle(uploaded(asked["file"]), user=request.user, workflow_id=asked["workflow_id"])
        workflow = Workflow.objects.with_latest_version().by_id(made.workflow_id)
        return Response(_described(workflow), status=status.HTTP_201_CREATED)


class WorkflowDetail(APIView):
    """One workflow as it is drawn now, with its versions and what is wrong with it."""

    read_permission = VIEW

    @extend_schema(operation_id="workflows_retrieve", responses=WorkflowDetailSerializer)
    def get(self, request: Request, workflow_id: str) -> Response:
        return Response(_described(Workflow.objects.with_latest_version().by_id(workflow_id)))


class WorkflowNeeds(APIView):
    """What a robot must have to take a run of the workflow. It holds at once, also for runs that wait."""

    read_permission = VIEW
    write_permission = DESIGN

    @extend_schema(operation_id="workflows_needs", responses=NeedsSerializer)
    def get(self, request: Request, workflow_id: str) -> Response:
        return Response(NeedsSerializer(needs_of(Workflow.objects.by_id(workflow_id))).data)

    @extend_schema(operation_id="workflows_set_needs", request=NeedsSerializer, responses=NeedsSerializer)
    def post(self, request: Request, workflow_id: str) -> Response:
        workflow = Workflow.objects.by_id(workflow_id)
        needs = RobotNeeds(**checked(NeedsSerializer, request.data))
        with transaction.atomic():
            write_needs(workflow, needs)
            record(Verb.CHANGED, user=request.user, origin="api", kind="workflow", about=workflow_id, fields=["needs"])
        return Response(NeedsSerializer(needs_of(workflow)).data)


class WorkflowProblems(APIView):
    """What is wrong with the workflow as it is drawn now, errors first."""

    read_permission = VIEW

    @extend_schema(operation_id="workflows_problems", responses=ProblemSerializer(many=True))
    def get(self, request: Request, workflow_id: str) -> Response:
        found = problems(graph_of(Workflow.objects.by_id(workflow_id)))
        return Response(ProblemSerializer(found, many=True).data)


class WorkflowPublish(APIView):
    """Publish what is drawn now. An unchanged graph gives the version that is there."""

    write_permission = PUBLISH

    @extend_schema(
        operation_id="workflows_publish",
        request=PublishSerializer,
        responses={
            200: WorkflowVersionSerializer,
            422: OpenApiResponse(description="Something in the graph is wrong; `problems` says what."),
        },
    )
    def post(self, request: Request, workflow_id: str) -> Response:
        asked = checked(PublishSerializer, request.data)
        workflow = Workflow.objects.by_id(workflow_id)
        version = publish(workflow=workflow, user=request.user, note=asked["note"])
        return Response(WorkflowVersionSerializer(version).data)


class VersionPublish(APIView):
    """Publish an earlier version again: runs use it from now on, and the draft stays as it is."""

    write_permission = PUBLISH

    @extend_schema(
        operation_id="workflows_publish_version",
        request=PublishSerializer,
        responses={
            200: WorkflowVersionSerializer,
            404: OpenApiResponse(description="There is no such workflow, or no such version of it."),
        },
    )
    def post(self, request: Request, workflow_id: str, number: int) -> Response:
        asked = checked(PublishSerializer, request.data)
        workflow = Workflow.objects.by_id(workflow_id)
        version = publish_again(workflow=workflow, number=number, user=request.user, note=asked["note"])
        return Response(WorkflowVersionSerializer(version).data)


class WorkflowExport(APIView):
    """The workflow with its pictures as one file."""

    read_permission = VIEW

    @extend_schema(operation_id="workflows_export", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, workflow_id: str) -> HttpResponse:
        workflow = Workflow.objects.by_id(workflow_id)
        data = export_bundle(workflow)
        record(Verb.EXPORT, user=request.user, origin="api", kind="workflow", about=workflow.workflow_id)
        return HttpResponse(
            data,
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{workflow.workflow_id}.zip"'},
        )


urlpatterns = [
    path("workflows/", WorkflowList.as_view(), name="api_workflows"),
    path("workflows/<str:workflow_id>/", WorkflowDetail.as_view(), name="api_workflow"),
    path("workflows/<str:workflow_id>/problems/", WorkflowProblems.as_view(), name="api_workflow_problems"),
    path("workflows/<str:workflow_id>/needs/", WorkflowNeeds.as_view(), name="api_workflow_needs"),
    path("workflows/<str:workflow_id>/publish/", WorkflowPublish.as_view(), name="api_workflow_publish"),
    path(
        "workflows/<str:workflow_id>/versions/<int:number>/publish/",
        VersionPublish.as_view(),
        name="api_version_publish",
    ),
    path("workflows/<str:workflow_id>/export/", WorkflowExport.as_view(), name="api_workflow_export"),
]
