"""Pages of an accounting office and a ticket desk."""

from __future__ import annotations

from html import escape

from benchmarks.screens.bars import desk, office
from benchmarks.screens.pages import Page
from benchmarks.screens.widgets import FOCUS, Maker, frame
from benchmarks.screens.words import DAYS, ITEMS, PLACES, TICKETS


def invoices(m: Maker) -> str:
    """A ledger: many small rows with amounts and check boxes."""
    w, t = m.words, m.words.t
    heads = (
        "",
        t("Invoice", "Facture"),
        t("Date", "Date"),
        t("Supplier", "Fournisseur"),
        t("Subject", "Objet"),
        t("Net", "Montant HT"),
        t("Gross", "Montant TTC"),
        t("State", "État"),
    )
    states = ((t("paid", "réglée"), "success"), (t("open", "en cours"), "info"), (t("late", "en retard"), "danger"))
    rows = []
    for n in range(m.rows(16)):
        state, kind = w.rng.choice(states)
        rows.append(
            (
                m.check("", n % 5 == 1),
                m.link(w.ident("F-")),
                w.date(2026),
                escape(w.person()),
                escape(w.of(ITEMS)),
                w.amount(),
                w.amount(),
                m.badge(state, kind=kind),
            )
        )
    main = m.head(
        t("Supplier invoices", "Factures fournisseurs"),
        m.button(t("Pay", "Régler"), kind="primary", attrs="disabled"),
        m.button(t("Export", "Exporter"), sign="download"),
    )
    main += m.tabs(
        (t("All", "Toutes"), t("To check", "À vérifier"), t("To pay", "À régler"), t("Archived", "Archivées")), chosen=2
    )
    return frame(main + m.table(heads, rows) + m.pages(9, current=4), bar=office(m, 1))


def invoice(m: Maker) -> str:
    """A small-print form with a table of lines to fill in."""
    w, t = m.words, m.words.t
    main = m.head(
        t("Invoice ", "Facture ") + w.ident("F-"),
        m.button(t("Approve", "Valider"), kind="primary", sign="check-lg"),
        m.button(t("Reject", "Refuser"), kind="danger"),
    )
    main += m.grid(
        m.field(t("Supplier", "Fournisseur"), w.person()),
        m.field(t("Town", "Ville"), w.of(PLACES)),
        m.field(t("Received on", "Reçue le"), w.date(2026)),
        m.field(t("Due on", "Échéance"), w.date(2026), attrs=FOCUS),
        m.field("IBAN", f"FR76 3000 4000 {w.rng.randint(1000, 9999)}", attrs="disabled"),
        m.select(
            t("Cost centre", "Centre de coûts"), (t("Management", "Direction générale"), t("Purchasing", "Achats"))
        ),
        columns=3,
    )
    heads = (t("Account", "Compte"), t("Wording", "Libellé"), t("Quantity", "Quantité"), t("Amount", "Montant"), "")
    rows = [
        (
            w.ident(),
            m.input(w.of(ITEMS)),
            m.input(str(w.rng.randint(1, 40)), kind="number"),
            w.amount(),
            m.button(sign="trash", small=True),
        )
        for _ in range(max(4, m.rows(30)))
    ]
    main += m.table(heads, rows) + m.buttons(m.button(t("Add a line", "Ajouter une ligne"), sign="plus-lg"))
    main += m.facts(
        (
            (t("Total net", "Total HT"), w.amount()),
            (t("VAT 20 %", "TVA 20 %"), w.amount()),
            (t("Total", "Total TTC"), w.amount()),
        )
    )
    main += m.check(t("Goods received", "Marchandise reçue"), True) + m.check(t("Split payment", "Paiement échelonné"))
    return frame(main, bar=office(m, 1))


def calendar(m: Maker) -> str:
    w, t = m.words, m.words.t
    cells = "".join(f'<div class="x-day">{day}</div>' for day in DAYS[w.lang])
    for n in range(35):
        event = f"<div>{w.time()} {m.link(t('Visit', 'Visite'))}</div>" if w.rng.random() < 0.3 else ""
        cells += f"<div><b>{n % 31 + 1}</b>{event}</div>"
    main = m.head(
        w.long_date(),
        m.button(sign="chevron-left"),
        m.button(t("Today", "Aujourd'hui")),
        m.button(sign="chevron-right"),
    )
    main += m.tabs((t("Day", "Jour"), t("Week", "Semaine"), t("Month", "Mois"), t("Year", "Année")), chosen=2)
    return frame(main + f'<div class="x-cal">{cells}</div>', bar=desk(m, 2))


def tickets(m: Maker) -> str:
    """A desk's queue: filters at the left, an opened menu over the rows."""
    w, t = m.words, m.words.t
    heads = (
        t("Ticket", "Ticket"),
        t("Subject", "Objet"),
        t("From", "Demandeur"),
        t("Age", "Ancienneté"),
        t("State", "État"),
    )
    states = ((t("new", "nouveau"), "info"), (t("open", "ouvert"), "warning"), (t("solved", "résolu"), "success"))
    rows = []
    for _ in range(m.rows(12)):
        state, kind = w.rng.choice(states)
        rows.append(
            (
                m.link("#" + w.ident()),
                escape(w.of(TICKETS)),
                escape(w.person()),
                f"{w.rng.randint(1, 60)} {t('days', 'jours')}",
                m.badge(state, kind=kind),
            )
        )
    main = m.head(
        t("My tickets", "Mes tickets"),
        m.button(t("New ticket", "Nouveau ticket"), kind="primary", sign="plus-lg"),
        m.button(t("Actions", "Actions"), sign="three-dots"),
    )
    over = m.menu(
        (
            t("Assign to me", "M'affecter le ticket"),
            t("Change priority", "Changer la priorité"),
            t("Merge…", "Fusionner…"),
            "",
            t("Close", "Clore le ticket"),
        ),
        left="58%",
        top="9em",
        off=(2,),
    )
    return frame(main + m.table(heads, rows) + m.pages(4, current=3), bar=desk(m, 0), over=over)


def ticket(m: Maker) -> str:
    """A thread and an answer being written."""
    w, t = m.words, m.words.t
    main = m.head(
        "#" + w.ident() + " " + w.of(TICKETS),
        m.button(t("Close", "Clore"), kind="danger"),
        m.button(sign="three-dots-vertical"),
    )
    left = "".join(
        m.card(f"{w.person()} – {w.long_date()}", f"<p>{escape(w.paragraph(2))}</p>")
        for _ in range(max(2, m.lines // 14))
    )
    left += m.area(
        t("Your answer", "Votre réponse"),
        placeholder=t("Write to the requester", "Écrire au demandeur"),
        rows=4,
        attrs=FOCUS,
    )
    left += m.check(t("Internal note, not sent", "Note interne, non envoyée")) + m.buttons(
        m.button(t("Send", "Envoyer"), kind="primary", sign="send")
    )
    right = m.select(t("Priority", "Priorité"), (t("Normal", "Normale"), t("High", "Élevée"))) + m.select(
        t("Group", "Groupe"), (t("Workstations", "Postes de travail"), t("Network", "Réseau"))
    )
    right += m.field(t("Equipment", "Équipement"), w.ident("PC-")) + m.switch(
        t("Watch this ticket", "Suivre ce ticket"), True
    )
    right += m.facts(((t("Created", "Créé le"), w.date(2026)), (t("Phone", "Téléphone"), w.phone())))
    return frame(main + m.grid(left, right), bar=desk(m, 0))


OFFICE: dict[str, Page] = {page.__name__: page for page in (invoices, invoice, calendar, tickets, ticket)}
