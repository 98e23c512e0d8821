"""What was learned of coaches, and stored steps looked at again, over REST (S6.4, S6.17, S8.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from execution.actions.corrections import choose, put_correction
from execution.actions.merging import merge, planned
from execution.actions.prototypes import put_back
from execution.api.learning_serializers import (
    AskedReplaySerializer,
    ChooseSerializer,
    CorrectionSerializer,
    DecideCorrectionSerializer,
    DifferenceSerializer,
    MergedSerializer,
    MergeSerializer,
    PrototypeSerializer,
    PutBackSerializer,
    ReplaySerializer,
    ResetPrototypeSerializer,
)
from execution.api.lesson_serializers import BegunSerializer
from execution.api.serializers import ErrorSerializer
from execution.api.views import RunsView, origin_of
from execution.choices import CorrectionKind, CorrectionState
from execution.lesson.begin_mending import teach_way
from execution.lesson.telling import draft_told
from execution.models import LearnedCorrection, Replay, ReplayDifference, ReplayState
from execution.pages.correction_cards import unused
from execution.pages.merge_diff import Change, changes_of
from execution.permissions import VIEW, VIEW_PICTURE
from execution.record.contradictions import contradicting
from execution.record.prototypes import current
from execution.replay.answers import About, Verdict
from execution.replay.asking import ask_for, stop_it
from sentences.request_body import checked
from workflows.models import Workflow
from workflows.permissions import DESIGN, PUBLISH

Answers = {200: CorrectionSerializer, 422: ErrorSerializer}


class CorrectionFilters(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=CorrectionState.choices)
    kind = filters.MultipleChoiceFilter(choices=CorrectionKind.choices)
    workflow_id = filters.CharFilter(field_name="pack__workflow__workflow_id")

    class Meta:
        model = LearnedCorrection
        fields = ("state", "kind", "workflow_id")


class CorrectionsView(RunsView, ListAPIView):
    """What coaches have shown, the newest first, with how each has done since."""

    serializer_class = CorrectionSerializer
    filterset_class = CorrectionFilters

    def get_queryset(self) -> QuerySet[LearnedCorrection]:
        return LearnedCorrection.objects.with_counts().select_related("pack__workflow").order_by("-pk")

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        if args:  # the rows of a page, all of them asked about at once
            kwargs["context"] = {**self.get_serializer_context(), "unused": unused(args[0])}
        return self.get_serializer_class()(*args, **kwargs)


class CorrectionView(RunsView):
    @extend_schema(responses={200: CorrectionSerializer, 404: ErrorSerializer})
    def get(self, request: Request, number: int) -> Response:
        row = _correction(number)
        against = [other.pk for other in contradicting([row]).get(row.pk, ())]
        return Response({**_told(row), "contradicts": against})


class DecideCorrectionView(RunsView):
    write_permission = DESIGN

    @extend_schema(request=DecideCorrectionSerializer, responses=Answers)
    def post(self, request: Request, number: int) -> Response:
        """Trust it, try it further, or switch it off; what breaks something is trusted for a reason that is kept."""
        said = checked(DecideCorrectionSerializer, request.data)
        put_correction(correction_id=number, user=request.user, origin=origin_of(request), **said)
        return Response(_told(_correction(number)))


class ChooseCorrectionView(RunsView):
    write_permission = DESIGN

    @extend_schema(request=ChooseSerializer, responses=Answers)
    def post(self, request: Request, number: int) -> Response:
        """Of those that contradict each other this one: the others are switched off."""
        said = checked(ChooseSerializer, request.data)
        choose(correction_id=number, user=request.user, origin=origin_of(request), **said)
        return Response(_told(_correction(number)))


class TeachCorrectionView(RunsView):
    write_permission = DESIGN

    @extend_schema(
        request=None,
        responses={201: BegunSerializer, 404: ErrorSerializer, 409: ErrorSerializer, 422: ErrorSerializer},
    )
    def post(self, request: Request, number: int) -> Response:
        """A lesson on a way that a person went by hand; it becomes part of the workflow as anything that is taught."""
        if not request.user.has_perms((VIEW, VIEW_PICTURE)):  # a lesson shows the pictures of that run
            raise PermissionDenied(VIEW_PICTURE)
        lesson = teach_way(_correction(number), user=request.user)
        url = reverse("teach", args=[lesson.lesson_id])
        return Response({"lesson": draft_told(lesson), "url": url}, status=201, headers={"Location": url})


class PrototypesView(RunsView):
    @extend_schema(responses={200: PrototypeSerializer(many=True), 404: ErrorSerializer})
    def get(self, request: Request, workflow_id: str) -> Response:
        """What the taught pictures of a workflow's screens look like by now."""
        rows = current(Workflow.objects.by_id(workflow_id))
        return Response(PrototypeSerializer([rows[key] for key in sorted(rows)], many=True).data)


class ResetPrototypeView(RunsView):
    write_permission = DESIGN

    @extend_schema(
        request=ResetPrototypeSerializer, responses={200: PutBackSerializer, 404: ErrorSerializer, 422: ErrorSerializer}
    )
    def post(self, request: Request, workflow_id: str, node_id: str) -> Response:
        """One picture of a screen, or all of them, looks as it was taught again."""
        said = checked(ResetPrototypeSerializer, request.data)
        workflow = Workflow.objects.by_id(workflow_id)
        if not any(node == node_id and said["picture"] in ("", one) for node, one, _model in current(workflow)):
            raise NotFound(_("No prototype of that screen is known."))
        back = put_back(workflow=workflow, node_id=node_id, user=request.user, origin=origin_of(request), **said)
        return Response(PutBackSerializer({"put_back": back}).data)


class MergeView(RunsView):
    write_permission = PUBLISH

    @extend_schema(request=MergeSerializer, responses={200: MergedSerializer, 422: ErrorSerializer})
    def post(self, request: Request) -> Response:
        """Trusted corrections become part of a new version. With `dry_run` only what would be done is answered."""
        said = checked(MergeSerializer, request.data)
        if said["dry_run"]:
            plan = planned(said["corrections"])
            open_changes, changes = plan.open_changes, changes_of(plan)
            return _merged(plan.workflow.workflow_id, None, open_changes=open_changes, changes=changes)
        version = merge(said["corrections"], user=request.user, note=said["note"], origin=origin_of(request))
        return _merged(version.workflow.workflow_id, version.number)


def _merged(
    workflow_id: str, version: int | None, *, open_changes: bool = False, changes: Sequence[Change] = ()
) -> Response:
    told = {"workflow_id": workflow_id, "version": version, "open_changes": open_changes, "changes": changes}
    return Response(MergedSerializer(told).data)


class ReplayFilters(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=ReplayState.choices)
    workflow_id = filters.CharFilter(field_name="workflow__workflow_id")

    class Meta:
        model = Replay
        fields = ("state", "workflow_id")


class ReplaysView(RunsView, ListAPIView):
    serializer_class = ReplaySerializer
    filterset_class = ReplayFilters

    def get_queryset(self) -> QuerySet[Replay]:
        return Replay.objects.select_related("workflow", "version").defer("version__graph")

    @extend_schema(request=AskedReplaySerializer, responses={201: ReplaySerializer, 422: ErrorSerializer})
    def post(self, request: Request) -> Response:
        """Look at stored steps again; done by `manage.py work`, and followed here."""
        said = checked(AskedReplaySerializer, request.data)
        replay = ask_for(user=request.user, origin=origin_of(request), **said)
        place = reverse("api_replay", args=[replay.replay_id])
        return Response(ReplaySerializer(replay).data, status=201, headers={"Location": place})


class ReplayView(RunsView):
    @extend_schema(responses={200: ReplaySerializer, 404: ErrorSerializer})
    def get(self, request: Request, replay_id: str) -> Response:
        return Response(ReplaySerializer(_replay(replay_id)).data)


class StopReplayView(RunsView):
    @extend_schema(request=None, responses={200: ReplaySerializer, 422: ErrorSerializer})
    def post(self, request: Request, replay_id: str) -> Response:
        """What was found until then is kept."""
        return Response(ReplaySerializer(stop_it(replay_id, user=request.user, origin=origin_of(request))).data)


class DifferenceFilters(filters.FilterSet):
    verdict = filters.MultipleChoiceFilter(choices=Verdict.choices)
    about = filters.MultipleChoiceFilter(choices=About.choices)

    class Meta:
        model = ReplayDifference
        fields = ("verdict", "about")


class DifferencesView(RunsView, ListAPIView):
    """The answers that differ, in the order of their steps."""

    serializer_class = DifferenceSerializer
    filterset_class = DifferenceFilters

    def get_queryset(self) -> QuerySet[ReplayDifference]:
        if getattr(self, "swagger_fake_view", False):
            return ReplayDifference.objects.none()
        found = _replay(self.kwargs["replay_id"]).differences.select_related("step__execution")
        return found.defer("step__screen", "step__suggestion").order_by("step_id", "pk")


def _told(row: LearnedCorrection) -> dict[str, Any]:
    return dict(CorrectionSerializer(row, context={"unused": unused([row])}).data)


def _correction(number: int) -> LearnedCorrection:
    row = LearnedCorrection.objects.with_counts().select_related("pack__workflow").filter(pk=number).first()
    if row is None:
        raise NotFound(_("There is no correction with the number %(id)s.") % {"id": number})
    return row


def _replay(replay_id: str) -> Replay:
    row = Replay.objects.select_related("workflow", "version").filter(replay_id=replay_id).first()
    if row is None:
        raise NotFound(_("There is no replay “%(id)s”.") % {"id": replay_id})
    return row
