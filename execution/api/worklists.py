"""The API of lists (S12): make one, add rows in batches, start it, see how far it is, and what came of each row."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.urls import reverse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from execution.api.serializers import ErrorSerializer, EventsQuerySerializer
from execution.api.views import RunsView, origin_of
from execution.api.worklist_serializers import (
    AddedSerializer,
    ChangedSerializer,
    ChangeRowsSerializer,
    ItemDetailSerializer,
    ItemSerializer,
    ListControlSerializer,
    ListEventsSerializer,
    NewListSerializer,
    NewRowsSerializer,
    WorklistSerializer,
)
from execution.models import WorkItem, Worklist, WorklistEvent
from execution.models.worklist import ItemState, WorklistState
from execution.pages.worklist_files import results_file
from execution.worklists.actions.lists import append, create_list, extend_window, item_of, pause_list, start_list
from execution.worklists.actions.rows import VERBS
from execution.worklists.adding import NewRow
from execution.worklists.progress import progress_of_each
from execution.worklists.results import KINDS
from sentences.request_body import checked
from sentences.said import in_words

REFUSALS = {404: ErrorSerializer, 409: ErrorSerializer, 422: ErrorSerializer}
TWO_ROWS = OpenApiExample(
    "Two rows",
    value={
        "rows": [
            {"reference": "S-448316", "data": {"Patient": "MOREAU Camille", "Ward": "Cardiology"}},
            {"reference": "S-448342", "data": {"Patient": "GIRAUD Hélène", "Ward": "Medicine B"}, "priority": 1},
        ]
    },
    request_only=True,
)


class ListFilters(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=WorklistState.choices)
    workflow_id = filters.CharFilter(field_name="workflow__workflow_id")

    class Meta:
        model = Worklist
        fields = ("state", "workflow_id")


class ListsView(RunsView, ListAPIView):
    serializer_class = WorklistSerializer
    filterset_class = ListFilters

    def get_queryset(self) -> QuerySet[Worklist]:
        return Worklist.objects.select_related("workflow", "version")

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        if args:  # the lists of a page, all of them counted at once
            kwargs["context"] = {**self.get_serializer_context(), "progress": progress_of_each(args[0])}
        return self.get_serializer_class()(*args, **kwargs)

    @extend_schema(request=NewListSerializer, responses={201: WorklistSerializer, **REFUSALS})
    def post(self, request: Request) -> Response:
        """Make an empty list."""
        asked = checked(NewListSerializer, request.data)
        asked["version_number"], asked["reset_id"] = asked.pop("version"), asked.pop("reset")
        worklist = create_list(user=request.user, origin=origin_of(request), **asked)
        place = reverse("api_list", args=[worklist.worklist_id])
        return Response(WorklistSerializer(worklist).data, status=201, headers={"Location": place})


class ListView(RunsView):
    @extend_schema(responses={200: WorklistSerializer, 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str) -> Response:
        return Response(WorklistSerializer(Worklist.objects.by_id(worklist_id)).data)


class ListControlView(RunsView):
    @extend_schema(request=ListControlSerializer, responses={200: WorklistSerializer, **REFUSALS})
    def post(self, request: Request, worklist_id: str) -> Response:
        """Start the list, for the first time or again; or pause it: rows at work are finished, none begins.

        `extend` lets rows begin for longer, this once."""
        data = checked(ListControlSerializer, request.data)
        who: dict[str, Any] = {"worklist_id": worklist_id, "user": request.user, "origin": origin_of(request)}
        if data["verb"] == "start":
            start_list(reason=data["reason"], closes_at=data["closes_at"], **who)
        elif data["verb"] == "extend":
            extend_window(until=data["closes_at"], **who)
        else:
            pause_list(**who)
        return Response(WorklistSerializer(Worklist.objects.by_id(worklist_id)).data)


class RowFilters(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=ItemState.choices)
    reference = filters.CharFilter()

    class Meta:
        model = WorkItem
        fields = ("state", "reference")


class RowsView(RunsView, ListAPIView):
    serializer_class = ItemSerializer
    filterset_class = RowFilters

    def get_queryset(self) -> QuerySet[WorkItem]:
        if getattr(self, "swagger_fake_view", False):
            return WorkItem.objects.none()
        worklist = Worklist.objects.by_id(self.kwargs["worklist_id"])
        return worklist.items.select_related("execution").order_by("number")

    @extend_schema(
        request=NewRowsSerializer, responses={200: AddedSerializer, 201: AddedSerializer, **REFUSALS},
        examples=[TWO_ROWS],
    )  # fmt: skip
    def post(self, request: Request, worklist_id: str) -> Response:
        """Add rows. A reference that the list has is not added again, so the same call may be sent again."""
        data = checked(NewRowsSerializer, request.data)
        rows = [NewRow(**row) for row in data["rows"]]
        who: dict[str, Any] = {"user": request.user, "origin": origin_of(request)}
        added = append(worklist_id=worklist_id, rows=rows, atomic=data["atomic"], **who)
        told = {"added": added.numbers, "known": added.known, "refused": added.refused}
        return Response(told, status=201 if added.numbers else 200)


class ListResultsView(RunsView):
    @extend_schema(
        responses={(200, kind.partition(";")[0]): OpenApiTypes.BINARY for kind in KINDS.values()}
        | {404: ErrorSerializer}
    )
    def get(self, request: Request, worklist_id: str, kind: str) -> HttpResponseBase:
        """What came of each row, as a file: `csv` or `xlsx`. It is streamed; no cell of it is a formula."""
        worklist = Worklist.objects.by_id(worklist_id)
        if kind not in KINDS:
            raise NotFound
        who: dict[str, Any] = {"user": request.user, "origin": origin_of(request)}
        answer: HttpResponseBase = results_file(request._request, worklist, kind, **who)
        return answer


class RowView(RunsView):
    @extend_schema(responses={200: ItemDetailSerializer, 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str, number: int) -> Response:
        """The row with all its runs."""
        return Response(ItemDetailSerializer(item_of(worklist_id, number)).data)


class ChangeRowsView(RunsView):
    @extend_schema(request=ChangeRowsSerializer, responses={200: ChangedSerializer, **REFUSALS})
    def post(self, request: Request, worklist_id: str) -> Response:
        """Do rows again, skip them for a reason, set them aside, put them first, or cancel new ones."""
        data = checked(ChangeRowsSerializer, request.data)
        taken = {"skip": ("reason",), "set_aside": ("reason",), "again": ("not_saved",)}.get(data["verb"], ())
        who: dict[str, Any] = {"user": request.user, "origin": origin_of(request)}
        asked = {name: data[name] for name in taken}
        moved = VERBS[data["verb"]](worklist_id=worklist_id, numbers=data["numbers"], **asked, **who)
        return Response({"numbers": moved.numbers, "left": moved.left, "saved": moved.saved})


class ListEventsView(RunsView):
    @extend_schema(parameters=[EventsQuerySerializer], responses={200: ListEventsSerializer, 404: ErrorSerializer})
    def get(self, request: Request, worklist_id: str) -> Response:
        """What happened in the list after the event `after`, in order, at most `limit`."""
        query, worklist = checked(EventsQuerySerializer, request.query_params), Worklist.objects.by_id(worklist_id)
        events = WorklistEvent.objects.filter(worklist=worklist, seq__gt=query["after"]).order_by("seq")
        told = [
            {"seq": event.seq, "kind": event.kind, "at": event.at, "payload": in_words(event.payload)}
            for event in events[: query["limit"]]
        ]
        return Response({"head": worklist.next_seq - 1, "events": told})
