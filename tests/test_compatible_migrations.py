"""While an installation is upgraded, run loops of the release before work on the new schema (S9.4).

So nothing that it reads may go, and what it does not know must have a value that the database gives by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Q

from tools.previous_release import previous

Model = type[models.Model]


def state_of(last: dict[str, str] | None = None) -> ProjectState:
    loader = MigrationLoader(None)
    return loader.project_state(list(last.items()) if last else None)


def tables(state: ProjectState, labels: set[str]) -> dict[str, Model]:
    found = state.apps.get_models(include_auto_created=True)
    return {model._meta.db_table: model for model in found if model._meta.app_label in labels}


def broken(before: ProjectState, after: ProjectState, labels: set[str]) -> Iterator[str]:
    """What code that knows `before` trips over in `after`."""
    now = tables(after, labels)
    for table, was in tables(before, labels).items():
        if table not in now:
            yield f"{table} is gone"
        else:
            yield from (f"{table}{what}" for what in _of_columns(was, now[table]))
            yield from (f"{table}{what}" for what in _of_constraints(was, now[table]))


def columns(model: Model) -> dict[str, Any]:
    return {field.column: field for field in model._meta.local_concrete_fields}


def _of_columns(was: Model, now: Model) -> Iterator[str]:
    old, new = columns(was), columns(now)
    for name, field in old.items():
        if name not in new:
            yield f".{name} is gone"
        elif new[name].get_internal_type() != field.get_internal_type():
            yield f".{name} is of another type"
        elif (new[name].max_length or 0) < (field.max_length or 0):
            yield f".{name} is shorter"
        elif field.null and not new[name].null:
            yield f".{name} must have a value"
        elif new[name].unique and not field.unique:
            yield f".{name} must be unique"
    for name in new.keys() - old.keys():
        if not new[name].null and new[name].db_default is NOT_PROVIDED:
            yield f".{name} is new, and the database has no value for it (db_default)"


def _of_constraints(was: Model, now: Model) -> Iterator[str]:
    """Those that are new and speak of what is old; what the old code does not know it leaves as the database has it."""
    known, old = {one.name for one in was._meta.constraints}, columns(was).keys() | {f.name for f in was._meta.fields}
    for one in now._meta.constraints:
        condition = getattr(one, "condition", None) or Q()
        if one.name not in known and {*condition.referenced_base_fields, *getattr(one, "fields", ())} & old:
            yield f": {one.name} is new, and of what is old"
    for together in now._meta.unique_together:
        if together not in was._meta.unique_together and {*together} & old:
            yield f": {', '.join(together)} must be unique together"


def test_the_release_before_works_on_the_schema_of_this_one() -> None:
    """S9.4: run loops finish what they have under their own code, after `manage.py migrate`."""
    _commit, last = previous()
    assert list(broken(state_of(last), state_of(), {*last})) == []


@pytest.mark.parametrize(
    ("operation", "found"),
    [
        (migrations.RemoveField("robot", "warnings"), "execution_robot.warnings is gone"),
        (migrations.DeleteModel("Ability"), "execution_ability is gone"),
        (
            migrations.AddField("robot", "floor", models.CharField(max_length=9, default="")),
            "execution_robot.floor is new, and the database has no value for it (db_default)",
        ),
        (
            migrations.AlterField("robot", "stopped_at", models.DateTimeField(db_default="2026-01-01")),
            "execution_robot.stopped_at must have a value",
        ),
        (migrations.AlterField("robot", "pid", models.TextField()), "execution_robot.pid is of another type"),
        (migrations.AlterField("robot", "host", models.CharField(max_length=3)), "execution_robot.host is shorter"),
        (
            migrations.AlterField("robot", "host", models.CharField(max_length=900, unique=True)),
            "execution_robot.host must be unique",
        ),
        (
            migrations.AddConstraint("robot", models.UniqueConstraint(fields=("host", "pid"), name="one_process")),
            "execution_robot: one_process is new, and of what is old",
        ),
        (
            migrations.AddConstraint("robot", models.CheckConstraint(condition=Q(pid__gt=0), name="a_process")),
            "execution_robot: a_process is new, and of what is old",
        ),
        (
            migrations.AlterUniqueTogether("robot", {("host", "pid")}),
            "execution_robot: host, pid must be unique together",
        ),
    ],
)  # fmt: skip
def test_what_it_would_trip_over_is_found(operation: Any, found: str) -> None:
    before, after = state_of(), state_of()
    operation.state_forwards("execution", after)
    assert found in list(broken(before, after, {"execution"}))


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("robot", "floor", models.CharField(max_length=9, db_default="")),
        migrations.AddField("robot", "moved_at", models.DateTimeField(null=True)),
        migrations.AlterField("robot", "host", models.CharField(max_length=900)),
        migrations.CreateModel("Lift", [("id", models.BigAutoField(primary_key=True))]),
    ],
)
def test_what_only_comes_is_no_matter(operation: Any) -> None:
    before, after = state_of(), state_of()
    operation.state_forwards("execution", after)
    assert list(broken(before, after, {"execution"})) == []
