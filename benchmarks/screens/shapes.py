"""The screens of the generated applications as HTML: the family says what is fixed, `m.words` what is data."""

from __future__ import annotations

import random
import zlib
from html import escape

from benchmarks.screens.applications import Family
from benchmarks.screens.styles import icon
from benchmarks.screens.vocabulary import SECTIONS, STEPS, Kind, Pair
from benchmarks.screens.widgets import Maker, frame
from benchmarks.screens.words import COMPLAINTS, ITEMS, PLACES, SENTENCES, TICKETS, Words

_SIGNS = ("check-lg", "printer", "telephone", "arrow-right", "send", "clock", "lock", "download")


def value(w: Words, what: str) -> str:
    """Something to stand in a field of this sort."""
    makers = {
        "person": w.person,
        "date": w.date,
        "time": w.time,
        "phone": w.phone,
        "amount": w.amount,
        "ident": w.ident,
        "place": lambda: w.of(PLACES),
        "complaint": lambda: w.of(COMPLAINTS),
        "item": lambda: w.of(ITEMS),
        "ticket": lambda: w.of(TICKETS),
        "number": lambda: str(w.rng.randint(1, 480)),
    }
    return makers[what]()


class Drawer:
    """Draws one family with one maker; `subject` is the record shown, for the title of the window."""

    def __init__(self, family: Family, m: Maker) -> None:
        self.family, self.m, self.w = family, m, m.words
        self.app = family.app
        self.kind: Kind = family.app.kinds[family.kind]
        self.fixed = random.Random(zlib.crc32(family.name.encode()))  # the family's own, the same for each picture
        self.subject = value(self.w, "person") if self.kind.fields[0][1] == "person" else value(self.w, "ident")
        self.over = ""

    def html(self) -> str:
        main = getattr(self, "_" + self.family.shape)()
        if self.family.shape == "login":
            return frame(main)
        entries = self._entries()
        current = {"settings": 3, "wizard": 4, "home": 2, "search": self.family.kind}.get(
            self.family.shape, self.family.kind
        )
        names = [text for _, text in entries]
        if self.app.layout == "bar":
            return frame(
                main, bar=self.m.bar(self.app.name, names, current=current, right=self.w.person()), over=self.over
            )
        if self.app.layout == "side":
            bar = self.m.bar(self.app.name, (), right=self.w.person())
            return frame(main, bar=bar, side=self.m.side(entries, current=current), over=self.over)
        bar = self.m.menubar([self._say(("File", "Fichier")), *names, self._say(("Help", "Aide"))])
        bar += self.m.tools(("arrow-left", "arrow-right", "arrow-clockwise", "save", "printer", "search"))
        parts = (self._say(("Ready", "Prêt")), self.w.person(), self.w.long_date())
        status = "".join(f"<span>{part}</span>" for part in parts)
        return frame(main, bar=bar, over=self.over, status=status)

    def title(self) -> str:
        """What the title bar says."""
        names = {
            "list": self.kind.many,
            "record": self.kind.tabs[self.family.detail],
            "form": self.kind.forms[self.family.detail % 2],
            "dialog": self.kind.many,
            "menu": self.kind.many,
            "search": ("Search", "Recherche"),
            "settings": ("Settings", "Paramètres"),
            "wizard": ("Import", "Importation"),
            "login": ("Log in", "Connexion"),
            "home": ("Home", "Accueil"),
            "empty": self.kind.many,
        }
        if self.app.titles == "same":
            return self.app.name
        if self.app.titles == "record" and self.family.shape in ("record", "form"):
            return f"{self.subject} – {self.app.name}"
        return f"{self._say(names[self.family.shape])} – {self.app.name}"

    def _say(self, pair: Pair) -> str:
        return self.w.t(*pair)

    def _entries(self) -> list[tuple[str, str]]:
        kinds = [(kind.icon, self._say(kind.many)) for kind in self.app.kinds]
        return [
            *kinds,
            ("house", self._say(("Home", "Accueil"))),
            ("gear", self._say(("Settings", "Paramètres"))),
            ("upload", self._say(("Import", "Importation"))),
        ]

    def _table(self, fields: list[tuple[Pair, str]], rows: int, *, link: bool = False) -> str:
        made = []
        for _ in range(rows):
            cells = [escape(value(self.w, what)) for _, what in fields]
            made.append([self.m.link(value(self.w, fields[0][1])), *cells[1:]] if link else cells)
        return self.m.table([self._say(name) for name, _ in fields], made)

    def _list(self) -> str:
        m, kind = self.m, self.kind
        deeds = self.fixed.sample(kind.actions, 2)
        main = m.head(
            self._say(kind.many),
            m.button(self._say(("New", "Nouveau")), kind="primary", sign="plus-lg"),
            *(m.button(self._say(deed), sign=self.fixed.choice(_SIGNS)) for deed in deeds),
        )
        main += m.grid(
            m.input(placeholder=self._say(("Filter the list", "Filtrer la liste")), kind="search"),
            m.choice([self._say(("All", "Tous")), self._say(deeds[0])]),
        )
        fields = self.fixed.sample(kind.fields, 5)
        return main + self._table(fields, self.w.rng.randint(5, 11), link=True) + m.pages(self.w.rng.randint(2, 6))

    def _record(self) -> str:
        m, kind, tab = self.m, self.kind, self.family.detail
        main = m.head(
            f"{self._say(kind.one)} {self.subject}",
            *(m.button(self._say(a)) for a in kind.actions[:2]),
            m.button(sign="pencil"),
        )
        main += m.tabs([self._say(t) for t in kind.tabs], chosen=tab)
        fields = list(self.fixed.sample(kind.fields, 4))
        main += f"<h2>{escape(self._say(kind.tabs[tab]))}</h2>"
        if tab == 0:
            main += m.facts([(self._say(name), value(self.w, what)) for name, what in kind.fields])
            return main + f"<p>{escape(self.w.paragraph(2))}</p>"
        if tab == 1:
            return (
                main
                + self._table(fields, self.w.rng.randint(3, 8))
                + m.buttons(m.button(self._say(kind.actions[2]), kind="primary"))
            )
        if tab == 2:
            cards = [
                m.card(f"{self._say(name)} {value(self.w, what)}", f"<p>{escape(self.w.of(SENTENCES))}</p>")
                for name, what in fields
            ]
            return main + m.grid(*cards)
        checks = "".join(
            m.check(self._say(text), self.w.rng.random() < 0.5) for text in SECTIONS[self.family.kind][1][:3]
        )
        return (
            main
            + checks
            + m.area(self._say(("Remarks", "Remarques")), self.w.of(SENTENCES))
            + m.buttons(m.button(self._say(kind.actions[3])))
        )

    def _form(self) -> str:
        m, kind, second = self.m, self.kind, self.family.detail == 1
        fields = self.fixed.sample(kind.fields, 4) if second else list(kind.fields)
        main = m.head(self._say(kind.forms[self.family.detail]))
        main += m.grid(
            *(
                m.field(self._say(name), value(self.w, what) if self.w.rng.random() < 0.8 else "")
                for name, what in fields
            )
        )
        if second:
            main += m.radios(
                self._say(("Priority", "Priorité")),
                [self._say(p) for p in (("Low", "Basse"), ("Normal", "Normale"), ("High", "Haute"))],
                chosen=self.w.rng.randrange(3),
            )
            main += m.area(self._say(("Reason", "Motif")), self.w.of(SENTENCES))
        else:
            main += m.select(self._say(("State", "État")), [self._say(a) for a in kind.actions]) + m.check(
                self._say(("Confidential", "Confidentiel")), self.w.rng.random() < 0.5
            )
        return main + m.buttons(
            m.button(self._say(("Save", "Enregistrer")), kind="primary"), m.button(self._say(("Cancel", "Annuler")))
        )

    def _dialog(self) -> str:
        m, kind, which = self.m, self.kind, self.family.detail
        main = self._list_of(kind)
        if which == 0:
            warning = self._say(("this cannot be undone.", "cette action est irréversible."))
            body = f"<p>{escape(self.subject)} : {warning}</p>"
            body += m.check(
                self._say(("Inform everybody concerned", "Prévenir les personnes concernées")),
                self.w.rng.random() < 0.5,
            )
        elif which == 1:
            body = m.select(
                self._say(kind.tabs[1]), [self._say(a) for a in kind.actions], chosen=self.w.rng.randrange(4)
            )
            name, what = kind.fields[1]
            body += m.field(self._say(name), value(self.w, what))
        else:
            body = m.radios(
                self._say(kind.tabs[2]), [self._say(a) for a in kind.actions[:3]], chosen=self.w.rng.randrange(3)
            )
            body += m.area(self._say(("Remark", "Remarque")), self.w.of(SENTENCES))
        yes = m.button(self._say(kind.actions[which]), kind="danger" if which == 0 else "primary")
        self.over = m.modal(self._say(kind.dialogs[which]), body, m.button(self._say(("Cancel", "Annuler"))), yes)
        return main

    def _menu(self) -> str:
        main, kind = self._list_of(self.kind), self.kind
        items = [self._say(a) for a in kind.actions] + ["", self._say(kind.forms[0]), self._say(kind.forms[1])]
        self.over = self.m.menu(items, left="17em", top="6em", off=(self.w.rng.randrange(4),))
        return main

    def _search(self) -> str:
        m, w = self.m, self.w
        main = m.head(self._say(("Search", "Recherche")) + " – " + self._say(self.kind.many))
        name, what = self.kind.fields[0]
        main += m.grid(
            m.field(self._say(name), value(w, what)),
            m.buttons(m.button(self._say(("Search", "Rechercher")), kind="primary", sign="search")),
        )
        for _ in range(w.rng.randint(3, 6)):
            link = m.link(f"{value(w, what)} – {w.long_date()}")
            main += f'<div class="x-hit">{link}<p>{escape(w.of(SENTENCES))}</p></div>'
        return main

    def _settings(self) -> str:
        m, section = self.m, self.family.detail
        main = m.head(self._say(("Settings", "Paramètres"))) + m.tabs(
            [self._say(s[0]) for s in SECTIONS], chosen=section
        )
        draw = m.switch if section % 2 else m.check
        main += "".join(draw(self._say(text), self.w.rng.random() < 0.5) for text in SECTIONS[section][1])
        main += m.field(self._say(("Contact", "Contact")), self.w.person())
        return main + m.buttons(
            m.button(self._say(("Apply", "Appliquer")), kind="primary"), m.button(self._say(("Reset", "Réinitialiser")))
        )

    def _wizard(self) -> str:
        m, step = self.m, self.family.detail
        names = "".join(
            f'<span class="{"on" * (i == step)}">{i + 1}. {escape(self._say(s[0]))}</span>' for i, s in enumerate(STEPS)
        )
        main = f"<h1>{self._say(('Import', 'Importation'))}</h1><div class='x-steps'>{names}</div>"
        main += "".join(m.field(self._say(label), value(self.w, "item")) for label in STEPS[step][1])
        if step == 2:
            main += m.progress(self.w.rng.randint(5, 95)) + self._table(list(self.kind.fields[:4]), 3)
        back = m.button(self._say(("Back", "Précédent")), attrs="disabled" * (step == 0))
        return main + m.buttons(
            back, m.button(self._say(("Finish", "Terminer") if step == 2 else ("Next", "Suivant")), kind="primary")
        )

    def _login(self) -> str:
        m = self.m
        body = m.field(self._say(("User name", "Identifiant")), self.w.ident("u")) + m.field(
            self._say(("Password", "Mot de passe")), kind="password"
        )
        body += m.check(self._say(("Remember me", "Se souvenir de moi")), self.w.rng.random() < 0.5) + m.buttons(
            m.button(self._say(("Log in", "Se connecter")), kind="primary")
        )
        return f'<div class="x-narrow">{m.card(self.app.name, body)}</div>'

    def _home(self) -> str:
        m, w = self.m, self.w
        cards = [
            m.card(
                self._say(name),
                f'<div class="x-row">{icon(kind.icon)}<span class="x-big">{w.rng.randint(2, 900)}</span></div>',
            )
            for kind in self.app.kinds
            for name in (kind.many, kind.tabs[1])
        ]
        main = (
            m.head(self._say(("Welcome", "Bienvenue")))
            + m.alert(w.of(SENTENCES), sign="info-circle")
            + m.grid(*cards, columns=4)
        )
        return (
            main
            + f"<h2>{self._say(('Latest', 'Derniers ajouts'))}</h2>"
            + self._table(list(self.kind.fields[:4]), 4, link=True)
        )

    def _empty(self) -> str:
        m = self.m
        main = m.head(
            self._say(self.kind.many), m.button(self._say(("New", "Nouveau")), kind="primary", sign="plus-lg")
        )
        main += m.input(self.w.person(), kind="search")
        return main + m.alert(
            self._say(("Nothing was found. Try fewer words.", "Aucun résultat. Essayez avec moins de mots.")),
            kind="warning",
            sign="search",
        )

    def _list_of(self, kind: Kind) -> str:
        """The list that dialogs and menus lie over: the same for all of a kind."""
        main = self.m.head(
            self._say(kind.many), self.m.button(self._say(("New", "Nouveau")), kind="primary", sign="plus-lg")
        )
        return main + self._table(list(kind.fields[:5]), self.w.rng.randint(6, 11), link=True)
