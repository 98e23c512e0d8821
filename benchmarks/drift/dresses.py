"""The looks that programs are shown in: themes, icons, fonts, scales and languages; and which are held together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.screens.stage import Look
from execution.types import Box

PLACE = Box(120, 90, 1100, 760)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """A look and where windows lie in it, in pixels at 100 %; `client` is the remote desktop's that shows it."""

    look: Look
    place: Box = PLACE
    client: str = ""

    @property
    def worn(self) -> str:
        """The themes, which fitting keeps apart."""
        return f"{self.look.gtk_theme or self.look.theme}/{self.look.qt_style}/{self.look.icons}"


def _dress(place: Box = PLACE, **changes: object) -> Dress:
    usual = Look(theme="light", scale=1.0, width=1920, height=1080, language="en", font="Noto Sans", qt_style="adwaita")
    return Dress(look=replace(usual, **changes), place=place)  # type: ignore[arg-type]


def _remote(client: str, **changes: object) -> Dress:
    return replace(_dress(Box(30, 40, 1100, 730), width=1280, height=800, **changes), client=client)


def _at(x: int, y: int, w: int = PLACE.w, h: int = PLACE.h) -> Box:
    return Box(x, y, w, h)


TAUGHT = "taught"
DRESSES = {
    TAUGHT: _dress(),
    "arc": _dress(_at(300, 140), gtk_theme="Arc", icons="Papirus", qt_style="Fusion"),
    "papirus": _dress(icons="Papirus"),
    "dark": _dress(_at(520, 60), theme="dark", qt_style="adwaita-dark"),
    "scale-150": _dress(scale=1.5, width=2560, height=1440),
    "fr": _dress(language="fr"),
    "materia": _dress(_at(120, 200, 1180, 780), gtk_theme="Materia", icons="breeze", qt_style="kvantum"),
    "numix": _dress(_at(640, 230), gtk_theme="Numix", icons="elementary-xfce", qt_style="Windows"),
    "scale-125": _dress(scale=1.25),
    "font": _dress(font="DejaVu Sans", points=11),
    "oxygen": _dress(_at(160, 120), icons="oxygen"),
    "greybird": _dress(_at(60, 40, 1160, 820), gtk_theme="Greybird", icons="mate", qt_style="Cleanlooks"),
    "scale-075": _dress(_at(200, 160), scale=0.75, width=1366, height=768),
    "de": _dress(_at(400, 160), language="de"),
    "scale-200": _dress(_at(60, 40), scale=2.0, width=2560, height=1600),
    "tango": _dress(gtk_theme="Greybird", icons="Tango", qt_style="Plastique", theme="light"),
    "arc-dark": _dress(
        _at(240, 120), theme="dark", gtk_theme="Arc-Dark", icons="Papirus-Dark", qt_style="adwaita-dark"
    ),
    "liberation": _dress(_at(330, 60), font="Liberation Sans", points=9, gtk_theme="Numix", qt_style="Fusion"),
}
REMOTE = {
    "vnc": _remote("vnc"),
    "rdp": _remote("rdp"),
    "vnc-poor": _remote("vnc-poor", gtk_theme="Arc", icons="Papirus", qt_style="Fusion"),
}
# For each kind, what is taught in and what is seen.
HELD = {
    "theme": (
        (TAUGHT, "arc"), (TAUGHT, "dark"), (TAUGHT, "materia"), (TAUGHT, "numix"), (TAUGHT, "greybird"),
        ("arc", "materia"), ("numix", "arc-dark"), ("greybird", TAUGHT), ("arc-dark", "greybird"), ("dark", "tango"),
    ),
    "icons": (
        (TAUGHT, "papirus"), (TAUGHT, "oxygen"), ("papirus", "oxygen"), ("arc", TAUGHT), ("oxygen", "greybird"),
        ("tango", "numix"),
    ),
    "font": ((TAUGHT, "font"), ("papirus", "liberation"), ("font", TAUGHT), ("liberation", "numix")),
    "scale": (
        (TAUGHT, "scale-075"), (TAUGHT, "scale-125"), (TAUGHT, "scale-150"), (TAUGHT, "scale-200"),
        ("scale-150", TAUGHT), ("scale-125", "scale-075"),
    ),
    "remote": ((TAUGHT, "vnc"), (TAUGHT, "rdp"), ("arc", "vnc-poor"), ("vnc", "vnc-poor"), ("papirus", "vnc")),
    "language": ((TAUGHT, "fr"), (TAUGHT, "de"), ("fr", "de"), ("fr", TAUGHT)),
}  # fmt: skip
# Values change between these, which are in one language.
VALUES = (
    (TAUGHT, "arc"), ("arc", TAUGHT), (TAUGHT, "scale-125"), (TAUGHT, "font"), ("numix", "materia"),
    ("dark", "papirus"), ("greybird", "scale-150"), ("papirus", "scale-075"), ("materia", "dark"),
)  # fmt: skip
