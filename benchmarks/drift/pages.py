"""Pages whose rows are alike: what tells the controls of one row from those of the next is the record beside them."""

from __future__ import annotations

from html import escape

from benchmarks.screens.bars import desk, hospital, office
from benchmarks.screens.pages import Page
from benchmarks.screens.styles import icon
from benchmarks.screens.widgets import Maker, frame
from benchmarks.screens.words import COMPLAINTS, DAYS, ITEMS, MONTHS, PLACES, TICKETS


def orders(m: Maker) -> str:
    """A table with a check box, a word and two pictures to press in every row."""
    w, t = m.words, m.words.t
    heads = ("", t("Order", "Commande"), t("Customer", "Client"), t("Subject", "Objet"), t("Total", "Total"), "")
    rows = [
        (
            m.check(""),
            w.ident("C-"),
            escape(w.person()),
            escape(w.of(ITEMS)),
            w.amount(),
            m.button(t("Deliver", "Livrer"), small=True)
            + " " + m.button(sign="pencil", small=True)
            + " " + m.button(sign="trash", small=True),
        )
        for _ in range(m.rows(20))
    ]  # fmt: skip
    main = m.head(
        t("Orders", "Commandes"),
        m.button(t("New order", "Nouvelle commande"), kind="primary", sign="plus-lg"),
        m.button(t("Export", "Exporter"), sign="download"),
        m.button(sign="arrow-clockwise"),
    )
    return frame(main + m.table(heads, rows), bar=office(m, 0))


def messages(m: Maker) -> str:
    """A list without a table: a card a message."""
    w, t = m.words, m.words.t
    main = m.head(t("Messages", "Messages"), m.button(t("Write", "Écrire"), kind="primary", sign="pencil-square"))
    cards = "".join(
        '<div class="x-card" data-row style="display:flex;gap:1em;align-items:center">'
        f'<span data-cell style="min-width:9em"><b>{escape(w.person())}</b></span>'
        f'<span data-cell style="flex:1">{escape(w.of(TICKETS))}</span><span data-cell>{w.date(2026)}</span>'
        f"<span>{m.button(t('Reply', 'Répondre'), small=True)} {m.button(sign='archive', small=True)} "
        f"{m.button(sign='trash', small=True)}</span></div>"
        for _ in range(max(5, m.lines // 5))
    )
    side = m.side(
        (
            ("inbox", t("Inbox", "Réception")),
            ("send", t("Sent", "Envoyés")),
            ("star", t("Starred", "Suivis")),
            ("trash", t("Bin", "Corbeille")),
        )
    )
    return frame(main + f"<div>{cards}</div>", bar=desk(m, 0), side=side)


def users(m: Maker) -> str:
    """Accounts: a choice, a link and a switch in every row."""
    w, t = m.words, m.words.t
    roles = (t("Reader", "Lecteur"), t("Editor", "Rédacteur"), t("Manager", "Responsable"))
    heads = (t("Name", "Nom"), t("Number", "Matricule"), t("Site", "Site"), t("Role", "Rôle"), t("Active", "Actif"), "")
    rows = [
        (
            escape(w.person()),
            w.ident("M"),
            escape(w.of(PLACES)),
            m.choice(roles, chosen=w.rng.randrange(3)),
            m.check("", w.rng.random() < 0.7),
            m.button(t("Edit", "Modifier"), small=True),
        )
        for _ in range(m.rows(22))
    ]
    main = m.head(
        t("Accounts", "Comptes utilisateurs"), m.button(t("Invite", "Inviter"), kind="primary", sign="envelope")
    )
    main += m.input(placeholder=t("Filter by name", "Filtrer par nom"), kind="search")
    return frame(main + m.table(heads, rows), bar=desk(m, 3))


def visits(m: Maker) -> str:
    """Appointments to accept or refuse."""
    w, t = m.words, m.words.t
    heads = (t("Time", "Heure"), t("Patient", "Patient"), t("Reason", "Motif"), t("Doctor", "Médecin"), "", "")
    rows = [
        (
            w.time(),
            escape(w.person()),
            escape(w.of(COMPLAINTS)),
            "Dr " + escape(w.person()),
            m.button(t("Accept", "Accepter"), kind="primary", small=True),
            m.button(t("Refuse", "Refuser"), small=True),
        )
        for _ in range(m.rows(18))
    ]
    main = m.head(t("Requests", "Demandes de rendez-vous"), m.button(t("Print", "Imprimer"), sign="printer"))
    main += m.tabs((t("Open", "En attente"), t("Accepted", "Acceptées"), t("Refused", "Refusées")), chosen=0)
    return frame(main + m.table(heads, rows) + m.pages(3), bar=hospital(m, 1))


def calendar(m: Maker) -> str:
    """A month of days to press, its views in one segmented control, and the hours of a day."""
    w, t = m.words, m.words.t
    first, days = w.rng.randrange(7), w.rng.choice((28, 30, 31))
    cells = ["<span></span>"] * first
    cells += [m.button(str(day), kind="quiet", small=True) for day in range(1, days + 1)]
    grid = "".join(f'<div style="text-align:center">{cell}</div>' for cell in cells)
    names = "".join(f'<b style="text-align:center">{name[:2]}</b>' for name in DAYS[w.lang])
    views = "".join(
        m.button(name, kind="primary" if i == 2 else "plain", small=True)
        for i, name in enumerate((t("Day", "Jour"), t("Week", "Semaine"), t("Month", "Mois"), t("Year", "Année")))
    )
    hours = "".join(m.button(f"{hour:02}:{minute:02}", small=True) for hour in range(8, 18) for minute in (0, 30))
    main = m.head(
        f"{w.rng.choice(MONTHS[w.lang])} {w.rng.randint(2024, 2027)}", m.button(sign="chevron-left", small=True),
        m.button(t("Today", "Aujourd'hui"), small=True), m.button(sign="chevron-right", small=True),
        f'<span style="display:inline-flex">{views}</span>',
    )  # fmt: skip
    main += f'<div style="display:grid;grid-template-columns:repeat(7,1fr);gap:2px;max-width:36em">{names}{grid}</div>'
    main += f"<h4>{t('Free appointments', 'Créneaux libres')}</h4>"
    main += f'<div style="display:flex;flex-wrap:wrap;gap:4px">{hours}</div>'
    main += m.buttons(m.button(t("Book", "Réserver"), kind="primary"), m.button(t("Cancel", "Annuler")))
    return frame(main, bar=hospital(m, 1))


def explorer(m: Maker) -> str:
    """A tree of folders beside a dense list of files."""
    w, t = m.words, m.words.t
    names = (("Invoices", "Factures"), ("Letters", "Courriers"), ("Reports", "Rapports"), ("Scans", "Numérisations"),
             ("Archive", "Archives"), ("Templates", "Modèles"), ("Contracts", "Contrats"))  # fmt: skip
    folders = [t(en, fr) for en, fr in names]
    w.rng.shuffle(folders)
    leaves = []
    for number, folder in enumerate(folders):
        leaves.append((0, "chevron-right", folder))
        if number in (1, 3):
            leaves += (
                [(1, "folder", str(year)) for year in range(2021, 2026)]
                if number == 1
                else [(1, "folder", name) for name in w.some(PLACES, 4)]
            )
    tree = "".join(
        f'<a href="#" role="menuitem" style="padding-left:{0.4 + 1.1 * depth}em;display:block">'
        f"{icon(sign)} <span>{escape(text)}</span></a>"
        for depth, sign, text in leaves
    )
    tools = m.button(sign="download", small=True) + " " + m.button(sign="three-dots", small=True)
    stems = [f"{w.of(ITEMS).split()[0].lower()}_{w.rng.randint(100, 999)}" for _ in range(m.rows(14))]
    files = [
        (
            m.link(f"{stem}.{w.rng.choice(('pdf', 'docx', 'tif'))}"),
            f"{w.rng.randint(12, 980)} {t('kB', 'ko')}",
            w.date(),
            tools,
        )
        for stem in stems
    ]
    main = m.tools(
        ("folder-plus", "upload", "trash", "arrow-clockwise", "search"),
        texts=(("arrow-right", t("Move", "Déplacer")), ("send", t("Share", "Partager"))),
    )
    main += m.table((t("Name", "Nom"), t("Size", "Taille"), t("Modified", "Modifié"), ""), files)
    return frame(main, bar=office(m, 4), side=f'<div class="x-side">{tree}</div>')


def board(m: Maker) -> str:
    """Cards in columns: the same buttons on each."""
    w, t = m.words, m.words.t
    columns = []
    for state in (
        t("To do", "À faire"),
        t("In progress", "En cours"),
        t("Waiting", "En attente"),
        t("Done", "Terminé"),
    ):
        cards = "".join(
            '<div class="x-card" data-row style="padding:.5em;margin:.4em 0">'
            f"<div data-cell><b>{escape(w.of(TICKETS))}</b></div><div data-cell>{escape(w.person())}</div>"
            f"<span>{m.button(sign='pencil', small=True)} {m.button(sign='check-lg', small=True)} "
            f"{m.button(t('Open', 'Ouvrir'), small=True)}</span></div>"
            for _ in range(w.rng.randint(2, 4))
        )
        more = m.button(t("Add a card", "Ajouter une carte"), sign="plus-lg", small=True)
        columns.append(f"<div><h4>{escape(state)}</h4>{cards}{more}</div>")
    main = m.head(
        t("Work", "Travaux"), m.button(t("New", "Nouveau"), kind="primary", sign="plus-lg"), m.button(sign="gear")
    )
    main += m.radios(
        t("Show", "Afficher"), (t("All", "Tous"), t("Mine", "Les miens"), t("Late", "En retard")), chosen=0
    )
    return frame(main + m.grid(*columns, columns=4), bar=desk(m, 0))


ROWS: dict[str, Page] = {page.__name__: page for page in (orders, messages, users, visits, explorer, board)}
OTHERS: dict[str, Page] = {calendar.__name__: calendar}
