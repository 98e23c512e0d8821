"""A ward's orders as a web page: its styles, its words, what goes wrong in it, and the server that counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.site import serving

PAGE = Path(__file__).with_name("page.html")
ENGLISH: Mapping[str, Any] = {
    "list": "Orders of the ward", "heads": ["Number", "Name", "Born"], "number": "Number", "open": "Open",
    "record": "Order details", "name": "Name", "note": "Remark", "phone": "Phone", "save": "Save", "sign": "Sign",
    "remove": "Delete", "saved": "Changes saved", "saving": "Saving…", "signed": "Order signed",
    "end": "You may close this page", "yes": "Yes", "no": "No", "loading": "Loading…", "online": "3 users online",
    "error500": "Error 500: your changes could not be saved", "timeout": "The request timed out",
    "unknown": "We do not know whether your changes were saved", "required": "Phone is required",
    "expires": "Your session expires soon. Stay signed in?", "locked": "Nurse Kim edits this order too. Continue?",
    "conflict": "Somebody changed this order. Overwrite?", "banner": "Maintenance tonight from 22:00 to 23:00",
    "checking": "Checking…", "draft": "Draft kept",
}  # fmt: skip
FRENCH: Mapping[str, Any] = {
    "list": "Prescriptions du service", "heads": ["Numéro", "Nom", "Né le"], "number": "Numéro", "open": "Ouvrir",
    "record": "Détail de la prescription", "name": "Nom", "note": "Remarque", "phone": "Téléphone",
    "save": "Enregistrer", "sign": "Signer", "remove": "Supprimer", "saved": "Modifications enregistrées",
    "saving": "Enregistrement en cours…", "signed": "Prescription signée", "end": "Vous pouvez fermer cette page",
    "yes": "Oui", "no": "Non", "loading": "Chargement…", "online": "3 utilisateurs en ligne",
    "error500": "Erreur 500 : modifications non enregistrées", "timeout": "Délai d'attente dépassé",
    "unknown": "Nous ne savons pas si vos modifications ont été enregistrées",
    "required": "Le téléphone est obligatoire", "expires": "Votre session expire bientôt. Rester connecté ?",
    "locked": "L'infirmier Kim modifie aussi cette prescription. Continuer ?",
    "conflict": "Cette prescription a été modifiée. Écraser ?", "banner": "Maintenance ce soir de 22:00 à 23:00",
    "checking": "Vérification…", "draft": "Brouillon gardé",
}  # fmt: skip
STYLES: Mapping[str, Mapping[str, Any]] = {
    "plain": ENGLISH, "bootstrap": ENGLISH, "dense": FRENCH, "cards": ENGLISH,
}  # fmt: skip
ROWS: tuple[tuple[str, str, str], ...] = (
    ("48213", "MARTIN Paul", "03/04/1971"),
    ("48231", "MARTIN Paul", "14/07/1980"),
    ("50917", "DUPONT Léa", "14/01/1980"),
    ("50971", "LEFÈVRE Ida", "02/02/1990"),
    ("61304", "LEFEBVRE Ida", "02/02/1991"),
)
TAUGHT, WANTED, PHONE = "50917", "48231", "0478123456"


@dataclass
class Site:
    """What it shows next, and what it was sent."""

    style: str
    fault: str = ""
    rows: Sequence[tuple[str, str, str]] = ROWS
    wanted: str = TAUGHT
    sent: list[dict[str, Any]] = field(default_factory=list)
    where: dict[str, Any] = field(default_factory=dict)
    port: int = 0

    @property
    def words(self) -> Mapping[str, Any]:
        return STYLES[self.style]

    @property
    def shown(self) -> bool:
        return any(one["what"] == "shown" for one in self.sent)

    @property
    def acts(self) -> list[dict[str, Any]]:
        return [one for one in self.sent if one["what"] != "shown"]

    def page(self) -> str:
        settings = {
            "style": self.style, "lang": "fr" if self.words is FRENCH else "en", "words": self.words, "rows": self.rows,
            "fault": self.fault, "wanted": self.wanted, "phone": PHONE,
        }  # fmt: skip
        return PAGE.read_text().replace("__SETTINGS__", json.dumps(settings))


@contextmanager
def served(site: Site) -> Iterator[Site]:
    def hear(path: str, body: str) -> None:
        told = json.loads(body)
        if path == "/where":
            site.where = told
        else:
            site.sent.append(told)

    with serving(lambda path: site.page() if path == "/" else "", hear) as site.port:
        yield site
