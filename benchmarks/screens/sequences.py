"""Pictures of real programs one after the other, while somebody works with them.

python -c "from pathlib import Path; from benchmarks.screens.sequences import make_sequences; \
make_sequences(Path('build/bench/screens/sequences'))"
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.screens import documents
from benchmarks.screens.accessibility import stack
from benchmarks.screens.apps import need_programs, write
from benchmarks.screens.corpus import Screen, save
from benchmarks.screens.stage import Look, Stage, replacing, stage
from execution.desktop.capture import changed_box
from execution.types import Box, Frame, Point
from tests.support.display import ShownWindow, wait_until

D = documents.FOLDER
SENTENCE = "L'été, Zoë reçut à Nîmes 1 250 € : où est passé le reste ?"
IN_A_FIELD = "préférez-vous"
BLINKS = 10
CLOCK = 'while :; do date "+%H:%M:%S,%2N"; sleep 0.3; done'

FULL_HD = Look(theme="light", scale=1.0, width=1920, height=1080, language="en", font="DejaVu Sans", qt_style="adwaita")
SMALL = Look(theme="dark", scale=1.0, width=1366, height=768, language="fr", font="Noto Sans", qt_style="adwaita-dark")
LARGE = Look(
    theme="light", scale=1.5, width=2560, height=1600, language="en", font="Liberation Sans", qt_style="Fusion"
)

Frames = Iterator[Frame]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """What happens on a stage, as pictures; `kind` is one word for it."""

    name: str
    kind: str
    look: Look
    play: Callable[[Stage], Frames]
    blinking: bool = False


def make_sequences(folder: Path) -> list[Screen]:
    """Play all sequences and write their pictures and index to `folder`."""
    need_programs()
    started = time.monotonic()
    documents.make()
    screens: list[Screen] = []
    with replacing(folder) as fresh:
        for look, blinking in dict.fromkeys((s.look, s.blinking) for s in SEQUENCES):
            with stage(look, blinking=blinking) as on:
                for sequence in SEQUENCES:
                    if (sequence.look, sequence.blinking) == (look, blinking):
                        screens += _pictures(on, sequence, fresh)
                        on.end_programs()
        save(screens, fresh)
    megabytes = sum(file.stat().st_size for file in folder.glob("*.png")) / 1e6
    print(f"{len(screens)} frames, {megabytes:.0f} MB, in {time.monotonic() - started:.0f} s")
    return screens


def _pictures(on: Stage, sequence: Sequence, folder: Path) -> Iterator[Screen]:
    look = on.look
    for step, frame in enumerate(sequence.play(on)):
        name = f"{sequence.name}-{step:03d}"
        write(folder / f"{name}.png", frame)
        yield Screen(
            name=name,
            picture=f"{name}.png",
            family=sequence.name,
            step=step,
            variant={
                "kind": sequence.kind,
                "theme": look.theme,
                "scale": f"{look.scale:g}",
                "size": f"{look.width}x{look.height}",
                "language": look.language,
                "font": look.font,
            },
            window=on.desktop.window(),
            complete=False,
        )


def _editor(on: Stage, *, file: str = "lettre.txt", box: Box | None = None) -> ShownWindow:
    window = on.start(["mousepad", str(D / file)])
    if box is None:
        on.maximise(window)
    else:
        on.place(window, box)
    return window


def _steps(on: Stage, *steps: str) -> Frames:
    yield on.desktop.grab()
    for step in steps:
        yield on.do(step)


def _letters(on: Stage, text: str) -> Frames:
    """A picture after each letter, as soon as it is on the screen; spaces move no more than a caret."""
    yield on.desktop.grab()
    for letter in text:
        before = on.desktop.grab()
        on.desktop.type_text(letter)
        yield _next(on, before)


def _next(on: Stage, before: Frame) -> Frame:
    """The first picture that differs, once it stands still for a moment."""

    def other() -> Frame | None:
        frame = on.desktop.grab()
        return frame if changed_box(before, frame) is not None else None

    wait_until(other, timeout=5, what="a change of the picture")
    return on.rest(calm_ms=60)


def _typing(on: Stage) -> Frames:
    _editor(on, box=Box(240, 140, 1300, 800))
    on.do("press ctrl+end")
    yield from _letters(on, SENTENCE)


def _typing_in_a_field(on: Stage) -> Frames:
    _editor(on)
    on.do("press ctrl+f")
    yield from _letters(on, IN_A_FIELD)


def _typing_large(on: Stage) -> Frames:
    window = on.start(["featherpad", "--standalone", str(D / "notes.txt")])
    on.place(window, Box(300, 200, 1600, 1100))
    on.do("press ctrl+end")
    yield from _letters(on, "Accordé le 3 août.")


def _calculating(on: Stage) -> Frames:
    on.start(["galculator"])
    yield from _letters(on, "98.5*41-7")


def _caret(on: Stage) -> Frames:
    """Pictures with and without the caret, in the order in which it blinks."""
    _editor(on, box=Box(240, 140, 1300, 800))
    frame = on.desktop.grab()
    yield frame
    for _ in range(BLINKS):
        frame = _blink(on, frame)
        yield frame


def _blink(on: Stage, before: Frame) -> Frame:
    def other() -> Frame | None:
        frame = on.desktop.grab()
        return frame if frame.digest != before.digest else None

    return wait_until(other, timeout=5, what="the blinking of the caret")


def _scrolling(on: Stage) -> Frames:
    _editor(on, file="long.txt", box=Box(160, 100, 1200, 850))
    yield from _steps(
        on, *["wheel 1"] * 6, *["wheel 3"] * 4, *["press pagedown"] * 4, *["wheel -2"] * 3, "press pageup"
    )


def _scrolling_small(on: Stage) -> Frames:
    _editor(on, file="long.txt")
    yield from _steps(on, *["wheel 1"] * 5, *["press pagedown"] * 3, *["press pageup"] * 2)


def _scrolling_large(on: Stage) -> Frames:
    window = on.start(["geany", "-i", "-t", str(D / "long.txt")])
    on.place(window, Box(200, 150, 1800, 1250))
    yield from _steps(on, *["wheel 1"] * 5, *["press pagedown"] * 3, "press ctrl+home")


def _menus(on: Stage) -> Frames:
    _editor(on, box=Box(240, 140, 1100, 760))
    down = ["press down"] * 3
    yield from _steps(on, "click menu 0", *down, "press right", *down, "press right", *down, "press right", "press esc")


def _menus_small(on: Stage) -> Frames:
    window = on.start(["pcmanfm-qt", str(D / "Dossier")])
    on.maximise(window)
    down = ["press down"] * 2
    yield from _steps(on, "click menu item 0", *down, "press right", *down, "press right", *down, "press esc")


def _dialogs(on: Stage) -> Frames:
    _editor(on, box=Box(240, 140, 1100, 760))
    yield from _steps(
        on, "press ctrl+o", "press esc", "click menu 1", "press up", "press enter", "press esc", "press ctrl+f",
        "press esc", "press ctrl+shift+s", "press esc",
    )  # fmt: skip


def _dialogs_small(on: Stage) -> Frames:
    window = on.start(["geany", "-i", "-t", str(D / "order.py")])
    on.maximise(window)
    yield from _steps(on, "press ctrl+f", "press esc", "press ctrl+alt+p", "press esc", "press ctrl+l", "press esc")


def _tabs(on: Stage) -> Frames:
    window = on.start(["geany", "-i", *(str(D / name) for name in ("order.py", "notes.txt", "lettre.txt"))])
    on.place(window, Box(200, 120, 1200, 800))
    yield from _steps(on, *["press ctrl+pageup"] * 3, *["press ctrl+pagedown"] * 3)


def _pages(on: Stage) -> Frames:
    on.start(["gtk3-widget-factory"])
    yield from _steps(on, "click radio button 1", "click radio button 2", "click radio button 0", "click page tab 1")


def _moving(on: Stage) -> Frames:
    _editor(on, file="notes.txt", box=Box(120, 90, 900, 640))
    window = on.start(["galculator"])
    yield on.desktop.grab()
    for step in range(12):
        yield on.place(window, Box(60 + 97 * step, 80 + 41 * step, window.width, window.height))


def _moving_small(on: Stage) -> Frames:
    window = _editor(on, file="notes.txt", box=Box(40, 40, 640, 420))
    yield on.desktop.grab()
    for step in range(1, 9):
        yield on.place(window, Box(40 + 61 * step, 40 + 29 * step, 640, 420))


def _resizing(on: Stage) -> Frames:
    window = _editor(on, box=Box(200, 120, 560, 400))
    yield on.desktop.grab()
    for step in range(1, 13):
        yield on.place(window, Box(200, 120, 560 + 73 * step, 400 + 37 * step))


def _clock(on: Stage) -> Frames:
    """A window whose only change is a line of figures, over a text that stays."""
    _editor(on, file="notes.txt", box=Box(120, 90, 1000, 700))
    on.start(
        ["lxterminal", "--geometry=24x3", "-e", f"/bin/sh -c '{CLOCK.replace('date', 'printf %b033[H; date', 1)}'"]
    )
    yield from _ticks(on, 16)


def _ticks(on: Stage, count: int) -> Frames:
    frame = on.desktop.grab()
    yield frame
    for _ in range(count):
        frame = _next(on, frame)
        yield frame


def _tips(on: Stage) -> Frames:
    """Tool tips come when the pointer rests on a button and go when it leaves."""
    window = on.start(["featherpad", "--standalone", str(D / "lettre.txt")])
    on.place(window, Box(240, 140, 1100, 760))
    bare = len(stack(on.screen))
    yield on.desktop.grab()
    for button in (0, 1, 6, 7, 9):
        before = on.do(f"point push button {button}")
        yield before
        wait_until(lambda: len(stack(on.screen)) > bare, what="the tip of a button")
        if (frame := on.rest()).digest != before.digest:  # on a slow machine the tip is there with the first picture
            yield frame
        on.desktop.move(Point(10, 10))
        wait_until(lambda: len(stack(on.screen)) == bare, what="the end of the tip")
        yield on.rest()


SEQUENCES = (
    Sequence(name="typing", kind="typing", look=FULL_HD, play=_typing),
    Sequence(name="typing-field", kind="typing", look=FULL_HD, play=_typing_in_a_field),
    Sequence(name="typing-large", kind="typing", look=LARGE, play=_typing_large),
    Sequence(name="typing-figures", kind="typing", look=SMALL, play=_calculating),
    Sequence(name="caret", kind="caret", look=FULL_HD, play=_caret, blinking=True),
    Sequence(name="scroll", kind="scroll", look=FULL_HD, play=_scrolling),
    Sequence(name="scroll-small", kind="scroll", look=SMALL, play=_scrolling_small),
    Sequence(name="scroll-large", kind="scroll", look=LARGE, play=_scrolling_large),
    Sequence(name="menu", kind="menu", look=FULL_HD, play=_menus),
    Sequence(name="menu-small", kind="menu", look=SMALL, play=_menus_small),
    Sequence(name="dialog", kind="dialog", look=FULL_HD, play=_dialogs),
    Sequence(name="dialog-small", kind="dialog", look=SMALL, play=_dialogs_small),
    Sequence(name="tab", kind="tab", look=FULL_HD, play=_tabs),
    Sequence(name="tab-pages", kind="tab", look=FULL_HD, play=_pages),
    Sequence(name="move", kind="move", look=FULL_HD, play=_moving),
    Sequence(name="move-small", kind="move", look=SMALL, play=_moving_small),
    Sequence(name="resize", kind="resize", look=FULL_HD, play=_resizing),
    Sequence(name="clock", kind="clock", look=FULL_HD, play=_clock),
    Sequence(name="popup", kind="popup", look=FULL_HD, play=_tips),
)
