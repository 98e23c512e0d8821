"""The admin in the reader's language: names of records, and of the columns of what machines recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db.models import Model
from django.utils import translation

from execution.models import Step
from rpa_site.admin_app import APPS

# Said alike in both languages.
ALIKE = frozenset({
    "confidence", "message", "mode", "note", "origin", "phase", "robot", "robots", "score", "source", "suggestion",
    "variables", "version", "workflow", "workflows", "x", "y", "type", "action", "actions", "ID",
    "application", "correction", "corrections", "description", "variable", "machine", "perception", "secrets",
    "prototype", "prototypes", "cron", "messages",
})  # fmt: skip


def shown() -> list[tuple[type[Model], admin.ModelAdmin[Any]]]:
    admin.autodiscover()
    return [(model, made) for model, made in admin.site._registry.items() if model._meta.app_label in APPS]


def words(model: type[Model], made: admin.ModelAdmin[Any]) -> Iterator[tuple[str, str]]:
    """Each name with where it is from."""
    yield "a record", str(model._meta.verbose_name)
    yield "records", str(model._meta.verbose_name_plural)
    for name in made.list_display:
        yield f"column {name}", str(label_for_field(name, model, made))
    for field in model._meta.local_fields:
        yield f"field {field.name}", str(field.verbose_name)


@pytest.mark.parametrize(("model", "made"), shown(), ids=lambda one: getattr(one, "__name__", ""))
def test_every_name_in_the_admin_is_told_in_french(model: type[Model], made: admin.ModelAdmin[Any]) -> None:
    with translation.override("en"):
        english = dict(words(model, made))
    with translation.override("fr"):
        french = dict(words(model, made))
    same = {place: told for place, told in english.items() if told == french[place] and told not in ALIKE}
    assert not same


def test_every_app_has_a_name_of_its_own() -> None:
    with translation.override("fr"):
        told = {app: str(apps.get_app_config(app).verbose_name) for app in APPS}
    assert told == {
        "workflows": "Workflows",
        "gpu": "GPU et modèles",
        "execution": "Exécutions",
        "analytics": "Analyses",
        "rpa_site": "Accès",
    }


def test_names_in_english_are_those_of_the_code() -> None:
    """Programs and permissions know them by these."""
    assert str(Step._meta.verbose_name) == "step"
    assert str(Step._meta.get_field("started_at").verbose_name) == "started at"
    with translation.override("fr"):
        assert Step._meta.verbose_name_raw == "step"
