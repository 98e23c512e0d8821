"""The API of runs. Views check what comes in and call the verbs of `execution.actions`; payloads and rows answer."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from execution.actions import control, hold
from execution.actions.decide import decide
from execution.actions.maintain import set_maintenance, set_tags
from execution.actions.mark import mark
from execution.actions.start import FLAGS, start, start_once
from execution.api.event_schemas import EVENTS
from execution.api.serializers import (
    CoachingStatsSerializer,
    ConfirmSerializer,
    ControlSerializer,
    DecideSerializer,
    DecisionSerializer,
    ErrorSerializer,
    EventsQuerySerializer,
    ExecutionSerializer,
    HoldSerializer,
    MaintenanceSerializer,
    MarkedSerializer,
    MarkSerializer,
    OpenPromptSerializer,
    ProgressSerializer,
    PromptSerializer,
    RobotSerializer,
    RowSerializer,
    StartSerializer,
    StepDetailSerializer,
    StepSerializer,
    TagsSerializer,
    WaitingSerializer,
)
from execution.choices import ON_DESKTOP, ExecutionMode, ExecutionState, Origin, PromptState
from execution.exceptions import NothingToDecide, UnknownExecution
from execution.models import Decision, Execution, ExecutionEvent, Prompt, Robot, Step
from execution.permissions import OPERATE, VIEW
from execution.record.events import as_message
from execution.record.payloads import decision_payload, prompt_payload, step_payload
from execution.record.rows import with_rows
from execution.record.waiting import waiting_of
from execution.types import Choice
from sentences.request_body import checked
from sentences.said import in_words
from workflows.models import Workflow
from workflows.paging import Pages
from workflows.permissions import DESIGN

# An answer without a prompt's number that comes this soon after another answer is about the same question.
SAME_QUESTION_S = 10
IDEMPOTENCY_KEY = "Idempotency-Key"


class RunsView(APIView):
    """What every view of runs declares: viewers read, operators act."""

    read_permission = VIEW
    write_permission = OPERATE


class ExecutionFilters(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=ExecutionState.choices)
    mode = filters.MultipleChoiceFilter(choices=ExecutionMode.choices)
    workflow_id = filters.CharFilter(field_name="version__workflow__workflow_id")

    class Meta:
        model = Execution
        fields = ("state", "mode", "workflow_id")


class ExecutionsView(RunsView, ListAPIView):
    serializer_class = RowSerializer
    filterset_class = ExecutionFilters

    def get_queryset(self) -> QuerySet[Execution]:
        return with_rows()

    @extend_schema(
        parameters=[
            OpenApiParameter(
                IDEMPOTENCY_KEY, str, OpenApiParameter.HEADER,
                description="Of your own making: asked again with it within a day, the same run is answered.",
            )
        ],
        request=StartSerializer,
        responses={201: ExecutionSerializer, 422: ErrorSerializer},
    )  # fmt: skip
    def post(self, request: Request) -> Response:
        """Start a run of the workflow's published version; it is queued for a robot."""
        data, key = checked(StartSerializer, request.data), request.headers.get(IDEMPOTENCY_KEY)
        asked = partial(
            start,
            workflow_id=data["workflow_id"],
            mode=data.get("mode"),
            start_node_id=data.get("start_node_id"),
            variables=data.get("variables"),
            desktop=data.get("desktop", ""),
            priority=data["priority"],
            reason=data["reason"],
            version_number=data["version"],
            user=request.user,
            origin=origin_of(request),
            flags={name: data.get(name) for name in FLAGS},
        )
        execution = asked() if key is None else start_once(asked, key=key, body=data, user=request.user)
        place = reverse("api_execution", args=[execution.execution_id])
        return Response(_described(execution), status=201, headers={"Location": place})


class ExecutionView(RunsView):
    @extend_schema(responses={200: ExecutionSerializer, 404: ErrorSerializer})
    def get(self, request: Request, execution_id: str) -> Response:
        return Response(_described(_run(execution_id)))


class WaitingView(RunsView):
    @extend_schema(responses={200: WaitingSerializer(allow_null=True), 404: ErrorSerializer})
    def get(self, request: Request, execution_id: str) -> HttpResponseBase:
        """Why the run waits for a robot, and behind which runs; null of one that does not."""
        found = waiting_of(_run(execution_id))
        return JsonResponse(_told(found) if found else None, safe=False)  # DRF's answer with null would be empty


class ProgressView(RunsView):
    @extend_schema(responses=ProgressSerializer)
    def get(self, request: Request, execution_id: str) -> Response:
        return Response(_run(execution_id).progress())


class CoachingStatsView(RunsView):
    @extend_schema(responses=CoachingStatsSerializer)
    def get(self, request: Request, execution_id: str) -> Response:
        return Response(_run(execution_id).coaching_stats())


class WorkflowCoachingStatsView(RunsView):
    @extend_schema(responses={200: CoachingStatsSerializer, 404: ErrorSerializer})
    def get(self, request: Request, workflow_id: str) -> Response:
        """What people said to the suggestions of all runs of a workflow (S1.13)."""
        workflow = Workflow.objects.by_id(workflow_id)
        return Response(Execution.objects.for_workflow(workflow.workflow_id).coaching_stats())


class CaptureStatsView(RunsView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, execution_id: str) -> Response:
        """What continuous capture did in this run (S1.14), renewed while it goes on; empty until it has begun."""
        return Response(_run(execution_id).capture_stats)


class StepsView(RunsView, ListAPIView):
    serializer_class = StepSerializer
    filter_backends = ()

    def get_queryset(self) -> QuerySet[Step]:
        if getattr(self, "swagger_fake_view", False):
            return Step.objects.none()
        return Step.objects.filter(execution=_run(self.kwargs["execution_id"])).defer("screen").order_by("index")

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([_told(step_payload(step)) for step in page])


class StepView(RunsView):
    @extend_schema(responses={200: StepDetailSerializer, 404: ErrorSerializer})
    def get(self, request: Request, execution_id: str, index: int) -> Response:
        step = Step.objects.filter(execution=_run(execution_id), index=index).first()
        if step is None:
            raise NotFound(_("The run %(id)s has no step %(index)d.") % {"id": execution_id, "index": index})
        decisions = Decision.objects.filter(prompt__step=step).select_related("user", "prompt__step")
        answers = [decision_payload(decision) for decision in decisions.order_by("decided_at")]
        return Response(
            {**_told(step_payload(step)), "screen": in_words(step.screen), "agreed": step.agreed, "decisions": answers}
        )


class MarkView(RunsView):
    @extend_schema(
        request=MarkSerializer, responses={201: MarkedSerializer, 404: ErrorSerializer, 422: ErrorSerializer}
    )
    def post(self, request: Request, execution_id: str, index: int) -> Response:
        """Say of a finished step that it was right, wrong, or right in part; it counts for learning and for figures."""
        data = checked(MarkSerializer, request.data)
        step = Step.objects.filter(execution=_run(execution_id), index=index).first()
        if step is None:
            raise NotFound(_("The run %(id)s has no step %(index)d.") % {"id": execution_id, "index": index})
        kept = mark(step=step, user=request.user, origin=origin_of(request), **data)
        return Response(kept.as_json(), status=201)


class EventsView(RunsView):
    @extend_schema(parameters=[EventsQuerySerializer], responses=EVENTS)
    def get(self, request: Request, execution_id: str) -> Response:
        """The stream without a socket: the events that follow `after`, in order, at most `limit`.

        A socket sends the same events. `resource_changed` and `idle_unload` are of the GPU of the run's machine.
        """
        query = checked(EventsQuerySerializer, request.query_params)
        execution = _run(execution_id)
        events = ExecutionEvent.objects.filter(execution=execution, seq__gt=query["after"]).order_by("seq")
        messages = [_told(as_message(event)) for event in events[: query["limit"]]]
        return Response({"head": execution.next_seq - 1, "events": messages})


class PromptView(RunsView):
    @extend_schema(responses=PromptSerializer)
    def get(self, request: Request, execution_id: str) -> HttpResponseBase:
        """The question that the run asks now, or null."""
        prompt = Prompt.objects.open().filter(execution=_run(execution_id)).select_related("step").first()
        # Not a Response: it sends nothing at all for None.
        return JsonResponse(_told(prompt_payload(prompt)) if prompt else None, safe=False)


class DecideView(RunsView):
    @extend_schema(request=DecideSerializer, responses={200: DecisionSerializer, 409: ErrorSerializer})
    def post(self, request: Request, execution_id: str) -> Response:
        """Answer the run's question. One answer wins; 409 says who gave it and which."""
        return Response(_answer(execution_id, request, **checked(DecideSerializer, request.data)))


class HoldView(RunsView):
    @extend_schema(request=HoldSerializer, responses={200: PromptSerializer, 409: ErrorSerializer})
    def post(self, request: Request, execution_id: str) -> Response:
        """Let the question's time stand still while a correction is made; 409 says who is making one already."""
        data = checked(HoldSerializer, request.data)
        prompt = _question(execution := _run(execution_id), data["prompt_id"])
        if prompt is None:
            raise NothingToDecide(_("The run %(run)s asks nothing at the moment.") % {"run": execution.name_for_people})
        change = hold.hold if data["held"] else hold.let_go
        return Response(_told(prompt_payload(change(prompt_id=prompt.pk, user=request.user))))


class ConfirmView(RunsView):
    @extend_schema(request=ConfirmSerializer, responses={200: DecisionSerializer, 409: ErrorSerializer})
    def post(self, request: Request, execution_id: str) -> Response:
        """Approve or reject the action that waits for confirmation."""
        data = checked(ConfirmSerializer, request.data)
        choice = Choice.ACCEPT if data["approved"] else Choice.REJECT
        return Response(_answer(execution_id, request, choice=choice, prompt_id=data["prompt_id"]))


class ControlView(RunsView):
    @extend_schema(request=ControlSerializer, responses={200: ExecutionSerializer, 409: ErrorSerializer})
    def post(self, request: Request, execution_id: str) -> Response:
        """Pause, resume or stop the run before its next action; take control of its desktop, which `resume` of the same
        person gives back; resume it with a button of the dialog that it paused
        for, which is pressed if it is the same dialog still, once; give it another mode; let it analyse in full again;
        switch capture. Who asked, when and from where is kept."""
        data = checked(ControlSerializer, request.data)
        match data["verb"]:
            case "resume":
                more = {name: data[name] for name in ("node_id", "press", "picture")}
            case "set_continuous_capture":
                more = {"enabled": data["enabled"]}
            case "set_mode":
                more = {"mode": data["mode"], "reason": data["reason"]}
            case _:
                more = {}
        verb = getattr(control, data["verb"])
        execution = verb(execution_id=execution_id, user=request.user, origin=origin_of(request), **more)
        return Response(_described(execution))


class AtWorkView(RunsView):
    @extend_schema(
        parameters=[OpenApiParameter("desktop", str, description="Of this desktop; without it, the latest begun.")],
        responses=ProgressSerializer,
    )
    def get(self, request: Request) -> Response:
        """The progress of the run that is at work; `{"status": "idle"}` where nothing runs."""
        runs = with_rows().filter(state__in=ON_DESKTOP).order_by("-started_at", "-pk")
        if desktop := request.query_params.get("desktop"):
            runs = runs.filter(desktop=desktop)
        execution = runs.first()
        return Response(execution.progress() if execution else {"status": "idle"})


class PromptsView(RunsView):
    @extend_schema(responses=OpenPromptSerializer(many=True))
    def get(self, request: Request) -> Response:
        """All questions that wait for a person, the oldest first."""
        prompts = (
            Prompt.objects.open()
            .select_related("step", "execution__version__workflow")
            .defer("step__screen", "execution__version__graph")
            .order_by("created_at", "pk")
        )
        return Response([_open_prompt(prompt) for prompt in prompts[: Pages.max_limit]])


class RobotsView(RunsView):
    @extend_schema(responses=RobotSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Run loops and their desktops, the one that was heard of last first."""
        at_work = Prefetch("executions", Execution.objects.filter(state__in=ON_DESKTOP), to_attr="at_work")
        robots = Robot.objects.prefetch_related(at_work, "abilities")[: Pages.max_limit]
        return Response(RobotSerializer(robots, many=True).data)


class MaintenanceView(APIView):
    write_permission = OPERATE

    @extend_schema(request=MaintenanceSerializer, responses={200: RobotSerializer, 404: ErrorSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Have a robot take nothing new, or take runs again."""
        data, robot = checked(MaintenanceSerializer, request.data), _robot(name)
        set_maintenance(robot=robot, on=data["on"], user=request.user, origin=origin_of(request))
        return Response(RobotSerializer(_robot(name)).data)


class TagsView(APIView):
    write_permission = DESIGN

    @extend_schema(request=TagsSerializer, responses={200: RobotSerializer, 404: ErrorSerializer})
    def post(self, request: Request, name: str) -> Response:
        """The tags that people give a robot, in the place of those that they gave it before."""
        data, robot = checked(TagsSerializer, request.data), _robot(name)
        set_tags(robot=robot, tags=data["tags"], user=request.user, origin=origin_of(request))
        return Response(RobotSerializer(_robot(name)).data)


def _robot(name: str) -> Robot:
    at_work = Prefetch("executions", Execution.objects.filter(state__in=ON_DESKTOP), to_attr="at_work")
    robot = Robot.objects.prefetch_related(at_work, "abilities").filter(name=name).first()
    if robot is None:
        raise NotFound(_("There is no robot “%(name)s”.") % {"name": name})
    return robot


def origin_of(request: Request) -> Origin:
    """The pages work with the session of whoever logged in; programs bring what they log in with."""
    is_page = isinstance(request.successful_authenticator, SessionAuthentication)
    return Origin.PAGE if is_page else Origin.API


def _run(execution_id: str) -> Execution:
    """The run, without its graph."""
    execution = with_rows().filter(execution_id=execution_id).first()
    if execution is None:
        raise UnknownExecution(_("There is no run “%(id)s”.") % {"id": execution_id})
    return execution


def _described(execution: Execution) -> dict[str, Any]:
    """The run as it is now, whatever the object at hand still holds."""
    return ExecutionSerializer(_run(execution.execution_id)).data


def _told(payload: dict[str, Any]) -> dict[str, Any]:
    """What is sent of a run, its sentences in the reader's language and beside them their codes and values."""
    told: dict[str, Any] = in_words(payload, codes=True)
    return told


def _open_prompt(prompt: Prompt) -> dict[str, Any]:
    execution = prompt.execution
    names = {"workflow_id": execution.workflow_id, "workflow_name": execution.version.workflow.name}
    return {**_told(prompt_payload(prompt)), "execution_id": execution.execution_id, **names}


def _answer(execution_id: str, request: Request, *, prompt_id: int | None, **answer: Any) -> dict[str, Any]:
    execution = _run(execution_id)
    prompt = _question(execution, prompt_id)
    if prompt is None:
        raise NothingToDecide(_("The run %(run)s asks nothing at the moment.") % {"run": execution.name_for_people})
    if prompt.state == PromptState.WITHDRAWN:
        raise NothingToDecide(_("This question is no longer asked; look at the run again."))
    return decision_payload(decide(prompt_id=prompt.pk, user=request.user, origin=origin_of(request), **answer))


def _question(execution: Execution, prompt_id: int | None) -> Prompt | None:
    """The question that is meant: the numbered one, the open one, or one that was answered a moment ago."""
    prompts = Prompt.objects.filter(execution=execution)
    if prompt_id is not None:
        return prompts.filter(pk=prompt_id).first()
    just_now = timezone.now() - timedelta(seconds=SAME_QUESTION_S)
    return prompts.open().first() or prompts.filter(decision__decided_at__gte=just_now).first()
