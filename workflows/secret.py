"""A password as a value that does not show itself, and the errors of whoever asks for one. Knows no database."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, NoReturn

from workflows.exceptions import DomainError

HIDDEN = "••••••"


class Secret:
    """A text that is not printed, formatted, pickled or compared by accident; `reveal` is the only way to it.

    It keeps a secret out of logs and error pages. It does not keep it from code that means to read it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself: to be passed on at once and kept nowhere."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __str__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    __hash__ = None  # type: ignore[assignment]  # no key of a dictionary, which would be printed with it

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("A Secret is not pickled or copied: it would leave the process that asked for it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """What a login screen is given."""

    username: str
    password: Secret


class VaultError(DomainError):
    """Nothing was opened or kept; the message says why and what to do, and holds no secret."""


class UnknownCredential(VaultError, status=404):
    pass


class VaultKeyMissing(VaultError, status=503):
    pass


class VaultKeyWrong(VaultError, status=503):
    """The keys are there and open nothing, or are no keys at all."""


class SecretRefused(VaultError, status=422):
    """It could not be typed as it is."""
