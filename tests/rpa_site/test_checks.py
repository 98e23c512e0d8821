from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.urls import path
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from rpa_site import checks
from rpa_site.urls import urlpatterns as real_urls
from tests.support.processes import finished
from tests.support.product import free_port

pytestmark = pytest.mark.django_db  # Django's own checks ask the database what it can

OWN = "rpa_site."
ROOT = Path(__file__).parents[2]


def found(*, deploy: bool = False) -> dict[str, Any]:
    """The product's own messages, by id."""
    tags = {"include_deployment_checks": True} if deploy else {}
    messages = run_checks(databases=["default"], **tags)
    return {message.id: message for message in messages if message.id.startswith(OWN)}


def test_every_command_knows_the_checks() -> None:
    """In a process of its own: here this file has imported them."""
    code = (
        "import django; django.setup(); from django.core.checks import registry; print(registry.registry.get_checks())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "data_directory_takes_files" in told.stdout


def test_a_sound_deployment_has_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":1")
    monkeypatch.setattr(checks, "wal_is_safe", lambda: True)
    assert found(deploy=True) == {}


@pytest.mark.parametrize(
    "command", ["runloop", "work", *(pytest.param(one, marks=pytest.mark.slow) for one in ("check", "first_admin"))]
)
def test_no_command_begins_with_settings_that_are_refused(command: str, tmp_path: Path) -> None:
    told = {"RPA_DATA_DIR": str(tmp_path), "RPA_ENV_FILE": os.devnull, "RPA_OCR_ENGINE": "gocr"}
    done = finished(
        [sys.executable, "manage.py", command], cwd=checks.settings.BASE_DIR, env={**os.environ, **told}, timeout=60
    )
    assert done.returncode == 1
    assert "rpa_site.E003" in done.stderr


@pytest.mark.slow
def test_a_deployment_as_it_is_documented_has_nothing_to_warn_of(tmp_path: Path) -> None:
    """`manage.py check --deploy`, with what docs/many.md puts into .env.local; Django's messages too."""
    told = {
        "DISPLAY": ":1", "RPA_DATA_DIR": str(tmp_path), "RPA_ENV_FILE": os.devnull,
        "RPA_BEHIND_TLS": "1", "RPA_PROXIES": "1",
        "RPA_ALLOWED_HOSTS": "surehand.example.org", "RPA_CSRF_TRUSTED_ORIGINS": "https://surehand.example.org",
    }  # fmt: skip
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = finished(command, cwd=checks.settings.BASE_DIR, env={**os.environ, **told}, timeout=60)
    assert done.returncode == 0, done.stderr


def test_every_message_says_what_to_do(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RPA_AUTH_DISABLED, settings.RPA_OCR_ENGINE = True, "gocr"
    settings.ALLOWED_HOSTS = ["*"]
    monkeypatch.delenv("DISPLAY", raising=False)
    told = found(deploy=True)
    assert {"rpa_site.W001", "rpa_site.E001", "rpa_site.E003"} <= told.keys()
    assert all(message.hint for message in told.values())


@pytest.mark.security
def test_a_switch_that_would_turn_login_off_is_warned_of(settings: Any) -> None:
    """S5.7: there is no such switch, and whoever believes in it is told."""
    settings.RPA_AUTH_DISABLED = True
    assert "changes nothing" in found()["rpa_site.W001"].msg


@pytest.mark.security
@pytest.mark.parametrize(
    ("hosts", "debug", "is_error"), [(["*"], False, True), (["*"], True, False), (["a"], False, False)]
)
def test_any_host_is_an_error_outside_debugging(settings: Any, hosts: list[str], debug: bool, is_error: bool) -> None:
    """T1"""
    settings.ALLOWED_HOSTS, settings.DEBUG = hosts, debug
    assert ("rpa_site.E001" in found()) is is_error


def test_sqlite_with_deferred_transactions_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """C.2: they fail with “database is locked”."""
    deferred = {"default": {"ENGINE": checks.SQLITE, "OPTIONS": {}}}
    monkeypatch.setattr(checks, "settings", SimpleNamespace(DATABASES=deferred))
    assert [m.id for m in checks.sqlite_is_opened_safely()] == ["rpa_site.E002"]


def test_what_is_said_of_sqlite_is_not_said_of_another_database(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"default": {"ENGINE": "django.db.backends.postgresql"}}
    monkeypatch.setattr(checks, "settings", SimpleNamespace(DATABASES=other))
    assert checks.sqlite_is_opened_safely() == checks.wal_is_used_where_it_is_safe() == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a matter of SQLite")
def test_the_journal_that_is_used_instead_of_wal_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """C.1"""
    monkeypatch.setattr(checks, "wal_is_safe", lambda: False)
    assert "TRUNCATE" in found(deploy=True)["rpa_site.I001"].msg
    assert "rpa_site.I001" not in found()


def test_a_data_directory_that_takes_no_files_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "missing"
    assert "missing" in found()["rpa_site.E004"].msg


@pytest.mark.parametrize(("kind", "is_error"), [("nfs4", True), ("cifs", True), ("ext4", False), ("overlay", False)])
def test_a_data_directory_across_a_network_is_an_error(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, is_error: bool
) -> None:
    """Locks of files do not hold there, and two robots would share one desktop."""
    folder = tmp_path / "my data" / "var"
    folder.mkdir(parents=True)
    mounts = tmp_path / "mounts"
    share = str(tmp_path / "my data").replace(" ", "\\040")
    mounts.write_text(f"overlay / overlay rw 0 0\nserver:/x {share} {kind} rw 0 0\n")
    monkeypatch.setattr(checks, "MOUNTS", mounts)
    settings.DATA_DIR = folder
    assert ("rpa_site.E005" in found()) is is_error


def test_a_system_that_lists_no_mounts_is_not_guessed_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MOUNTS", tmp_path / "none")
    assert checks.file_system_of(tmp_path) == ""


def test_a_missing_display_is_said_at_deployment_and_only_where_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "rpa_site.W003" in found(deploy=True)
    assert "rpa_site.W003" not in found()  # the web process starts without one
    monkeypatch.setattr(sys, "platform", "win32")
    assert checks.run_loop_has_a_display() == []


# --- pictures in a store ----------------------------------------------------------------------------------------------
def pictures_at(settings: Any, url: str) -> None:
    options = {"endpoint_url": url, "bucket_name": "screens", "access_key": "key", "secret_key": "secret"}
    pictures = {"BACKEND": "workflows.picture_bucket.PictureBucket", "OPTIONS": options}
    settings.STORAGES = settings.STORAGES | {"pictures": pictures}


@pytest.mark.security
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "rpa_site.E022"),
        ("https://s3.eu-west-3.amazonaws.com", "rpa_site.E022"),
        ("https://s3.cn-north-1.amazonaws.com.cn", "rpa_site.E022"),
        ("http://pictures.example:9000", "rpa_site.W004"),
        ("https://pictures.example:9000", None),
        ("https://notamazonaws.com", None),
        ("http://127.0.0.1:9000", None),
        ("http://[::1]:9000", None),
        ("http://localhost:9000", None),
    ],
)
def test_pictures_of_screens_stay_in_the_house(settings: Any, url: str, told: str | None) -> None:
    """S10.4"""
    pictures_at(settings, url)
    messages = found()
    assert {"rpa_site.E022", "rpa_site.W004"} & messages.keys() == ({told} if told else set())
    assert not told or messages[told].hint


def test_a_store_that_does_not_answer_is_an_error_of_the_deployment(settings: Any) -> None:
    pictures_at(settings, f"http://127.0.0.1:{free_port()}")
    assert "it does not answer" in found(deploy=True)["rpa_site.E023"].msg
    assert "rpa_site.E023" not in found()  # a command does not wait for it


# --- API views ------------------------------------------------------------------------------------------------------
class Silent(APIView):
    def get(self, request: Any) -> None: ...

    def post(self, request: Any) -> None: ...


class HalfSilent(Silent):
    read_permission = "execution.view_execution"


class WideOpen(HalfSilent):
    permission_classes = (AllowAny,)


class Spoken(HalfSilent):
    write_permission = "execution.operate_execution"


urlpatterns = [
    path(f"api/{view.__name__}", view.as_view()) for view in (Silent, HalfSilent, WideOpen, Spoken)
] + real_urls


@pytest.mark.security
@pytest.mark.urls(__name__)
def test_an_api_view_that_declares_no_permission_is_an_error() -> None:
    """S10.1: deny by default, and say so before anybody asks why."""
    said = {message.msg.removeprefix(f"{__name__}.") for message in checks.api_views_declare_permissions()}
    assert said == {
        "Silent does not declare `read_permission`.",
        "Silent does not declare `write_permission`.",
        "HalfSilent does not declare `write_permission`.",
        "WideOpen does not declare `permission_classes`.",
    }


def test_all_api_views_of_the_product_declare_theirs() -> None:
    """S10.1"""
    assert len(set(checks.api_views(real_urls))) > 15
    assert checks.api_views_declare_permissions() == []


@pytest.mark.security
@pytest.mark.parametrize(
    ("providers", "default", "said"),
    [
        ({"citrix": "os.getcwd"}, "citrix", None),
        ({"citrix": "nowhere.at_all"}, "", "citrix (nowhere.at_all) is not there"),
        ({"citrix": "os.nothing"}, "", "citrix (os.nothing) is not there"),
        ({"citrix": "os.sep"}, "", "citrix (os.sep) cannot be called"),
        ({"citrix": "os.getcwd"}, "os.getcwd", "“os.getcwd” is none of"),
    ],
)
def test_every_window_provider_can_be_called(settings: Any, providers: Any, default: str, said: str | None) -> None:
    """S2.7"""
    settings.RPA_WINDOW_PROVIDERS, settings.RPA_WINDOW_INFO_PROVIDER = providers, default
    message = found().get(checks.PROVIDERS)
    assert (message is None) if said is None else said in message.msg
