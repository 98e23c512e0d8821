from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import TransactionTestCase

from gpu.models import CatalogueModel
from tests.support.flushing import _rows, _tables, can_be_flushed_quickly


@pytest.mark.django_db(transaction=True)
def test_what_a_test_wrote_goes_and_what_migrations_made_is_as_it_was() -> None:
    if not can_be_flushed_quickly():
        pytest.skip("here Django's own flush is used")
    before = {table: _rows(table) for table in _tables()}
    assert before["auth_permission"]
    assert before["gpu_catalogue"]
    User.objects.create_user("zoe").groups.add(Group.objects.earliest("pk"))
    Group.objects.latest("pk").delete()
    Permission.objects.filter(codename="operate_gpu").update(name="another")
    CatalogueModel.objects.all().delete()
    assert {table: _rows(table) for table in _tables()} != before
    TransactionTestCase("_fixture_teardown")._fixture_teardown()  # type: ignore[attr-defined]
    assert {table: _rows(table) for table in _tables()} == before


@pytest.mark.django_db(transaction=True)
def test_what_a_file_left_goes_before_the_next_one_and_is_named(django_db_setup: Callable[[], list[str]]) -> None:
    if not can_be_flushed_quickly():
        pytest.skip("here Django's own flush is used")
    assert django_db_setup() == []
    User.objects.create_user("zoe")
    CatalogueModel.objects.all().delete()
    assert django_db_setup() == ["auth_user", "gpu_catalogue"]
    assert not User.objects.exists()
    assert CatalogueModel.objects.exists()
    assert django_db_setup() == []
