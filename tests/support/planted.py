"""What the screens of an application look like in which a note is written, for pages that show pictures of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from execution.types import Box, Point
from tests.doubles.scripted import Button, ScriptedDesktop, ScriptedScreen, TableRow, TextLabel

PATIENT = "LEFEVRE Marie"
# Each screen: what its button says that leads on, and what it shows beside it.
SCREENS: tuple[tuple[str, str, Sequence[str]], ...] = (
    ("queue", "Rechercher", ("File active", "12 patients attendent")),
    ("search", "Ouvrir", ("Recherche de patient", "1 dossier trouve")),
    ("record", "Note medicale", ("Dossier {patient}", "Box 2, arrivee a 13:40")),
    ("note", "Constantes", ("Note medicale de {patient}", "Motif: douleur thoracique")),
    ("vitals", "Orientation", ("Constantes de {patient}", "TA 134/82, FC 88")),
    ("orientation", "Resume", ("Orientation de {patient}", "Scope, surveillance")),
    ("summary", "Valider", ("Resume de {patient}", "Orientation: scope")),
    ("saved", "Fermer", ("Note enregistree", "Dossier {patient}")),
    ("closed", "", ("Dossier ferme", "Retour a la file active")),
)
CELLS = (("Nom", "{patient}"), ("Medecin", "Dr Durand"), ("Service", "Urgences"))
BUTTON = Box(80, 420, 190, 44)


def pictures() -> list[np.ndarray]:
    """One of each screen."""
    made = []
    for name, button, words in SCREENS:
        widgets: list[Any] = [
            TextLabel(text=words[0], at=Point(60, 70), size=22, bold=True),
            TextLabel(text=words[1], at=Point(60, 120)),
            *(
                TableRow(name=f"row{n}", box=Box(60, 170 + 34 * n, 620, 32), cells=cells, widths=(220, 260))
                for n, cells in enumerate(CELLS)
            ),
        ]
        if button:
            widgets.append(Button(name="go", text=button, box=BUTTON, primary=True))
        made.append(ScriptedScreen(name=name, title=f"Urgences - {name.title()}", widgets=widgets))
    desktop = ScriptedDesktop(made, memory={"patient": PATIENT})
    found = []
    for screen in made:
        desktop.show(screen.name)
        found.append(desktop.grab().pixels)
    return found
