"""Which variables hold secrets: by their kind, or because their name or label says so."""

from __future__ import annotations

import re
import unicodedata

from workflows.choices import VariableKind
from workflows.graph import VariableSpec

_SECRET_NAME = re.compile(
    r"\b(pass|pwd|pw|secrete?|token|jeton|pin|otp|cvv|cvc|credential|mdp|api key|(private|access) key|access code"
    r"|mot de passe|code d acces|cle (privee|api))s?\b"
    r"|pass(word|wd|wort|phrase|code)|kennwort|motdepasse|apikey"
)
# What stands between the words of accessToken, API_KEY2, “Code (PIN)”.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W\d_]+")


def is_secret(*names: str) -> bool:
    """Whether a variable's name or label says so, however its words are joined."""
    return any(_SECRET_NAME.search(_plain(name)) is not None for name in names)


def holds_secret(variable: VariableSpec) -> bool:
    return variable.kind == VariableKind.SECRET or is_secret(variable.name, variable.label)


def _plain(name: str) -> str:
    """Its words in small letters without accents."""
    letters = unicodedata.normalize("NFKD", _SEAM.sub(" ", name).lower())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())
