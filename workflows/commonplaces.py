"""What nearly every dialog says, in English and French: captions of buttons, "Confirmation", "Are you sure?".

None of it tells one dialog from another: known by that alone, the answer to one question would be given to all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from workflows.graph import PopupSpec

_CAPTIONS = """
yes; no; yes to all; no to all; ok; okay; cancel; close; continue; go on; save; save all; don't save; do not save;
apply; back; next; finish; done; retry; try again; ignore; abort; delete; remove; confirm; accept; agree; i agree;
decline; refuse; allow; deny; dismiss; skip; later; not now; remind me later; help; more; details; show details;
quit; exit; stop; open; print; send; submit; validate; discard; keep; leave; stay; understood; got it;
oui; non; oui pour tout; non pour tout; d'accord; annuler; fermer; continuer; enregistrer; tout enregistrer;
ne pas enregistrer; appliquer; retour; précédent; suivant; terminer; terminé; réessayer; recommencer; ignorer;
abandonner; supprimer; retirer; effacer; confirmer; accepter; j'accepte; refuser; autoriser; passer; plus tard;
pas maintenant; me le rappeler plus tard; aide; plus; détails; afficher les détails; quitter; sortir; arrêter; ouvrir;
imprimer; envoyer; soumettre; valider; rester; compris; j'ai compris
"""
_HEADINGS = """
confirmation; confirm action; please confirm; warning; attention; caution; question; information; notice; error;
message; alert; are you sure; are you sure you want to continue; do you want to continue;
do you really want to continue; this action cannot be undone; this cannot be undone; proceed;
veuillez confirmer; demande de confirmation; avertissement; remarque; erreur; alerte; êtes-vous sûr; êtes-vous sûre;
êtes-vous sûr de vouloir continuer; voulez-vous continuer; voulez-vous vraiment continuer; souhaitez-vous continuer;
cette action est irréversible; cette action ne peut pas être annulée
"""


def telling(texts: Iterable[str], *, but: Iterable[str] = ()) -> list[str]:
    """Those of the texts that say more than any dialog would; `but` are its own buttons, which tell nothing either."""
    nothing = _COMMON | {_plain(text) for text in but}
    return [text for text in texts if _plain(text) and _plain(text) not in nothing]


def is_told_apart(popup: PopupSpec) -> bool:
    """Whether a dialog is known by anything that not every other dialog has: a text, or its window's title."""
    return bool(popup.window_title.strip(" *") or telling(popup.texts, but=(popup.click,)))


def _plain(text: str) -> str:
    """Its words without case, accents and signs; without the mark of a key, "&Yes", as well."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("&", "").replace("_", ""))
    bare = "".join(c for c in letters if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", bare))


_COMMON = frozenset(_plain(text) for text in f"{_CAPTIONS};{_HEADINGS}".replace("\n", " ").split(";"))
