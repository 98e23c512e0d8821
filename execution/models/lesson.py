from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Max, Q
from django.utils import timezone

from execution.choices import HOLDS_DESKTOP, LessonKind, LessonState, LessonStepState
from execution.models.robot import Robot

_KEPT = (LessonStepState.DONE, LessonStepState.DOUBT)
MEND = "mend"  # the act of a step that changed the draft and did nothing (S6.14)


def new_lesson_id() -> str:
    return f"ls_{secrets.token_hex(6)}"


class LessonQuerySet(models.QuerySet["Lesson"]):
    def open(self) -> LessonQuerySet:
        """Those that hold a workflow and a desktop, or wait for it."""
        return self.filter(state__in=HOLDS_DESKTOP)

    def for_robot(self, robot: Robot) -> LessonQuerySet:
        """What a robot is to be taught on its desktop: one that its run loop left in the middle as well."""
        return self.open().filter(robot=robot, kind=LessonKind.DESKTOP).order_by("created_at", "pk")

    def on_pictures(self) -> LessonQuerySet:
        """Those that need a robot's eyes, and no desktop."""
        return self.open().exclude(kind=LessonKind.DESKTOP).order_by("created_at", "pk")


class Lesson(models.Model):
    """One sitting of one teacher with one workflow, on one robot's desktop or with pictures.

    What is taught is in the workflow's own rows; this says who does it, and where they stand.
    """

    lesson_id = models.CharField(max_length=60, unique=True, default=new_lesson_id)
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="lessons")
    robot = models.ForeignKey(Robot, null=True, blank=True, on_delete=models.SET_NULL, related_name="lessons")
    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="lessons")
    state = models.CharField(max_length=20, choices=LessonState, default=LessonState.WAITING)
    kind = models.CharField(max_length=20, choices=LessonKind, default=LessonKind.DESKTOP)
    cursor = models.ForeignKey("workflows.Node", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    values = models.JSONField(default=dict, blank=True)  # of the variables, as they are here; never secret ones
    told_apart = models.JSONField(default=dict, blank=True)  # by node id, how nearly another screen is taken for it
    problem = models.TextField(blank=True)  # why its desktop was given back, for the page
    # Without a desktop: what is shown instead, in order (`lesson.slides`), and which of them now.
    pictures = models.JSONField(default=list, blank=True)
    showing = models.PositiveIntegerField(default=0)
    execution = models.ForeignKey(  # the run whose pictures they are, and the step that is mended
        "execution.Execution", null=True, blank=True, on_delete=models.SET_NULL, related_name="lessons"
    )
    step_index = models.PositiveIntegerField(null=True, blank=True)
    presence_at = models.DateTimeField(default=timezone.now)  # when a browser of the teacher was last there
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = LessonQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=("workflow",), condition=Q(state__in=HOLDS_DESKTOP), name="lesson_one_for_a_workflow"
            ),
            models.UniqueConstraint(
                fields=("robot",),
                condition=Q(state__in=HOLDS_DESKTOP, kind=LessonKind.DESKTOP),
                name="lesson_one_for_a_robot",
            ),
            models.CheckConstraint(condition=Q(state__in=LessonState.values), name="lesson_state_known"),
            models.CheckConstraint(condition=Q(kind__in=LessonKind.values), name="lesson_kind_known"),
        ]

    def __str__(self) -> str:
        return self.lesson_id

    @property
    def is_open(self) -> bool:
        return self.state in HOLDS_DESKTOP

    @property
    def has_desktop(self) -> bool:
        return self.kind == LessonKind.DESKTOP

    def next_index(self) -> int:
        """Of the step that is made next, from 1."""
        return (self.steps.aggregate(last=Max("index"))["last"] or 0) + 1


class LessonStepQuerySet(models.QuerySet["LessonStep"]):
    def kept(self) -> LessonStepQuerySet:
        """Those that this lesson made of the draft, in order."""
        return self.filter(state__in=_KEPT).order_by("index")

    def of_draft(self) -> LessonStepQuerySet:
        """Those that the draft is made of, with what it had before the lesson."""
        return self.filter(state__in=(*_KEPT, LessonStepState.EARLIER)).order_by("index")

    def open(self) -> LessonStepQuerySet:
        """Those whose intent was committed, and nothing of what came of it."""
        return self.filter(state=LessonStepState.DOING)


class LessonStep(models.Model):
    """What one act of a teacher was, with its intent committed before it; and which rows of the draft it made."""

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    act = models.CharField(max_length=50)
    params = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=20, choices=LessonStepState)
    edge = models.ForeignKey("workflows.Edge", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    node = models.ForeignKey("workflows.Node", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    made = models.JSONField(default=dict, blank=True)  # keys of the rows that it made, and what it changed of others
    picture_before = models.CharField(max_length=64, blank=True)
    picture_after = models.CharField(max_length=64, blank=True)
    screen = models.JSONField(default=dict, blank=True)  # where it was: the box, its signs, its trial on every picture
    question = models.JSONField(default=dict, blank=True)
    answered = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)
    took_ms = models.FloatField(default=0)  # from when it was heard to when it was done on the desktop

    objects = LessonStepQuerySet.as_manager()

    class Meta:
        ordering = ("lesson", "index")
        constraints = [
            models.UniqueConstraint(fields=("lesson", "index"), name="lesson_step_index_unique"),
            models.UniqueConstraint(
                fields=("lesson",), condition=Q(state=LessonStepState.DOING), name="lesson_step_one_open_intent"
            ),
            models.CheckConstraint(condition=Q(state__in=LessonStepState.values), name="lesson_step_state_known"),
        ]

    def __str__(self) -> str:
        return f"{self.lesson} #{self.index}"

    @property
    def is_kept(self) -> bool:
        """Whether it is one that this lesson made of the draft: of `kept`."""
        return self.state in _KEPT

    def note(self, *, drop: str = "", **told: Any) -> None:
        """Keep that of its screen, and `drop` one thing of it; what others keep of it at the same moment stays."""
        with transaction.atomic():
            kept = LessonStep.objects.select_for_update().values_list("screen", flat=True).get(pk=self.pk)
            self.screen = {**{key: value for key, value in kept.items() if key != drop}, **told}
            self.save(update_fields=["screen"])

    def brings(self, variables: Mapping[str, Sequence[Any]]) -> None:
        """They were made for this step, and go with it where nothing else uses them; each with the edges in which it
        stands in the place of a text. Not saved."""
        if variables:
            self.made = {**self.made, "variables": {**self.made.get("variables", {}), **variables}}

    def drops(self, gone: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """What its repetition dropped of the draft: by row and column as it was first, and as it became last."""
        kept: dict[str, Any] = self.made.get("dropped", {})
        for row, columns in gone.items():
            of_row = kept.get(row, {})
            merged = {name: [of_row.get(name, was)[0], was[1]] for name, was in columns.items()}
            kept = {**kept, row: {**of_row, **merged}}
        self.made = {**self.made, "dropped": kept}
        self.save(update_fields=["made"])

    def drops_no_more(self) -> None:
        self.made = {key: value for key, value in self.made.items() if key != "dropped"}
        self.save(update_fields=["made"])

    @property
    def was(self) -> dict[str, Any]:
        """What of the draft it changed, as it was before."""
        return dict(self.made.get("was") or {})
