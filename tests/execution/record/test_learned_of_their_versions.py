"""Corrections that were kept before it was kept what they were learned of: told by their versions (S6.4)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from execution.learning.overlay import fits
from execution.models import LearnedCorrection
from execution.record.corrections import as_taught
from tests.execution.actions.test_corrections_decided import look
from tests.factories import make_published
from workflows.actions.publish import publish
from workflows.models import Target

pytestmark = pytest.mark.django_db


def test_each_is_of_what_its_own_version_taught() -> None:
    version = make_published()
    rows: dict[str, Any] = {
        "place": look(version),
        "rule": look(version, kind="params"),
        "screen": look(version, kind="node", node_id="saved"),
    }
    Target.objects.filter(workflow=version.workflow, target_id="save_button").update(text="Archive")
    newer = publish(workflow=version.workflow, user=None)
    rows |= {"later": look(newer, version_number=2), "lost": look(version, version_number=7)}
    of_them = {name: row.taught_as for name, row in rows.items()}
    LearnedCorrection.objects.update(taught_as="")
    import_module("execution.migrations.0029_corrections_taught_as").of_their_versions(apps, None)
    now = {name: LearnedCorrection.objects.get(pk=row.pk) for name, row in rows.items()}
    assert {name: row.taught_as for name, row in now.items()} == {**of_them, "lost": ""}
    assert of_them["place"] != of_them["later"]
    in_first = {name for name, row in now.items() if fits(version.spec(), as_taught(row))}
    assert in_first == {"place", "rule", "screen"}
    assert {name for name, row in now.items() if fits(newer.spec(), as_taught(row))} == {"later", "screen"}
