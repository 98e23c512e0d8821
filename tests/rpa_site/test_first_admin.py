from __future__ import annotations

import logging
import re
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from rpa_site.roles import Role, role_of

pytestmark = pytest.mark.django_db


def run() -> str:
    out = StringIO()
    call_command("first_admin", stdout=out)
    return out.getvalue()


def test_the_first_admin_gets_a_password_that_is_shown_once_and_stands_in_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """D8, S5.8, S10.3; T15: no default password."""
    caplog.set_level(logging.DEBUG)
    said = run()
    password = re.search(r"password (\S{16,})$", said, re.MULTILINE)
    assert password
    admin = User.objects.get()
    assert admin.check_password(password[1])
    assert admin.is_superuser
    assert role_of(admin) == Role.ADMIN
    assert admin.groups.get().name == "admin"
    assert password[1] not in caplog.text
    assert run() == ""
    admin.delete()
    assert run() not in ("", said)


def test_the_password_of_the_environment_is_taken_and_not_shown(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """S5.8"""
    caplog.set_level(logging.DEBUG)
    settings.DASHBOARD_PASSWORD = "horse-battery-staple"
    said = run()
    assert User.objects.get().check_password("horse-battery-staple")
    assert "horse-battery-staple" not in said + caplog.text
    assert "DASHBOARD_PASSWORD" in said


def test_nothing_is_done_where_there_is_a_superuser(settings: Any) -> None:
    """Idempotent: a later start neither makes a second one nor changes a password."""
    root = User.objects.create_superuser("root", password="mine")
    settings.DASHBOARD_PASSWORD = "another"
    assert run() == ""
    assert User.objects.get() == root
    root.refresh_from_db()
    assert root.check_password("mine")


def test_an_ordinary_user_of_that_name_is_not_made_a_superuser() -> None:
    User.objects.create_user("admin", password="mine")
    with pytest.raises(CommandError, match="rename it"):
        run()
    assert not User.objects.get().is_superuser
