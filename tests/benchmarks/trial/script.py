"""What is taught: the screens, the 25 actions between them, the values it was taught with and those of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

WORKFLOW_ID = "wf_trial"
BACKDROP = "Trial desktop"
MENU_BAR = ("File", "Search", "Document")
TAUGHT = {
    "patient": "Zoë Lefèvre-Nuñez",
    "born": "1987-04-12",
    "contact": "zoe.lefevre@hopital.example",
    "remark": "Prélevé à l’hôpital, à jeun, réponse reçue",
    "filename": "note-zoe.txt",
    "price": "1250",
    "number": "36",
    "total": "45000",
    "physician": "Hélène Østergård",
    "visit": "2026-11-21",
    "email": "h.ostergard@clinique-regionale.example",
    "phone": "+33 4 56 78 90 12",
    "city": "Besançon",
}
RECKONED = ("{{price}}", "{{number}}", "{{total}}")
TABS = ("Untitled 1", "Untitled 2")
ON_PAPER, IS_FILED = "Signed on paper, kept at the front desk", "The record has been filed"
SAVING = ("Save As", "Encoding:", "Cancel")
FORM = ("Physician", "Date of visit", "E-mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A node as whoever teaches it would declare it."""

    node_id: str
    title: str
    texts: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An edge. A click is shown at a `text`, `beside` pixels right of it, or in a `part` of the window.

    `part` is (left, top) as fractions of the window that is titled `window`.
    """

    edge_id: str
    action: Literal["click", "type_text", "press_keys", "wait_text"]
    text: str = ""
    beside: int = 0
    window: str = ""
    part: tuple[float, float] | None = None
    keys: tuple[str, ...] = ()
    clear: bool = False
    label: str = ""

    @property
    def params(self) -> dict[str, Any]:
        if self.action == "type_text":
            return {"text": self.text, **({"clear": True} if self.clear else {})}
        if self.action == "press_keys":
            return {"keys": list(self.keys)}
        return {"text": self.text} if self.action == "wait_text" else {}


EDITOR, EDITED, FILED = "Untitled 1 - Mousepad", "*Untitled 2 - Mousepad", "*{{filename}} - Mousepad"
# A screen, what is done on it, the next screen, and so on.
STORY: tuple[Screen | Act, ...] = (
    Screen(node_id="start", title=EDITOR, texts=MENU_BAR, absent=("New Window", "{{total}}")),
    Act(edge_id="clear_calculator", action="click", text="AC", window="galculator"),
    Screen(node_id="calculator", title="galculator", texts=("Calculator",), absent=RECKONED),
    Act(edge_id="type_price", action="type_text", text="{{price}}*"),
    Screen(node_id="price", title="galculator", texts=("{{price}}",)),
    Act(edge_id="type_number", action="type_text", text="{{number}}"),
    Screen(node_id="number", title="galculator", texts=("{{number}}",), absent=("{{price}}", "{{total}}")),
    Act(edge_id="equals", action="click", window="galculator", part=(0.9, 0.87), label="="),
    Screen(node_id="result", title="galculator", texts=("{{total}}",)),
    Act(edge_id="file_menu", action="click", text="File", window="Mousepad"),
    Screen(node_id="file_menu", title=EDITOR, texts=("New Window", "Print...", "Quit")),
    Act(edge_id="new_note", action="click", text="New", window="Mousepad"),
    Screen(node_id="new_note", title="Untitled 2 - Mousepad", texts=TABS, absent=("New Window",)),
    Act(edge_id="type_patient", action="type_text", text="{{patient}}\n"),
    Screen(node_id="patient", title=EDITED, texts=("{{patient}}",), absent=("{{born}}",)),
    Act(edge_id="type_born", action="type_text", text="{{born}}\n"),
    Screen(node_id="born", title=EDITED, texts=("{{patient}}", "{{born}}"), absent=("{{contact}}",)),
    Act(edge_id="type_contact", action="type_text", text="{{contact}}\n"),
    Screen(node_id="contact", title=EDITED, texts=("{{born}}", "{{contact}}"), absent=("{{remark}}",)),
    Act(edge_id="type_remark", action="type_text", text="{{remark}}"),
    Screen(node_id="remark", title=EDITED, texts=("{{patient}}", "{{remark}}"), absent=SAVING[1:]),
    Act(edge_id="save", action="press_keys", keys=("ctrl", "s")),
    Screen(node_id="save_dialog", title="Save As", texts=SAVING[1:], absent=("{{filename}}",)),
    Act(edge_id="type_filename", action="type_text", text="{{filename}}", clear=True),
    Screen(node_id="named", title="Save As", texts=(*SAVING[1:], "{{filename}}")),
    Act(edge_id="click_save", action="click", text="Save", window="Save As"),
    Screen(node_id="saved", title=FILED, texts=("{{patient}}", *FORM), absent=SAVING[1:]),
    Act(edge_id="physician_field", action="click", text="Physician", beside=400, window="Visit form"),
    Screen(node_id="form", title="Visit form*", texts=FORM, absent=("{{physician}}",)),
    Act(edge_id="type_physician", action="type_text", text="{{physician}}\t"),
    Screen(node_id="physician", title="Visit form*", texts=("{{physician}}",), absent=("{{visit}}",)),
    Act(edge_id="type_visit", action="type_text", text="{{visit}}\t"),
    Screen(node_id="visit", title="Visit form*", texts=("{{physician}}", "{{visit}}"), absent=("{{email}}",)),
    Act(edge_id="type_email", action="type_text", text="{{email}}\t"),
    Screen(node_id="email", title="Visit form*", texts=("{{visit}}", "{{email}}"), absent=("{{phone}}",)),
    Act(edge_id="type_phone", action="type_text", text="{{phone}}\t"),
    Screen(node_id="phone", title="Visit form*", texts=("{{email}}", "{{phone}}"), absent=("{{city}}",)),
    Act(edge_id="type_city", action="type_text", text="{{city}}"),
    Screen(node_id="city", title="Visit form*", texts=("{{phone}}", "{{city}}"), absent=(ON_PAPER,)),
    Act(edge_id="consent", action="click", text="Consent given", window="Visit form"),
    Screen(node_id="consent", title="Visit form*", texts=("{{city}}", ON_PAPER)),
    Act(edge_id="send", action="click", text="Send", window="Visit form"),
    Screen(node_id="sending", title="Visit form*", texts=("Regional clinic",), absent=(*FORM, IS_FILED)),
    Act(edge_id="wait_for_record", action="wait_text", text=IS_FILED),
    Screen(node_id="filed", title="Visit form*", texts=(IS_FILED,)),
    Act(edge_id="close_browser", action="press_keys", keys=("ctrl", "w")),
    Screen(node_id="browser_closed", title=FILED, texts=("{{patient}}",), absent=("Regional clinic",)),
    Act(edge_id="close_editor", action="press_keys", keys=("ctrl", "q")),
    Screen(node_id="editor_closed", title="galculator", texts=("{{total}}",), absent=MENU_BAR[1:]),
    Act(edge_id="close_calculator", action="press_keys", keys=("ctrl", "q")),
    Screen(node_id="end", title="", texts=(BACKDROP,), absent=("AC", "sqrt")),
)  # fmt: skip
SCREENS = [part for part in STORY if isinstance(part, Screen)]
ACTS = [part for part in STORY if isinstance(part, Act)]
CLICKS = [act for act in ACTS if act.action == "click"]
OPEN_EDGES = list(zip(SCREENS, ACTS, SCREENS[1:], strict=False))

PATIENTS = ("Gaëlle Çelik", "Noël Fernández", "Anaïs O’Brien", "Søren Müller", "Chloé Dvořák")
PHYSICIANS = ("Łukasz Wójcik", "Françoise Lagrange", "Jürgen Weiß", "Inês Gonçalves", "Maëlys Rebière")
CITIES = ("Orléans", "Münster", "Córdoba", "Évreux", "Angoulême")
REMARKS = ("Déjà vu en août, où l’œdème a cédé", "Fièvre à 39, repos conseillé", "Élève très gênée, à revoir à Noël")


def values_of(number: int) -> dict[str, str]:
    """What run `number` is given; none of it is what it was taught with."""
    patient, physician = PATIENTS[number % 5], PHYSICIANS[(number + 2) % 5]
    price, count = 1300 + 7 * number, 41 + number
    return {
        "patient": patient,
        "born": f"19{60 + number:02}-{1 + number % 12:02}-{11 + number:02}",
        "contact": f"famille.{number}@messagerie.example",
        "remark": REMARKS[number % 3],
        "filename": f"note-{number}.txt",
        "price": str(price),
        "number": str(count),
        "total": str(price * count),
        "physician": physician,
        "visit": f"2026-12-{1 + number:02}",
        "email": f"contact{number}@clinique-du-parc.example",
        "phone": f"+33 4 {20 + number} 31 42 5{number % 10}",
        "city": CITIES[number % 5],
    }


def note(values: dict[str, str]) -> str:
    """What the saved file must hold."""
    return f"{values['patient']}\n{values['born']}\n{values['contact']}\n{values['remark']}"


def record(values: dict[str, str]) -> dict[str, Any]:
    """What the form must have sent."""
    return {name: values[name] for name in ("physician", "visit", "email", "phone", "city")} | {"consent": True}
