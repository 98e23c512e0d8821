"""Runs of one workflow on a scripted desktop, of which one goes wrong at step 7 for a reason that was planted.

What the viewer of runs is held against: whoever opens the page of such a run must see why within ten seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from execution.desktop.scripted import Button, Goto, ScriptedDesktop, ScriptedScreen, TableRow, TextLabel
from execution.desktop.widgets import Banner
from execution.types import Box, Point
from tests.factories import make_published
from workflows.models import WorkflowVersion

PATIENT, OTHER = "LEFEVRE Marie", "MARTIN Paul"
REASONS = ("renamed button", "dialog", "wrong record", "slow server")
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
BUTTON = Box(80, 420, 190, 44)
FAILS_AT = 7
AFTERWARDS = ("dialog", "slow server")  # what comes once step 7 has clicked


def publish_note() -> WorkflowVersion:
    """The workflow that all of them run; before it validates, the record must be the patient's."""
    nodes = [
        {
            "node_id": name,
            "name": words[0].replace("{patient}", "patient"),
            "texts": [words[1]] if name == "summary" else [words[0].replace("{patient}", "{{patient}}")],
            "window_title": f"Urgences - {name.title()}",
            "is_entry": name == SCREENS[0][0],
            "is_end": name == SCREENS[-1][0],
        }
        for name, _button, words in SCREENS
    ]
    edges = [
        {
            "edge_id": f"go_{source[0]}",
            "source": source[0],
            "destination": destination[0],
            "action_type": "click",
            "target": {"target_id": f"t_{source[0]}", "label": source[1], "text": source[1], "role": "button"},
            "expect": {"window_title": f"Urgences - {destination[0].title()}"},
            "settle_ms": 20,
            "settle_timeout_ms": 900,
            "retry_backoff_ms": 0,
            **({"identity": [{"value": "{{patient}}"}]} if source[0] == "summary" else {}),
        }
        for source, destination in pairwise(SCREENS)
    ]
    variable = {"name": "patient", "label": "Patient", "default": PATIENT, "example": PATIENT}
    return make_published(name="Write a note", nodes=nodes, edges=edges, variables=[variable])


def desktop(planted: str = "") -> ScriptedDesktop:
    """The application; `planted` is one of REASONS, or nothing where all goes well."""
    made = []
    for (name, button, words), following in zip(SCREENS, [*(s[0] for s in SCREENS[1:]), ""], strict=True):
        said, effect = button, following
        widgets: list[Any] = [
            TextLabel(text=words[0], at=Point(60, 70), size=22, bold=True),
            TextLabel(text=words[1], at=Point(60, 120)),
            *(TableRow(name=f"row{n}", box=Box(60, 170 + 34 * n, 620, 32), cells=cells, widths=(220, 260))
              for n, cells in enumerate((("Nom", "{patient}"), ("Medecin", "Dr Durand"), ("Service", "Urgences")))),
        ]  # fmt: skip
        if name == "summary":
            if planted == "renamed button":
                said = "Enregistrer"
            if planted == "wrong record":
                widgets = [_of(OTHER, widget) for widget in widgets]
            if planted in AFTERWARDS:
                effect = planted
        if button:
            widgets.append(Button(name="go", text=said, box=BUTTON, primary=True))
        made.append(ScriptedScreen(name=name, title=f"Urgences - {name.title()}", widgets=widgets, on={"go": effect}))
    summary = next(screen for screen in made if screen.name == "summary")
    busy = Banner(text="Le serveur ne repond pas, patientez", box=Box(60, 340, 620, 40))
    made.append(replace(summary, name="slow server", widgets=[*summary.widgets, busy], on={}))
    made.append(_session())
    return ScriptedDesktop(made, name=f"scripted {planted or 'good'}", memory={"patient": PATIENT})


def pictures() -> list[np.ndarray]:
    """What each of the screens looks like."""
    made = desktop()
    found = []
    for name, _button, _words in SCREENS:
        made.show(name)
        found.append(made.grab().pixels)
    return found


def _of(patient: str, widget: Any) -> Any:
    if isinstance(widget, TextLabel):
        return replace(widget, text=widget.text.replace("{patient}", patient))
    if isinstance(widget, TableRow):
        return replace(widget, cells=tuple(cell.replace("{patient}", patient) for cell in widget.cells))
    return widget


def _session() -> ScriptedScreen:
    return ScriptedScreen(
        name="dialog",
        title="Session",
        widgets=[
            TextLabel(text="Votre session a expire", at=Point(380, 300), size=20, bold=True),
            TextLabel(text="Reconnectez-vous pour continuer", at=Point(380, 340)),
            Button(name="ok", text="OK", box=Box(520, 390, 90, 40)),
        ],
        on={"ok": Goto(screen="summary")},
    )
