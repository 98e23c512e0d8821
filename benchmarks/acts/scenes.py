"""The scenes: saving, deleting, opening, choosing, typing, with effects that are late, that lie, or that fail."""

from __future__ import annotations

from html import escape

from benchmarks.acts.scene import BLACK, Page, Scene, Stage
from benchmarks.screens.widgets import FOCUS

HOVER = 'style="filter:brightness(.85)"'


def _form(s: Stage, *, note: str = "", hover: bool = False, notes: str = "") -> str:
    m, t = s.m, s.t
    main = note + m.head(t("Patient record", "Dossier du patient"), m.button(t("Print", "Imprimer"), sign="printer"))
    main += m.grid(
        m.field(t("Name", "Nom"), s.people[0]),
        m.field(t("Date of birth", "Date de naissance"), s.born[0]),
        m.field(t("Record number", "Numéro de dossier"), s.idents[0]),
        m.field(t("Telephone", "Téléphone"), s.phone),
    )
    main += m.area(t("Remarks", "Remarques"), notes or s.text)
    save = m.button(t("Save", "Enregistrer"), kind="primary", attrs=HOVER if hover else "")
    return main + m.buttons(save, m.button(t("Cancel", "Annuler")))


def saving(s: Stage, state: str) -> Page:
    """A form that is saved, with a message that says so."""
    t, base = s.t, state.split("+")[0]
    over = note = ""
    if base == "after":
        over = s.toast(t("Record saved", "Dossier enregistré"))
    elif base == "unsaved":
        over = s.toast(t("The record could not be saved", "Le dossier n'a pas pu être enregistré"), kind="danger")
    elif base == "failed":
        over = s.toast(t("Record not saved", "Dossier non enregistré"), kind="danger")
    elif base == "impossible":
        over = s.toast(
            t("Saving failed: record locked", "Enregistrement impossible : dossier verrouillé"), kind="danger"
        )
    elif base == "asked":
        texts = (t("Record saved?", "Dossier enregistré ?"), t("Do you want to leave?", "Voulez-vous quitter ?"))
        over = s.dialog(*texts, t("Yes", "Oui"), t("No", "Non"))
    elif base == "complaint":
        note = s.m.alert(t("Date of birth is required.", "La date de naissance est obligatoire."), kind="danger")
    elif base == "print":
        over = s.dialog(t("Print", "Imprimer"), t("Printer: Ward 2", "Imprimante : Service 2"), t("Print", "Imprimer"))
    main = _form(s, note=note, hover=base == "hover")
    return s.page(main, state, title=t("Record", "Dossier"), over=over, variables={"patient": s.people[0]})


def _list(s: Stage, *, without: int = -1, heading: tuple[str, str] = ("Patients", "Patients")) -> str:
    m, t = s.m, s.t
    heads = (t("No.", "N°"), t("Patient", "Patient"), t("Born", "Né(e) le"), t("Arrival", "Arrivée"), "")
    rows = [
        (s.idents[i], m.link(s.people[i]), s.born[i], s.times[i], m.button(t("Open", "Ouvrir"), small=True))
        for i in range(8)
        if i != without
    ]
    return m.head(t(*heading), m.button(t("New patient", "Nouveau patient"), kind="primary")) + m.table(heads, rows)


def deleting(s: Stage, state: str) -> Page:
    """The question whether to delete, answered with yes."""
    t, base = s.t, state.split("+")[0]
    title, text = (
        t("Delete record?", "Supprimer le dossier ?"),
        t("This cannot be undone.", "Cette action est définitive."),
    )
    ask = s.dialog(title, text, t("Delete", "Supprimer"), t("Keep", "Conserver"))
    over = ask if base in ("before", "refused") else ""
    if base == "after":
        over = s.toast(t("Record deleted", "Dossier supprimé"))
    elif base == "refused":
        over += s.toast(
            t("Deletion refused: record in use", "Suppression refusée : dossier en cours d'utilisation"), kind="danger"
        )
    elif base == "failed":
        over = s.toast(t("Record could not be deleted", "Le dossier n'a pas pu être supprimé"), kind="danger")
    main = _list(s, without=2 if base == "after" else -1)
    return s.page(main, state, title=t("Patients", "Patients"), over=over, variables={"patient": s.people[2]})


def asking(s: Stage, state: str) -> Page:
    """A click that must bring up a question."""
    t, base = s.t, state.split("+")[0]
    over = ""
    if base == "after":
        texts = (
            t("Discharge the patient?", "Confirmer la sortie du patient ?"),
            t("The bed becomes free.", "Le lit sera libéré."),
        )
        over = s.dialog(*texts, t("Discharge", "Faire sortir"), t("Back", "Retour"))
    elif base == "other":
        texts = (t("Transfer the patient?", "Transférer le patient ?"), t("Choose a ward.", "Choisissez un service."))
        over = s.dialog(*texts, t("Transfer", "Transférer"), t("Back", "Retour"))
    buttons = s.m.buttons(s.m.button(t("Discharge…", "Sortie…")), s.m.button(t("Transfer…", "Transfert…")))
    return s.page(_form(s) + buttons, state, title=t("Record", "Dossier"), over=over)


def opening(s: Stage, state: str) -> Page:
    """From a list to the record of one patient."""
    t, base = s.t, state.split("+")[0]
    variables = {"patient": s.people[3]}
    if base == "before":
        return s.page(_list(s), state, title=t("Patients", "Patients"), variables=variables)
    if base == "login":
        main = (
            s.m.head(t("Log in", "Connexion"))
            + s.m.field(t("User", "Utilisateur"))
            + s.m.field(t("Password", "Mot de passe"))
        )
        return s.page(main, state, title=t("Log in", "Connexion"), variables=variables)
    if base == "missing":
        main = s.m.head(t("Page not found", "Page introuvable")) + f"<p>{t('Error 404', 'Erreur 404')}</p>"
        return s.page(main, state, title=t("Not found", "Introuvable"), variables=variables)
    who = 3 if base == "after" else 5
    facts = (
        (t("Patient", "Patient"), s.people[who]),
        (t("Born", "Né(e) le"), s.born[who]),
        (t("Allergies", "Allergies"), t("none known", "aucune connue")),
        (t("Arrival", "Arrivée"), s.times[who]),
    )
    main = s.m.head(t("Medical record", "Dossier médical"), s.m.button(t("Edit", "Modifier"))) + s.m.facts(facts)
    main += s.m.card(t("History", "Antécédents"), f"<p>{s.text}</p>")
    if base == "settings":
        main = s.m.head(t("Reports", "États")) + f"<p>{s.text}</p>"
    return s.page(main, state, title=t("Record", "Dossier"), variables=variables)


def tab(s: Stage, state: str) -> Page:
    """Another tab of the page."""
    t, base = s.t, state.split("+")[0]
    names = (t("Overview", "Synthèse"), t("Results", "Résultats"), t("Letters", "Courriers"))
    chosen = {"after": 1, "other": 2, "bare": 0}.get(base, 0)
    body = (
        s.m.facts(((t("Patient", "Patient"), s.people[0]), (t("Born", "Né(e) le"), s.born[0]))),
        s.m.table(
            (t("Test", "Analyse"), t("Value", "Valeur")), (("Sodium", "139"), ("Potassium", "4,1"), ("CRP", "12"))
        ),
        f"<p>{s.text}</p>",
    )[chosen]
    main = s.m.head(t("Patient record", "Dossier du patient")) + s.m.tabs(names, chosen=chosen) + body
    return s.page(main, state, title=t("Record", "Dossier"))


def ticking(s: Stage, state: str) -> Page:
    """A check box among others."""
    t, base = s.t, state.split("+")[0]
    first, third = base == "after", base == "other"
    checks = s.m.check(t("Send a letter", "Envoyer un courrier"), first)
    checks += s.m.check(t("Print labels", "Imprimer les étiquettes"), on=True)
    checks += s.m.check(t("Inform the family", "Prévenir la famille"), third)
    main = (
        s.m.head(t("Discharge", "Sortie")) + checks + s.m.buttons(s.m.button(t("Apply", "Appliquer"), kind="primary"))
    )
    return s.page(main, state, title=t("Discharge", "Sortie"))


def choosing(s: Stage, state: str) -> Page:
    """A radio button."""
    t, base = s.t, state.split("+")[0]
    options = (t("Home", "Domicile"), t("Transfer", "Transfert"), t("Against advice", "Contre avis"))
    main = s.m.head(t("Discharge", "Sortie")) + s.m.radios(
        t("Destination", "Destination"), options, chosen={"after": 1, "other": 2}.get(base, 0)
    )
    return s.page(main, state, title=t("Discharge", "Sortie"))


def menu(s: Stage, state: str) -> Page:
    """A menu that drops down."""
    t, base = s.t, state.split("+")[0]
    items = {
        "after": (t("Duplicate", "Dupliquer"), t("Archive", "Archiver"), t("Merge records", "Fusionner les dossiers")),
        "other": (t("Letter", "Courrier"), t("Certificate", "Certificat"), t("Prescription", "Ordonnance")),
    }.get(base)
    over = s.m.menu(items, left="30px" if base == "after" else "420px", top="150px") if items else ""
    head = s.m.buttons(s.m.button(t("Actions", "Actions")), s.m.button(t("Documents", "Documents")))
    return s.page(head + _list(s), state, title=t("Patients", "Patients"), over=over)


def _typing(
    s: Stage, state: str, shown: dict[str, str], typed: str, *, kind: str = "text", narrow: bool = False
) -> Page:
    t, base = s.t, state.split("+")[0]
    label = t("Search for", "Rechercher")
    style = ' style="width:130px"' if narrow else ""
    value = shown.get(base, "")
    attrs = FOCUS + style
    main = s.m.head(t("Search", "Recherche")) + s.m.field(label, value, kind=kind, attrs=attrs)
    main += s.m.grid(
        s.m.field(t("Ward", "Service"), t("Emergency", "Urgences")),
        s.m.field(t("Since", "Depuis"), shown.get(base + "@other", "")),
    )
    main += s.m.buttons(s.m.button(t("Search", "Rechercher"), kind="primary"))
    return s.page(main, state, title=t("Search", "Recherche"), typed=typed)


def typing(s: Stage, state: str) -> Page:
    """A text typed into a field."""
    name = f"{s.people[1]}, {s.t('ward', 'salle')} A"  # letters that another layout of the keyboard puts elsewhere
    azerty = name.translate(str.maketrans("aqzwAQZWmM", "qawzQAWZ;:"))
    shown = {"after": name, "half": name[: len(name) // 2], "layout": azerty, "upper": name.upper()}
    return _typing(s, state, shown, name)


def typing_date(s: Stage, state: str) -> Page:
    """A date that the application writes in its own way."""
    day, month, year = s.day
    names = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    french = ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.")
    name, wrong = s.t(names[month - 1], french[month - 1]), s.t(names[month % 12], french[month % 12])
    shown = {
        "after": f"{day} {name} {year}",
        "iso": f"{year}-{month:02}-{day:02}",
        "wrong": f"{day} {wrong} {year}",
        "year": f"{day} {name} {year - 1}",
    }
    return _typing(s, state, shown, f"{day:02}/{month:02}/{year}")


def typing_number(s: Stage, state: str) -> Page:
    """An amount that gets its separators."""
    number = 1000 + int("".join(c for c in s.idents[0] if c.isdigit())[-3:] or "250")
    thousands = f"{number:,}"
    shown = {
        "after": s.t(f"{thousands}.00", thousands.replace(",", "\u202f") + ",00"),
        "plain": str(number),
        "wrong": s.t(f"{number + 1:,}.00", f"{number + 1:,}".replace(",", "\u202f") + ",00"),
    }
    return _typing(s, state, shown, str(number))


def typing_secret(s: Stage, state: str) -> Page:
    """A password: one dot for each letter."""
    secret = "Sesame-" + "".join(c for c in s.idents[1] if c.isdigit())[:3]
    return _typing(s, state, {"after": secret, "half": secret[: len(secret) // 2]}, secret, kind="password")


def typing_long(s: Stage, state: str) -> Page:
    """A text that is longer than its field, which shows its beginning alone: whether the rest was typed nobody sees."""
    long = " ".join(s.text.split()[:9])
    return _typing(s, state, {"after": long, "half": long[:4]}, long, narrow=True)


def writing(s: Stage, state: str) -> Page:
    """A remark of several lines in a text area."""
    t, base = s.t, state.split("+")[0]
    text = t("Seen at noon.\nBlood taken, sent to the laboratory.", "Vu à midi.\nBilan prélevé, envoyé au laboratoire.")
    shown = {"after": text, "half": text.split("\n")[0]}.get(base, "")
    main = s.m.head(t("Remarks", "Remarques")) + s.m.area(t("New remark", "Nouvelle remarque"), shown, rows=5)
    main += s.m.buttons(s.m.button(t("Add", "Ajouter"), kind="primary"))
    return s.page(main, state, title=t("Remarks", "Remarques"), typed=text)


def login(s: Stage, state: str) -> Page:
    """The button of a log-in page."""
    t, base = s.t, state.split("+")[0]
    if base == "after":
        main = (
            s.m.head(t("Dashboard", "Tableau de bord"))
            + f"<p>{t('Welcome to the emergency department', 'Bienvenue aux urgences')}</p>"
        )
        return s.page(main + _list(s), state, title=t("Dashboard", "Tableau de bord"))
    said = {
        "wrong": t("Wrong user name or password.", "Identifiant ou mot de passe incorrect."),
        "locked": t("Your account is locked.", "Votre compte est verrouillé."),
    }.get(base, "")
    main = (s.m.alert(said, kind="danger") if said else "") + s.m.head(t("Log in", "Connexion"))
    main += s.m.field(t("User name", "Identifiant"), "m.durand") + s.m.field(
        t("Password", "Mot de passe"), "secret12", kind="password"
    )
    main += s.m.buttons(s.m.button(t("Log in", "Se connecter"), kind="primary"))
    return s.page(main, state, title=t("Log in", "Connexion"))


def wizard(s: Stage, state: str) -> Page:
    """The next of several steps."""
    t, base = s.t, state.split("+")[0]
    names = (t("Identity", "Identité"), t("Insurance", "Couverture"), t("Summary", "Récapitulatif"))
    step = {"after": 1, "skipped": 2}.get(base, 0)
    note = ""
    if base == "complaint":
        note = s.m.alert(t("Please enter the date of birth.", "Veuillez saisir la date de naissance."), kind="danger")
    body = (
        s.m.grid(
            s.m.field(t("Name", "Nom"), s.people[0]), s.m.field(t("Date of birth", "Date de naissance"), s.born[0])
        ),
        s.m.grid(
            s.m.field(t("Insurance company", "Organisme"), ""), s.m.field(t("Policy number", "Numéro de contrat"), "")
        ),
        s.m.facts(((t("Name", "Nom"), s.people[0]), (t("Date of birth", "Date de naissance"), s.born[0]))),
    )[step]
    heading = f"{t('Step', 'Étape')} {step + 1}/3: {names[step]}"
    main = note + s.m.head(heading) + body
    main += s.m.buttons(s.m.button(t("Back", "Précédent")), s.m.button(t("Continue", "Continuer"), kind="primary"))
    return s.page(main, state, title=t("Admission", "Admission"))


def closing(s: Stage, state: str) -> Page:
    """A dialog that is closed."""
    t, base = s.t, state.split("+")[0]
    texts = (t("Appearance", "Apparence"), t("Choose how lists are shown.", "Choisissez l'affichage des listes."))
    over = s.dialog(*texts, t("Close", "Fermer")) if base == "before" else ""
    return s.page(_list(s), state, title=t("Patients", "Patients"), over=over)


def uploading(s: Stage, state: str) -> Page:
    """A file that takes its time."""
    t, base = s.t, state.split("+")[0]
    said = {
        "part": t("Sending… 40 %", "Envoi en cours… 40 %"),
        "more": t("Sending… 90 %", "Envoi en cours… 90 %"),
        "after": t("File sent", "Fichier envoyé"),
        "stopped": t("Sending stopped: file too large", "Envoi interrompu : fichier trop volumineux"),
        "unsent": t("File not sent", "Fichier non envoyé"),
    }.get(base, "")
    value = {"part": 40, "more": 90, "after": 100, "stopped": 40}.get(base, 0)
    main = s.m.head(t("Attachments", "Pièces jointes")) + f"<p>{escape(said)}</p>"
    main += s.m.progress(value) + s.m.buttons(s.m.button(t("Send file", "Envoyer le fichier"), kind="primary"))
    return s.page(main, state, title=t("Attachments", "Pièces jointes"))


_NOTHING = (("before",), ("before+clock",), ("before+popup",), ("before+dialog",), (BLACK,))
SCENES = (
    Scene(
        name="saving", draw=saving, target=("Save", "Enregistrer"),
        done=(("after",), ("before", "before+saving", "after"), ("before", "before", "after+clock"), ("after+popup",)),
        undone=(
            *_NOTHING, ("unsaved",), ("failed",), ("impossible",), ("asked",), ("complaint",), ("print",), ("hover",),
            ("before+saving", "before+saving"), ("before+saving", "unsaved"), ("before+error",), ("before+session",),
        ),
    ),
    Scene(
        name="saving over an old message", draw=saving, target=("Save", "Enregistrer"), before=("before+old",),
        done=(("after+oldstack",), ("before", "after"), ("before", "before+saving", "after")),
        undone=(
            ("before+old",), ("before+old+clock",), ("before+old+error",), ("complaint+old",), ("before+old+dialog",),
            ("unsaved",), ("before+old+saving", "before+old+error"), ("before+old+popup",), ("print+old",),
            ("hover+old",),
        ),
    ),
    Scene(
        name="deleting", draw=deleting, target=("Delete", "Supprimer"),
        done=(("after",), ("before+wait", "after"), ("before", "after")),
        undone=(
            *_NOTHING, ("kept",), ("refused",), ("failed",), ("before+wait", "failed"), ("before+wait", "kept+error"),
        ),
    ),
    Scene(
        name="asking", draw=asking, target=("Discharge…", "Sortie…"),
        done=(("after",), ("before", "after"), ("before+loading", "after")),
        undone=(*_NOTHING, ("other",), ("before+loading",), ("before+error",), ("before+session",)),
    ),
    Scene(
        name="opening a record", draw=opening, target=("", ""),
        done=(("after",), ("before+loading", "after"), ("before", "after"), ("after+clock",)),
        undone=(*_NOTHING, ("login",), ("missing",), ("wrong",), ("settings",), ("before+loading", "missing")),
    ),
    Scene(
        name="another tab", draw=tab, target=("Results", "Résultats"), done=(("after",), ("before", "after")),
        undone=(*_NOTHING, ("other",), ("before+loading",)),
    ),
    Scene(
        name="ticking", draw=ticking, target=("Send a letter", "Envoyer un courrier"),
        done=(("after",), ("before", "after"), ("after+clock",)), undone=(*_NOTHING, ("other",)),
    ),
    Scene(
        name="choosing", draw=choosing, target=("Transfer", "Transfert"),
        done=(("after",), ("before", "after")), undone=(*_NOTHING, ("other",)),
    ),
    Scene(
        name="a menu", draw=menu, target=("Actions", "Actions"), done=(("after",), ("before", "after")),
        undone=(*_NOTHING, ("other",), ("before+hint",)),
    ),
    Scene(
        name="typing", draw=typing, action="type_text", goal=("after", "upper"),
        done=(("after",), ("before", "half", "after"), ("upper",)), undone=(*_NOTHING, ("half",), ("layout",)),
    ),
    Scene(
        name="typing a date", draw=typing_date, action="type_text", goal=("after", "iso"),
        done=(("after",), ("iso",)), undone=(*_NOTHING, ("wrong",), ("year",)),
    ),
    Scene(
        name="typing a number", draw=typing_number, action="type_text", goal=("after", "plain"),
        done=(("after",), ("plain",)), undone=(*_NOTHING, ("wrong",)),
    ),
    Scene(
        name="typing a secret", draw=typing_secret, action="type_text",
        done=(("after",),), undone=(("before",), ("before+clock",), ("half",), ("before+popup",)),
    ),
    Scene(
        name="typing more than the field shows", draw=typing_long, action="type_text",
        done=(("after",),), undone=(("before",), ("before+clock",), ("half",)),
    ),
    Scene(
        name="writing", draw=writing, action="type_text", done=(("after",), ("half", "after")),
        undone=(*_NOTHING, ("half",)),
    ),
    Scene(
        name="logging in", draw=login, target=("Log in", "Se connecter"),
        done=(("after",), ("before+wait", "after")),
        undone=(*_NOTHING, ("wrong",), ("locked",), ("before+wait", "wrong")),
    ),
    Scene(
        name="the next step", draw=wizard, target=("Continue", "Continuer"),
        done=(("after",), ("before+loading", "after")),
        undone=(*_NOTHING, ("complaint",), ("skipped",)),
    ),
    Scene(
        name="closing a dialog", draw=closing, target=("Close", "Fermer"), done=(("after",), ("before", "after")),
        undone=(("before",), ("before+clock",), (BLACK,), ("before+dialog",)),
    ),
    Scene(
        name="sending a file", draw=uploading, target=("Send file", "Envoyer le fichier"),
        done=(("part", "more", "after"), ("after",)),
        undone=(*_NOTHING, ("part", "stopped"), ("part", "unsent"), ("part", "more")),
    ),
)  # fmt: skip
