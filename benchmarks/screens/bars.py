"""The frames of the three applications that the pages belong to: their bars and their status line."""

from __future__ import annotations

from benchmarks.screens.widgets import Maker


def hospital(m: Maker, current: int) -> str:
    t = m.words.t
    names = (
        t("Patients", "Patients"),
        t("Admission", "Admission"),
        t("Beds", "Lits"),
        t("Search", "Recherche"),
        t("Reports", "États"),
        t("Settings", "Paramètres"),
    )
    return m.bar("UrgaCare", names, current=current, right=m.words.person())


def status(m: Maker) -> str:
    w = m.words
    parts = (w.t("Ready", "Prêt"), f"{w.t('Record', 'Dossier')} {w.ident()}", w.long_date())
    return "".join(f"<span>{part}</span>" for part in parts)


def office(m: Maker, current: int) -> str:
    t = m.words.t
    names = (
        t("Entries", "Écritures"),
        t("Invoices", "Factures"),
        t("Payments", "Règlements"),
        t("Bank", "Banque"),
        t("Guidelines", "Procédures"),
    )
    return m.bar("Comptaris", names, current=current, right=m.words.t("Year 2026", "Exercice 2026"))


def desk(m: Maker, current: int) -> str:
    t = m.words.t
    return m.bar(
        "HelpPoint",
        (t("Tickets", "Tickets"), t("Equipment", "Matériel"), t("Calendar", "Agenda"), t("Knowledge", "Base d'aide")),
        current=current,
    )
