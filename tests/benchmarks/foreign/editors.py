"""Editors of Debian's in two tool kits: a note is saved under a name, and what is on the disk is what counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.foreign.result import ASKED, RIGHT, WRONG, Result
from tests.benchmarks.foreign.running import run, taught
from tests.support.display import VirtualDesktop, wait_until
from tests.support.story import Act, Screen, Story

TAUGHT: Mapping[str, str] = {"remark": "Signed on paper at the front desk", "file": "note-taught.txt"}
WANTED: Mapping[str, str] = {"remark": "Call back about the blood count", "file": "note-new.txt"}
OLD = "What somebody else wrote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """`fresh` is the title of its empty window; `unsaved` and `saved` those with the note in it."""

    command: tuple[str, ...]
    fresh: str
    unsaved: str
    saved: str
    dialog: str
    texts: tuple[str, ...]
    said: tuple[str, ...]
    press: str = "Save"


PROGRAMS: Mapping[str, Editor] = {
    "mousepad": Editor(
        command=("mousepad",), fresh="Untitled 1 - Mousepad", unsaved="*Untitled 1 - Mousepad",
        saved="*{{file}} - Mousepad", dialog="Save As", texts=("File", "Search", "Document"), said=("Name:", "Cancel"),
    ),
    "l3afpad": Editor(
        command=("l3afpad",), fresh="(Untitled)", unsaved="*(Untitled)", saved="{{file}}", dialog="Save As",
        texts=("File", "Search", "Options"), said=("Name:", "Cancel"), press="Save As",
    ),
    "featherpad": Editor(
        command=("featherpad", "--standalone"), fresh="Untitled", unsaved="*Untitled", saved="{{file}}",
        dialog="Save as...", texts=("File", "Search", "Options"), said=("File name:", "Cancel"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """`ends`: whether the run may come to its end; `name` is the file name that is asked for."""

    about: str
    kind: str
    ends: bool = False
    name: str = WANTED["file"]


TROUBLES = (
    Trouble(about="plain run", kind="", ends=True),
    Trouble(about="A1 the file is there already", kind="exists"),
    Trouble(about="A1 the save fails", kind="fails", name="missing-folder/note.txt"),
    Trouble(about="A2 a leap ahead", kind="written"),
    Trouble(about="A3 the end at the start", kind="ended"),
    Trouble(about="A7 another window has the focus", kind="other_window"),
    Trouble(about="A8 a dialog over the editor", kind="dialog"),
)


def story(name: str, editor: Editor) -> Story:
    empty = Screen(node_id="empty", title=editor.fresh, texts=editor.texts, absent=("{{remark}}",))
    written = Screen(node_id="written", title=editor.unsaved, texts=(*editor.texts, "{{remark}}"), absent=editor.said)
    dialog = Screen(node_id="dialog", title=editor.dialog, texts=editor.said, absent=("{{file}}",))
    named = Screen(node_id="named", title=editor.dialog, texts=(*editor.said, "{{file}}"))
    saved = Screen(node_id="saved", title=editor.saved, texts=(*editor.texts, "{{remark}}"), absent=editor.said)
    return Story(
        workflow_id=f"wf_{name}",
        values=TAUGHT,
        parts=(
            empty,
            Act(edge_id="type", action="type_text", text="{{remark}}"),
            written,
            Act(edge_id="save", action="press_keys", keys=("ctrl", "s")),
            dialog,
            Act(edge_id="name", action="type_text", text="{{file}}", clear=True),
            named,
            Act(edge_id="press", action="click", text=editor.press, window=editor.dialog),
            saved,
        ),
    )


@contextmanager
def shown(editor: Editor, screen: VirtualDesktop, *, file: str = "") -> Iterator[None]:
    """The editor as a person would have left it, with settings of its own."""
    settings = screen.folder / f"settings-{len(screen.processes)}"
    settings.mkdir()
    command = ["env", "-C", str(documents(screen)), *editor.command, *([file] if file else [])]
    process = screen.spawn(command, env={"XDG_CONFIG_HOME": str(settings)})
    try:
        screen.wait_for_window(file or editor.fresh)
        yield
    finally:
        screen.end(process)
        wait_until(lambda: not screen.windows(), what="the programs' end")


def documents(screen: VirtualDesktop) -> Path:
    folder = screen.folder / "home" / "Documents"
    folder.mkdir(parents=True, exist_ok=True)
    screen.env["HOME"] = str(folder.parent)
    return folder


def on_disk(screen: VirtualDesktop) -> dict[str, str]:
    home = documents(screen).parent
    files = [file for file in home.rglob("*") if file.is_file() and not file.relative_to(home).parts[0].startswith(".")]
    return {file.name: file.read_text().rstrip() for file in files}


@contextmanager
def troubled(trouble: Trouble, editor: Editor, screen: VirtualDesktop) -> Iterator[None]:
    """The editor with that trouble."""
    folder = documents(screen)
    for file in folder.parent.rglob("note-*"):
        file.unlink()
    if trouble.kind == "exists":
        (folder / trouble.name).write_text(OLD)
    if trouble.kind == "ended":
        (folder / trouble.name).write_text(WANTED["remark"])
    with shown(editor, screen, file=trouble.name if trouble.kind == "ended" else ""):
        if trouble.kind == "written":
            screen.run(["xdotool", "type", WANTED["remark"]])
        if trouble.kind == "dialog":
            screen.run(["xdotool", "key", "ctrl+o"])
            wait_until(lambda: len(screen.windows()) > 1, what="the dialog")
        if trouble.kind != "other_window":
            yield
            return
        other = screen.spawn(["l3afpad" if editor.command[0] != "l3afpad" else "mousepad"])
        try:
            wait_until(lambda: len(screen.windows()) > 1, what="the other editor")
            yield
        finally:
            screen.end(other)


def perform(name: str, analyzer: Any, screen: VirtualDesktop, folder: Path, *, only: str) -> Iterator[Result]:
    editor = PROGRAMS[name]
    with shown(editor, screen):
        workflow = taught(story(name, editor), screen, analyzer, folder / name)
        assert on_disk(screen) == {TAUGHT["file"]: TAUGHT["remark"]}, on_disk(screen)
    for trouble in TROUBLES:
        if only and only not in (trouble.kind or "plain") and only not in trouble.about:
            continue
        with troubled(trouble, editor, screen):
            before = on_disk(screen)
            (_, state), asked = run(workflow, {**WANTED, "file": trouble.name}, screen, analyzer)
            after, titles = on_disk(screen), [window.title for window in screen.windows()]
        yield Result(
            about=trouble.about, program=name, verdict=judged(trouble, state, before, after, titles),
            clear=trouble.ends, acts=f"{after} {titles}", asked=f"{trouble.kind} → {state}; " + " | ".join(asked),
        )  # fmt: skip


def judged(trouble: Trouble, state: str, before: Mapping[str, str], after: Mapping[str, str], titles: list[str]) -> str:
    """The disk decides, and for what must not be touched whether a window says that it was changed."""
    if state == "completed":
        return RIGHT if trouble.ends and after == {**before, trouble.name: WANTED["remark"]} else WRONG
    untouched = trouble.kind not in ("other_window", "dialog", "ended") or not any(t.startswith("*") for t in titles)
    return ASKED if after == before and untouched else WRONG
