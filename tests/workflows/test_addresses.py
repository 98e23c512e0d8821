"""Where messages go: entered by an admin, encrypted, never shown again (S10.3, S10.6, S12.10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client, override_settings

from tests.factories import make_user
from tests.support.post import SECRET
from workflows import vault
from workflows.models import Address, Credential, CredentialUse
from workflows.secret import Secret, VaultKeyWrong

pytestmark = pytest.mark.django_db

MAIL = "mailtos://robot:h0spital-pw@mail.example.org?from=robot@example.org"
ADD = "/admin/workflows/address/add/"


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> Iterator[Path]:
    with override_settings(DATA_DIR=tmp_path):
        yield tmp_path


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(make_user("admin", "ada"))
    return client


def opened(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(vault.open_address(Address.objects.get(name=name), reason="a test").reveal())
    return found


def form(**fields: str) -> dict[str, str]:
    return {"name": "Ward", "kind": "message", "new_address": MAIL, "new_secret": "", "note": "", **fields}


def test_an_admin_enters_an_address_and_nobody_reads_it_again(ada: Client) -> None:
    answer = ada.post(ADD, form())
    assert answer.status_code == 302, answer.content.decode()
    one = Address.objects.get()
    assert (one.updated_by.username, "h0spital-pw" in one.ciphertext) == ("ada", False)
    page = ada.get(f"/admin/workflows/address/{one.pk}/change/").content.decode()
    assert "h0spital-pw" not in page
    assert opened("Ward") == {"url": MAIL, "secret": ""}
    assert CredentialUse.objects.get().credential == "address: Ward"


def test_an_empty_field_keeps_the_address(ada: Client) -> None:
    ada.post(ADD, form())
    one = Address.objects.get()
    ada.post(f"/admin/workflows/address/{one.pk}/change/", form(new_address="", note="of the ward"))
    one.refresh_from_db()
    assert (one.note, opened("Ward")["url"]) == ("of the ward", MAIL)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"new_address": ""}, "This field is required."),
        ({"new_address": "ward@example.org"}, "An address begins with its kind"),
        ({"kind": "webhook", "new_address": MAIL, "new_secret": SECRET}, "A webhook begins with https://"),
        ({"kind": "webhook", "new_address": "https://x.example"}, "needs the secret that signs it"),
        ({"kind": "webhook", "new_address": "https://x.example", "new_secret": "whsec_?"}, "no secret of a webhook"),
    ],
)
def test_what_is_no_address_is_said(ada: Client, wrong: dict[str, str], why: str) -> None:
    page = ada.post(ADD, form(**wrong)).content.decode()
    assert why in page
    assert "h0spital-pw" not in page
    assert not Address.objects.exists()


def test_a_webhook_is_kept_with_its_secret(ada: Client) -> None:
    ada.post(ADD, form(kind="webhook", new_address="https://x.example/in", new_secret=SECRET))
    assert opened("Ward") == {"url": "https://x.example/in", "secret": SECRET}


def test_a_designer_enters_none(client: Client) -> None:
    client.force_login(make_user("designer", "dora"))
    assert client.post(ADD, form()).status_code == 403


def sealed(name: str) -> Address:
    one = Address(name=name)
    vault.seal(one, Secret(json.dumps({"url": MAIL, "secret": ""})))
    one.save()
    return one


def test_rotating_the_vault_encrypts_addresses_anew_as_well() -> None:
    before = sealed("Ward").ciphertext
    call_command("rotate_vault", "--forget-old")
    assert Address.objects.get().ciphertext != before
    assert opened("Ward")["url"] == MAIL


def test_a_password_is_not_opened_as_an_address_nor_the_other_way() -> None:
    """Whoever writes into the database cannot have a password sent somewhere."""
    vault.store("ward", username="robot", password=Secret("h0spital-pw"))
    one = sealed("ward")
    row: Any = Credential.objects.get()
    Address.objects.update(ciphertext=row.ciphertext)
    with pytest.raises(VaultKeyWrong):
        opened("ward")
    Credential.objects.update(ciphertext=one.ciphertext)
    with pytest.raises(VaultKeyWrong):
        vault.open_credential("ward", reason="a test")


def test_a_webhook_that_comes_in_has_a_secret_and_no_address(ada: Client) -> None:
    refused = ada.post(ADD, form(kind="incoming", new_address="")).content.decode()
    assert "This field is required." in refused
    assert "This is no secret" in ada.post(ADD, form(kind="incoming", new_secret="short")).content.decode()
    assert ada.post(ADD, form(kind="incoming", new_address="", new_secret=SECRET)).status_code == 302
    assert opened("Ward") == {"url": "", "secret": SECRET}
    assert not Address.objects.goes_out().exists()
