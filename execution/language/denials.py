"""Words that turn a text into its contrary, put it off, or tell of an error, in English and French.

"Saved" is not what "could not be saved", "will be saved" or "Enregistrement impossible" say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from execution.language.doubts import doubt_word
from execution.language.fuzzy import NEGATIONS, Words, folded, words

_DENYING = NEGATIONS | frozenset(
    {
        "nothing", "neither", "nor", "unsaved", "unsuccessful", "aborted", "cancelled", "canceled", "denied",
        "refused", "rejected", "invalid", "incorrect", "interrupted", "lost", "hasnt", "havent", "wont", "doesnt",
        "arent", "fail", "failing", "errors", "unavailable", "incomplete", "ne", "erreurs", "echoue", "echouee",
        "echoues", "echouees", "annule", "annulee", "refuse", "refusee", "rejete", "rejetee", "invalide",
        "interrompu", "interrompue", "perdu", "perdue", "abandonne", "abandonnee", "introuvable", "indisponible",
        "incorrecte", "incomplet",
    }
)  # fmt: skip
_PUT_OFF = frozenset(
    {"will", "being", "would", "shall", "pending", "sera", "seront", "serait", "voulez", "want", "cours", "yet"}
)
# A reader glues words: "couldnotbe saved".
_GLUED = re.compile(
    r"couldnot|cannot|wasnot|isnot|hasnot|notbe|willbe|failed|impossible|unable|error|erreur|napas|nepeut"
)
# "No errors", "sans erreur" deny a denial; in "No. 12" and "N° 12" nothing is denied, nor in "Filetype: None", where it
# is what a label says.
_NO_HARM = re.compile(
    r"\b(?:no|without|sans|aucune?|0|zero|pas d)\W{0,2}(?:errors?|erreurs?|failures?|problems?|problemes?|echecs?"
    r"|warnings?|avertissements?)\b|\bno\W{0,2}(?=\d)|\bn°|:\s*(?:none|aucune?)\b"
)
_ERROR = re.compile(
    r"\berrors?\b|\berreurs?\b|\bfailed\b|\bfailure\b|\bunable to\b|\bcould ?n[o']t\b|\bcannot (?:be )?(?!be undone)"
    r"(?:save|open|read|find|connect|delete|send|reach)\w*"
    r"|\bnot (?:be )?(?:saved|sent|deleted|found|allowed|possible)\b"
    r"|\bdenied\b|\brefused\b|\brejected\b|\bexception\b|\bechec\b|\bechou"
    r"|\bimpossible\b|\bn'a pas\b|\bn'ont pas\b|\bne peut pas etre (?!annul)|\brefusee?\b|\brejetee?\b|\binterrompue?\b"
)
_COMPLAINT = re.compile(
    r"\bis required\b|\bare required\b|\binvalid\b|\bincorrect\b|\bmust (?:be|not|contain)\b"
    r"|\bplease (?:enter|select|choose|fill|check|correct)\b|\bnot valid\b|\balready (?:exists|in use|taken)\b"
    r"|^required\W*$|\brequired fields?\b|\bfields? required\b|\bmandatory\b|\bcan(?:no|')t be (?:empty|blank)\b"
    r"|\bis missing\b"
    r"|\bobligatoires?\b|^requise?\W*$|\best requise?\b|\b(?:peut|doit) pas etre vide\b|\b(?:est|sont) manquante?s?\b"
    r"|\binvalide\b|\bincorrecte?\b|\bdoit (?:etre|contenir)\b|\bveuillez (?:saisir|renseigner|remplir|choisir|corriger"
    r"|selectionner|verifier)\b|\bpas valide\b|\bexiste deja\b|\bdeja utilisee?\b"
)
# "Recherche…" is also the hint of a field, "Connexion…" an item of a menu, "Traitement en cours" a heading.
_WAITING = re.compile(
    r"^(?:saving|loading|sending|deleting|working|processing|one moment|searching|connecting|uploading|opening"
    r"|enregistrement|chargement|envoi|suppression|un instant)\b[^.!?]{0,24}\.{2,3}"
    r"|^(?:enregistrement|chargement|envoi|suppression|recherche|connexion|ouverture)\b[^.!?]{0,24}\ben cours\b"
    r"|^please wait\b|^veuillez patienter\b|^patientez\b|\ben cours\.{2,3}"
)


def denied(needle: str, around: str) -> bool:
    """Whether the words around `needle` turn it into its contrary; `around` is the sentence that holds it."""
    return _count(around, _DENYING) > _count(needle, _DENYING)


def put_off(needle: str, around: str) -> bool:
    """Whether the sentence says that `needle` is yet to come, or asks for it."""
    if "?" in around and "?" not in needle:
        return True
    return _count(around, _PUT_OFF) > _count(needle, _PUT_OFF)


def error_word(text: str) -> str:
    """The word by which `text` tells of an error, "" if it does not; of a time-out it is not known that it is one."""
    return "" if doubt_word(text) else _found(_ERROR, text)


def complaint_word(text: str) -> str:
    """The word by which a form complains of what was entered, "" if `text` does not."""
    return _found(_COMPLAINT, text)


def is_waiting(text: str) -> bool:
    """Whether `text` says that something is still under way ("Saving…")."""
    return bool(_WAITING.search(folded(text)))


def same_wording(needle: Words, seen: Words) -> bool:
    """Whether two texts that are alike are the same words: no other ending, and no word with "un" or "dis" before it.

    "Enregistrer" is a button, "Enregistré" what it brings about. A reader seldom loses the end of a word, and where it
    glued or split words the letters must be right.
    """
    if needle.key == seen.key:
        return True
    if len(needle.plain) != len(seen.plain):
        return False
    return all(_same_word(a, b) for a, b in zip(needle.plain, seen.plain, strict=True))


def _same_word(one: str, other: str) -> bool:
    a, b = words(one).key, words(other).key
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return not (len(short) < len(long) and (long.startswith(short) or long.endswith(short)))


def any_of(texts: Iterable[str], needles: Iterable[str]) -> bool:
    """Whether any needle stands inside any of the texts, accents and case aside."""
    hay = [folded(text) for text in texts]
    return any(folded(needle) in text for needle in needles for text in hay)


def _found(pattern: re.Pattern[str], text: str) -> str:
    hit = pattern.search(_NO_HARM.sub(" ", folded(text)))
    return hit.group().strip() if hit else ""


@lru_cache(maxsize=2048)
def _count(text: str, lexicon: frozenset[str]) -> int:
    count = 0
    for word in words(_NO_HARM.sub(" ", folded(text))).plain:
        bare = word.replace("'", "").replace("?", "").replace("!", "")
        if bare in lexicon or (lexicon is _DENYING and (word.startswith("n'") or _GLUED.search(bare))):
            count += 1
    return count
