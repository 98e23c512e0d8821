"""Credentials: encrypted with a key outside the database, write-only, each opening written down first (S10.3, T6)."""

from __future__ import annotations

import copy
import io
import logging
import os
import pickle
import secrets
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as conf
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import RequestFactory
from django.urls import reverse
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from tests.factories import EDGES, NODES, make_workflow
from workflows import vault, vault_keys
from workflows.bundle import export_bundle
from workflows.models import Credential, CredentialUse
from workflows.secret import Login, Secret, SecretRefused, UnknownCredential, VaultKeyMissing, VaultKeyWrong

PASSWORD = "Zürich-canary-4711 & more"
OTHER = "another-canary-8812"

pytestmark = [pytest.mark.django_db, pytest.mark.security]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> Path:
    """A data folder of its own, without keys."""
    settings.DATA_DIR, settings.RPA_VAULT_KEYS = tmp_path, []
    return tmp_path


def keep(name: str = "erp", password: str = PASSWORD, **fields: Any) -> Credential:
    return vault.store(name, username=fields.pop("username", "ada.martin"), password=Secret(password), **fields)


def failing(error: Exception) -> Callable[..., None]:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise error

    return fail


def opened(name: str = "erp") -> str:
    return vault.open_credential(name, reason="a test").password.reveal()


# --- The value -------------------------------------------------------------------------------------------------------
def test_a_secret_does_not_show_itself() -> None:
    secret = Secret(PASSWORD)
    login = Login(username="ada", password=secret)
    for shown in (repr(secret), str(secret), f"{secret:>40}", f"{secret!r}", f"{login}", repr([secret])):
        assert PASSWORD not in shown
    assert secret.reveal() == PASSWORD
    assert not hasattr(secret, "__dict__")


def test_a_secret_does_not_leave_by_copying_pickling_or_as_a_key() -> None:
    for leave in (pickle.dumps, copy.copy, copy.deepcopy, hash):
        with pytest.raises(TypeError):
            leave(Secret(PASSWORD))


def test_secrets_compare_by_what_they_are() -> None:
    assert Secret(PASSWORD) == Secret(PASSWORD)
    assert Secret(PASSWORD) != Secret(OTHER)
    assert Secret(PASSWORD) != PASSWORD
    assert Secret("x") and not Secret("")


# --- At rest ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("password", ["x", PASSWORD, "pässwörd…€𝄞", " with spaces ", '"quoted\\"', "x" * vault.LONGEST])
def test_what_was_kept_is_opened(password: str) -> None:
    keep(password=password)
    login = vault.open_credential("erp", reason="a test")
    assert (login.username, login.password.reveal()) == ("ada.martin", password)


def test_the_same_password_is_encrypted_differently_each_time() -> None:
    first, second = keep("one").ciphertext, keep("two").ciphertext
    assert first != second
    assert keep("one").ciphertext != first


@pytest.mark.django_db(transaction=True)
def test_nothing_of_it_is_plain_in_the_database_its_journal_or_the_data_folder(data: Path) -> None:
    keep()
    opened()
    if connection.vendor == "sqlite":
        database = Path(connection.settings_dict["NAME"])
        files = [p for p in database.parent.glob(database.name + "*") if p.is_file()]
        assert any(b"ada.martin" in p.read_bytes() for p in files), "the scan looks in the right files"
        assert not any(b"canary-4711" in p.read_bytes() for p in files)
    assert not any(b"canary-4711" in p.read_bytes() for p in data.rglob("*") if p.is_file())


def test_the_key_is_made_with_the_first_credential_and_only_its_owner_may_read_it(data: Path) -> None:
    assert not (data / "vault.key").exists()
    keep()
    assert (data / "vault.key").stat().st_mode & 0o777 == 0o600
    assert [p.name for p in data.iterdir()] == ["vault.key"], "no half-written key is left"
    key = (data / "vault.key").read_text()
    keep("second")
    assert (data / "vault.key").read_text() == key


def test_two_processes_that_make_the_key_agree_on_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process makes its key while this one has looked and found none."""
    real = os.link

    def other_was_faster(source: Any, target: Any) -> None:
        Path(target).write_text(theirs + "\n")
        Path(target).chmod(0o600)
        real(source, target)

    theirs = Fernet.generate_key().decode()
    monkeypatch.setattr(os, "link", other_was_faster)
    vault_keys.create()
    assert vault_keys.load() == (theirs,)
    assert [p.name for p in data.iterdir()] == ["vault.key"]


# --- Keys that are missing or wrong ----------------------------------------------------------------------------------
def test_a_lost_key_is_said_and_no_fresh_one_is_made_in_its_place(data: Path) -> None:
    keep()
    (data / "vault.key").unlink()
    with pytest.raises(VaultKeyMissing, match=r"vault\.key is not there"):
        opened()
    with pytest.raises(VaultKeyMissing):
        keep("second")
    assert not (data / "vault.key").exists()


def test_another_key_opens_nothing_and_says_so(settings: Any) -> None:
    keep()
    settings.RPA_VAULT_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(VaultKeyWrong, match="No key of the vault opens the credential “erp”"):
        opened()


def test_what_is_no_key_is_refused_without_being_quoted(settings: Any) -> None:
    settings.RPA_VAULT_KEYS = [Fernet.generate_key().decode(), "not-a-key-at-all"]
    with pytest.raises(VaultKeyWrong, match="Key 2 in RPA_VAULT_KEYS") as caught:
        keep()
    assert "not-a-key-at-all" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="files have no mode there")
def test_a_key_that_others_can_read_is_not_used(data: Path) -> None:
    keep()
    (data / "vault.key").chmod(0o640)
    with pytest.raises(VaultKeyWrong, match="chmod 600"):
        opened()


def test_a_password_moved_to_another_row_is_not_opened() -> None:
    """Whoever can write the database cannot make the bank's password be typed into their own page."""
    keep("bank")
    keep("own", OTHER)
    Credential.objects.filter(name="own").update(ciphertext=Credential.objects.get(name="bank").ciphertext)
    with pytest.raises(VaultKeyWrong, match="holds the password of another one"):
        opened("own")


@pytest.mark.parametrize("password", ["", "two\nlines", "tab\there", "x" * (vault.LONGEST + 1)])
def test_what_cannot_be_typed_into_a_field_is_refused(password: str) -> None:
    with pytest.raises(SecretRefused) as caught:
        keep(password=password)
    assert not Credential.objects.exists()
    assert not password or password not in str(caught.value)


def test_a_bad_name_is_refused() -> None:
    with pytest.raises(ValidationError):
        keep("no spaces please")


# --- Opening ---------------------------------------------------------------------------------------------------------
def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnknownCredential, match="none yet"):
        opened("erp")
    keep("lab")
    keep("mail")
    assert vault.known_names() == ("lab", "mail")
    with pytest.raises(UnknownCredential, match="“erp”. Known: lab, mail"):
        opened("erp")
    assert vault.username_of("lab") == "ada.martin"
    assert not CredentialUse.objects.exists()


def test_each_opening_is_written_down_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    keep()
    with caplog.at_level(logging.DEBUG):
        vault.open_credential("erp", reason="run exec_1, step 4")
    use = CredentialUse.objects.get()
    assert (use.credential, use.reason) == ("erp", "run exec_1, step 4")
    assert "erp" in caplog.text and "run exec_1, step 4" in caplog.text
    assert PASSWORD not in caplog.text


def test_it_is_written_down_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A use that cannot be recorded opens nothing; a use that is recorded need not have opened anything."""
    keep()
    asked: list[object] = []
    monkeypatch.setattr(vault_keys, "cipher", lambda *a: asked.append(a))
    monkeypatch.setattr(CredentialUse.objects, "create", failing(DatabaseError("the disk is full")))
    with pytest.raises(DatabaseError):
        opened()
    assert asked == []


@pytest.mark.django_db(transaction=True)
def test_the_record_of_a_use_cannot_be_rolled_back_by_the_caller() -> None:
    keep()
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        opened()


# --- Rotation --------------------------------------------------------------------------------------------------------
def rotated(*options: str) -> str:
    out = io.StringIO()
    call_command("rotate_vault", *options, stdout=out)
    return out.getvalue()


def test_rotating_encrypts_all_anew_with_a_fresh_key_first(data: Path) -> None:
    old_row = keep()
    keep("second", OTHER)
    (old,) = vault_keys.load()
    assert "2 credentials" in rotated()
    fresh, kept = vault_keys.load()
    assert kept == old != fresh
    assert (opened(), opened("second")) == (PASSWORD, OTHER)
    assert Credential.objects.get(name="erp").ciphertext != old_row.ciphertext
    assert Fernet(fresh).decrypt(Credential.objects.get(name="erp").ciphertext.encode())
    assert (data / "vault.key").stat().st_mode & 0o777 == 0o600


def test_the_old_key_can_be_forgotten() -> None:
    row = keep()
    (old,) = vault_keys.load()
    rotated("--forget-old")
    assert len(vault_keys.load()) == 1 and old not in vault_keys.load()
    assert opened() == PASSWORD
    Credential.objects.filter(pk=row.pk).update(ciphertext=row.ciphertext)
    with pytest.raises(VaultKeyWrong):
        opened()


def test_the_old_key_stays_where_somebody_saved_a_password_with_it_in_the_meantime() -> None:
    """Between the rotation and the end of the old key; what only that one opens must not be lost."""
    keep()
    vault_keys.add_current()
    with pytest.raises(VaultKeyWrong, match="erp"):
        vault._forget_old()
    assert len(vault_keys.load()) == 2
    assert opened() == PASSWORD


def test_keys_from_the_environment_are_rotated_by_putting_the_new_one_first(settings: Any, data: Path) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.RPA_VAULT_KEYS = [old]
    keep()
    settings.RPA_VAULT_KEYS = [new, old]
    assert opened() == PASSWORD
    assert "can be taken out of RPA_VAULT_KEYS" in rotated()
    settings.RPA_VAULT_KEYS = [new]
    assert opened() == PASSWORD
    assert list(data.iterdir()) == [], "no file is made where the environment has the keys"
    with pytest.raises(CommandError, match="RPA_VAULT_KEYS"):
        rotated("--forget-old")


def test_a_rotation_that_meets_a_password_it_cannot_open_changes_no_row() -> None:
    keep()
    keep("damaged")
    Credential.objects.filter(name="damaged").update(ciphertext="gibberish")
    before = list(Credential.objects.values_list("ciphertext", flat=True))
    with pytest.raises(CommandError, match="damaged"):
        rotated("--forget-old")
    assert list(Credential.objects.values_list("ciphertext", flat=True)) == before
    assert opened() == PASSWORD


def test_rotating_without_any_key_says_what_is_missing() -> None:
    with pytest.raises(CommandError, match=r"vault\.key is not there"):
        rotated()


# --- The admin -------------------------------------------------------------------------------------------------------
ADD = "admin:workflows_credential_add"
LIST = "admin:workflows_credential_changelist"


def change_url(row: Credential) -> str:
    return reverse("admin:workflows_credential_change", args=[row.pk])


def form(**changes: str) -> dict[str, str]:
    return {"name": "erp", "username": "ada", "note": "", "new_password": "", "new_password_again": "", **changes}


@pytest.fixture
def browser(client_of: Any, admin: Any) -> Any:
    return client_of(admin)


@pytest.mark.parametrize("role", ["viewer", "operator", "designer"])
def test_credentials_are_for_admins_alone(role: str, client_of: Any, make_user: Any) -> None:
    """S8.4, S10.1"""
    row, person = keep(), make_user("zoe", role)
    for url in (reverse(LIST), reverse(ADD), change_url(row), reverse("admin:workflows_credentialuse_changelist")):
        assert client_of(person).get(url).status_code in (302, 403), url
        assert client_of(person).post(url, form()).status_code in (302, 403), url
    for verb in ("add", "change", "delete", "view"):
        assert not person.has_perm(f"workflows.{verb}_credential")


def test_an_admin_adds_one_and_its_password_is_nowhere_on_the_pages(browser: Any, admin: Any) -> None:
    answer = browser.post(reverse(ADD), form(new_password=PASSWORD, new_password_again=PASSWORD), follow=True)
    row = Credential.objects.get()
    assert (row.name, row.username, row.updated_by) == ("erp", "ada", admin)
    assert opened() == PASSWORD
    pages = [answer, browser.get(change_url(row)), browser.get(reverse(LIST)), browser.get(reverse("admin:index"))]
    pages.append(browser.get(reverse("admin:workflows_credential_history", args=[row.pk])))
    for page in pages:
        assert page.status_code == 200
        assert "canary" not in page.content.decode()
        assert row.ciphertext not in page.content.decode()


def test_left_empty_the_password_is_kept(browser: Any) -> None:
    row = keep()
    assert browser.post(change_url(row), form(username="eve")).status_code == 302
    assert (vault.username_of("erp"), opened()) == ("eve", PASSWORD)


def test_a_password_is_replaced_and_the_name_is_not(browser: Any) -> None:
    row = keep()
    posted = form(name="other", new_password=OTHER, new_password_again=OTHER)
    assert browser.post(change_url(row), posted).status_code == 302
    assert vault.known_names() == ("erp",)
    assert opened() == OTHER


def test_spaces_at_its_ends_belong_to_the_password(browser: Any) -> None:
    browser.post(reverse(ADD), form(new_password=" x ", new_password_again=" x "))
    assert opened() == " x "


@pytest.mark.parametrize(
    ("posted", "words"),
    [
        ({"new_password": PASSWORD, "new_password_again": OTHER}, "not the same"),
        ({"new_password": PASSWORD}, "required"),
        ({}, "required"),
        ({"name": "a b", "new_password": PASSWORD, "new_password_again": PASSWORD}, "Begin with a letter"),
        ({"new_password": "a\tcanary", "new_password_again": "a\tcanary"}, "cannot be typed"),
    ],
)
def test_what_is_refused_is_not_rendered_back(posted: dict[str, str], words: str, browser: Any) -> None:
    answer = browser.post(reverse(ADD), form(**posted))
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert "canary" not in answer.content.decode()
    assert not Credential.objects.exists()


def test_a_lost_key_is_told_in_the_form(browser: Any, data: Path) -> None:
    row = keep()
    (data / "vault.key").unlink()
    answer = browser.post(change_url(row), form(new_password=OTHER, new_password_again=OTHER))
    assert answer.status_code == 200
    assert "The key of the vault is missing" in answer.content.decode()
    assert "canary" not in answer.content.decode()


def test_uses_are_looked_at_and_never_written(browser: Any) -> None:
    keep()
    opened()
    use = CredentialUse.objects.get()
    assert "a test" in browser.get(reverse("admin:workflows_credentialuse_changelist")).content.decode()
    assert browser.get(reverse("admin:workflows_credentialuse_add")).status_code == 403
    assert browser.post(reverse("admin:workflows_credentialuse_delete", args=[use.pk])).status_code == 403


# --- Where it must not come out --------------------------------------------------------------------------------------
def test_error_pages_and_logs_do_not_show_it(
    browser: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page that a person gets, and the report that is mailed or logged, of an error while it is saved."""
    monkeypatch.setattr(Credential, "save", failing(RuntimeError("the disk is full")))
    browser.raise_request_exception = False
    answer = browser.post(reverse(ADD), form(new_password=PASSWORD, new_password_again=PASSWORD))
    assert answer.status_code == 500
    assert "canary" not in answer.content.decode()
    kind, error, trace = answer.exc_info
    request = answer.wsgi_request
    reporter = ExceptionReporter(request, kind, error, trace, is_email=True)
    assert "canary" not in reporter.get_traceback_text()
    assert "canary" not in reporter.get_traceback_html()
    assert "canary" not in caplog.text


def test_a_report_of_an_error_while_it_is_opened_does_not_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the password nor the key, which are values of the functions that fail."""
    drawn = secrets.token_hex(12)  # not in the source that a report quotes
    keep(password=drawn)
    key = vault_keys.load()[0]
    monkeypatch.setattr(vault, "Secret", failing(RuntimeError("no")))
    report = None
    try:
        opened()
    except RuntimeError:
        report = ExceptionReporter(RequestFactory().get("/"), *sys.exc_info())
    assert report is not None
    frames = report.get_traceback_data()["frames"]
    assert any(frame["function"] == "_unsealed" for frame in frames)
    own = repr(
        [frame["vars"] for frame in frames if "workflows" in frame["filename"] and "tests" not in frame["filename"]]
    )
    assert drawn not in own and key not in own


@pytest.mark.parametrize("where", ["_check", "_sealed"])
def test_a_report_of_an_error_while_it_is_kept_does_not_show_it(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of the two who hold the password itself for a moment shows what it is called with or has worked out."""
    drawn = secrets.token_hex(12)
    keep("first")
    row = Credential(name="erp", ciphertext="")
    cipher = vault_keys.cipher()
    monkeypatch.setattr(vault.json, "dumps", failing(RuntimeError("no")))
    monkeypatch.setattr(vault, "LONGEST", "not a number")
    steps = {"_check": lambda kept: vault._check(kept), "_sealed": lambda kept: vault._sealed(row.name, kept, cipher)}
    with pytest.raises((RuntimeError, TypeError)) as failed:
        steps[where](Secret(drawn))
    report = ExceptionReporter(RequestFactory().get("/"), failed.type, failed.value, failed.tb)
    frames = report.get_traceback_data()["frames"]
    shown = {f["function"]: dict(f["vars"]) for f in frames if f["filename"] == vault.__file__}
    assert drawn not in repr(shown)
    assert shown[where]
    assert all("*" in value for value in shown[where].values()), "all of it is kept back"


def test_an_exported_workflow_names_its_credential_and_holds_nothing_of_it() -> None:
    """S8.6"""
    row = keep()
    edge = {**EDGES[0], "action_type": "visual_login", "params": {"credential": "erp"}, "expect": {}}
    workflow = make_workflow(nodes=NODES, edges=[edge, *EDGES[1:]])
    data = export_bundle(workflow)
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        whole = b"".join(bundle.read(name) for name in bundle.namelist())
    assert b'"erp"' in whole
    assert b"canary" not in whole and row.ciphertext.encode() not in whole and b"ada.martin" not in whole


def test_the_key_is_kept_out_of_pages_that_show_settings() -> None:
    assert SafeExceptionReporterFilter().cleanse_setting("RPA_VAULT_KEYS", ["abc"]) == "*" * 20
    assert conf.RPA_VAULT_KEYS == []
