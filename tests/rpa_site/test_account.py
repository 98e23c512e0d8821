"""Tokens of programs, the own password, and what an admin may do with people (S10.1; T5)."""

from __future__ import annotations

import base64
import re
import sys
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from audit.models import Entry, Verb
from rpa_site import passwords
from rpa_site.models import ApiToken, TokenScope
from rpa_site.tokens import MARK, make_token
from tests.conftest import PASSWORD
from tests.factories import make_published
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.security]

RUNS = "/api/executions/"


def with_token(token: str) -> Client:
    return Client(headers={"authorization": f"Bearer {token}"}, enforce_csrf_checks=True)


def start(client: Client, **more: Any) -> int:
    body = {"workflow_id": Workflow.objects.get().workflow_id, **more}
    return client.post(RUNS, body, content_type="application/json").status_code


def shown_token(client: Client, scope: str = "viewer", days: int = 7) -> str:
    page = client.post("/account", {"name": "report", "scope": scope, "days": days}).content.decode()
    found = re.search(rf"{MARK}[\w-]{{20,}}", page)
    assert found, page
    return found[0]


def test_a_token_is_shown_once_and_is_nowhere_kept(operator: Any, client_of: Any) -> None:
    client = client_of(operator)
    token = shown_token(client)
    assert token not in client.get("/account").content.decode()
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        dump = "".join(str(cursor.execute(f'SELECT * FROM "{table}"').fetchall()) for table in tables)
    assert token not in dump
    assert token[len(MARK) + 5 :] not in dump
    assert with_token(token).get(RUNS).status_code == 200
    assert ApiToken.objects.get().last_used_at is not None


@pytest.mark.parametrize(("scope", "may_start"), [("viewer", False), ("operator", True), ("designer", True)])
def test_a_token_reaches_as_far_as_its_scope(designer: Any, scope: str, may_start: bool) -> None:
    make_published()
    _row, token = make_token(designer, name="x", scope=TokenScope(scope), days=1)
    assert with_token(token).get(RUNS).status_code == 200
    assert start(with_token(token)) == (201 if may_start else 403)


def test_what_an_action_asks_for_itself_is_asked_of_the_token_too(designer: Any, settings: Any) -> None:
    """S2.7: a designer's token to operate chooses no window provider."""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd"}
    make_published()
    _row, operate = make_token(designer, name="x", scope=TokenScope.OPERATE, days=1)
    _row, design = make_token(designer, name="x", scope=TokenScope.DESIGN, days=1)
    assert start(with_token(operate), window_info_provider="citrix") == 403
    assert start(with_token(design), window_info_provider="citrix") == 201


def test_a_token_never_reaches_farther_than_its_person(operator: Any) -> None:
    make_published()
    _row, token = make_token(operator, name="x", scope=TokenScope.DESIGN, days=1)
    assert start(with_token(token)) == 201
    operator.groups.set([Group.objects.get(name="viewer")])
    assert start(with_token(token)) == 403
    assert with_token(token).get(RUNS).status_code == 200


def test_the_page_offers_no_scope_that_the_person_does_not_hold(viewer: Any, stranger: Any, client_of: Any) -> None:
    answer = client_of(viewer).post("/account", {"name": "x", "scope": "operator", "days": 7})
    assert answer.status_code == 422
    assert "Make a new token" not in client_of(stranger).get("/account").content.decode()
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("days", [0, -1, 366, "", "never"])
def test_a_token_has_an_end(viewer: Any, client_of: Any, days: Any) -> None:
    assert client_of(viewer).post("/account", {"name": "x", "scope": "viewer", "days": days}).status_code == 422
    assert not ApiToken.objects.exists()


def test_what_has_expired_or_is_revoked_or_made_up_is_refused(viewer: Any, client_of: Any) -> None:
    row, token = make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    assert with_token(token).get(RUNS).status_code == 200
    for wrong in ("", "x", f"{token}x", token[:-1], f"{MARK}{'a' * 43}", row.digest, "é"):
        assert with_token(wrong).get(RUNS).status_code in (401, 403), wrong
    with time_machine.travel(timezone.now() + timedelta(days=1, seconds=1), tick=False):
        refused = with_token(token).get(RUNS)
    assert refused.status_code in (401, 403)
    assert "expired" in refused.json()["detail"]
    type(viewer).objects.filter(pk=viewer.pk).update(is_active=False)
    assert with_token(token).get(RUNS).status_code in (401, 403)
    type(viewer).objects.filter(pk=viewer.pk).update(is_active=True)
    client_of(viewer).post(f"/account/tokens/{row.pk}/revoke")
    assert with_token(token).get(RUNS).status_code in (401, 403)


def test_nobody_revokes_the_token_of_somebody_else(viewer: Any, operator: Any, client_of: Any) -> None:
    row, token = make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    client_of(operator).post(f"/account/tokens/{row.pk}/revoke")
    assert with_token(token).get(RUNS).status_code == 200
    assert "x (" not in client_of(operator).get("/account").content.decode()


def test_a_token_opens_no_page(viewer: Any) -> None:
    """It is for the API; a page's forms are protected by the session alone."""
    _row, token = make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    assert with_token(token).get("/").status_code == 302


def test_an_admin_sees_the_tokens_and_shuts_one_out(viewer: Any, admin: Any, client_of: Any) -> None:
    row, token = make_token(viewer, name="nightly report", scope=TokenScope.READ, days=1)
    client = client_of(admin)
    assert "nightly report" in client.get("/admin/rpa_site/apitoken/").content.decode()
    assert client.post(f"/admin/rpa_site/apitoken/{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert with_token(token).get(RUNS).status_code in (401, 403)


def test_tokens_are_revoked_from_the_command_line(viewer: Any, capsys: Any) -> None:
    _row, token = make_token(viewer, name="nightly", scope=TokenScope.READ, days=1)
    call_command("tokens")
    assert "viewer" in (said := capsys.readouterr().out)
    assert token not in said
    call_command("tokens", "--revoke", ApiToken.objects.get().start)
    assert not ApiToken.objects.exists()


# --- name and password -----------------------------------------------------------------------------------------------
def basic(password: str = PASSWORD) -> dict[str, str]:
    return {"authorization": "Basic " + base64.b64encode(f"viewer:{password}".encode()).decode()}


def test_the_api_takes_no_password_unless_it_is_told_to(viewer: Any) -> None:
    assert Client().get(RUNS, headers=basic()).status_code in (401, 403)


def test_where_it_does_the_attempts_are_counted(viewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from execution.api.views import ExecutionsView
    from rpa_site.tokens import ThrottledBasicAuthentication

    monkeypatch.setattr(ExecutionsView, "authentication_classes", [ThrottledBasicAuthentication])
    assert Client().get(RUNS, headers=basic()).status_code == 200
    told = [Client().get(RUNS, headers=basic("wrong")).status_code for _ in range(7)]
    assert told == [401] * 5 + [429] * 2


@pytest.mark.parametrize("value", [True, False])
def test_a_setting_turns_it_on(monkeypatch: pytest.MonkeyPatch, value: bool) -> None:
    import importlib.util

    monkeypatch.setenv("RPA_API_BASIC_AUTH", str(int(value)))
    spec = importlib.util.spec_from_file_location("fresh_settings", sys.modules["rpa_site.settings"].__file__)
    assert spec
    assert spec.loader
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    classes = fresh.REST_FRAMEWORK["DEFAULT_AUTHENTICATION_CLASSES"]
    assert ("rpa_site.tokens.ThrottledBasicAuthentication" in classes) is value


# --- the own password ------------------------------------------------------------------------------------------------
def test_everybody_changes_their_password_and_other_sessions_end(stranger: Any, client_of: Any) -> None:
    here, elsewhere = client_of(stranger), client_of(stranger)
    fresh = "a much better horse"
    values = {"old_password": PASSWORD, "new_password1": fresh, "new_password2": fresh}
    assert "Account and password" in here.get("/account").content.decode()
    assert here.post("/account/password", {**values, "old_password": "wrong"}).status_code == 200
    assert here.post("/account/password", values).url == "/account"
    assert here.get("/account").status_code == 200
    assert elsewhere.get("/account").status_code == 302
    stranger.refresh_from_db()
    assert stranger.check_password(fresh)


def test_guessing_the_old_password_ends_after_ten_attempts(stranger: Any, client_of: Any) -> None:
    here, elsewhere = client_of(stranger), client_of(stranger)
    values = {"old_password": "wrong", "new_password1": "a much better horse", "new_password2": "a much better horse"}
    assert [here.post("/account/password", values).status_code for _ in range(12)] == [200] * 10 + [429] * 2
    refused = here.post("/account/password", {**values, "old_password": PASSWORD})
    assert refused.status_code == 429
    assert "Too many attempts. Wait 15 minutes" in refused.content.decode()
    stranger.refresh_from_db()
    assert stranger.check_password(PASSWORD)
    assert elsewhere.post("/account/password", {**values, "old_password": PASSWORD}).status_code == 302


@pytest.mark.parametrize(
    ("page", "to"), [("password_change", "/account/password"), ("password_change/done", "/account")]
)
def test_the_admin_has_no_second_page_for_it_where_guesses_are_not_counted(
    designer: Any, client_of: Any, page: str, to: str
) -> None:
    values = {"old_password": PASSWORD, "new_password1": "a much better horse", "new_password2": "a much better horse"}
    here = client_of(designer)
    for answer in (here.get(f"/admin/{page}/"), here.post(f"/admin/{page}/", values)):
        assert (answer.status_code, answer.headers["Location"]) == (302, to)
    designer.refresh_from_db()
    assert designer.check_password(PASSWORD)


def change_on_the_page(user: Any, fresh: str, admin: Any, client_of: Any) -> None:
    values = {"old_password": PASSWORD, "new_password1": fresh, "new_password2": fresh}
    assert client_of(user).post("/account/password", values).status_code == 302


def change_in_the_admin(user: Any, fresh: str, admin: Any, client_of: Any) -> None:
    values = {"password1": fresh, "password2": fresh, "usable_password": "true"}
    assert client_of(admin).post(user_page(user, "password"), values).status_code == 302


def take_away_in_the_admin(user: Any, fresh: str, admin: Any, client_of: Any) -> None:
    values = {"password1": "", "password2": "", "usable_password": "false", "unset-password": "1"}
    assert client_of(admin).post(user_page(user, "password"), values).status_code == 302


def put_by_its_hash(user: Any, fresh: str, admin: Any, client_of: Any) -> None:
    user.password = make_password(fresh)
    user.save(update_fields=["password"])


@pytest.mark.parametrize("change", [change_on_the_page, change_in_the_admin, take_away_in_the_admin, put_by_its_hash])
def test_a_new_password_ends_the_tokens_of_its_person(
    viewer: Any, operator: Any, admin: Any, client_of: Any, change: Any
) -> None:
    _row, token = make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    _other, anothers = make_token(operator, name="y", scope=TokenScope.READ, days=1)
    change(viewer, "a much better horse", admin, client_of)
    assert with_token(token).get(RUNS).status_code in (401, 403)
    assert with_token(anothers).get(RUNS).status_code == 200
    ended = Entry.objects.get(verb=Verb.TOKEN_REVOKED)
    assert (ended.about[:3], ended.detail) == ("x (", {"of": "viewer", "fields": ["password"]})


def test_a_password_is_kept_with_the_end_of_the_tokens_or_not_at_all(
    viewer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `manage.py changepassword` saves it, in no transaction."""
    make_token(viewer, name="x", scope=TokenScope.READ, days=1)

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(passwords, "record", full)
    viewer.set_password("a much better horse")
    with pytest.raises(OSError, match="full"):
        viewer.save()
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)
    assert viewer.api_tokens.count() == 1


@pytest.mark.parametrize("how", [{}, {"update_fields": ["last_name"]}])
def test_what_else_of_a_person_changes_ends_no_token(viewer: Any, how: dict[str, Any]) -> None:
    make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    viewer.last_name = "Otto"
    viewer.save(**how)
    assert viewer.api_tokens.count() == 1


def test_a_hash_that_is_only_renewed_ends_no_token(viewer: Any, settings: Any) -> None:
    """As Django does at a log-in once it hashes otherwise."""
    _row, token = make_token(viewer, name="x", scope=TokenScope.READ, days=1)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher", *settings.PASSWORD_HASHERS]
    was = viewer.password
    assert viewer.check_password(PASSWORD)
    viewer.refresh_from_db()
    assert viewer.password != was
    assert with_token(token).get(RUNS).status_code == 200


@pytest.mark.parametrize(
    ("password", "refused"),
    [
        ("stranger-Stranger", True),
        ("Martinez1martinez", True),
        ("annaANNAanna", True),
        ("zo&zo&zo&zo", False),
        ("stranger than fiction", False),
    ],
)
def test_a_password_holds_no_name_twice(stranger: Any, password: str, refused: bool) -> None:
    stranger.first_name, stranger.last_name, stranger.email = "Zo", "Martinez", "anna@example.org"
    if refused:
        with pytest.raises(ValidationError, match="your name twice"):
            validate_password(password, stranger)
    else:
        validate_password(password, stranger)


# --- people ----------------------------------------------------------------------------------------------------------
def user_page(user: Any, part: str = "change") -> str:
    return f"/admin/auth/user/{user.pk}/{part}/"


def fields(user: Any, **more: Any) -> dict[str, Any]:
    groups = list(user.groups.values_list("pk", flat=True))
    return {"username": user.username, "is_active": "on", "groups": groups, **more}


def test_an_admin_makes_nobody_a_superuser_not_even_themselves(admin: Any, viewer: Any, client_of: Any) -> None:
    every = list(Permission.objects.values_list("pk", flat=True))
    client = client_of(admin)
    for user in (admin, viewer):
        sent = fields(user, is_superuser="on", is_staff="on", user_permissions=every, first_name="Ada")
        assert client.post(user_page(user), sent).status_code == 302
        user.refresh_from_db()
        assert (user.first_name, user.is_superuser, user.user_permissions.count()) == ("Ada", False, 0)
    new = {
        "username": "new",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "is_superuser": "on",
        "usable_password": "true",
    }
    assert client.post("/admin/auth/user/add/", new).status_code == 302
    assert not type(admin).objects.filter(is_superuser=True).exists()
    assert 'name="is_superuser"' not in client.get(user_page(viewer)).content.decode()


def test_an_admin_gives_the_roles_and_no_group_that_may_do_more(admin: Any, viewer: Any, client_of: Any) -> None:
    operators, beyond = Group.objects.get(name="operator"), Group.objects.create(name="beyond")
    beyond.permissions.add(Permission.objects.get(codename="delete_execution"))
    client = client_of(admin)
    assert client.post(user_page(viewer), fields(viewer, groups=[operators.pk])).status_code == 302
    assert list(viewer.groups.all()) == [operators]
    client.post(user_page(viewer), fields(viewer, groups=[operators.pk, beyond.pk]))
    assert list(viewer.groups.all()) == [operators]
    assert client.get(f"/admin/auth/group/{beyond.pk}/change/").status_code == 403


@pytest.mark.parametrize("kind", ["superuser", "of a group that may do more", "dismissed superuser"])
def test_whoever_may_do_more_is_not_an_admins_to_change(admin: Any, make_user: Any, client_of: Any, kind: str) -> None:
    """Their password, their flags and their account stay as they are."""
    higher = make_user("higher")
    if kind.endswith("superuser"):
        type(higher).objects.filter(pk=higher.pk).update(is_superuser=True, is_active="dismissed" not in kind)
    else:
        group = Group.objects.create(name="beyond")
        group.permissions.add(Permission.objects.get(codename="delete_execution"))
        higher.groups.add(group)
    client = client_of(admin)
    fresh = {"password1": "a much better horse", "password2": "a much better horse", "usable_password": "true"}
    assert client.post(user_page(higher, "password"), fresh).status_code == 403
    assert client.post(user_page(higher), fields(higher, first_name="Eve", is_active="")).status_code == 403
    assert client.post(user_page(higher, "delete"), {"post": "yes"}).status_code == 403
    many = {"action": "delete_selected", "_selected_action": [higher.pk], "post": "yes"}
    client.post("/admin/auth/user/", many)
    now = type(higher).objects.get(pk=higher.pk)
    assert now.check_password(PASSWORD)
    assert now.first_name == ""
    assert client.get(user_page(higher)).status_code == 200, "it may be looked at"


def test_an_admin_sets_the_password_of_those_who_may_do_less(admin: Any, operator: Any, client_of: Any) -> None:
    fresh = {"password1": "a much better horse", "password2": "a much better horse", "usable_password": "true"}
    assert client_of(admin).post(user_page(operator, "password"), fresh).status_code == 302
    operator.refresh_from_db()
    assert operator.check_password("a much better horse")


def test_a_superuser_may_all_that(admin: Any, viewer: Any, client_of: Any) -> None:
    type(admin).objects.filter(pk=admin.pk).update(is_superuser=True)
    client = client_of(admin)
    assert client.post(user_page(viewer), fields(viewer, is_superuser="on")).status_code == 302
    viewer.refresh_from_db()
    assert viewer.is_superuser
