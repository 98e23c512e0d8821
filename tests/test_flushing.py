from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import TransactionTestCase

from gpu.models import CatalogueModel
from tests.support.flushing import _rows, _tables, can_be_flushed_quickly
from tests.support.processes import finished

ROOT = Path(__file__).resolve().parents[1]
LEAVES = """
@pytest.fixture(scope="module")
def late(django_db_setup, django_db_blocker):
    yield
    with django_db_blocker.unblock():
        User.objects.create_user("zoe")

@pytest.mark.django_db
def test_it(late):
    assert not User.objects.exists()
"""
FINDS = """
@pytest.mark.django_db
def test_it():
    assert not User.objects.exists()
"""


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


@pytest.mark.slow
def test_a_file_does_not_see_what_an_earlier_one_left(tmp_path: Path) -> None:
    files = [tmp_path / "test_leaves.py", tmp_path / "test_finds.py"]
    for file, text in zip(files, (LEAVES, FINDS), strict=True):
        file.write_text("import pytest\nfrom django.contrib.auth.models import User\n" + text)
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    of_this_run = ("PYTEST", "DJANGO_SETTINGS_MODULE", "DATABASE_URL")
    without = {name: value for name, value in os.environ.items() if not name.startswith(of_this_run)}
    command = [sys.executable, "-m", "pytest", "-n0", "-c", str(ROOT / "pyproject.toml"), *map(str, files)]
    done = finished(command, timeout=150, cwd=ROOT, env=without)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "LEFT for test_finds.py by an earlier file: rows in auth_user" in done.stderr
