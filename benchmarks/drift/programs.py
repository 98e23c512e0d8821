"""The programs whose windows are taught and seen again, with what they open; all of them are the distribution's."""

from __future__ import annotations

import random
import shutil
import sqlite3
import tarfile
from pathlib import Path

from benchmarks.screens import documents
from benchmarks.screens.accessibility import SYSTEM_PYTHON
from benchmarks.screens.apps import App, by_name, states
from benchmarks.screens.documents import FOLDER as D
from benchmarks.screens.words import Words

_KNOWN = (
    "mousepad", "galculator", "geany", "l3afpad", "gtk3-widget-factory", "featherpad", "speedcrunch", "qpdfview",
    "lximage-qt", "pcmanfm-qt",
)  # fmt: skip
_MORE = (
    App(
        name="sqlitebrowser",
        toolkit="qt",
        command=("sqlitebrowser", str(D / "ward.db")),
        states=states(main="", menu="click menu item 2", table="press esc; click page tab -3"),
    ),
    App(
        name="keepassxc",
        toolkit="qt",
        command=("keepassxc",),
        states=states(main="", menu="click menu item 0", tools="press esc; click menu item 3"),
    ),
    App(
        name="homebank",
        toolkit="gtk",
        command=("homebank",),
        states=states(welcome="", main="press esc", menu="click menu 1", manage="press esc; click menu 2"),
    ),
    App(
        name="osmo",
        toolkit="gtk",
        command=("osmo",),
        states=states(main="", tasks="click page tab 1", contacts="click page tab 2"),
    ),
    App(
        name="xarchiver",
        toolkit="gtk",
        command=("xarchiver", str(D / "ward.tar.gz")),
        states=states(main="", menu="click menu 1", about="press esc; click menu 0"),
    ),
    App(
        name="gucharmap",
        toolkit="gtk",
        command=("gucharmap",),
        states=states(main="", menu="click menu 1", search="press esc; press ctrl+f"),
    ),
    App(
        name="gtkhash",
        toolkit="gtk",
        command=("gtkhash", str(D / "notes.txt")),
        states=states(main="", menu="click menu 1", preferences="press up; press enter"),
    ),
    App(
        name="pcmanfm",
        toolkit="gtk",
        command=("pcmanfm", str(D / "Dossier")),
        states=states(main="", menu="click menu 1", list="press esc; press ctrl+2"),
    ),
    App(
        name="meld",
        toolkit="gtk",
        command=("meld", str(D / "notes.txt"), str(D / "lettre.txt")),
        states=states(main="", find="press ctrl+f"),
    ),
    App(name="gpicview", toolkit="gtk", command=("gpicview", str(D / "plan.png")), states=states(main="")),
    App(name="gtk3-demo", toolkit="gtk", command=("gtk3-demo",), states=states(main="", search="press ctrl+f")),
    App(name="grisbi", toolkit="gtk", command=("grisbi",), states=states(main="")),
    App(
        name="ward",
        toolkit="tk",
        command=(SYSTEM_PYTHON, str(Path(__file__).with_name("ward.py"))),
        states=states(main="", form="click page tab 1"),
    ),
    App(
        name="gnumeric",
        toolkit="gtk",
        command=("gnumeric", str(D / "ward.csv")),
        states=states(main="", menu="click menu 1", insert="press esc; click menu 3"),
    ),
)
PROGRAMS = (*(by_name(name) for name in _KNOWN), *_MORE)
ONCE = (  # show no second window of what is open already
    "mousepad", "qpdfview", "pcmanfm-qt", "pcmanfm", "keepassxc", "gucharmap", "gtkhash", "homebank", "osmo", "meld",
)  # fmt: skip
# What is typed into a program, which is data and no evidence.
TYPED = {
    "mousepad": "press ctrl+end; type Reçu à Orléans, où l'été s'achève.", "galculator": "type 12.5*84",
    "l3afpad": "press ctrl+end; type Call back Zoë on Monday.", "featherpad": "press ctrl+end; type Reçu le 3 mars.",
    "speedcrunch": "type 12.5*84; press enter", "geany": "press ctrl+end; type TOTAL = 18400",
}  # fmt: skip


def program(name: str) -> App:
    return next(app for app in PROGRAMS if app.name == name)


def make_files() -> None:
    """What the programs open."""
    documents.make()
    if not (D / "ward.db").is_file():  # what a program has open is not written anew
        words, rng = Words("fr", random.Random(3)), random.Random(4)
        rows = [(words.person(), f"M{words.ident()}", f"{rng.choice('ABC')}{rng.randint(1, 40)}") for _ in range(24)]
        _database(rows)
        _archive()
        (D / "ward.csv").write_text("".join(f"{';'.join(row)}\n" for row in (("nom", "dossier", "lit"), *rows)))


def _database(rows: list[tuple[str, str, str]]) -> None:
    with sqlite3.connect(D / "ward.new") as made:
        for table in ("admissions", "bilans", "consignes", "lits", "patients", "transferts"):
            made.execute(f"CREATE TABLE {table} (nom TEXT, dossier TEXT, lit TEXT)")
            made.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    (D / "ward.new").rename(D / "ward.db")


def _archive() -> None:
    with tarfile.open(D / "ward.tar.gz", "w:gz") as packed:
        for file in sorted((D / "Dossier").iterdir()):
            if file.is_file():
                entry = tarfile.TarInfo(file.name)
                entry.size, entry.mtime, entry.uname = file.stat().st_size, 1_710_400_000, "marie"
                with file.open("rb") as content:
                    packed.addfile(entry, content)


def need_programs(*also: str) -> None:
    """Raise RuntimeError that says what to type where programs are missing."""
    missing = [name for name in (*(app.command[0] for app in PROGRAMS), *also) if shutil.which(name) is None]
    if missing:
        raise RuntimeError(f"There is no {', '.join(missing)}. Type: tools/setup.sh bench")
