"""What is said to be secret after it was kept: it goes out of the draft, of what was taught and of pictures (S10.4).

Rows are walked by their columns, so that a new column cannot be forgotten: whatever holds words is concealed, but for
the codes that are named here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from django.db import models, transaction
from django.db.models import Exists, OuterRef

from execution.lesson.as_it_was import without_pictures
from execution.lesson.renaming_ids import ids_without, put_ids
from execution.models import Lesson, LessonStep
from execution.record.pruning import DIGEST, drop_made_of, still_shown
from execution.signals import pictures_let_go
from workflows.exceptions import PictureAway
from workflows.models import Picture, Workflow, WorkflowVersion
from workflows.pictures import PictureStore
from workflows.text import VARIABLE

# Of the columns that hold text, those in which nobody's words stand: names that programs know, and pictures.
CODES = frozenset({
    "workflow.workflow_id", "workflow.window_info_provider", "node.node_id", "target.target_id", "target.role",
    "edge.edge_id", "edge.action_type", "variable.name", "correction.execution_id", "correction.node_id",
    "correction.edge_id", "correction.correction_type", "correction.corrected_action", "lesson.lesson_id",
    "lessonstep.act", "lessonstep.picture_before", "lessonstep.picture_after",
})  # fmt: skip
FROZEN = (WorkflowVersion,)  # what was published was seen before, and is never changed
_TEXTS = (models.CharField, models.TextField, models.JSONField)


def conceal(lesson: Lesson, text: str, name: str) -> None:
    """{{name}} stands in the place of `text` in the draft and in all its lessons; pictures that may show it go.

    Which pictures show it nobody can tell, so the draft loses those of every step from the one that typed it on; a
    screen, or a target, that was known by one of them is known by its other signs. Files of which something else is
    made, a run or a lesson on its pictures, stay. Call inside a transaction. Raises PictureAway.
    """
    plain = text.strip()
    if not plain:
        return
    PictureStore().answer()  # where pictures cannot be deleted now, nothing is changed
    put = "{{" + name + "}}"
    digests: set[str] = set()
    for one in lessons_of(lesson):
        one.values = {key: value for key, value in one.values.items() if value != text and key != name}
        one.save(update_fields=["values"])
        digests |= _conceal_steps(one, plain, put)
        _conceal_row(one, plain, put)
    for row in draft_rows(lesson.workflow):
        _conceal_row(row, plain, put)
    if ids := ids_without(lesson.workflow, plain):
        for one in lessons_of(lesson):
            for kept in (one, *one.steps.all(), *(draft_rows(one.workflow) if one == lesson else ())):
                put_ids(kept, ids)
    _forget(lesson.workflow, digests)


def words_of(model: type[models.Model]) -> list[str]:
    """The columns in which people's words may stand."""
    columns = [field for field in model._meta.concrete_fields if isinstance(field, _TEXTS) and not field.choices]
    return [field.name for field in columns if f"{model._meta.model_name}.{field.name}" not in CODES]


def draft_rows(workflow: Workflow) -> Iterator[models.Model]:
    """The workflow and whatever belongs to it, but what is frozen."""
    workflow.refresh_from_db()
    yield workflow
    for relation in Workflow._meta.related_objects:
        model = relation.related_model
        if isinstance(model, type) and model._meta.app_label == "workflows" and model not in FROZEN:
            yield from model._default_manager.filter(**{relation.field.name: workflow})


def lessons_of(lesson: Lesson) -> Iterator[Lesson]:
    """All lessons of its draft: an earlier one may have typed it."""
    lesson.refresh_from_db(fields=words_of(Lesson))
    yield lesson
    yield from lesson.workflow.lessons.exclude(pk=lesson.pk)


def _conceal_steps(lesson: Lesson, text: str, put: str) -> set[str]:
    """The rows of its steps; gives the pictures that may show it."""
    steps = list(lesson.steps.order_by("index"))
    first = next((step.index for step in steps if _types(step, text)), None)
    digests: set[str] = set()
    for step in steps:
        if first is not None and step.index >= first:
            digests |= {step.picture_after, step.picture_before if step.index > first else ""}
    digests -= {""}
    for step in steps:
        _conceal_row(step, text, put)
        shown = [name for name in ("picture_before", "picture_after") if getattr(step, name) in digests]
        for name in shown:
            setattr(step, name, "")
        if step.was:
            step.made = {**step.made, "was": without_pictures(step.was, digests)}
        step.save(update_fields=[*shown, "made"])
    return digests


def _types(step: LessonStep, text: str) -> bool:
    return _holds(step.params, text) or (step.edge is not None and _holds(step.edge.params, text))


def _conceal_row(row: models.Model, text: str, put: str) -> None:
    changed = []
    for name in words_of(type(row)):
        was = getattr(row, name)
        now = without(was, text, put)
        if now != was:
            longest = getattr(row._meta.get_field(name), "max_length", None)
            setattr(row, name, now[:longest] if isinstance(now, str) else now)
            changed.append(name)
    if changed:
        row.save(update_fields=changed)


def _forget(workflow: Workflow, digests: set[str]) -> None:
    """The draft's pictures among `digests`; and the files of those that nothing shows any more, once that is so."""
    rows = Picture.objects.filter(digest__in=digests)
    workflow.nodes.filter(reference__in=rows).update(reference=None)
    for node in workflow.nodes.filter(looks__in=rows).distinct():
        node.looks.remove(*rows)
    for target in workflow.targets.filter(context__in=rows) | workflow.targets.filter(picture__in=rows):
        target.context = target.picture = None
        target.save(update_fields=["context", "picture"])
    drop_made_of(digests)
    _unused(rows).delete()
    pictures_let_go.send(sender=Lesson, digests=digests)
    transaction.on_commit(lambda: _drop_files(digests))


def _unused(rows: models.QuerySet[Picture]) -> models.QuerySet[Picture]:
    """Those of the pictures that no row of any workflow refers to."""
    for relation in Picture._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and isinstance(relation.related_model, type):
            pointing = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
            rows = rows.exclude(Exists(pointing))
    return rows


def _drop_files(digests: set[str]) -> None:
    store, left = PictureStore(), list[PictureAway]()
    for digest in digests - still_shown(digests):
        try:
            store.drop(digest, untouched_since=math.inf)
        except PictureAway as error:  # the others go all the same
            left.append(error)
    if left:
        raise left[0]


def _holds(value: Any, text: str) -> bool:
    return bool(without(value, text, "") != value)


def without(value: Any, text: str, put: str) -> Any:
    """The value with `put` in the place of every text in it that holds the secret.

    What is a {{variable}} stays, and so does what names a picture: of its signs none was typed.
    """
    if isinstance(value, str):
        is_name = VARIABLE.fullmatch(value.strip()) or DIGEST.fullmatch(value)
        return value if is_name else value.replace(text, put)
    if isinstance(value, dict):
        return {key: without(inner, text, put) for key, inner in value.items()}
    return [without(inner, text, put) for inner in value] if isinstance(value, list) else value
