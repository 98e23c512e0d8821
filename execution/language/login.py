"""What login screens say, in English and French: labels, buttons, refusals, and what is asked for next (S5.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from execution.language.fuzzy import SEEN, folded, similarity
from execution.language.menu_paths import likeness


class LoginLabel(StrEnum):
    """What a label asks for; `weak_user` is a user name only beside a password, `another` a password that is not the
    one to log in with."""

    USER = "user"
    WEAK_USER = "weak_user"
    PASSWORD = "password"  # noqa: S105  # nosec B105  no password
    ANOTHER = "another"


_ONE_WORD = (
    (re.compile(r"mots?\s*de\s*passe|pass\s?word|pass\s?phrase|pass\s?code"), " password "),
    (re.compile(r"nom\s*d\W?\s*utilisateur|user\s?-?name|user\s?-?id\b"), " username "),
    (re.compile(r"(?:adresse\s*)?e\s?-?\s?mail|courriel|adresse\s+electronique"), " email "),
)
_PASSWORD = frozenset({"password", "mdp"})
_USER = frozenset(
    {"username", "user", "login", "email", "account", "identifiant", "utilisateur", "compte", "matricule"}
)
_WEAK = frozenset({"name", "nom", "id", "phone", "telephone", "mobile", "identification"})
_ANOTHER = frozenset(
    {
        "new", "confirm", "confirmation", "repeat", "retype", "again", "current", "old", "choose", "create", "verify",
        "nouveau", "confirmer", "confirmez", "ancien", "actuel", "repeter", "repetez", "choisissez", "creer",
    }
)  # fmt: skip
_FILLING = frozenset(
    {
        "your", "my", "enter", "type", "please", "the", "a", "or", "and", "address", "number", "required", "here", "in",
        "votre", "mon", "saisissez", "saisir", "entrez", "entrer", "le", "la", "l", "de", "d", "du", "un", "ou", "et",
        "adresse", "numero", "obligatoire", "ici", "employee",
    }
)  # fmt: skip
_MOST_WORDS = 8

LOG_IN = (
    "Log in", "Login", "Sign in", "Log on", "Logon", "Connect", "Se connecter", "Connexion", "Me connecter",
    "Connecter", "S'identifier", "S'authentifier", "Ouvrir une session", "Ouvrir la session", "Identification",
    "Authentification",
)  # fmt: skip
GO_ON = ("Next", "Continue", "OK", "Submit", "Enter", "Go", "Suivant", "Continuer", "Valider", "Entrer", "Envoyer")
SIGN_UP = ("Sign up", "Register", "Create account", "Create an account", "S'inscrire", "Créer un compte", "Inscription")
LOG_OUT = (
    "Log out", "Logout", "Sign out", "Log off", "Déconnexion", "Se déconnecter", "Me déconnecter", "Déconnecter",
    "Fermer la session",
)  # fmt: skip
HIDE = ("Hide", "Hide password", "Masquer", "Masquer le mot de passe", "Cacher")

_ABOUT = (
    r"password|passcode|mot de passe|credential|user ?name|\buser\b|identifiant|log ?in|sign ?in|connexion|connecter"
    r"|authenti|account|compte|e-?mail|utilisateur"
)
_WRONG = (
    r"incorrect|invalid|wrong|not recogni[sz]ed|not match|n.t match|unknown|no account|erron|inconnu|ne correspond"
    r"|mauvais|not valid|pas valide|non valide|not correct|isn.t right"
)
_FAILED = r"failed|failure|echec|echoue|refuse|denied|unable|impossible|could not|couldn.t|try again|reessay"
_LOCKED = re.compile(
    r"\b(?:account|compte|user|utilisateur|access|acces)\b.{0,40}\b(?:locked|blocked|suspended|disabled|deactivated"
    r"|verrouille|bloque|suspendu|desactive)"
    r"|too many (?:failed |unsuccessful |login |sign-?in )*(?:attempts|tries|logins)|trop de (?:tentatives|essais)"
    r"|(?:temporarily|temporairement) (?:locked|blocked|verrouille|bloque)|tentatives depasse"
)
_NOT_YET = re.compile(r"\b(?:will|may|could|sera|seront|pourra|before|avant|remaining|restant\w*|left)\b")
_CODE = re.compile(
    r"(?:verification|security|authentication|confirmation|one-? ?time|single-? ?use|digit|sms) (?:code|password)"
    r"|code (?:de |d.)?(?:verification|securite|confirmation|authentification|acces|usage|sms)"
    r"|(?:code|mot de passe) a (?:usage unique|\d chiffres)"
    r"|(?:enter|type|saisi\w+|entre[zr]) (?:the|le|your|votre) code|code (?:we |that was )?(?:sent|recu|envoye)"
)
_FACTOR = re.compile(
    r"two-? ?(?:factor|step)|second factor|\b(?:2fa|mfa|otp)\b|authenticator|double (?:authentification|facteur)"
    r"|deux (?:facteurs|etapes)"
)
_BROKEN = re.compile(
    r"\b50[0234] |bad gateway|service unavailable|gateway time-?out|internal server error|server error"
    r"|can.?t be reached|unable to connect|connection (?:was )?(?:refused|reset|timed out)|\berr_[a-z_]+"
    r"|erreur (?:interne|du serveur|serveur)|site est inaccessible|service indisponible|page not found"
)
_WAITING = re.compile(
    r"\b(?:logging|signing|logged|authenticating|checking|redirecting|loading|please wait|one moment)\b.{0,30}"
    r"(?:\.{2,3}|$)"
    r"|en cours|patiente[rz]|chargement|redirection"
)
_CAPS = re.compile(r"caps ?lock|verr\w*\.? ?maj")


@lru_cache(maxsize=4096)
def label_of(text: str) -> LoginLabel | None:
    """What a line asks for if it is the label of a field of a login screen; None for any other text."""
    plain = folded(text)
    for pattern, word in _ONE_WORD:
        plain = pattern.sub(word, plain)
    found = re.findall(r"[a-z0-9]+", plain)
    if not 0 < len(found) <= _MOST_WORDS or "?" in plain:
        return None
    kinds = [_kind(word) for word in found]
    if None in kinds:
        return None
    if LoginLabel.PASSWORD in kinds:
        return LoginLabel.ANOTHER if LoginLabel.ANOTHER in kinds else LoginLabel.PASSWORD
    for kind in (LoginLabel.ANOTHER, LoginLabel.USER, LoginLabel.WEAK_USER):
        if kind in kinds:
            return None if kind is LoginLabel.ANOTHER else kind
    return None


def _kind(word: str) -> LoginLabel | str | None:
    kinds = (
        (LoginLabel.PASSWORD, _PASSWORD),
        (LoginLabel.USER, _USER),
        (LoginLabel.WEAK_USER, _WEAK),
        (LoginLabel.ANOTHER, _ANOTHER),
        ("", _FILLING),
    )
    for kind, known in kinds:
        if word in known:
            return kind
    if len(word) < 5:
        return None
    return next((kind for kind, known in kinds if any(similarity(word, k) >= SEEN for k in known)), None)


def is_any(text: str, phrases: Iterable[str]) -> bool:
    """Whether the whole text is one of the phrases."""
    return any(likeness(phrase, text) for phrase in phrases)


def says_wrong(text: str) -> bool:
    """That what was entered is not right, said of a user, a password or logging in."""
    plain = folded(text)
    return bool(re.search(_ABOUT, plain) and re.search(_WRONG, plain))


def says_refused(text: str) -> bool:
    """That something is wrong or failed, on a screen that still asks for the login."""
    return bool(re.search(f"{_WRONG}|{_FAILED}", folded(text)))


def says_locked(text: str) -> bool:
    """That the account is locked, not that it will be."""
    plain = folded(text)
    return bool(_LOCKED.search(plain)) and not _NOT_YET.search(plain)


def asks_code(text: str) -> bool:
    """That a code is asked for: a second factor."""
    return bool(_CODE.search(folded(text)))


def names_factor(text: str) -> bool:
    """That a second factor is spoken of; a page of settings does as well."""
    return bool(_FACTOR.search(folded(text)))


def says_broken(text: str) -> bool:
    """That the page itself could not be had."""
    return bool(_BROKEN.search(folded(text)))


def says_waiting(text: str) -> bool:
    return bool(_WAITING.search(folded(text)))


def says_caps_lock(text: str) -> bool:
    return bool(_CAPS.search(folded(text)))
