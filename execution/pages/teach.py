"""The pages on which workflows are taught: the form that begins a lesson, and the lesson (S6.1)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from execution.actions.teach import lesson_by_id, open_lesson
from execution.choices import ON_DESKTOP
from execution.exceptions import LessonTaken
from execution.lesson.editing import new_workflow
from execution.lesson.telling import draft_told
from execution.models import Execution, Lesson, Robot
from execution.pages import teach_texts
from execution.pages.live import person
from sentences.said import worded
from workflows.models import Workflow
from workflows.permissions import DESIGN, PUBLISH, permitted

NEW = ""


class TeachForm(forms.Form):
    """A new workflow's name, or one that is there; and the desktop it is taught on."""

    name = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Name of the new workflow"),
        help_text=gettext_lazy("What is done, in a few words: “Open a record”."),
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off"}),
    )
    workflow = forms.ChoiceField(required=False, label=gettext_lazy("Or teach one that is there"))
    robot = forms.ChoiceField(label=gettext_lazy("Desktop"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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
        return data

    def begin(self, user: Any) -> Lesson | None:
        """The lesson; None, with the reason in the form, where somebody else teaches there."""
        chosen = self.cleaned_data["workflow"]
        robot = Robot.objects.get(name=self.cleaned_data["robot"])
        workflow = Workflow.objects.by_id(chosen) if chosen else new_workflow(self.cleaned_data["name"])
        try:
            return open_lesson(workflow=workflow, robot=robot, user=user)
        except LessonTaken as taken:
            if not chosen:
                workflow.delete()
            self.add_error(None, worded(taken))
            return None


def robots_told() -> list[tuple[str, str]]:
    """The desktops that can be taught on, free ones first: (name of the robot, in words)."""
    alive = list(Robot.objects.alive().order_by("name"))
    runs = set(Execution.objects.filter(state__in=ON_DESKTOP).values_list("desktop", flat=True))
    taught = set(Lesson.objects.open().values_list("robot_id", flat=True))

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
    form = TeachForm(request.POST or None, initial={"workflow": request.GET.get("workflow", "")})
    if request.method == "POST" and form.is_valid():
        lesson = form.begin(request.user)
        if lesson is not None:
            return redirect("teach", lesson.lesson_id)
    status = 422 if form.errors else 200
    return render(request, "execution/teach_new.html", {"nav": "workflows", "form": form}, status=status)


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
            "words": teach_texts.teach(),
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
        "start": f"{reverse('run_start')}?workflow={workflow_id}&mode=coaching",
        "robots": reverse("robots"),
    }
