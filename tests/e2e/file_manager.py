"""A folder of letters in a file manager, as a person would have left it there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.display import VirtualDesktop

LETTERS = "Letters"
_WINDOW = """[ui]
win_width={width}
win_height={height}
view_mode={view}
show_hidden=0
sort=name;ascending;
show_statusbar=1
"""
_ONE_CLICK_SELECTS = "[config]\nsingle_click=0\nuse_trash=0\n"
# Whatever other editors a machine has.
_LETTERS_OPEN_IN_MOUSEPAD = "[Default Applications]\ntext/plain=org.xfce.mousepad.desktop\n"


@contextmanager
def letters(
    screen: VirtualDesktop,
    documents: Path,
    files: Mapping[str, str],
    *,
    size: tuple[int, int] = (860, 560),
    at: tuple[int, int] = (210, 110),
    view: str = "list",
) -> Iterator[Path]:
    """The folder with these files in a window of PCManFM; yields where it is."""
    folder = documents / LETTERS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    settings = Path(screen.env["XDG_CONFIG_HOME"])
    for name, text in (
        ("pcmanfm/default/pcmanfm.conf", _WINDOW.format(width=size[0], height=size[1], view=view)),
        ("libfm/libfm.conf", _ONE_CLICK_SELECTS),
        ("mimeapps.list", _LETTERS_OPEN_IN_MOUSEPAD),
    ):
        (settings / name).parent.mkdir(parents=True, exist_ok=True)
        (settings / name).write_text(text)
    program = screen.spawn(["pcmanfm", str(folder)])
    try:
        window = screen.wait_for_window(LETTERS)
        screen.run(["xdotool", "windowmove", "--sync", str(window.id), *map(str, at)])
        yield folder
    finally:
        screen.end(program)
