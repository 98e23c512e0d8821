"""Pages of an emergency department: one function a page, over any kit."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from benchmarks.screens.bars import hospital, status
from benchmarks.screens.widgets import FOCUS, Maker, frame
from benchmarks.screens.words import COMPLAINTS, PLACES

Page = Callable[[Maker], str]


def patients(m: Maker) -> str:
    """A list with a button and a link in each row."""
    w, t = m.words, m.words.t
    heads = (
        t("No.", "N°"),
        t("Patient", "Patient"),
        t("Born", "Né(e) le"),
        t("Arrival", "Arrivée"),
        t("Complaint", "Motif"),
        t("Priority", "Priorité"),
        "",
    )
    kinds = ("success", "warning", "danger", "info")
    rows = [
        (
            w.ident(),
            m.link(w.person()),
            w.born(),
            w.time(),
            escape(w.of(COMPLAINTS)),
            m.badge(f"P{n % 4 + 1}", kind=kinds[n % 4]),
            m.button(t("Open", "Ouvrir"), kind="plain", small=True),
        )
        for n in range(m.rows(16))
    ]
    main = m.head(
        t("Patients in the department", "Patients présents aux urgences"),
        m.button(t("New patient", "Nouveau patient"), kind="primary", sign="person-plus"),
        m.button(t("Print", "Imprimer"), sign="printer"),
    )
    main += m.input(
        placeholder=t("Search by name or number", "Rechercher par nom ou numéro"), kind="search", attrs=FOCUS
    )
    return frame(main + m.table(heads, rows) + m.pages(5, current=2), bar=hospital(m, 0))


def admission(m: Maker) -> str:
    """A form with every kind of field."""
    w, t = m.words, m.words.t
    main = m.head(t("Admission", "Admission aux urgences"), m.button(t("Help", "Aide"), sign="question-circle"))
    main += m.grid(
        m.field(t("Family name", "Nom de famille"), w.person().split(",")[0].split(" ")[0]),
        m.field(t("Given name", "Prénom"), placeholder=t("As on the identity card", "Comme sur la carte d'identité")),
        m.field(t("Date of birth", "Date de naissance"), w.born(), attrs=FOCUS),
        m.field(t("Record number", "Numéro de dossier"), w.ident("UA-"), attrs="disabled"),
        m.field(
            t("Date of arrival", "Date d'arrivée"),
            f"2026-{w.rng.randint(1, 12):02}-{w.rng.randint(1, 28):02}",
            kind="date",
        ),
        m.select(
            t("Insurance", "Couverture sociale"), (t("Public insurance", "Régime général"), t("Private", "Mutuelle"))
        ),
        m.field(t("Telephone", "Téléphone"), w.phone(), kind="tel"),
        m.select(
            t("Brought by", "Mode d'arrivée"),
            (t("Ambulance", "Ambulance privée"), t("On foot", "À pied")),
            attrs="disabled",
        ),
        m.field(t("Place of birth", "Lieu de naissance"), w.of(PLACES)),
    )
    main += m.radios(
        t("Sex", "Sexe"),
        (t("Female", "Féminin"), t("Male", "Masculin"), t("Not stated", "Non précisé")),
        chosen=w.rng.randrange(3),
    )
    main += m.grid(
        m.check(t("Allergies known", "Allergies connues"), True)
        + m.check(t("Interpreter needed", "Interprète nécessaire")),
        m.check(t("Relatives informed", "Proches prévenus"), off=True)
        + m.check(t("Consent given", "Consentement signé"), True, off=True),
    )
    main += m.area(t("Remarks", "Observations"), w.paragraph(1))
    main += m.buttons(
        m.button(t("Save", "Enregistrer"), kind="primary"),
        m.button(t("Save and print", "Enregistrer et imprimer"), attrs="disabled"),
        m.button(t("Cancel", "Annuler")),
    )
    return frame(main, bar=hospital(m, 1))


def record(m: Maker) -> str:
    """A patient's record: tabs over facts and a table."""
    w, t = m.words, m.words.t
    names = (
        t("Summary", "Synthèse"),
        t("Prescriptions", "Prescriptions"),
        t("Results", "Résultats"),
        t("Letters", "Courriers"),
        t("History", "Antécédents"),
    )
    main = m.head(
        w.person(), m.button(t("Discharge", "Sortie"), kind="danger"), m.button(sign="pencil"), m.button(sign="trash")
    )
    main += m.tabs(names, chosen=w.rng.randrange(5))
    main += m.facts(
        (
            (t("Record number", "Numéro de dossier"), w.ident()),
            (t("Date of birth", "Date de naissance"), w.born()),
            (
                t("Address", "Adresse"),
                f"{w.rng.randint(1, 180)} {t('High Street', 'rue de la République')}, {w.of(PLACES)}",
            ),
            (t("Complaint", "Motif de recours"), w.of(COMPLAINTS)),
            (t("Seen by", "Vu par"), "Dr " + w.person()),
        )
    )
    main += f"<h2>{t('Observations', 'Constantes et observations')}</h2>"
    heads = (t("Time", "Heure"), t("Pressure", "Tension"), t("Pulse", "Pouls"), "T °C", "SpO2", t("Pain", "Douleur"))
    rows = [
        (
            w.time(),
            f"{w.rng.randint(95, 170)}/{w.rng.randint(55, 95)}",
            str(w.rng.randint(52, 130)),
            f"{w.rng.uniform(36, 40):.1f}",
            f"{w.rng.randint(88, 100)} %",
            f"{w.rng.randint(0, 10)}/10",
        )
        for _ in range(m.rows(30))
    ]
    main += m.table(heads, rows) + f"<p>{escape(w.paragraph(2))}</p>"
    return frame(main, bar=hospital(m, 0), status=status(m))


def discharge(m: Maker) -> str:
    """A dialog over a list."""
    w, t = m.words, m.words.t
    closing = t("The record will be closed. This cannot be undone.", "Le dossier sera clôturé sans retour possible.")
    body = f"<p>{closing}</p>"
    body += m.select(t("Destination", "Destination"), (t("Home", "Retour à domicile"), t("Ward", "Hospitalisation")))
    body += m.field(t("Time of discharge", "Heure de sortie"), w.time(), attrs=FOCUS)
    body += m.check(t("Letter handed over", "Courrier remis au patient"), True)
    over = m.modal(
        t("Discharge the patient?", "Confirmer la sortie du patient ?"),
        body,
        m.button(t("Cancel", "Annuler")),
        m.button(t("Confirm", "Confirmer la sortie"), kind="primary"),
    )
    heads = (t("Bed", "Lit"), t("Patient", "Patient"), t("Since", "Depuis"), t("Complaint", "Motif"))
    rows = [(f"B{n:02}", escape(w.person()), w.time(), escape(w.of(COMPLAINTS))) for n in range(1, m.rows(8))]
    main = m.head(t("Beds", "Lits et box"), m.button(t("Assign", "Affecter"))) + m.table(heads, rows)
    return frame(main, bar=hospital(m, 2), over=over)


def editor(m: Maker) -> str:
    """A menu bar with an opened menu, a tool bar, and text."""
    w, t = m.words, m.words.t
    names = (
        t("File", "Fichier"),
        t("Edit", "Édition"),
        t("View", "Affichage"),
        t("Insert", "Insertion"),
        t("Tools", "Outils"),
        t("Help", "Aide"),
    )
    items = (
        t("New document", "Nouveau document"),
        t("Open…", "Ouvrir…"),
        t("Save", "Enregistrer"),
        t("Save as…", "Enregistrer sous…"),
        "",
        t("Print…", "Imprimer…"),
        t("Properties", "Propriétés"),
        "",
        t("Quit", "Quitter"),
    )
    signs = ("file-earmark-plus", "folder2-open", "save", "save2", "", "printer", "info-circle", "", "box-arrow-right")
    tools = m.tools(
        (
            "file-earmark-plus",
            "folder2-open",
            "save",
            "scissors",
            "copy",
            "clipboard",
            "arrow-counterclockwise",
            "arrow-clockwise",
            "type-bold",
            "type-italic",
        ),
        texts=(("search", t("Find", "Rechercher")), ("check2-square", t("Spelling", "Orthographe"))),
        off=(3, 7),
    )
    main = f"<h1>{t('Consultation report', 'Compte rendu de consultation')}</h1>"
    main += "".join(f'<p class="x-text">{escape(w.paragraph(3))}</p>' for _ in range(m.lines // 7))
    over = m.menu(items, left=".6em", top="2.1em", signs=signs, off=(2,))
    return frame(main, bar=m.menubar(names, opened=0) + tools, over=over, status=status(m))


WARD: dict[str, Page] = {page.__name__: page for page in (patients, admission, record, discharge, editor)}
