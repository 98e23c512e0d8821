"""Other words for controls: names that were only reworded, and names that mean another thing."""

from __future__ import annotations

import random
import re

# One word for another of the same meaning; only some of the renamed get these, most keep a word of theirs.
SYNONYMS = {
    "en": {"Save": "Store", "Cancel": "Abort", "Delete": "Remove", "Open": "View", "New": "Create", "Search": "Find",
           "Print": "Output", "Send": "Submit", "Edit": "Modify", "Next": "Continue", "Apply": "Confirm",
           "Help": "Support", "Settings": "Preferences", "Reset": "Restore"},
    "fr": {"Enregistrer": "Sauvegarder", "Annuler": "Abandonner", "Supprimer": "Effacer", "Ouvrir": "Voir",
           "Nouveau": "Créer", "Rechercher": "Trouver", "Imprimer": "Éditer", "Envoyer": "Transmettre",
           "Modifier": "Corriger", "Suivant": "Continuer", "Appliquer": "Confirmer", "Aide": "Assistance",
           "Paramètres": "Préférences", "Réinitialiser": "Rétablir"},
}  # fmt: skip
_SYNONYM_SHARE = 0.2
_LONGER = {"en": ("{} now", "{}…", "{} all", "{} (F2)"), "fr": ("{} ici", "{}…", "{} tout", "{} (F2)")}
_LABELS = {"en": ("{} *", "{}:", "{} (required)"), "fr": ("{} *", "{} :", "{} (obligatoire)")}
_CHOICES = {"en": ("{} (recommended)", "{} (default)", "{}."), "fr": ("{} (conseillé)", "{} (par défaut)", "{}.")}

_OTHERS = {
    "en": ("Delete", "Refund", "Block", "Archive", "Escalate", "Duplicate", "Dismiss all", "Log out", "Wipe", "Suspend",
           "Transfer", "Void entry", "Revoke access", "Erase record", "Shut down", "Unlink", "Reject invoice",
           "Terminate contract", "Format", "Purge"),
    "fr": ("Supprimer", "Rembourser", "Bloquer", "Archiver", "Escalader", "Dupliquer", "Tout ignorer", "Quitter",
           "Vider", "Suspendre", "Transférer", "Contre-passer", "Révoquer l'accès", "Effacer la fiche", "Éteindre",
           "Détacher", "Refuser la facture", "Résilier le contrat", "Formater", "Purger"),
}  # fmt: skip
_OTHER_LABELS = {
    "en": ("Blood group", "Bank code", "Next of kin", "Serial no.", "Discount", "Deadline", "Room", "Weight (kg)"),
    "fr": (
        "Groupe sanguin",
        "Code banque",
        "Personne à prévenir",
        "N° de série",
        "Remise",
        "Échéance",
        "Salle",
        "Poids (kg)",
    ),
}
OTHER_ICONS = (
    "bug", "cloud-rain", "fire", "gift", "hammer", "lightning", "moon", "music-note", "puzzle", "shield-x", "tree",
    "trophy",
)  # fmt: skip


def renamed(name: str, role: str, lang: str, rng: random.Random) -> str:
    """The same thing in other words."""
    first, _, rest = name.partition(" ")
    if first in SYNONYMS[lang] and rng.random() < _SYNONYM_SHARE:
        return f"{SYNONYMS[lang][first]} {rest}".strip()
    if role in ("checkbox", "radio"):
        return rng.choice(_CHOICES[lang]).format(name)
    if role == "field":
        return rng.choice(_LABELS[lang]).format(name)
    if rng.random() < 0.25 and name != name.upper():
        return name.upper()
    return rng.choice(_LONGER[lang]).format(name)


def other(name: str, role: str, lang: str, rng: random.Random) -> str:
    """The name of another thing, about as long."""
    words = _OTHER_LABELS[lang] if role == "field" else _OTHERS[lang]
    fitting = [word for word in words if not _alike(word, name)]
    fitting.sort(key=lambda word: abs(len(word) - len(name)))
    return rng.choice(fitting[:4])


def _alike(one: str, two: str) -> bool:
    """Whether two names share the stem of a word."""
    stems = [{word[:4].casefold() for word in re.findall(r"\w{3,}", text)} for text in (one, two)]
    return bool(stems[0] & stems[1])
