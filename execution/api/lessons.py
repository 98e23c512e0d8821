"""The API of lessons: beginning and ending one, changing its draft. What is done on the desktop goes by socket."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from execution.actions.teach import close_lesson, lesson_by_id, open_lesson
from execution.api import lesson_serializers as shapes
from execution.api.serializers import ErrorSerializer
from execution.choices import LessonState
from execution.exceptions import LessonTaken
from execution.lesson import editing
from execution.lesson.changes import changes_told
from execution.lesson.known_dialogs import remember_of_run
from execution.lesson.resuming import save_and_resume
from execution.lesson.telling import draft_told
from execution.models import Execution, Lesson, Robot
from execution.permissions import OPERATE
from execution.record.waiting import is_waited_for
from execution.running.teach_line import tell
from sentences.request_body import checked
from sentences.said import worded
from workflows.actions.publish import publish
from workflows.models import Workflow
from workflows.permissions import DESIGN, PUBLISH
from workflows.serializers import PublishSerializer

REFUSED = {404: ErrorSerializer, 422: ErrorSerializer}
ANSWERS = {200: shapes.LessonSerializer, 409: ErrorSerializer, **REFUSED}


class LessonsView(APIView):
    write_permission = DESIGN

    @extend_schema(
        operation_id="lessons_begin",
        request=shapes.BeginSerializer,
        responses={201: shapes.BegunSerializer, 409: ErrorSerializer, **REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Teach a workflow, or a new one, on a robot's desktop. 409 says who teaches there since when."""
        asked = checked(shapes.BeginSerializer, request.data)
        robot = Robot.objects.alive().filter(name=asked["robot"]).first()
        if robot is None:
            raise editing.BadEdit(_("No robot of that name is alive."))
        if asked["workflow_id"]:
            workflow = Workflow.objects.by_id(asked["workflow_id"])
        elif asked["name"].strip():
            workflow = editing.new_workflow(asked["name"])
        else:
            raise editing.BadEdit(_("Give the new workflow a name, or choose one that is there."))
        try:
            lesson = open_lesson(workflow=workflow, robot=robot, user=request.user)
        except LessonTaken:
            if not asked["workflow_id"]:
                workflow.delete()
            raise
        url = reverse("teach", args=[lesson.lesson_id])
        return Response({"lesson": draft_told(lesson), "url": url}, status=201, headers={"Location": url})


class LessonView(APIView):
    read_permission = DESIGN

    @extend_schema(operation_id="lessons_retrieve", responses=ANSWERS)
    def get(self, request: Request, lesson_id: str) -> Response:
        """The draft: screens, steps, variables, what is left to mend."""
        return Response({"lesson": draft_told(lesson_by_id(lesson_id))})


class ChangesView(APIView):
    read_permission = DESIGN

    @extend_schema(operation_id="lessons_changes", responses={200: shapes.ChangesSerializer, 404: ErrorSerializer})
    def get(self, request: Request, lesson_id: str) -> Response:
        """What the draft changes of the newest version, in words."""
        return Response(changes_told(lesson_by_id(lesson_id)))


class EditView(APIView):
    """What every change of a draft asks for: the right, and to be the one who teaches it."""

    write_permission = DESIGN

    def lesson(self, request: Request, lesson_id: str) -> Lesson:
        """The lesson, if it is this person's and not over."""
        lesson = lesson_by_id(lesson_id)
        if lesson.teacher_id != request.user.pk:
            who = lesson.teacher.get_username() if lesson.teacher else _("somebody else")
            raise LessonTaken(_("This lesson is given by %(who)s.") % {"who": who}, lesson_id=lesson_id)
        if lesson.state == LessonState.DONE:
            raise LessonTaken(_("This lesson is over. Begin another one to go on."), lesson_id=lesson_id)
        return lesson


class EndView(EditView):
    @extend_schema(operation_id="lessons_end", request=shapes.NothingSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str) -> Response:
        """The lesson is over and its desktop free; the draft stays. Another designer may end one while a queued run
        waits for its desktop: that is recorded, and the teacher is told who it was."""
        lesson = lesson_by_id(lesson_id)
        checked(shapes.NothingSerializer, request.data)
        if not is_waited_for(lesson):
            lesson = self.lesson(request, lesson_id)
        close_lesson(lesson, by=request.user)
        return Response({"lesson": draft_told(lesson)})


class DraftWorkflowView(EditView):
    @extend_schema(operation_id="lessons_workflow", request=shapes.DraftWorkflowSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str) -> Response:
        """Name and description of the workflow."""
        lesson = self.lesson(request, lesson_id)
        editing.change_workflow(lesson, **checked(shapes.DraftWorkflowSerializer, request.data))
        return changed(lesson)


class DraftScreenView(EditView):
    @extend_schema(operation_id="lessons_screen", request=shapes.DraftScreenSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str, node_id: str) -> Response:
        """A screen's name, the texts it is known by, its areas, whether a run begins or ends there."""
        lesson = self.lesson(request, lesson_id)
        editing.change_screen(lesson, node_id, **checked(shapes.DraftScreenSerializer, request.data))
        return changed(lesson)


class DraftStepView(EditView):
    @extend_schema(operation_id="lessons_step", request=shapes.DraftStepSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str, index: int) -> Response:
        """A step's target and its signs, what must be seen after it, whose record it must be, what it types."""
        lesson = self.lesson(request, lesson_id)
        editing.change_step(lesson, index, **checked(shapes.DraftStepSerializer, request.data))
        return changed(lesson)


class RemoveStepView(EditView):
    @extend_schema(operation_id="lessons_remove_step", request=shapes.NothingSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str, index: int) -> Response:
        """Take a step out of the draft. What it did on the desktop stays done."""
        lesson = self.lesson(request, lesson_id)
        checked(shapes.NothingSerializer, request.data)
        editing.remove_step(lesson, index)
        return changed(lesson)


class DraftVariableView(EditView):
    @extend_schema(operation_id="lessons_variable", request=shapes.DraftVariableSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str, name: str) -> Response:
        """A variable, made where there is none of that name; a new name is put wherever the old one stands."""
        lesson = self.lesson(request, lesson_id)
        editing.change_variable(lesson, name, checked(shapes.DraftVariableSerializer, request.data))
        return changed(lesson)


class RemoveVariableView(EditView):
    @extend_schema(operation_id="lessons_remove_variable", request=shapes.NothingSerializer, responses=ANSWERS)
    def post(self, request: Request, lesson_id: str, name: str) -> Response:
        """Delete a variable that is used nowhere."""
        lesson = self.lesson(request, lesson_id)
        checked(shapes.NothingSerializer, request.data)
        editing.remove_variable(lesson, name)
        return changed(lesson)


class PublishView(EditView):
    write_permission = PUBLISH

    @extend_schema(
        operation_id="lessons_publish",
        request=PublishSerializer,
        responses={200: shapes.PublishedSerializer, **REFUSED},
    )
    def post(self, request: Request, lesson_id: str) -> Response:
        """Publish the draft as it is; the lesson is over then, and its desktop free. An unchanged draft gives the
        version that is there."""
        lesson = self.lesson(request, lesson_id)
        with transaction.atomic():
            version = publish(workflow=lesson.workflow, user=request.user, **checked(PublishSerializer, request.data))
            close_lesson(lesson)
        return Response({"lesson": draft_told(lesson), "version": {"number": version.number}})


class ResumeView(EditView):
    write_permission = PUBLISH

    @extend_schema(
        operation_id="lessons_resume",
        request=PublishSerializer,
        responses={200: shapes.ResumedSerializer, **REFUSED},
    )
    def post(self, request: Request, lesson_id: str) -> Response:
        """Publish the draft, and let the run that is mended go on with it; `why` says why it does not."""
        lesson = self.lesson(request, lesson_id)
        if not request.user.has_perm(OPERATE):
            raise PermissionDenied(OPERATE)
        if lesson.execution is None:
            raise editing.BadEdit(_("Nothing of a run is mended in this lesson."))
        saved = save_and_resume(lesson, user=request.user, **checked(PublishSerializer, request.data))
        told = {"number": saved.version.number}
        resumed = {"resumed": not saved.why, "why": worded(saved.why)}
        return Response({"lesson": draft_told(lesson_by_id(lesson_id)), "version": told, "run": resumed})


class RememberDialogView(APIView):
    write_permission = DESIGN

    @extend_schema(
        operation_id="executions_remember_dialog",
        request=shapes.RememberDialogSerializer,
        responses={200: shapes.RememberedSerializer, **REFUSED},
    )
    def post(self, request: Request, execution_id: str) -> Response:
        """Have later runs close the dialog that this run is paused for by that button. `version` is the one that says
        so; 0 where the draft has other changes and is to be published first."""
        run, asked = Execution.objects.by_id(execution_id), checked(shapes.RememberDialogSerializer, request.data)
        version = remember_of_run(run, asked["press"], user=request.user)
        return Response({"version": version.number if version else 0})


def changed(lesson: Lesson) -> Response:
    """The draft as it is now, from its rows; the robot that has the desktop hears that it is another."""
    if lesson.robot and lesson.is_open:
        tell(lesson, {"type": "draft_changed"})
    return Response({"lesson": draft_told(lesson_by_id(lesson.lesson_id))})
