"""What lies on top, and which page it is: drawn pairs of a taught screen and what is there today.

    python -m benchmarks layers [--looks 20]

Each program is drawn as a page in Chromium, in looks of other fonts, sizes, colours and languages, and the node is made
as a lesson makes it, beside three other screens of its program. What is right is known from the drawing: a screen under
a dialog, a menu or an open list is not that screen, nor the other way round, another tab, step or entry is another
screen, and another record of the same form is the same.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from benchmarks.foreign.screens import lesson, matcher_of
from benchmarks.foreign.seen import Seen
from benchmarks.screens.corpus import ROOT
from execution.types import ScreenState
from tests.support.browser import chromium, frame_of

SIZE = (1280, 800)
FONTS = ("DejaVu Sans", "Liberation Sans", "Noto Sans", "Roboto", "Open Sans", "Lato")
LEAST_LOOKS = 4
# Of what is drawn over a screen: whether the screen beneath may still be named, as it covers nothing of it.
OVER = {
    "dialog": False,
    "dim_dialog": False,
    "menu": False,
    "options": False,
    "sheet": False,
    "toast": True,
    "tip": True,
}
WORDS = {
    "en": {
        "tabs": ["Overview", "Letters", "Results", "Medication"], "steps": ["Welcome", "Language", "Disk", "Summary"],
        "entries": ["Display", "Sound", "Network", "Users", "Printers"], "menu": ["File", "Edit", "View", "Help"],
        "items": ["New record", "Open…", "Print", "Close"], "labels": ["Name", "Born on", "Ward", "Phone", "Doctor"],
        "save": "Save", "cancel": "Cancel", "ask": "Discard your changes?", "why": "What you typed will be lost.",
        "yes": "Discard", "no": "Keep", "toast": "Saved.", "tip": "Closes the record", "next": "Next", "back": "Back",
        "options": ["Ultrasound", "X-ray", "Scanner", "Blood test"], "of": "Record of", "kinds": "Examination",
    },
    "fr": {
        "tabs": ["Aperçu", "Courriers", "Résultats", "Traitement"], "steps": ["Accueil", "Langue", "Disque", "Résumé"],
        "entries": ["Affichage", "Son", "Réseau", "Utilisateurs", "Imprimantes"],
        "menu": ["Fichier", "Édition", "Affichage", "Aide"],
        "items": ["Nouveau dossier", "Ouvrir…", "Imprimer", "Fermer"],
        "labels": ["Nom", "Né le", "Service", "Téléphone", "Médecin"], "save": "Enregistrer", "cancel": "Annuler",
        "ask": "Abandonner les modifications ?", "why": "Ce que vous avez saisi sera perdu.", "yes": "Abandonner",
        "no": "Garder", "toast": "Enregistré.", "tip": "Ferme le dossier", "next": "Suivant", "back": "Précédent",
        "options": ["Échographie", "Radio", "Scanner", "Prise de sang"], "of": "Dossier de", "kinds": "Examen",
    },
}  # fmt: skip
PEOPLE = [
    ("LEFÈVRE Marie", "12/03/1951", "Cardiology", "0612457788", "Dr Olsen"),
    ("HADDAD Farid", "30/11/1987", "Surgery", "0698021144", "Dr Novak"),
    ("MENDES Carla", "07/07/2003", "Maternity", "0644210935", "Dr Weber"),
    ("OKAFOR David", "19/01/1969", "Cardiology", "0677315520", "Dr Petit"),
]
STYLE = """
* { box-sizing: border-box; } body { margin: 0; background: %(desk)s; color: %(ink)s;
  font: %(px)dpx "%(font)s"; }
.w { position: absolute; left: %(x)dpx; top: %(y)dpx; width: 860px; height: 600px; background: %(ground)s;
  border: 1px solid %(line)s; }
.t { background: %(accent)s; color: #fff; padding: 6px 12px; }
.m span, .tabs span { display: inline-block; padding: 6px 12px; }
.tabs { border-bottom: 1px solid %(line)s; padding: 8px 12px 0; }
.tabs .on { background: %(chosen)s; border-bottom: 3px solid %(accent)s; }
.side { position: absolute; left: 0; top: 34px; bottom: 0; width: 200px; background: %(side)s; }
.side div { padding: 9px 14px; }
.side .on { background: %(accent)s; color: #fff; }
.main { position: absolute; left: 220px; top: 60px; }
.h { font-size: 1.4em; margin: 12px; }
.f { margin: 10px 12px; }
.f b { display: inline-block; width: 120px; font-weight: 400; }
.f i { display: inline-block; width: 300px; padding: 5px 8px; border: 1px solid %(line)s;
  background: %(field)s; font-style: normal; min-height: 2em; }
.b { display: inline-block; padding: 6px 18px; border: 1px solid %(line)s; background: %(chosen)s;
  margin: 8px 4px 8px 12px; }
.o { position: absolute; background: %(field)s; border: 1px solid %(line)s; box-shadow: 0 4px 14px #0006; }
.o p { margin: 0; padding: 7px 14px; }
.dim { position: absolute; inset: 0; background: #0008; }
"""


class Look(NamedTuple):
    """How a program is drawn, and where its window stands."""

    lang: str
    values: dict[str, object]

    @classmethod
    def number(cls, n: int) -> Look:
        draw = random.Random(n)
        dark = n % 3 == 2
        names = ("desk", "ground", "ink", "line", "field", "chosen", "side")
        light = dict(
            zip(names, ("#3a6ea5", "#f4f5f7", "#1d2330", "#b3bac5", "#ffffff", "#e4e8ee", "#e9ecf1"), strict=True)
        )
        night = dict(
            zip(names, ("#101318", "#22272e", "#d6dbe2", "#4a525e", "#2c333d", "#39424e", "#1a1f25"), strict=True)
        )
        accent = draw.choice(("#1864ab", "#2b8a3e", "#862e9c", "#c2410c", "#0b7285"))
        place = {"x": draw.randint(20, 380), "y": draw.randint(20, 160)}
        values = {**(night if dark else light), "accent": accent, "font": FONTS[n % 6], "px": 13 + n % 4, **place}
        return cls("fr" if n % 2 else "en", values)


class Page(NamedTuple):
    """What a window shows: one of its kinds, with what is chosen there and whose record it is."""

    kind: str  # record, tabs, wizard or settings
    chosen: int = 0
    person: int = 0

    def drawn(self, look: Look) -> str:
        words = WORDS[look.lang]
        person = PEOPLE[self.person]
        fields = "".join(_field(label, value) for label, value in zip(words["labels"], person, strict=True))
        menu = f'<div class="m">{_row(words["menu"])}</div>'
        buttons = f'<span class="b">{words["save"]}</span><span class="b">{words["cancel"]}</span>'
        title = escape(f"{words['of']} {person[0]}")
        if self.kind == "record":
            return f'<div class="t">{title}</div>{menu}{fields}{_field(words["kinds"], "")}{buttons}'
        if self.kind == "tabs":
            body = [fields, _list(words["items"]), _list(words["options"]), _field(words["kinds"], person[2])][
                self.chosen
            ]
            tabs = f'<div class="tabs">{_row(words["tabs"], self.chosen)}</div>'
            return f'<div class="t">{title}</div>{menu}{tabs}{body}{buttons}'
        if self.kind == "wizard":
            name = words["steps"][self.chosen]
            side = f'<div class="side">{_rows(words["steps"], self.chosen)}</div>'
            body = [_list(words["items"]), _list(words["options"]), fields, _list(words["labels"])][self.chosen]
            moves = f'<span class="b">{words["back"]}</span><span class="b">{words["next"]}</span>'
            return f'<div class="t">Setup</div>{side}<div class="main"><div class="h">{name}</div>{body}{moves}</div>'
        side = f'<div class="side">{_rows(words["entries"], self.chosen)}</div>'
        of_entry = ("labels", "options", "items", "tabs")[self.chosen]
        body = "".join(_field(name, "") for name in words[of_entry])
        return f'<div class="t">Settings</div>{side}<div class="main">{body}{buttons}</div>'


def over(kind: str, look: Look) -> str:
    """What lies over the window."""
    words = WORDS[look.lang]
    answers = f'<span class="b">{words["yes"]}</span><span class="b">{words["no"]}</span>'
    question = f"<p><b>{words['ask']}</b></p><p>{words['why']}</p>{answers}"
    if kind == "dialog":
        return f'<div class="o" style="left:220px;top:200px;width:420px">{question}</div>'
    if kind == "dim_dialog":
        return f'<div class="dim"></div><div class="o" style="left:240px;top:180px;width:400px">{question}</div>'
    if kind == "menu":
        return f'<div class="o" style="left:8px;top:64px;width:200px">{_list(words["items"])}</div>'
    if kind == "options":
        return f'<div class="o" style="left:132px;top:300px;width:300px">{_list(words["options"])}</div>'
    if kind == "sheet":
        place = "left:300px;top:60px;width:520px;height:480px"
        return f'<div class="o" style="{place}"><div class="t">{words["ask"]}</div>{question}</div>'
    if kind == "toast":
        return f'<div class="o" style="right:12px;bottom:12px"><p>{words["toast"]}</p></div>'
    return f'<div class="o" style="left:300px;bottom:60px"><p>{words["tip"]}</p></div>'


def _field(label: str, value: str) -> str:
    return f'<div class="f"><b>{escape(label)}</b><i>{escape(value)}</i></div>'


def _row(names: list[str], chosen: int = -1) -> str:
    return "".join(f"<span{' class=on' if n == chosen else ''}>{escape(name)}</span>" for n, name in enumerate(names))


def _rows(names: list[str], chosen: int) -> str:
    return "".join(f"<div{' class=on' if n == chosen else ''}>{escape(name)}</div>" for n, name in enumerate(names))


def _list(names: list[str]) -> str:
    return "".join(f"<p style='padding:7px 14px;margin:0'>{escape(name)}</p>" for name in names)


class Pair(NamedTuple):
    """`is_it` says whether what is there today is the taught screen; None where both answers are right."""

    kind: str
    look: Look
    taught: tuple[Page, str]
    today: tuple[Page, str]
    is_it: bool | None


PAGES = (Page("record"), Page("tabs"), Page("wizard", 1), Page("settings"))


def pairs(looks: int) -> Iterator[Pair]:
    for n in range(looks):
        look, page = Look.number(n), PAGES[n % len(PAGES)]
        for kind, may in OVER.items():
            yield Pair(f"{kind} came", look, (page, ""), (page, kind), None if may else False)
            if not may:
                yield Pair(f"{kind} gone", look, (page, kind), (page, ""), False)
        other = 1 + n % 3
        yield Pair("another tab", look, (Page("tabs"), ""), (Page("tabs", other), ""), False)
        yield Pair("another step", look, (Page("wizard"), ""), (Page("wizard", other), ""), False)
        yield Pair("another entry", look, (Page("settings"), ""), (Page("settings", other), ""), False)
        yield Pair("another record", look, (Page("record"), ""), (Page("record", person=other), ""), True)
        yield Pair("the same", look, (page, ""), (page, ""), True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks layers", description=__doc__)
    parser.add_argument("--looks", type=int, default=20, help="how many looks, of 16 pairs each")
    looks = max(LEAST_LOOKS, parser.parse_args(arguments).looks)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    with chromium(*SIZE) as page:
        seen = Seen(ROOT)

        def state(look: Look, shown: tuple[Page, str]) -> ScreenState:
            what, kind = shown
            on_top = over(kind, look) if kind else ""
            body = f'<div class="w">{what.drawn(look)}{on_top}</div>'
            page.set_content(f"<!doctype html><meta charset=utf-8><style>{STYLE % look.values}</style>{body}")
            return seen.state_of(frame_of(page).pixels)

        for pair in pairs(looks):
            others = {
                f"other {n}": state(pair.look, (one, ""))
                for n, one in enumerate(PAGES)
                if one.kind != pair.taught[0].kind
            }
            taught = {"taught": state(pair.look, pair.taught), **others}
            found = matcher_of(lesson(taught)).recognise(state(pair.look, pair.today), variables={})
            node = found.match.node_id if found.match else None
            right = node == "taught" if pair.is_it else node is None or (pair.is_it is None and node == "taught")
            wrong = node is not None and not right
            counts[pair.kind] = [a + b for a, b in zip(counts[pair.kind], (1, right, wrong), strict=True)]
            if wrong or not right:
                told = pair.taught[0].kind, pair.look.values["font"], pair.look.lang, node
                print(f"{pair.kind}:", *told, flush=True)
    print(f"\n{'':<18} pairs right wrong")
    for kind, (of, right, wrong) in counts.items():
        print(f"{kind:<18} {of:5} {right:5} {wrong:5}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
