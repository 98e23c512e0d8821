"""The widgets a page is built of, written as its kit wants them. Texts are plain; what comes back is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from benchmarks.screens.kits import KIND_NAMES, Kit
from benchmarks.screens.styles import icon
from benchmarks.screens.words import Words

FOCUS = 'data-focus="1"'


@dataclass(slots=True)
class Maker:
    """`kit` decides the markup, `words` what is said, `lines` how much of it."""

    kit: Kit
    words: Words
    lines: int = 50  # of text that the picture has room for
    _names: int = field(default=0)

    def rows(self, taken: int) -> int:
        """How many rows of a table there is room for, where `taken` lines are for other things."""
        return max(6, int((self.lines - taken) / 1.9))

    def button(
        self, text: str = "", *, kind: str = "plain", sign: str = "", small: bool = False, attrs: str = ""
    ) -> str:
        label = f'<span class="x-label">{escape(text)}</span>' if text else ""
        css = self.kit.kinds[kind] + (self.kit.small if small else "")
        return self.kit.button.format(kind=css, attrs=attrs, icon=icon(sign) if sign else "", text=label)

    def buttons(self, *made: str, end: bool = False) -> str:
        return f'<div class="x-buttons{" x-end" if end else ""}">{"".join(made)}</div>'

    def field(
        self, label: str, value: str = "", *, placeholder: str = "", kind: str = "text", attrs: str = "", hint: str = ""
    ) -> str:
        return self._labelled(label, self.input(value, placeholder=placeholder, kind=kind, attrs=attrs), hint)

    def input(self, value: str = "", *, placeholder: str = "", kind: str = "text", attrs: str = "") -> str:
        return self.kit.input.format(
            css=self.kit.input_css, type=kind, value=escape(value), placeholder=escape(placeholder), attrs=attrs
        )

    def area(self, label: str, value: str = "", *, rows: int = 3, placeholder: str = "", attrs: str = "") -> str:
        text = self.kit.area.format(rows=rows, value=escape(value), placeholder=escape(placeholder), attrs=attrs)
        return self._labelled(label, text, "")

    def select(self, label: str, options: Sequence[str], *, chosen: int = 0, attrs: str = "") -> str:
        return self._labelled(label, self.choice(options, chosen=chosen, attrs=attrs), "")

    def choice(self, options: Sequence[str], *, chosen: int = 0, attrs: str = "") -> str:
        rows = "".join(f"<option{' selected' * (i == chosen)}>{escape(o)}</option>" for i, o in enumerate(options))
        return self.kit.select.format(options=rows, attrs=attrs)

    def check(self, label: str, on: bool = False, *, off: bool = False, attrs: str = "") -> str:
        return self.kit.check.format(label=escape(label), attrs=_states(on, off) + attrs)

    def switch(self, label: str, on: bool = False, *, off: bool = False) -> str:
        return self.kit.switch.format(label=escape(label), attrs=_states(on, off))

    def radios(self, label: str, options: Sequence[str], *, chosen: int = 0, off: int = -1) -> str:
        self._names += 1
        name = f' name="r{self._names}"'
        made = [
            self.kit.radio.format(label=escape(o), attrs=_states(i == chosen, i == off) + name)
            for i, o in enumerate(options)
        ]
        return f'<div class="x-group"><h4>{escape(label)}</h4><div class="x-row">{"".join(made)}</div></div>'

    def tabs(self, names: Sequence[str], *, chosen: int = 0) -> str:
        made = [(self.kit.tab_on if i == chosen else self.kit.tab).format(text=escape(n)) for i, n in enumerate(names)]
        return self.kit.tabs.format(tabs="".join(made))

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Cells are HTML."""
        head = "".join(f"<th>{escape(h)}</th>" for h in heads)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f'<table class="{self.kit.table}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'

    def modal(self, title: str, body: str, *buttons: str) -> str:
        return self.kit.modal.format(title=escape(title), body=body, buttons="".join(buttons))

    def menu(
        self, items: Sequence[str], *, left: str, top: str, signs: Sequence[str] = (), off: Sequence[int] = ()
    ) -> str:
        """An opened drop-down menu; an empty item is a rule."""
        made = [
            self.kit.item.format(
                text=f"<span>{escape(text)}</span>",
                icon=icon(signs[i]) if i < len(signs) else "",
                attrs='aria-disabled="true"' if i in off else "",
            )
            if text
            else self.kit.rule
            for i, text in enumerate(items)
        ]
        menu = self.kit.menu.format(items="".join(made))
        return f'<div class="x-under" style="left:{left};top:{top}">{menu}</div>'

    def card(self, title: str, body: str) -> str:
        return self.kit.card.format(title=escape(title), body=body)

    def alert(self, text: str, *, kind: str = "info", sign: str = "") -> str:
        body = (icon(sign) + " " if sign else "") + f"<span>{escape(text)}</span>"
        return self.kit.alert.format(kind=self._kind(kind), body=body)

    def badge(self, text: str, *, kind: str = "secondary") -> str:
        return self.kit.badge.format(kind=self._kind(kind), text=escape(text))

    def pages(self, count: int, *, current: int = 1) -> str:
        w = self.words
        links = [self.kit.page.format(text=w.t("Previous", "Précédent"))]
        links += [(self.kit.page_on if n == current else self.kit.page).format(text=n) for n in range(1, count + 1)]
        links.append(self.kit.page.format(text=w.t("Next", "Suivant")))
        return self.kit.pages.format(links="".join(links))

    def progress(self, value: int) -> str:
        return self.kit.progress.format(value=value)

    def link(self, text: str) -> str:
        return f'<a href="#">{escape(text)}</a>'

    def facts(self, pairs: Sequence[tuple[str, str]]) -> str:
        """Names and their values, in two columns."""
        rows = "".join(f"<b>{escape(name)}</b><span>{escape(value)}</span>" for name, value in pairs)
        return f'<div class="x-fact">{rows}</div>'

    def bar(self, brand: str, entries: Sequence[str], *, current: int = 0, right: str = "") -> str:
        """The bar at the top of an application."""
        made = "".join(
            f'<a href="#" role="menuitem"{_current(i == current)}>{escape(e)}</a>' for i, e in enumerate(entries)
        )
        corner = f'<span class="x-right">{escape(right)}</span>' if right else ""
        return f'<div class="x-bar"><span class="x-brand">{escape(brand)}</span>{made}{corner}</div>'

    def side(self, entries: Sequence[tuple[str, str]], *, current: int = 0) -> str:
        """The navigation at the left: icon and text."""
        made = "".join(
            f'<a href="#" role="menuitem"{_current(i == current)}>{icon(sign)}<span>{escape(text)}</span></a>'
            for i, (sign, text) in enumerate(entries)
        )
        return f'<div class="x-side">{made}</div>'

    def menubar(self, entries: Sequence[str], *, opened: int = -1) -> str:
        made = "".join(
            f'<a href="#" role="menuitem"{" aria-expanded=true" * (i == opened)}>{escape(e)}</a>'
            for i, e in enumerate(entries)
        )
        return f'<div class="x-menubar">{made}</div>'

    def tools(self, signs: Sequence[str], *, texts: Sequence[tuple[str, str]] = (), off: Sequence[int] = ()) -> str:
        """A tool bar: buttons with an icon alone, then buttons with icon and text."""
        made = [
            self.button(sign=s, kind="plain", small=True, attrs="disabled" * (i in off)) for i, s in enumerate(signs)
        ]
        made += [self.button(text, sign=sign, kind="quiet", small=True) for sign, text in texts]
        return f'<div class="x-tools">{"".join(made)}</div>'

    def grid(self, *cells: str, columns: int = 2) -> str:
        return f'<div class="x-grid" style="--n:{columns}">{"".join(f"<div>{c}</div>" for c in cells)}</div>'

    def head(self, title: str, *buttons: str) -> str:
        return f'<div class="x-head"><h1>{escape(title)}</h1>{"".join(buttons)}</div>'

    def _kind(self, kind: str) -> str:
        return KIND_NAMES.get(self.kit.name, {}).get(kind, kind)

    def _labelled(self, label: str, control: str, hint: str) -> str:
        note = f'<div class="x-hint">{escape(hint)}</div>' if hint else ""
        return self.kit.field.format(label=escape(label), control=control, hint=note)


def frame(main: str, *, bar: str = "", side: str = "", over: str = "", status: str = "") -> str:
    """An application: bars above, navigation at the left, what lies over it all."""
    foot = f'<div class="x-status">{status}</div>' if status else ""
    body = f'<div class="x-body">{side}<div class="x-main ui form">{main}</div></div>'
    return f'<div class="x-root">{bar}{body}{foot}{over}</div>'


def _states(on: bool, off: bool) -> str:
    return "checked " * on + "disabled " * off


def _current(on: bool) -> str:
    return ' aria-current="page"' if on else ""
