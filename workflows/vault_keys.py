"""The vault's keys, which never lie in the database: the first one encrypts, every one of them opens.

`RPA_VAULT_KEYS` in the environment where it is set, else the file vault.key in `RPA_DATA_DIR`, one key a line, which is
made with the first credential and readable by its owner alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from sentences.said import say
from workflows.secret import VaultKeyMissing, VaultKeyWrong

SETTING, FILENAME = "RPA_VAULT_KEYS", "vault.key"


def path() -> Path:
    return Path(settings.DATA_DIR) / FILENAME


def in_environment() -> bool:
    """True if people keep the keys themselves, and the file is not looked at."""
    return bool(_from_environment())


def exist() -> bool:
    return in_environment() or path().exists()


@sensitive_variables()
def load() -> tuple[str, ...]:
    """The keys, the current one first; raises VaultKeyMissing."""
    found = _from_environment() or _from_file()
    if not found:
        raise VaultKeyMissing(say("vault.key_missing", setting=SETTING, path=path()))
    return found


@sensitive_variables()
def cipher(chosen: Sequence[str] | None = None) -> MultiFernet:
    """Encrypts with the first key and opens with any; raises VaultKeyMissing or VaultKeyWrong."""
    fernets = []
    for number, key in enumerate(load() if chosen is None else chosen, start=1):
        try:
            fernets.append(Fernet(key))
        except ValueError:
            place = SETTING if in_environment() else path()
            raise VaultKeyWrong(say("vault.no_key", number=number, place=place)) from None  # it may quote the key
    return MultiFernet(fernets)


@sensitive_variables()
def create() -> None:
    """Make the file with its first key where nobody has made one; whichever process comes first wins."""
    if not exist():
        fresh = _written([Fernet.generate_key().decode()])
        try:
            os.link(fresh, path())  # atomic, and it does not replace a key that another process has just made
        except FileExistsError:
            pass
        finally:
            fresh.unlink()


@sensitive_variables()
def add_current() -> None:
    """Put a fresh key before those in the file; what was encrypted before is still opened by the others."""
    replace_file([Fernet.generate_key().decode(), *_from_file()])


@sensitive_variables()
def replace_file(new: Sequence[str]) -> None:
    """The file with these keys, whole or not at all."""
    _written(new).replace(path())


@sensitive_variables()
def _written(lines: Sequence[str]) -> Path:
    """A fresh file beside the real one, on the disk for certain: a lost key is a lost vault."""
    place = path()
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the services run as whoever owns the data
        owner = place.parent.stat()
        os.chown(fresh, owner.st_uid, owner.st_gid)
    return fresh


@sensitive_variables()
def _from_environment() -> tuple[str, ...]:
    return tuple(key.strip() for key in settings.RPA_VAULT_KEYS if key.strip())


@sensitive_variables()
def _from_file() -> tuple[str, ...]:
    place = path()
    try:
        if os.name == "posix" and stat.S_IMODE(place.stat().st_mode) & 0o077:
            raise VaultKeyWrong(say("vault.key_open_to_others", path=place))
        return tuple(line.strip() for line in place.read_text().splitlines() if line.strip())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise VaultKeyMissing(say("vault.key_unreadable", path=place, reason=error.strerror or error)) from error
