"""Pages that every application has in some form: settings, log-in, search, overview, steps, a text, files."""

from __future__ import annotations

from html import escape

from benchmarks.screens.bars import hospital, office
from benchmarks.screens.pages import Page
from benchmarks.screens.styles import icon
from benchmarks.screens.widgets import FOCUS, Maker, frame
from benchmarks.screens.words import COMPLAINTS, ITEMS, SENTENCES


def settings(m: Maker) -> str:
    """Many check boxes and switches, navigation at the left."""
    w, t = m.words, m.words.t
    pairs = (
        (t("Send a message when results arrive", "Prévenir à la réception des résultats"), True),
        (t("Ask before closing a record", "Demander avant de clôturer un dossier"), True),
        (t("Print labels automatically", "Imprimer les étiquettes automatiquement"), False),
        (t("Show archived records", "Afficher les dossiers archivés"), False),
        (t("Play a sound on alarm", "Émettre un son en cas d'alarme"), True),
        (t("Use 24-hour clock", "Afficher l'heure sur 24 h"), True),
        (t("Keep me signed in", "Rester connecté(e)"), False),
        (t("Large buttons", "Grands boutons"), False),
    )
    checks = [m.check(text, on != (w.rng.random() < 0.3), off=i == 3) for i, (text, on) in enumerate(pairs)]
    switches = [
        m.switch(text, w.rng.random() < 0.5, off=i == 1)
        for i, text in enumerate(
            (
                t("Dark appearance", "Apparence sombre"),
                t("Automatic backup", "Sauvegarde automatique"),
                t("Remote access", "Accès à distance"),
                t("Beta functions", "Fonctions à l'essai"),
            )
        )
    ]
    main = (
        f"<h1>{t('Settings', 'Paramètres')}</h1><h2>{t('Notifications and display', 'Notifications et affichage')}</h2>"
    )
    main += m.grid("".join(checks[:4]), "".join(checks[4:])) + f"<h2>{t('Advanced', 'Options avancées')}</h2>"
    main += m.grid("".join(switches[:2]), "".join(switches[2:]))
    main += m.radios(
        t("Language", "Langue"), ("English", "Français", "Deutsch"), chosen=0 if w.lang == "en" else 1, off=2
    )
    main += m.grid(
        m.select(t("Start page", "Page d'accueil"), (t("Patients", "Patients"), t("Calendar", "Agenda"))),
        m.field(t("Session length (minutes)", "Durée de session (minutes)"), "45", kind="number"),
    )
    main += m.buttons(
        m.button(t("Apply", "Appliquer"), kind="primary"), m.button(t("Reset", "Réinitialiser"), kind="danger")
    )
    side = m.side(
        (
            ("person", t("Profile", "Profil")),
            ("bell", t("Notifications", "Notifications")),
            ("lock", t("Security", "Sécurité")),
            ("printer", t("Printers", "Imprimantes")),
            ("database", t("Data", "Données")),
            ("info-circle", t("About", "À propos")),
        ),
        current=1,
    )
    return frame(main, bar=hospital(m, 5), side=side)


def login(m: Maker) -> str:
    t = m.words.t
    body = m.field(t("User name", "Identifiant"), m.words.person().split(",")[0].split(" ")[0].lower())
    body += m.field(
        t("Password", "Mot de passe"),
        placeholder=t("Your password", "Votre mot de passe"),
        kind="password",
        attrs=FOCUS,
    )
    body += m.check(t("Remember me on this workstation", "Se souvenir de moi sur ce poste"))
    body += m.buttons(m.button(t("Log in", "Se connecter"), kind="primary"))
    body += f"<p>{m.link(t('Forgotten your password?', 'Mot de passe oublié ?'))}</p>"
    card = m.card(t("Emergency department", "Service des urgences"), body)
    note = m.alert(
        t("Planned maintenance on Sunday from 02:00 to 04:00.", "Maintenance prévue dimanche de 2 h à 4 h."),
        kind="warning",
    )
    return frame(f'<div class="x-narrow">{note}{card}<p>Version 4.12.{m.words.rng.randint(0, 9)} · © 2026</p></div>')


def results(m: Maker) -> str:
    """What a search found: links with their lines."""
    w, t = m.words, m.words.t
    main = m.grid(
        m.input(w.of(COMPLAINTS), kind="search", attrs=FOCUS),
        m.button(t("Search", "Rechercher"), kind="primary", sign="search"),
    )
    found = w.rng.randint(40, 900)
    main += f"<p>{t(f'{found} results in 0.21 seconds', f'{found} résultats en 0,21 seconde')}</p>"
    for _ in range(max(4, m.lines // 6)):
        main += (
            f'<div class="x-hit">{m.link(w.of(COMPLAINTS) + " – " + w.person())}<p>{escape(w.of(SENTENCES))}</p>'
            f"<p>{w.long_date()} · {w.t('Record', 'Dossier')} <b>{w.ident()}</b></p></div>"
        )
    return frame(main + m.pages(6, current=1), bar=hospital(m, 3))


def dashboard(m: Maker) -> str:
    """Cards with numbers, and messages."""
    w, t = m.words, m.words.t
    names = (
        (t("Waiting", "En attente"), "hourglass-split"),
        (t("In treatment", "En cours de soins"), "heart-pulse"),
        (t("Free beds", "Lits libres"), "hospital"),
        (t("Average wait", "Attente moyenne"), "clock"),
    )
    cards = [
        m.card(
            name,
            f'<div class="x-row">{icon(sign)}<span class="x-big">{w.rng.randint(2, 98)}{" min" * (i == 3)}</span></div>'
            f"<p>{w.time()} · {m.link(t('Details', 'Détails'))}</p>",
        )
        for i, (name, sign) in enumerate(names)
    ]
    main = m.alert(
        t("Two ambulances are expected within 10 minutes.", "Deux ambulances sont attendues dans les 10 minutes."),
        kind="danger",
        sign="exclamation-triangle",
    )
    main += m.alert(
        t("The laboratory answers again.", "Le laboratoire répond de nouveau."), kind="success", sign="check-circle"
    )
    main += m.grid(*cards, columns=4) + f"<h2>{t('Latest arrivals', 'Dernières arrivées')}</h2>"
    heads = (t("Time", "Heure"), t("Patient", "Patient"), t("Complaint", "Motif"), t("State", "État"))
    states = (t("waiting", "en attente"), t("seen", "vu"), t("at the scanner", "au scanner"))
    rows = [
        (w.time(), m.link(w.person()), escape(w.of(COMPLAINTS)), m.badge(w.rng.choice(states), kind="primary"))
        for _ in range(m.rows(28))
    ]
    main += m.table(heads, rows) + m.progress(w.rng.randint(20, 90))
    side = m.side(
        (
            ("speedometer2", t("Overview", "Vue d'ensemble")),
            ("people", t("Patients", "Patients")),
            ("calendar3", t("Calendar", "Agenda")),
            ("capsule", t("Pharmacy", "Pharmacie")),
            ("graph-up", t("Statistics", "Statistiques")),
            ("gear", t("Settings", "Paramètres")),
        )
    )
    return frame(main, bar=m.bar("UrgaCare", (), right=w.person()), side=side)


def wizard(m: Maker) -> str:
    """The second of four steps."""
    w, t = m.words, m.words.t
    steps = (
        t("1. File", "1. Fichier"),
        t("2. Columns", "2. Colonnes"),
        t("3. Check", "3. Contrôle"),
        t("4. Import", "4. Importation"),
    )
    main = f"<h1>{t('Import a bank statement', 'Importer un relevé bancaire')}</h1><div class='x-steps'>"
    main += "".join(f'<span class="{"on" * (i == 1)}">{s}</span>' for i, s in enumerate(steps)) + "</div>"
    options = (
        t("Date of booking", "Date d'opération"),
        t("Amount", "Montant"),
        t("Wording", "Libellé"),
        t("Ignore", "Ignorer"),
    )
    main += m.grid(
        *(m.select(f"{t('Column', 'Colonne')} {letter}", options, chosen=i % 4) for i, letter in enumerate("ABCDEF")),
        columns=3,
    )
    main += m.radios(
        t("Decimal sign", "Séparateur décimal"),
        (t("Point", "Point"), t("Comma", "Virgule")),
        chosen=int(w.lang == "fr"),
    )
    main += m.check(t("First line holds the headings", "La première ligne contient les en-têtes"), True)
    main += m.alert(
        t("3 lines have no amount and will be left out.", "3 lignes sans montant seront écartées."),
        kind="warning",
        sign="exclamation-triangle",
    )
    main += m.table(
        (t("Date", "Date"), t("Amount", "Montant"), t("Wording", "Libellé")),
        [(w.date(2026), w.amount(), escape(w.of(ITEMS))) for _ in range(m.rows(32))],
    )
    main += m.buttons(
        m.button(t("Back", "Précédent")),
        m.button(t("Next", "Suivant"), kind="primary"),
        m.button(t("Finish", "Terminer"), attrs="disabled"),
        end=True,
    )
    return frame(main, bar=office(m, 3))


def article(m: Maker) -> str:
    """A long text with links within its sentences."""
    w, t = m.words, m.words.t
    main = f"<h1>{t('Rules for expenses and travel', 'Règles applicables aux frais et déplacements')}</h1>"
    for number in range(1, max(5, m.lines // 6)):
        main += f"<h2>{number}. {escape(w.of(ITEMS))}</h2><p class='x-text'>{escape(w.of(SENTENCES))} "
        main += f"{t('See', 'Voir')} {m.link(w.of(ITEMS))}, "
        main += f"<b>{t('page', 'page')} {w.rng.randint(2, 90)}</b>. {escape(w.paragraph(3))}</p>"
    return frame(main, bar=office(m, 4))


def files(m: Maker) -> str:
    """A file list under a tool bar."""
    w, t = m.words, m.words.t
    rows = []
    for n in range(m.rows(12)):
        stem, (sign, ending) = (
            w.rng.choice(w.some(ITEMS, 8)).split(",")[0].replace(" ", "_"),
            w.rng.choice(
                (
                    ("file-earmark-pdf", "pdf"),
                    ("file-earmark-spreadsheet", "ods"),
                    ("file-earmark-text", "txt"),
                    ("file-earmark-image", "png"),
                )
            ),
        )
        rows.append(
            (
                icon(sign) + " " + m.link(f"{stem}_{n + 1:02}.{ending}"),
                f"{w.rng.randint(2, 980)} {t('kB', 'Ko')}",
                w.date(2026) + " " + w.time(),
                escape(w.person()),
            )
        )
    tools = m.tools(
        ("arrow-left", "arrow-right", "arrow-up", "house", "list-ul", "grid", "trash"),
        texts=(("upload", t("Upload", "Téléverser")), ("folder-plus", t("New folder", "Nouveau dossier"))),
        off=(1,),
    )
    side = m.side(
        (
            ("house", t("Home", "Accueil")),
            ("star", t("Favourites", "Favoris")),
            ("people", t("Shared", "Partagés")),
            ("clock-history", t("Recent", "Récents")),
            ("trash", t("Bin", "Corbeille")),
        ),
        current=2,
    )
    main = f"<h1>{t('Shared documents', 'Documents partagés')}</h1>" + m.table(
        (t("Name", "Nom"), t("Size", "Taille"), t("Changed", "Modifié le"), t("By", "Par")), rows
    )
    return frame(
        main,
        bar=tools,
        side=side,
        status=f"<span>{len(rows)} {t('files', 'fichiers')}</span>"
        f"<span>{w.rng.randint(2, 90)} {t('GB free', 'Go libres')}</span>",
    )


GENERAL: dict[str, Page] = {
    page.__name__: page for page in (settings, login, results, dashboard, wizard, article, files)
}
