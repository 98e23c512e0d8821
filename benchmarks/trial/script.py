"""What is taught: the screens, the 25 actions between them, the values it was taught with and those of each run."""

from __future__ import annotations

from typing import Any

from benchmarks.story import Act, Screen, Story

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


EDITOR, EDITED, FILED = "Untitled 1 - Mousepad", "*Untitled 2 - Mousepad", "*{{filename}} - Mousepad"
_PARTS: tuple[Screen | Act, ...] = (
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
STORY = Story(workflow_id="wf_trial", parts=_PARTS, values=TAUGHT)

# The calculator takes no key twice within a quarter of a second, whoever types: no digit occurs twice in a number.
SUMS = (
    (1306, 45),
    (1307, 46),
    (1405, 28),
    (1508, 37),
    (1609, 52),
    (1720, 39),
    (1835, 46),
    (1942, 57),
    (2047, 63),
    (2153, 68),
)
PATIENTS = ("Gaëlle Çelik", "Noël Fernández", "Anaïs O’Brien", "Søren Müller", "Chloé Dvořák")
PHYSICIANS = ("Łukasz Wójcik", "Françoise Lagrange", "Jürgen Weiß", "Inês Gonçalves", "Maëlys Rebière")
CITIES = ("Orléans", "Münster", "Córdoba", "Évreux", "Angoulême")
REMARKS = ("Déjà vu en août, où l’érythème a cédé", "Fièvre à 39, repos conseillé", "Élève très gênée, à revoir à Noël")


def values_of(number: int) -> dict[str, str]:
    """What run `number` is given; none of it is what it was taught with."""
    patient, physician = PATIENTS[number % 5], PHYSICIANS[(number + 2) % 5]
    price, count = SUMS[number % len(SUMS)]
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
