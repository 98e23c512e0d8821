"""The pages on which workflows are taught: what begins a lesson, also on a step of a run; the lesson (S6.1, S6.14)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from execution.actions.teach import lesson_by_id, open_lesson, open_picture_lesson
from execution.choices import ON_DESKTOP, EventKind, LessonKind
from execution.exceptions import ExecutionError, LessonTaken, NoPictures
from execution.lesson.begin_mending import begin_mending
from execution.lesson.calling import callable_from
from execution.lesson.editing import new_workflow
from execution.lesson.known_acts import slides_of_control
from execution.lesson.of_runs import slides_of_run
from execution.lesson.own_pictures import slides_of_draft
from execution.lesson.slides import Slide
from execution.lesson.telling import draft_told
from execution.models import Execution, Lesson, Robot
from execution.pages.live import person
from execution.permissions import VIEW
from sentences.said import in_words, worded
from workflows.choices import VariableKind
from workflows.models import Workflow
from workflows.permissions import DESIGN, PUBLISH, permitted
from workflows.pictures import PictureStore
from workflows.vault import known_names

NEW = ""
CONTROL = "control"  # taught from what a person did in a run
OWN = "own"  # what is there already is changed, on its own pictures


class TeachForm(forms.Form):
    """A new workflow's name, or one that is there; and what it is taught from: a desktop, its own pictures, a run."""

    name = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Name of the new workflow"),
        help_text=gettext_lazy("What is done, in a few words: “Open a record”."),
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off"}),
    )
    workflow = forms.ChoiceField(required=False, label=gettext_lazy("Or teach one that is there"))
    source = forms.ChoiceField(required=False, label=gettext_lazy("Taught from"))
    robot = forms.ChoiceField(required=False, label=gettext_lazy("Desktop"))

    def __init__(self, *args: Any, run: Execution | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run = run
        of_run = [(LessonKind.RUN.value, run.name_for_people)] if run else []
        if run and run.events.filter(kind=EventKind.CONTROL).exists():
            of_run.append((CONTROL, _("what a person did in it by hand")))
        sources = [(LessonKind.DESKTOP.value, _("a desktop")), (OWN, _("the workflow’s own pictures"))]
        self._offer("source", [*of_run, *sources])
        known = Workflow.objects.values_list("workflow_id", "name")
        self._offer("workflow", [(NEW, _("A new workflow")), *known])
        robots = robots_told()
        self._offer("robot", robots)
        self.has_workflows, self.has_robots = bool(known), bool(robots)

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        field.widget.attrs["class"] = "input"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("workflow") and not (data.get("name") or "").strip():
            self.add_error("name", _("Give the new workflow a name, or choose one that is there."))
        source = data["source"] = data.get("source") or (LessonKind.RUN if self.run else LessonKind.DESKTOP)
        if source == OWN and not data.get("workflow") and "name" not in self.errors:
            self.add_error("source", _("A new workflow has no pictures of its own. Choose one that is there."))
        if source == LessonKind.DESKTOP and not data.get("robot") and "robot" not in self.errors:
            self.add_error("robot", _("Choose the desktop that is taught on."))
        return data

    def begin(self, user: Any) -> Lesson | None:
        """The lesson; None, with the reason in the form, where somebody else teaches there."""
        chosen = self.cleaned_data["workflow"]
        try:
            known = Workflow.objects.by_id(chosen) if chosen else None
            slides = self._slides(known)
        except NoPictures as refused:
            self.add_error(None, worded(refused))
            return None
        workflow = known or new_workflow(self.cleaned_data["name"])
        try:
            return self._open(workflow, user, slides)
        except LessonTaken as taken:
            if not chosen:
                workflow.delete()
            self.add_error(None, worded(taken))
            return None

    def _slides(self, workflow: Workflow | None) -> list[Slide]:
        """What is shown in the place of a desktop; raises NoPictures."""
        source, store = self.cleaned_data["source"], PictureStore()
        if source == OWN and workflow is not None:
            if not (slides := slides_of_draft(workflow, store)):
                raise NoPictures(_("No pictures of this workflow are kept. Teach it on a desktop."))
            return slides
        if source == LessonKind.DESKTOP or self.run is None:
            return []
        slides = slides_of_control(self.run, store) if source == CONTROL else slides_of_run(self.run, store)
        if not slides:
            raise NoPictures(_("No pictures of this run are kept, so nothing can be taught from it."))
        return slides

    def _open(self, workflow: Workflow, user: Any, slides: list[Slide]) -> Lesson:
        source = self.cleaned_data["source"]
        if source == LessonKind.DESKTOP:
            robot = Robot.objects.get(name=self.cleaned_data["robot"])
            return open_lesson(workflow=workflow, robot=robot, user=user)
        return open_picture_lesson(
            workflow=workflow,
            user=user,
            pictures=[slide.to_json() for slide in slides],
            kind=LessonKind.PICTURES if source == OWN else LessonKind.RUN,
            execution=None if source == OWN else self.run,
        )


def robots_told() -> list[tuple[str, str]]:
    """The desktops that can be taught on, free ones first: (name of the robot, in words)."""
    alive = list(Robot.objects.at_work().order_by("name"))
    runs = set(Execution.objects.filter(state__in=ON_DESKTOP).values_list("desktop", flat=True))
    on_desktop = Lesson.objects.open().filter(kind=LessonKind.DESKTOP)
    taught = set(on_desktop.values_list("robot_id", flat=True))

    def told(robot: Robot) -> str:
        if robot.desktop in runs:
            return _("%(name)s (a run is on it; the lesson waits for its end)") % {"name": robot.name}
        return _("%(name)s (somebody teaches there)") % {"name": robot.name} if robot.pk in taught else robot.name

    alive.sort(key=lambda robot: (robot.desktop in runs) + (robot.pk in taught))
    return [(robot.name, told(robot)) for robot in alive]


@permitted(DESIGN)
@require_http_methods(["GET", "HEAD", "POST"])
def teach_new(request: HttpRequest) -> HttpResponse:
    """Choose what is taught, and where."""
    asked = request.GET.get("run", "")
    run = Execution.objects.by_id(asked) if asked and request.user.has_perm(VIEW) else None
    initial = {
        "workflow": run.workflow_id if run else request.GET.get("workflow", ""),
        "source": request.GET.get("source", ""),
    }
    form = TeachForm(request.POST or None, run=run, initial=initial)
    if request.method == "POST" and form.is_valid():
        lesson = form.begin(request.user)
        if lesson is not None:
            return redirect("teach", lesson.lesson_id)
    status = 422 if form.errors else 200
    return render(request, "execution/teach_new.html", {"nav": "workflows", "form": form}, status=status)


@permitted(VIEW)
@permitted(DESIGN)
@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: HttpRequest, execution_id: str, index: int) -> HttpResponse:
    """Begin a lesson on the step; with GET, say which it is."""
    execution = Execution.objects.by_id(execution_id)
    problem, status = "", 200
    if request.method == "POST":
        try:
            return redirect("teach", begin_mending(execution, index, user=request.user).lesson_id)
        except ExecutionError as error:
            problem, status = worded(error), error.status_code
    step = execution.steps.filter(index=index).first()
    context = {
        "nav": "workflows",
        "execution": execution,
        "step": step,
        "why": in_words(execution.pause_detail.get("message") or "") or (worded(step.message) if step else ""),
        "problem": problem,
    }
    return render(request, "execution/teach_mend.html", context, status=status)


@permitted(DESIGN)
@require_safe
def teach(request: HttpRequest, lesson_id: str) -> HttpResponse:
    """One lesson: the desktop, what was taught, what was understood."""
    lesson = lesson_by_id(lesson_id)
    context = {
        "nav": "workflows",
        "lesson": lesson,
        "page_data": {
            "draft": draft_told(lesson),
            "at": addresses(lesson),
            "me": {**person(request), "may_publish": request.user.has_perm(PUBLISH)},
            "words": {"kind": {kind.value: str(kind.label) for kind in VariableKind}},
            "credentials": known_names(),
            "callable": callable_from(lesson),
        },
    }
    return render(request, "execution/teach.html", context)


def addresses(lesson: Lesson) -> dict[str, str]:
    workflow_id = lesson.workflow.workflow_id
    return {
        "socket": f"/ws/teach/{lesson.lesson_id}/",
        "api": f"/api/lessons/{lesson.lesson_id}/",
        "picture": reverse("picture", args=["0" * 64]),
        "workflow": reverse("workflow", args=[workflow_id]),
        "teach": f"{reverse('teach_new')}?workflow={workflow_id}",
        "start": f"{reverse('run_start')}?workflow={workflow_id}",
        "robots": reverse("robots"),
    }
