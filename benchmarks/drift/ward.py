"""A program in Tk as hospitals have them: a list of patients with buttons in its rows, and a form.

Tk tells no accessibility tree, so the program itself writes what it shows, several times a second, to `tree.json` in
its run-time folder. It is run by the system's own Python and so imports nothing of the product. Its theme, its scale,
its letters and its language are those of the desktop's settings, and its records are others in each of them.
"""

from __future__ import annotations

import json
import os
import random
import tkinter as tk
from collections.abc import Iterator
from pathlib import Path
from tkinter import ttk

EVERY_MS = 100
THEMES = {"Adwaita": "clam", "Arc": "alt", "Numix": "classic", "Materia": "default", "Greybird": "clam"}
DARK = {"background": "#2d3136", "foreground": "#e6e6e6", "fieldbackground": "#1e2124", "troughcolor": "#1e2124"}
WORDS = {
    "en": {
        "title": "Ward 4 – patients", "list": "Patients", "form": "Admission", "notes": "Prescriptions",
        "new": "New patient", "print": "Print list", "refresh": "Refresh", "filter": "Filter", "open": "Open",
        "edit": "Edit", "name": "Name", "record": "Record", "bed": "Bed", "since": "Since", "born": "Date of birth",
        "doctor": "Doctor", "reason": "Reason", "urgent": "Urgent", "isolated": "Isolated", "save": "Save",
        "cancel": "Cancel", "allergies": "Allergies", "female": "Female", "male": "Male", "ward": "Ward",
    },
    "fr": {
        "title": "Unité 4 – patients", "list": "Patients", "form": "Admission", "notes": "Prescriptions",
        "new": "Nouveau patient", "print": "Imprimer la liste", "refresh": "Actualiser", "filter": "Filtre",
        "open": "Ouvrir", "edit": "Modifier", "name": "Nom", "record": "Dossier", "bed": "Lit", "since": "Depuis",
        "born": "Date de naissance", "doctor": "Médecin", "reason": "Motif", "urgent": "Urgent", "isolated": "Isolé",
        "save": "Enregistrer", "cancel": "Annuler", "allergies": "Allergies", "female": "Femme", "male": "Homme",
        "ward": "Service",
    },
    "de": {
        "title": "Station 4 – Patienten", "list": "Patienten", "form": "Aufnahme", "notes": "Verordnungen",
        "new": "Neuer Patient", "print": "Liste drucken", "refresh": "Aktualisieren", "filter": "Filter",
        "open": "Öffnen", "edit": "Bearbeiten", "name": "Name", "record": "Akte", "bed": "Bett", "since": "Seit",
        "born": "Geburtsdatum", "doctor": "Arzt", "reason": "Grund", "urgent": "Dringend", "isolated": "Isoliert",
        "save": "Speichern", "cancel": "Abbrechen", "allergies": "Allergien", "female": "Frau", "male": "Mann",
        "ward": "Station",
    },
}  # fmt: skip
FAMILY = (
    "Aubert", "Bernard", "Chevallier", "Delaunay", "Fontaine", "Garnier", "Hoffmann", "Isnard", "Jacquet", "Keller",
    "Lambert", "Marchand", "Nguyen", "Olivier", "Perrin", "Quentin", "Rousseau", "Schneider", "Thomas", "Vasseur",
)  # fmt: skip
GIVEN = ("Alice", "Bruno", "Claire", "David", "Emma", "Felix", "Gisela", "Hugo", "Irene", "Jonas", "Karin", "Louis")
# Who is on the ward never changes much: most stand in every look, elsewhere in the list.
PATIENTS = tuple((f"{family} {GIVEN[i * 5 % len(GIVEN)]}", f"M{104729 + 7919 * i}") for i, family in enumerate(FAMILY))
SHOWN = 13
ROLES = {
    "TButton": "push button", "TEntry": "entry", "TCheckbutton": "check box", "TRadiobutton": "radio button",
    "TCombobox": "combo box", "TLabel": "label",
}  # fmt: skip


class Ward:
    """The window, in the words, the theme and with the patients of its surroundings."""

    def __init__(self) -> None:
        env = os.environ
        self.tree = Path(env["XDG_RUNTIME_DIR"]) / "tree.json"
        self.words = WORDS[env.get("LANGUAGE", "en")]
        self.theme = env.get("GTK_THEME", "Adwaita")
        scale = float(env.get("GDK_SCALE", "1")) * float(env.get("GDK_DPI_SCALE", "1"))
        self.scale = scale
        self.root = tk.Tk()
        self.root.title(self.words["title"])
        self.root.tk.call("tk", "scaling", scale * 96 / 72)
        self.font = self._font()
        self._dress()
        self.rng = random.Random(f"{self.theme} {scale} {env.get('LANGUAGE', '')}")
        self.book = ttk.Notebook(self.root)
        self.book.pack(fill="both", expand=True, padx=6, pady=6)
        for name, fill in (("list", self._list), ("form", self._form)):
            page = ttk.Frame(self.book, padding=round(8 * scale))
            self.book.add(page, text=self.words[name])
            fill(page)
        self.root.after(EVERY_MS, self._tell)

    def _font(self) -> tuple[str, int]:
        """As the settings of GTK 2 have it: `gtk-font-name="Noto Sans 10"`."""
        lines = (Path(os.environ["HOME"]) / ".gtkrc-2.0").read_text().splitlines()
        told = next(line for line in lines if line.startswith("gtk-font-name")).split('"')[1]
        family, _, points = told.rpartition(" ")
        return family, round(int(points) / self.scale)

    def _dress(self) -> None:
        dark = self.theme.lower().endswith("dark")
        style = ttk.Style(self.root)
        style.theme_use("clam" if dark else THEMES.get(self.theme, "clam"))
        style.configure(".", font=self.font)
        if dark:
            style.configure(".", **DARK)
            style.map("TButton", background=[("active", "#3c4147")])
            style.map("TNotebook.Tab", background=[("selected", "#3c4147"), ("!selected", "#24282c")])

    def _list(self, page: ttk.Frame) -> None:
        bar = ttk.Frame(page)
        bar.pack(fill="x")
        for name in ("new", "print", "refresh"):
            ttk.Button(bar, text=self.words[name]).pack(side="left", padx=3, pady=3)
        ttk.Label(bar, text=self.words["filter"]).pack(side="left", padx=8)
        ttk.Entry(bar, font=self.font).pack(side="left")
        table = ttk.Frame(page)
        table.pack(fill="both", pady=8)
        for column, name in enumerate(("name", "record", "bed", "since")):
            ttk.Label(table, text=self.words[name]).grid(row=0, column=column, sticky="w", padx=8, pady=2)
        for row, (name, record) in enumerate(self.rng.sample(PATIENTS, SHOWN), start=1):
            bed = f"{self.rng.choice('ABC')}{self.rng.randint(1, 40)}"
            since = f"{self.rng.randint(1, 28):02}.{self.rng.randint(1, 12):02}."
            for column, text in enumerate((name, record, bed, since)):
                ttk.Label(table, text=text).grid(row=row, column=column, sticky="w", padx=8, pady=2)
            for column, text in enumerate(("open", "edit"), start=4):
                ttk.Button(table, text=self.words[text]).grid(row=row, column=column, padx=4, pady=2)

    def _form(self, page: ttk.Frame) -> None:
        for row, name in enumerate(("name", "born", "record", "doctor", "reason", "allergies")):
            ttk.Label(page, text=self.words[name]).grid(row=row, column=0, sticky="w", padx=6, pady=4)
            ttk.Entry(page, width=40, font=self.font).grid(row=row, column=1, sticky="w", pady=4)
        ttk.Label(page, text=self.words["ward"]).grid(row=6, column=0, sticky="w", padx=6, pady=4)
        box = ttk.Combobox(page, values=("4 A", "4 B"), font=self.font)
        box.set("4 A")
        box.grid(row=6, column=1, sticky="w", pady=4)
        ticks, choices, buttons = (ttk.Frame(page) for _ in range(3))
        for row, part in enumerate((ticks, choices, buttons), start=7):
            part.grid(row=row, column=1, sticky="w", pady=4)
        self.chosen = tk.StringVar(value="female")
        self.ticked = [tk.BooleanVar(value=False) for _ in range(2)]
        for name, ticked in zip(("urgent", "isolated"), self.ticked, strict=True):
            ttk.Checkbutton(ticks, text=self.words[name], variable=ticked).pack(side="left", padx=4)
        for name in ("female", "male"):
            button = ttk.Radiobutton(choices, text=self.words[name], variable=self.chosen, value=name)
            button.pack(side="left", padx=4)
        for name in ("save", "cancel"):
            ttk.Button(buttons, text=self.words[name]).pack(side="left", padx=4)

    def _tell(self) -> None:
        """Write what shows: role, name, states, box on the screen and the number of what holds it."""
        rows = [_row("frame", self.root.title(), self.root, parent=-1, states=("active", "sensitive"))]
        rows.append(_row("page tab list", "", self.book, parent=0))
        rows += self._tabs()
        rows += self._within(self.root.nametowidget(self.book.select()), parent=0, first=len(rows))
        fresh = self.tree.with_suffix(".new")
        fresh.write_text(json.dumps(rows))
        fresh.replace(self.tree)
        self.root.after(EVERY_MS, self._tell)

    def _tabs(self) -> Iterator[dict]:
        """Tabs are no widgets: their boxes are felt for along the head of the notebook."""
        left, top, width = self.book.winfo_rootx(), self.book.winfo_rooty(), self.book.winfo_width()
        page = self.root.nametowidget(self.book.select())
        head = page.winfo_rooty() - top
        found: dict[int, list[int]] = {}
        for x in range(0, width, 2):
            if (number := self.book.tk.call(self.book, "identify", "tab", x, head // 2)) != "":
                found.setdefault(int(number), []).append(x)
        for number, xs in found.items():
            states = ("sensitive", "selected") if number == self.book.index("current") else ("sensitive",)
            yield {
                "role": "page tab", "name": self.book.tab(number, "text"), "states": states, "parent": 1, "lines": [],
                "toolkit": "tk", "box": [left + xs[0], top + 2, xs[-1] - xs[0] + 2, head - 3],
            }  # fmt: skip

    def _within(self, widget: tk.Misc, *, parent: int, first: int) -> list[dict]:
        rows: list[dict] = []
        for child in widget.winfo_children():
            if not child.winfo_viewable():
                continue
            role = ROLES.get(child.winfo_class(), "filler")
            name = str(child.cget("text")) if role in ("push button", "check box", "radio button", "label") else ""
            states = ("sensitive", "editable") if role == "entry" else ("sensitive",)
            rows.append(_row(role, name or (child.get() if role == "combo box" else ""), child, parent, states))
            rows += self._within(child, parent=first + len(rows) - 1, first=first + len(rows))
        return rows


def _row(role: str, name: str, widget: tk.Misc, parent: int, states: tuple[str, ...] = ("sensitive",)) -> dict:
    box = [widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()]
    return {
        "role": role, "name": name, "states": states, "box": box, "parent": parent, "lines": [], "toolkit": "tk",
    }  # fmt: skip


if __name__ == "__main__":
    Ward().root.mainloop()
