"""What a scene is: one action on one page, the states the page may be in, and which of them mean that it was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.screens.bars import hospital
from benchmarks.screens.widgets import Maker, frame

BLACK = "black"
Sequence = tuple[str, ...]  # the states that are seen one after the other, at each look


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One state of a page. `typed` and `variables` are the same in every state of one scene."""

    body: str
    title: str
    typed: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`draw` gives the page in a state; a state may have extras after a plus sign (`EXTRAS`).

    `goal` are the states in which the action was done. `target` is the text of what is clicked, English and French.
    `done` and `undone` are sequences of states after the action that end in it, or never do.
    """

    name: str
    draw: Callable[[Stage, str], Page]
    goal: tuple[str, ...] = ("after",)
    done: tuple[Sequence, ...] = (("after",),)
    undone: tuple[Sequence, ...] = ()
    action: str = "click"
    target: tuple[str, str] = ("", "")
    before: tuple[str, ...] = ("before",)

    def cases(self) -> list[tuple[str, Sequence, bool]]:
        """State before, states after, and whether it was done in the end."""
        return [
            (before, after, is_done)
            for before in self.before
            for sequences, is_done in ((self.done, True), (self.undone, False))
            for after in sequences
        ]

    def is_goal(self, state: str) -> bool:
        return state.split("+")[0] in self.goal


class Stage:
    """Draws the pages of one scene with one set of data. What is random is drawn first, the same for every state."""

    def __init__(self, maker: Maker) -> None:
        self.m, self.t = maker, maker.words.t
        words = maker.words
        self.bar = hospital(maker, 0)
        self.people = [words.person() for _ in range(9)]
        self.born = [words.born() for _ in range(9)]
        self.idents = [words.ident() for _ in range(9)]
        self.times = [words.time() for _ in range(9)]
        self.phone = words.phone()
        self.text = words.paragraph(2)
        self.banner = words.rng.random() < 0.5
        self.day = (words.rng.randint(13, 28), words.rng.randint(1, 12), words.rng.randint(1940, 2020))

    def page(self, main: str, state: str, *, title: str, over: str = "", **more: object) -> Page:
        """The page in its frame, with the extras of its state over it."""
        extras = state.split("+")[1:]
        clock = "10:43:07" if "clock" in extras else "10:42:51"
        over += "".join(EXTRAS[extra](self) for extra in extras if extra != "clock")
        status = f"<span>{self.t('Ready', 'Prêt')}</span><span>{clock}</span>"
        return Page(body=frame(main, bar=self.bar, over=over, status=status), title=f"{title} - UrgaCare", **more)

    def toast(self, text: str, *, kind: str = "success", low: int = 0) -> str:
        """A short message, at a corner or as a band across the page."""
        place = (
            f"right:24px;top:{64 + low * 70}px;width:340px"
            if not self.banner
            else f"left:20%;right:20%;top:{58 + low * 70}px"
        )
        surface = "background:var(--x-surface);box-shadow:0 2px 10px #0005"
        return f'<div style="position:fixed;{place};z-index:50;{surface}">{self.m.alert(text, kind=kind)}</div>'

    def dialog(self, title: str, text: str, *buttons: str) -> str:
        made = [self.m.button(b, kind="primary" if i == 0 else "plain") for i, b in enumerate(buttons)]
        return self.m.modal(title, f"<p>{text}</p>", *made)

    def spinner(self, text: str) -> str:
        ring = (
            "display:inline-block;width:26px;height:26px;border:4px solid #8886;border-top-color:var(--x-accent);"
            "border-radius:50%"
        )
        box = "left:40%;top:40%;padding:18px 26px;background:var(--x-surface);box-shadow:0 2px 14px #0006"
        return f'<div style="position:fixed;{box};z-index:60"><span style="{ring}"></span> <span>{text}</span></div>'


EXTRAS: dict[str, Callable[[Stage], str]] = {
    "popup": lambda s: s.dialog(
        s.t("Update available", "Mise à jour disponible"),
        s.t("A new version can be installed now.", "Une nouvelle version peut être installée."),
        s.t("Install", "Installer"),
        s.t("Later", "Plus tard"),
    ),
    "session": lambda s: s.dialog(
        s.t("Session expired", "Session expirée"),
        s.t("Log in again to continue.", "Reconnectez-vous pour continuer."),
        s.t("Log in", "Se connecter"),
    ),
    "error": lambda s: s.toast(
        s.t("The server could not be reached.", "Le serveur n'a pas pu être joint."), kind="danger", low=1
    ),
    "dialog": lambda s: s.dialog(
        s.t("Error", "Erreur"),
        s.t("The operation failed. Try again later.", "L'opération a échoué. Réessayez plus tard."),
        "OK",
    ),
    "wait": lambda s: s.spinner(s.t("Please wait…", "Veuillez patienter…")),
    "saving": lambda s: s.spinner(s.t("Saving…", "Enregistrement…")),
    "loading": lambda s: s.spinner(s.t("Loading…", "Chargement…")),
    "hint": lambda s: (
        '<div style="position:fixed;left:30%;top:60%;padding:6px 10px;background:#333;color:#fff;z-index:40">'
        + s.t("Keyboard shortcut: Ctrl+S", "Raccourci clavier : Ctrl+S")
        + "</div>"
    ),
    "old": lambda s: s.toast(s.t("Record saved", "Dossier enregistré")),
    "oldstack": lambda s: s.toast(s.t("Record saved", "Dossier enregistré"), low=1),
}
