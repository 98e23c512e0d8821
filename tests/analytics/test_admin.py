from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from analytics.models import ResourceSample, StepMetric
from analytics.projection import project
from tests.analytics.steps import make_step

MODELS = ("stepmetric", "resourcesample")


@pytest.fixture
def rows(db: None) -> dict[str, Any]:
    sample = ResourceSample.objects.create(
        execution_id="exec_1", at=timezone.now(), cpu_percent=1, ram_percent=2, process_ram_mb=3
    )
    return {"stepmetric": project(make_step().pk), "resourcesample": sample}


@pytest.mark.parametrize("model", MODELS)
def test_metrics_can_be_looked_at(
    client_of: Callable[..., Any], designer: Any, rows: dict[str, Any], model: str
) -> None:
    """S8.4"""
    client = client_of(designer)
    listed = client.get(reverse(f"admin:analytics_{model}_changelist"), {"q": rows[model].execution_id})
    assert rows[model].execution_id in listed.content.decode()
    assert client.get(reverse(f"admin:analytics_{model}_change", args=[rows[model].pk])).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_metrics_are_read_only_even_for_a_superuser(
    client_of: Callable[..., Any], django_user_model: Any, rows: dict[str, Any], model: str
) -> None:
    """S8.4"""
    client = client_of(django_user_model.objects.create_superuser("root", password="x"))
    for page, arguments in (("add", []), ("change", [rows[model].pk]), ("delete", [rows[model].pk])):
        assert client.post(reverse(f"admin:analytics_{model}_{page}", args=arguments), {}).status_code == 403
    assert StepMetric.objects.count() == ResourceSample.objects.count() == 1
