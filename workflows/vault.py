"""User names and passwords for `visual_login` (S10.3): kept encrypted, opened one at a time, each time written down.

What is encrypted is the password together with its credential's name, so that one row's password cannot be made to
serve another. Nothing here logs, returns or raises a password except `open_credential`, which returns it as a `Secret`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import Any

from cryptography.fernet import InvalidToken, MultiFernet
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from sentences.said import say
from workflows import vault_keys
from workflows.models.secret import Address, Credential, CredentialUse
from workflows.secret import Login, Secret, SecretRefused, UnknownCredential, VaultKeyWrong

__all__ = [
    "Login",
    "Secret",
    "known_names",
    "open_address",
    "open_credential",
    "rotate",
    "seal",
    "store",
    "username_of",
]

Sealed = Credential | Address


LONGEST = 1000
_log = logging.getLogger("surehand.vault")


def known_names() -> tuple[str, ...]:
    """The names that a workflow may ask for, sorted."""
    return tuple(Credential.objects.order_by("name").values_list("name", flat=True))


def username_of(name: str) -> str:
    """Whom a credential logs in; no secret. Raises UnknownCredential."""
    return _row(name).username


def open_credential(name: str, *, reason: str) -> Login:
    """The user name and password kept under `name`.

    That it was asked for, and why, is committed and logged before anything is decrypted. Raises UnknownCredential,
    VaultKeyMissing, VaultKeyWrong, and whatever the database says where the use cannot be written down.
    """
    row = _row(name)
    with transaction.atomic(durable=True):  # not inside a transaction that could take it back
        CredentialUse.objects.create(credential=row.name, reason=reason[:300])
    _log.info("The credential %s is opened: %s", row.name, reason)
    return Login(username=row.username, password=_unsealed(row, vault_keys.cipher()))


def open_address(address: Address, *, reason: str) -> Secret:
    """Where a message goes. That it was asked for, and why, is committed before anything is decrypted.

    Raises VaultKeyMissing, VaultKeyWrong, and whatever the database says where the use cannot be written down.
    """
    with transaction.atomic(durable=True):
        CredentialUse.objects.create(credential=address.sealed_as[:100], reason=reason[:300])
    return _unsealed(address, vault_keys.cipher())


def store(name: str, *, username: str, password: Secret, note: str = "", user: Any = None) -> Credential:
    """Keep a user name and a password under `name`, in place of what was there.

    Raises SecretRefused, VaultKeyMissing, VaultKeyWrong, and ValidationError for a bad name.
    """
    row = Credential.objects.filter(name=name).first() or Credential(name=name)
    row.username, row.note, row.updated_by = username, note, user
    seal(row, password)
    row.full_clean()
    row.save()
    return row


def seal(row: Sealed, password: Secret) -> None:
    """Put the encrypted secret into a row, which is not saved; makes the key file with the first secret ever.

    Raises SecretRefused, VaultKeyMissing, VaultKeyWrong.
    """
    _check(password)
    if not vault_keys.exist() and not Credential.objects.exists() and not Address.objects.exists():
        vault_keys.create()
    row.ciphertext = _sealed(row.sealed_as, password, vault_keys.cipher())


def rotate(*, forget_old: bool = False) -> int:
    """Encrypt every secret anew with the current key; the number of them.

    Where the keys are in the file, a fresh one becomes the current one. `forget_old` leaves only that one, after which
    older copies of the database cannot be opened any more. A password that no key opens stops it, nothing is changed.
    """
    if not vault_keys.exist():
        vault_keys.load()  # says what is missing
    if not vault_keys.in_environment():
        vault_keys.add_current()
    with transaction.atomic():
        opening = vault_keys.cipher()
        count = _seal_anew(Credential.objects.select_for_update(), opening)
        count += _seal_anew(Address.objects.select_for_update(), opening)
    if forget_old and not vault_keys.in_environment():
        _forget_old()
    _log.info("The vault was rotated: %d secrets.", count)
    return count


def _seal_anew(rows: Iterable[Sealed], opening: MultiFernet) -> int:
    count = 0
    for row in rows:
        row.ciphertext = _sealed(row.sealed_as, _unsealed(row, opening), opening)
        row.save(update_fields=["ciphertext"])
        count += 1
    return count


def _forget_old() -> None:
    """Only the current key, unless somebody saved a password with another one in the meantime."""
    current = vault_keys.load()[0]
    alone = vault_keys.cipher([current])
    rows: list[Sealed] = [*Credential.objects.all(), *Address.objects.all()]
    for row in rows:
        _unsealed(row, alone)
    vault_keys.replace_file([current])


def _row(name: str) -> Credential:
    row = Credential.objects.filter(name=name).first()
    if row is None:
        known = ", ".join(known_names()[:10]) or say("vault.none_yet")
        raise UnknownCredential(say("vault.unknown_credential", name=name, known=known))
    return row


@sensitive_variables()
def _check(password: Secret) -> None:
    text = password.reveal()
    if not text:
        raise SecretRefused(say("vault.empty"))
    if len(text) > LONGEST:
        raise SecretRefused(say("vault.too_long", limit=LONGEST))
    if not text.isprintable():
        raise SecretRefused(say("vault.not_typeable"))


@sensitive_variables()
def _sealed(name: str, password: Secret, cipher: MultiFernet) -> str:
    return cipher.encrypt(json.dumps({"name": name, "password": password.reveal()}).encode()).decode()


@sensitive_variables()
def _unsealed(row: Sealed, cipher: MultiFernet) -> Secret:
    try:
        kept = json.loads(cipher.decrypt(row.ciphertext.encode()))
    except InvalidToken:
        raise VaultKeyWrong(say("vault.other_key", name=row.name)) from None
    if kept["name"] != row.sealed_as:
        raise VaultKeyWrong(say("vault.of_another", name=row.name))
    return Secret(kept["password"])
