"""Pages on which controls stand close, within frames of their own: grids, trees, mail, and controls of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchmarks.screens.bars import desk, office
from benchmarks.screens.pages import Page
from benchmarks.screens.styles import icon
from benchmarks.screens.widgets import FOCUS, Maker, frame
from benchmarks.screens.words import COMPLAINTS, ITEMS, PLACES, TICKETS

_LINE = "border:1px solid #8888"


def preferences(m: Maker) -> str:
    """Every kind of control that is not a plain field: segments, sliders, steppers, lists, choices drawn by hand."""
    w, t = m.words, m.words.t
    sizes = (t("Small", "Petit"), t("Medium", "Moyen"), t("Large", "Grand"))
    left = m.card(
        t("Display", "Affichage"),
        _segments(sizes, w.rng.randrange(3))
        + _slider(t("Contrast", "Contraste"), w.rng.randint(10, 90))
        + _slider(t("Volume", "Volume"), w.rng.randint(10, 90))
        + m.switch(t("Dark appearance", "Apparence sombre"), w.rng.random() < 0.5)
        + m.switch(t("Animations", "Animations"), w.rng.random() < 0.5),
    )
    right = m.card(
        t("Printing", "Impression"),
        _choice(t("Printer", "Imprimante"), w.of(PLACES))
        + m.select(t("Paper", "Papier"), ("A4", "A5", t("Letter", "Lettre")))
        + _stepper(t("Copies", "Exemplaires"), w.rng.randint(1, 9), m)
        + m.area(t("Footer", "Pied de page"), rows=3)
        + m.buttons(m.button(t("Test", "Tester"), small=True), m.button(sign="arrow-clockwise", small=True)),
    )
    places = "".join(
        f'<div role="option" style="padding:.2em .6em{";background:var(--x-accent);color:#fff" * (n == 1)}">'
        f"{escape(place)}</div>"
        for n, place in enumerate(w.some(PLACES, 5))
    )
    lists = f'<div role="listbox" style="{_LINE};max-width:22em">{places}</div>'
    moves = "".join(m.button(sign=sign, small=True) for sign in ("plus-lg", "pencil", "trash"))
    main = f"<h1>{t('Preferences', 'Préférences')}</h1>" + m.grid(left, right)
    main += m.grid(lists + f'<div style="margin:.4em 0">{moves}</div>', m.area(t("Notes", "Notes"), w.paragraph(2)))
    main += m.buttons(m.button("OK", kind="primary"), m.button(t("Cancel", "Annuler")))
    return frame(main, bar=desk(m, 1))


def mailbox(m: Maker) -> str:
    """Letters in a dense list, two lines each, with a check box, a star and a clip; the one that is read beside it."""
    w, t = m.words, m.words.t
    chosen = w.rng.randrange(4)
    letters = "".join(
        f'<div data-row style="display:flex;gap:.6em;align-items:center;padding:.4em .6em;border-bottom:1px solid #8885'
        f'{";background:#8883" * (n == chosen)}">'
        f'<input type="checkbox" style="margin:0"><a href="#">{icon("star")}</a>'
        f'<div style="flex:1;min-width:0"><b>{escape(w.person())}</b><div style="white-space:nowrap">'
        f"{escape(w.of(TICKETS))}</div></div>"
        + (icon("paperclip") if w.rng.random() < 0.4 else "")
        + f"<span>{w.time()}</span></div>"
        for n in range(max(4, m.lines // 4))
    )
    tools = m.tools(
        ("pencil-square", "archive", "trash", "printer", "search"), texts=(("reply", t("Reply", "Répondre")),), off=(1,)
    )
    letter = (
        f"<h2>{escape(w.of(TICKETS))}</h2>"
        + m.facts(((t("From", "De"), w.person()), (t("Date", "Date"), w.long_date())))
        + f"<p>{escape(w.paragraph(3))}</p>"
        + m.buttons(
            m.button(t("Reply", "Répondre"), kind="primary", sign="reply"), m.button(t("Forward", "Transférer"))
        )
    )
    search = m.input(placeholder=t("Search mail", "Rechercher un message"), kind="search", attrs=FOCUS)
    both = (
        f'<div style="display:flex;gap:1em"><div style="{_LINE};width:46%;flex:none">{letters}</div>'
        f'<div style="flex:1">{letter}</div></div>'
    )
    side = m.side(
        (
            ("inbox", t("Inbox", "Réception")),
            ("send", t("Sent", "Envoyés")),
            ("file-earmark", t("Drafts", "Brouillons")),
            ("trash", t("Bin", "Corbeille")),
        )
    )
    return frame(search + both, bar=tools, side=side)


def ledger(m: Maker) -> str:
    """A grid with a line around every cell, one row of it chosen, with fields and choices in its cells."""
    w, t = m.words, m.words.t
    cell = f"{_LINE};padding:.15em .5em;white-space:nowrap"
    heads = (t("No.", "N°"), t("Date", "Date"), t("Subject", "Objet"), t("Customer", "Client"), t("Amount", "Montant"))
    head = "".join(f'<div style="{cell};background:#8882"><b>{escape(h)}</b></div>' for h in (*heads, ""))
    chosen = w.rng.randrange(2, 6)
    rows = "".join(
        f'<div style="{cell}{";background:var(--x-accent);color:#fff" * (n == chosen)}">{escape(value)}</div>'
        if value
        else f'<div style="{cell}">{m.button(sign="pencil", small=True)}</div>'
        for n in range(m.rows(22))
        for value in (w.ident(), w.date(), w.of(ITEMS), w.person(), w.amount(), "")
    )
    grid = f'<div style="display:grid;grid-template-columns:repeat(5,auto) min-content">{head}{rows}</div>'
    main = m.head(
        t("Ledger", "Grand livre"), m.button(t("New entry", "Nouvelle écriture"), kind="primary"),
        m.button(sign="funnel"), m.button(sign="download"),
    )  # fmt: skip
    main += '<div class="x-row">' + m.input(w.date()) + m.input(placeholder=t("Subject", "Objet"))
    main += (
        m.choice((t("All accounts", "Tous les comptes"), "4010", "5120")) + m.button(t("Filter", "Filtrer")) + "</div>"
    )
    return frame(main + grid, bar=office(m, 0))


def outline(m: Maker) -> str:
    """A framed tree with signs to unfold its branches, beside a framed form of several lines."""
    w, t = m.words, m.words.t
    branches = []
    for place in w.some(PLACES, 5):
        opened = w.rng.random() < 0.5
        branches.append((0, "chevron-down" if opened else "chevron-right", "folder", place))
        branches += [(1, "", "file-earmark", name) for name in w.some(COMPLAINTS, 3)] if opened else []
    tree = "".join(
        f'<div role="treeitem" style="padding:.15em .4em .15em {0.4 + 1.3 * depth}em;white-space:nowrap'
        f'{";background:var(--x-accent);color:#fff" * (n == 2)}">'
        + (icon(sign) if sign else '<span style="display:inline-block;width:1.15em"></span>')
        + f" {icon(kind)} <span>{escape(text)}</span></div>"
        for n, (depth, sign, kind, text) in enumerate(branches)
    )
    facts = m.card(
        t("Selected unit", "Unité choisie"),
        m.facts(
            ((t("Name", "Nom"), w.of(PLACES)), (t("Head", "Responsable"), w.person()), (t("Phone", "Tél."), w.phone()))
        )
        + _segments((t("Day", "Jour"), t("Night", "Nuit"), t("Both", "Les deux")), 0)
        + m.buttons(m.button(t("Edit", "Modifier"), small=True), m.button(t("Move", "Déplacer"), small=True)),
    )
    notes = f'<div style="{_LINE};padding:.6em"><p>{escape(w.paragraph(2))}</p>{m.link(t("More", "Suite"))}</div>'
    cells = "".join(
        f'<div role="button" style="{_LINE};padding:.4em;text-align:center">{number}</div>' for number in range(1, 15)
    )
    week = f'<div style="display:grid;grid-template-columns:repeat(7,3em);margin-top:.8em">{cells}</div>'
    main = (
        f'<h1>{t("Units", "Unités")}</h1><div style="display:flex;gap:1.2em;align-items:flex-start">'
        f'<div role="tree" style="{_LINE};width:24em;flex:none">{tree}</div>'
        f'<div style="flex:1">{facts}{notes}{week}</div></div>'
    )
    tools = m.tools(("plus-lg", "folder-plus", "trash", "arrow-left", "arrow-right"))
    return frame(main, bar=tools)


def _segments(names: Sequence[str], chosen: int) -> str:
    """One control in parts that share their borders."""
    made = "".join(
        f'<button type="button" aria-pressed="{str(n == chosen).lower()}" style="all:unset;padding:.3em 1em;'
        f"font-family:var(--x-font);{'border-left:1px solid #8888;' * (n > 0)}"
        f'{"background:var(--x-accent);color:#fff" * (n == chosen)}"><span class="x-label">{escape(name)}</span>'
        "</button>"
        for n, name in enumerate(names)
    )
    return f'<div style="{_LINE};display:inline-flex;margin:.4em 0;border-radius:.3em;overflow:hidden">{made}</div>'


def _slider(label: str, value: int) -> str:
    return (
        f'<div style="display:flex;gap:.8em;align-items:center;margin:.4em 0"><span style="min-width:6em">'
        f'{escape(label)}</span><input type="range" min="0" max="100" value="{value}" '
        f'style="width:14em;margin:0;padding:0"><span>{value}</span></div>'
    )


def _choice(label: str, value: str) -> str:
    """A list to choose from that a page draws by itself."""
    return (
        f'<div class="x-field"><label>{escape(label)}</label><div role="combobox" tabindex="0" style="{_LINE};'
        f'padding:.35em .6em;display:flex;align-items:center;border-radius:.25em"><span style="flex:1">{escape(value)}'
        f"</span>{icon('chevron-down')}</div></div>"
    )


def _stepper(label: str, value: int, m: Maker) -> str:
    less, more = m.button("−", small=True), m.button("+", small=True)
    return (
        '<div style="display:flex;gap:.3em;align-items:center;margin:.4em 0">'
        f'<span style="flex:1">{escape(label)}</span>'
        f'{less}<span style="min-width:2em;text-align:center">{value}</span>{more}</div>'
    )


DENSE: dict[str, Page] = {page.__name__: page for page in (preferences, mailbox, ledger, outline)}
