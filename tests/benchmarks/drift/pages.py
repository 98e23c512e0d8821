"""Pages whose rows are alike: what tells the controls of one row from those of the next is the record beside them."""

from __future__ import annotations

from html import escape

from tests.benchmarks.screens.bars import desk, hospital, office
from tests.benchmarks.screens.pages import Page
from tests.benchmarks.screens.widgets import Maker, frame
from tests.benchmarks.screens.words import COMPLAINTS, ITEMS, PLACES, TICKETS


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


ROWS: dict[str, Page] = {page.__name__: page for page in (orders, messages, users, visits)}
